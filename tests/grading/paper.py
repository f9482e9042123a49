"""A class on paper: the release is real, but submissions, grades and reports are written directly
instead of being graded.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from tiny_class import Class

from grading.authoring import release
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.results import CellMark
from tito.outcome import Outcome
from tito.workspace import Workspace

_BLANK: dict[Path, Path] = {}
DUE = "2026-11-20 12:00:00 UTC"


def blank(workspace: Workspace, folder: Path) -> Class:
    """A course in `folder`/course where 07_tiny is released and nobody has handed in anything;
    nbgrader makes it once in a test session.
    """
    module = Assignment.of(workspace.module("07"))
    if workspace.root not in _BLANK:
        made = Course.create(
            Path(tempfile.mkdtemp(dir=workspace.root.parent)) / "course", workspace
        )
        release.release_to_course(workspace.module("07"), made)
        _BLANK[workspace.root] = made.root
    course = Course(folder / "course")
    shutil.copytree(_BLANK[workspace.root], course.root)
    return Class(workspace, module, course, {}, {})


def set_due(room: Class, due: str | None = DUE) -> None:
    with room.course.book() as book:
        book.update_or_create_assignment(room.module.name, duedate=due)


def cell_marks(**points: float) -> list[CellMark]:
    """The marks of a report on 07_tiny; a test without all its points gets a broken promise."""
    found = []
    for name, kind, most, promise in (
        ("test_double", "test", 2.0, "double takes negative numbers."),
        ("test_box", "test", 3.0, "A box counts its things."),
        ("contract_box", "contract", 2.0, "A box keeps all its things."),
    ):
        got = points.get(name, most)
        outcome = Outcome("pass")
        if got < most:
            outcome = Outcome("fail", promise=promise, call="double(-1)", got="2", want="-2")
        tests = (
            Outcome("pass", "test_an_empty_box_has_length_zero"),
            replace(outcome, test="test_a_box_takes_three_things"),
        )
        tests = tests if kind == "contract" else ()
        found.append(CellMark("tiny_dev", name, kind, most, got, outcome, tests))
    question = CellMark("tiny_dev", "q_why", "question", 4.0, None, Outcome("waits"))
    return [*found[:2], question, found[2]]


def hand_in(
    room: Class,
    student: str,
    *,
    timestamp: str = "2026-11-20 10:00:00 UTC",
    notebook: dict | None = None,
    reasons: tuple[str, ...] = (),
    flags: tuple[dict, ...] = (),
    seconds: float = 1.0,
    **points: float,
) -> None:
    """A graded submission: its files, its grades and its report."""
    released = room.course.released(room.module).read_text(encoding="utf-8")
    path = room.notebook(student)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook) if notebook else released, encoding="utf-8")
    path.with_name("timestamp.txt").write_text(timestamp + "\n", encoding="utf-8")
    cells = [mark.as_json() for mark in cell_marks(**points)]
    with room.course.book() as book:
        book.update_or_create_student(student)
        submission = book.update_or_create_submission(
            room.module.name, student, timestamp=timestamp
        )
        earned = {cell["grade_id"]: cell["points"] for cell in cells}
        for grade in submission.notebooks[0].grades:
            grade.auto_score = earned[grade.name]
            grade.needs_manual_grade = earned[grade.name] is None or bool(reasons)
        book.db.commit()
    report = {
        "schema": 2,
        "student": student,
        "assignment": room.module.name,
        "notebook": "tiny_dev",
        "content": "x",
        "notes": [],
        "cells": cells,
        "status": "needs_review" if reasons or flags else "graded",
        "reasons": list(reasons),
        "flags": list(flags),
        "seconds": seconds,
        "points": sum(cell["points"] or 0 for cell in cells),
        "max_points": 11.0,
        "seed": 1,
        "stages": {},
    }
    path = room.course.report(student, room.module)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report), encoding="utf-8")
