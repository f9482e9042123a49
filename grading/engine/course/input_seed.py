"""The seed for the random inputs of an assignment's sealed tests. It is the same for the whole
class, so the same code gets the same mark in every run and on every machine, and a mark can be
reproduced.

DIR/draws/A   the seed, a secret number of this course; each test derives its own seed from it
              and from its name (`draw` in tito.contract.plugin)
"""

import secrets

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from tito.errors import WorkError
from tito.files import move_aside, write_atomic


def seed_of(course: Course, assignment: Assignment, *, redraw: bool = False) -> int:
    """The seed of this assignment in this course, drawn on the first call. `redraw`: draw a new
    one; the old one is kept in DIR/replaced.
    """
    path = course.root / "draws" / assignment.name
    if redraw and path.exists():
        move_aside(path, course.root / "replaced")
    if not path.exists():
        write_atomic(path, f"{secrets.randbits(62)}\n")
        path.chmod(0o600)
    text = path.read_text(encoding="utf-8", errors="replace").strip()
    if not (text.isascii() and text.isdigit()):
        raise WorkError(
            f"the seed of a class is a whole number; {path} says {text[:40]!r}. Put the number of"
            f" an older report there, or draw another: tito grade autograde {assignment.name}"
            f" --redraw --course {course.root}"
        )
    return int(text)
