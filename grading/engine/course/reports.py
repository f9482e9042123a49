"""What the engine keeps of each graded submission: DIR/reports/A/S.json."""

from __future__ import annotations

import json
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from tito.errors import WorkError

SCHEMA = 2


def read_report(course: Course, assignment: Assignment, student: str) -> dict[str, Any] | None:
    """The report of the last grading; None when there is none that this version can read."""
    try:
        report = json.loads(course.report(student, assignment).read_text(encoding="utf-8"))
        return report if report.get("schema") == SCHEMA else None
    except (OSError, ValueError, AttributeError):
        return None


def need_reports(course: Course, assignment: Assignment) -> list[dict[str, Any]]:
    """Every report of an assignment, by student.

    Raises:
        WorkError: nothing was graded yet.
    """
    found = [
        report
        for student in course.students(assignment)
        if (report := read_report(course, assignment, student))
    ]
    if not found:
        raise WorkError(
            f"marks come from graded submissions; none of {assignment.name} in {course.root} is. "
            f"Run: tito grade autograde {assignment.name} --course {course.root}"
        )
    return found
