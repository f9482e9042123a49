"""The engine's report on each graded submission: DIR/reports/A/S.json."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.submission_marks import CellMark, Flag
from tito.errors import WorkError

SCHEMA = 2


@dataclass(frozen=True)
class Report:
    """The result of grading one submission.

    Attributes:
        notebook: the first notebook of the assignment.
        content: a digest that changes when the submission, the release or a test changes.
        status: "graded" or "needs_review".
        reasons: why a person has to look at the submission as a whole.
        notes: oddities of the files that were corrected.
        seed: the seed of the tests' random inputs.
        stages: "contract" and "notebook", with the wall and CPU seconds that each took.
        handed_in, kit: what `content` is made of: the digests of the submission and of the kit.
        tool: a digest of tito's own code, which `content` leaves out.
    """

    student: str
    assignment: str
    notebook: str
    content: str
    status: str
    reasons: tuple[str, ...]
    flags: tuple[Flag, ...]
    cells: tuple[CellMark, ...]
    points: float
    max_points: float
    seed: int
    seconds: float
    notes: tuple[str, ...] = ()
    stages: dict[str, list[float]] = field(default_factory=dict)
    timestamp: str | None = None
    handed_in: str = ""
    kit: str = ""
    tool: str = ""

    def as_json(self) -> dict[str, Any]:
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        flags = [vars(flag) for flag in self.flags]
        cells = [mark.as_json() for mark in self.cells]
        return {"schema": SCHEMA, **own, "flags": flags, "cells": cells}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Report:
        own = {one.name: document[one.name] for one in fields(cls) if one.name in document}
        own["reasons"], own["notes"] = tuple(document["reasons"]), tuple(document.get("notes", ()))
        own["flags"] = tuple(map(Flag.from_json, document["flags"]))
        own["cells"] = tuple(map(CellMark.from_json, document["cells"]))
        return cls(**own)


def read_report_file(path: Path) -> Report | None:
    """The report in a file; None if there is no report that this version can read."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        return Report.from_json(document) if document.get("schema") == SCHEMA else None
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return None


def read_report(course: Course, assignment: Assignment, student: str) -> Report | None:
    """The report of the last grading; None if there is no report that this version can read."""
    return read_report_file(course.report(student, assignment))


def read_reports(course: Course, assignment: Assignment) -> list[Report]:
    """Every report of an assignment, by student."""
    reports = [read_report(course, assignment, name) for name in course.students(assignment)]
    return [report for report in reports if report]


def need_reports(course: Course, assignment: Assignment) -> list[Report]:
    """`read_reports`; WorkError if nothing has been graded yet."""
    reports = read_reports(course, assignment)
    if not reports:
        raise WorkError(
            f"marks come from graded submissions; none of {assignment.name} in {course.root} is. "
            f"Run: tito grade autograde {assignment.name} --course {course.root}"
        )
    return reports
