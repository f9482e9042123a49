"""The inputs that the sealed tests of an assignment draw: the same for a whole class, so that the
same code gets the same mark in every run and on every machine, and a mark can be defended.

DIR/draws/A   the seed, a secret number of this course; each test derives its own from it and from
              its name (`draw` in tito.contract.plugin)
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.files import move_aside
from tito.errors import WorkError


def seed_of(course: Course, assignment: Assignment, *, redraw: bool = False) -> int:
    """The seed of this assignment in this course; drawn when it is first asked for.

    Args:
        redraw: draw another one; the seed before it is kept in DIR/replaced.

    Raises:
        WorkError: the file holds no number.
    """
    path = course.root / "draws" / assignment.name
    if redraw and path.exists():
        move_aside(path, course.root / "replaced")
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        # Whole and only for its owner, or not there; of two runs that begin together, one wins.
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".draw-") as file:
            file.write(f"{secrets.randbits(62)}\n")
            file.flush()
            os.fsync(file.fileno())
            with contextlib.suppress(FileExistsError):
                os.link(file.name, path)
    text = path.read_text(encoding="utf-8").strip()
    if not (text.isascii() and text.isdigit()):
        raise WorkError(
            f"the seed of a class is a whole number; {path} says {text[:40]!r}. Put the number of"
            f" an older report there, or draw another: tito grade autograde {assignment.name}"
            f" --redraw --course {course.root}"
        )
    return int(text)
