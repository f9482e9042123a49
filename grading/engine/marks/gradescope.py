"""Marks as Gradescope's results.json, one for each student.

Format: "Autograder Specifications", section "Output Format", gradescope-autograders.readthedocs.io
(2025): `score` in points, and `tests` with score, max_score, status, name and output.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grading.engine.course.directory import Course
from grading.engine.course.reports import read_report
from grading.engine.marks.tables import marks

if TYPE_CHECKING:
    from grading.engine.course.assignment import Assignment
    from grading.engine.results import StudentMark


@dataclass(frozen=True)
class Results:
    """The results.json of one student.

    Attributes:
        score: None while an answer still waits, because Gradescope would take a partial sum for
            the mark.
    """

    student: str
    score: float | None
    tests: tuple[dict[str, Any], ...]

    def as_json(self) -> dict[str, Any]:
        return {"score": self.score, "tests": list(self.tests)}


def results(course: Course, assignment: Assignment) -> list[Results]:
    """The results of every student with a grade."""
    return [
        _one(course, assignment, row)
        for row in marks(course, assignment)
        if row.status != "missing"
    ]


def _one(course: Course, assignment: Assignment, row: StudentMark) -> Results:
    from grading.engine.pages.feedback_page import test_lines

    report = read_report(course, assignment, row.student)
    tests: list[dict[str, Any]] = []
    for mark in report.cells if report else ():
        label = assignment.label(*mark.key)
        points = row.cells.get(label)
        told = "\n\n".join(map(test_lines, mark.tests)) or mark.outcome.message or ""
        tests.append(
            {
                "name": label,
                "score": points or 0.0,
                "max_score": mark.max_points,
                "status": "passed" if points == mark.max_points else "failed",
                "output": "waits for a person" if points is None else told,
                "output_format": "text",
                "visibility": "visible",
            }
        )
    if row.penalty:
        tests.append({"name": "late", "score": -row.penalty, "max_score": 0.0})
    return Results(row.student, None if row.waiting else row.final, tuple(tests))
