"""Marks as Gradescope's results.json, one for each student.

Format: "Autograder Specifications", section "Output Format", gradescope-autograders.readthedocs.io
(2025): `score` in points, and `tests` with score, max_score, status, name and output.
"""

from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.submission_reports import read_report
from grading.engine.submission_marks import StudentMark, test_lines


def results(
    course: Course, assignment: Assignment, rows: list[StudentMark]
) -> dict[str, dict[str, Any]]:
    """The results.json of every student with a grade."""
    handed_in = (row for row in rows if row.status != "missing")
    return {row.student: _one(course, assignment, row) for row in handed_in}


def _one(course: Course, assignment: Assignment, row: StudentMark) -> dict[str, Any]:
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
    # Gradescope would take a partial sum for the mark, so there is none while an answer waits.
    return {"score": None if row.waiting else row.final, "tests": tests}
