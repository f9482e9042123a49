"""A copy of a course in which an assignment is graded to see what would change, and which is then
thrown away.

The copy has the reports and the grades by hand, and a gradebook of its own without students: what
was graded before is recorded there from the reports. Submissions and releases are only read.
"""

import contextlib
import shutil
from collections.abc import Iterator

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.nbgrader_settings import OWN_GRADEBOOK
from grading.engine.marks.changed_marks import Changes
from grading.engine.run.grading_kit import definitions
from grading.engine.sandbox import temporary_folders

_READ_ONLY = ("submitted", "release", "source", "sealed")
_LEFT_OUT = ("autograded", "feedback", "replaced")
_OWN_BOOK = f"\nc.CourseDirectory.db_url = {OWN_GRADEBOOK!r}\n"


@contextlib.contextmanager
def trial_of(course: Course, assignment: Assignment) -> Iterator[Course]:
    """A copy of the course, in which no change of a mark waits to be told."""
    with temporary_folders.folder("trial") as place:
        copy = Course(place / "course")
        copy.root.mkdir()
        book = course.database
        for path in course.root.iterdir():
            target = copy.root / path.name
            if path.name in _READ_ONLY:
                target.symlink_to(path.resolve())
            elif path.is_dir() and path.name not in _LEFT_OUT:
                shutil.copytree(path, target, symlinks=True)
            elif path.is_file() and (book is None or not path.name.startswith(book.name)):
                shutil.copyfile(path, target)
        with open(copy.root / "nbgrader_config.py", "a", encoding="utf-8") as config:
            config.write(_OWN_BOOK)
        definitions(course, assignment, copy.root / "gradebook.db")
        Changes(copy, assignment).told()
        yield copy
