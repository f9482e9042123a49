"""A class on paper: the release is real, but submissions, grades and reports are written directly
instead of being graded.
"""

from __future__ import annotations

import functools
import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from grading.authoring import release
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.submission_reports import Report
from grading.engine.submission_marks import CellMark, Flag
from helpers.inboxes import put
from helpers.tiny_class import Class
from tito.outcome import Outcome
from tito.workspace import Workspace

DUE = "2026-11-20 12:00:00 UTC"


@functools.cache
def released_course(root: Path) -> Path:
    """A course without students of the workspace at `root`, made once: copy it before you write."""
    workspace = Workspace(root)
    course = Course.create(Path(tempfile.mkdtemp(dir=root.parent)) / "course", workspace)
    release.release_to_course(workspace.module("07"), course)
    return course.root


def blank(workspace: Workspace, folder: Path) -> Class:
    """A course in `folder`/course where 07_tiny is released and nobody has handed in anything."""
    course = Course(shutil.copytree(released_course(workspace.root), folder / "course"))
    return Class(workspace, Assignment.of(workspace.module("07")), course, {}, {})


def set_due(room: Class, due: str | None = DUE) -> None:
    with room.course.book() as book:
        book.update_or_create_assignment(room.module.name, duedate=due)


def cell_marks(**points: float) -> list[CellMark]:
    """The marks of a report on 07_tiny; a test without all its points gets a broken promise."""
    found = []
    for name, kind, most, promise in (
        ("test_double", "test", 2.0, "double takes negative numbers."),
        ("test_box", "test", 3.0, "A box counts its things."),
        ("q_why", "question", 4.0, ""),
        ("contract_box", "contract", 2.0, "A box keeps all its things."),
    ):
        got = points.get(name, None if kind == "question" else most)
        outcome = Outcome("waits" if kind == "question" else "pass")
        if got is not None and got < most:
            outcome = Outcome("fail", promise=promise, call="double(-1)", got="2", want="-2")
        tests = (
            Outcome("pass", "test_an_empty_box_has_length_zero"),
            replace(outcome, test="test_a_box_takes_three_things"),
        )
        tests = tests if kind == "contract" else ()
        found.append(CellMark("tiny_dev", name, kind, most, got, outcome, tests))
    return found


def hand_in(
    room: Class,
    student: str,
    *,
    timestamp: str = "2026-11-20 10:00:00 UTC",
    notebook: dict | None = None,
    reasons: tuple[str, ...] = (),
    flags: tuple[Flag, ...] = (),
    seconds: float = 1.0,
    **points: float,
) -> None:
    """A graded submission: its files, its grades and its report."""
    released = room.course.released(room.module).read_text(encoding="utf-8")
    path = put(room.notebook(student), json.dumps(notebook) if notebook else released)
    put(path.with_name("timestamp.txt"), timestamp + "\n")
    marks = cell_marks(**points)
    earned = {mark.grade_id: mark.points for mark in marks}
    with room.course.book() as book:
        book.update_or_create_student(student)
        name = room.module.name
        submission = book.update_or_create_submission(name, student, timestamp=timestamp)
        for grade in submission.notebooks[0].grades:
            grade.auto_score = earned[grade.name]
            grade.needs_manual_grade = earned[grade.name] is None or bool(reasons)
        book.db.commit()
    status = "needs_review" if reasons or flags else "graded"
    total = sum(mark.points or 0 for mark in marks)
    about = (student, name, "tiny_dev", "x", status, reasons, flags, tuple(marks))
    report = Report(*about, total, 11.0, seed=1, seconds=seconds)
    put(room.course.report(student, room.module), json.dumps(report.as_json()))
