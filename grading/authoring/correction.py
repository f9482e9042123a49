"""A corrected edition beside the one that students have, cell by cell, and who handed in work on
which edition.
"""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grading.engine.course.directory import Course
from grading.engine.safe_text import shown
from grading.engine.submitted_notebook.match_editions import EARLIER, aligned
from tito.notebook.ipynb_format import load_ipynb
from tito.workspace import Module

_EDITION = re.compile(rb'"tito"\s*:\s*(\{[^{}]{0,400}\})')
_KIND = ("grade", "solution", "locked", "task")


@dataclass(frozen=True)
class Difference:
    """A cell that differs; `refused`: it cannot be corrected for work that was handed in."""

    cell: str
    what: str
    refused: bool = False

    def __str__(self) -> str:
        return f"{self.cell}: {self.what}"


@dataclass(frozen=True)
class Correction:
    """What a correction changes for students who have handed in.

    Attributes:
        earlier: the text of the notebook that they had.
        students: those who worked on the "earlier" edition, the "later" one, or "" another.
    """

    earlier: str
    differences: tuple[Difference, ...]
    students: dict[str, list[str]]


def differences(earlier: Any, later: Any) -> list[Difference]:
    """What differs between two editions (parsed notebooks), in the order of the later one."""
    changed = []
    for old, new in aligned(earlier["cells"], later["cells"]):
        cell = new or old or {}
        flags = cell["metadata"].get("nbgrader", {})
        name = flags.get("grade_id") or f"\u201c{_first_line(cell)}\u201d"
        if old is None or new is None:
            what = "a new cell" if old is None else "a cell that is gone"
            what += "" if flags else ", without points"
            changed.append(Difference(name, what, refused=bool(flags)))
        else:
            changed += [Difference(name, *what) for what in _changes(old, new)]
    return changed


def _changes(old: Any, new: Any) -> Iterator[tuple[str, bool]]:
    was, now = (cell["metadata"].get("nbgrader", {}) for cell in (old, new))
    if old["cell_type"] != new["cell_type"] or any(was.get(f) != now.get(f) for f in _KIND):
        yield "a cell of another kind", True
        return
    if was.get("points") != now.get("points"):
        yield f"{was.get('points')} -> {now.get('points')} points", False
    if old["source"] == new["source"]:
        return
    if now.get("solution"):
        yield "the stub; what was handed in stays as it is", False
    elif new["cell_type"] != "code":
        yield "its text, which changes no mark", False
    else:
        yield "the code of its test" if now.get("grade") else "its code", False


def _first_line(cell: Any) -> str:
    return shown(next(iter(cell["source"].strip().splitlines()), ""), 60)


def students_by_edition(
    course: Course, module: Module, earlier: Any, later: Any
) -> dict[str, list[str]]:
    """The students who handed in work on an "earlier" edition, the "later" one, or on one that
    their notebook does not name (""). Editions that differ in texts alone are told apart, too.
    """
    places = (course.root / EARLIER / module.name).glob(f"*/{module.stem}.ipynb")
    known = [earlier, *(load_ipynb(path) for path in places)]
    editions = {_key(one["metadata"].get("tito", {})): "earlier" for one in known}
    editions[_key(later["metadata"].get("tito", {}))] = "later"
    students: dict[str, list[str]] = {"earlier": [], "later": [], "": []}
    for student in course.students(module):
        path = course.submitted(student, module) / f"{module.stem}.ipynb"
        key = None
        with contextlib.suppress(OSError, ValueError, AttributeError):
            if match := _EDITION.search(path.read_bytes()):
                key = _key(json.loads(match[1]))
        students[editions.get(key, "") if key else ""].append(student)
    return students


def _key(said: dict[str, Any]) -> tuple[str, str] | None:
    return (str(said.get("released")), str(said.get("text"))) if said else None
