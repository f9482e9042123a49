"""How large a submission may be, and how much time and memory its grading may take.
`trusted_process_limits` and the sandbox hold a process to these limits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from grading.engine.sandbox import SandboxLimits

# The size of a submission, in bytes and in number of files
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

# What a submission shows
CELL_OUTPUT_BYTES = 2**20  # kept of one cell; at eight times as much it is stopped
NOTEBOOK_OUTPUT_BYTES = 4 * 2**20  # kept of all cells; at eight times as much the run is stopped

# A submission's folder in the course
MAX_TOTAL_BYTES = 64 * 2**20
MAX_FILES = 200
MAX_DEPTH = 6  # of nested folders

# A trusted process that reads one submission
READING_BYTES = 768 * 2**20  # of memory, for one submitted file
READING_SECONDS = 20  # of CPU time
GRADING_BYTES = 4096 * 2**20  # of memory, for everything that the grader does for one submission

# The run of a submission, in seconds
CELL_SECONDS = 30  # for one cell, which is then interrupted
NOTEBOOK_SECONDS = 120  # for all cells together; later cells are not run


@dataclass(frozen=True)
class Limits:
    """Limits of wall time in seconds (for one cell, all cells of a notebook, one contract test, all
    contract tests), and the limits of the sandbox.
    """

    cell_seconds: float = CELL_SECONDS
    notebook_seconds: float = NOTEBOOK_SECONDS
    test_seconds: float = 10
    contract_seconds: float = 120
    sandbox: SandboxLimits = field(default_factory=SandboxLimits)

    def total_seconds(self, notebooks: int) -> float:
        """After this time a process is ended if it has not kept its own limits."""
        return notebooks * (self.notebook_seconds + self.cell_seconds) + self.contract_seconds + 60

    def of_course(self, cell_seconds: float | None) -> Limits:
        """These limits, with a course's own time for a cell where nobody has chosen others."""
        if cell_seconds is None or self != Limits():
            return self
        if cell_seconds == math.inf:
            return replace(self, cell_seconds=self.notebook_seconds)
        whole = max(self.notebook_seconds, 4 * cell_seconds)
        return replace(self, cell_seconds=cell_seconds, notebook_seconds=whole)
