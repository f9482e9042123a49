"""How large a submission may be, in bytes and in number of files. The limits of memory and time for
reading a submission are in `bounds`.
"""

from __future__ import annotations

MAX_BYTES = 25 * 2**20  # one notebook, or a student's zip; figures are stored in a notebook as text
SMALLER = "Make a notebook smaller: jupyter nbconvert --clear-output --inplace FILE"
MAX_MEMBERS = 20  # files in a student's zip; `tito submit` writes two
MAX_RATIO = 200  # unpacked / packed; text rarely passes 20
MAX_NAME = 1024  # characters of a file's path in a zip; a zip may hold names of 65,535
MAX_MANIFEST_BYTES = 2**16  # the manifest that `tito submit` writes

# The download of a platform, with the submissions of a class
MAX_BULK_MEMBERS = 20_000
MAX_BULK_BYTES = 8 * 2**30  # unpacked
MAX_METADATA_BYTES = 32 * 2**20  # Gradescope's file holds the output of every autograder run

# A submission's folder in the course
MAX_TOTAL_BYTES = 64 * 2**20
MAX_FILES = 200
MAX_DEPTH = 6  # of nested folders
