"""Submissions that a person has looked at: DIR/reviewed/A.json.

A submission needs a person because of a flag, or because something could not be graded. "Reviewed"
says that a person has looked and lets the points stand. It holds for this submission with this
result only: when one of them changes, the submission needs a person again.
"""

import json
import time
from pathlib import Path
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.submission_reports import Report, read_report, read_reports
from tito.errors import UsageError
from tito.files import changing, sha256, write_json


class Reviews:
    """The reviews of one assignment."""

    def __init__(self, course: Course, assignment: Assignment):
        self.course, self.assignment = course, assignment
        self.path: Path = course.root / "reviewed" / f"{assignment.name}.json"
        self.known = self._read()

    def _read(self) -> dict[str, dict[str, Any]]:
        return json.loads(self.path.read_text(encoding="utf-8")) if self.path.is_file() else {}

    def holds(self, report: Report) -> bool:
        """Whether a person has looked at this submission with this result."""
        return self.known.get(report.student, {}).get("digest") == _digest(report)

    def status(self, report: Report) -> str:
        """The status of a submission: a review turns "needs_review" into "graded"."""
        return "graded" if self.holds(report) else report.status

    def still_open(self) -> list[Report]:
        """The submissions that need a person, by student."""
        reports = read_reports(self.course, self.assignment)
        return [one for one in reports if self.status(one) == "needs_review"]

    def add(self, student: str, note: str | None = None) -> Report:
        """Note that a person has looked at a submission; its machine grades no longer wait.

        Raises:
            UsageError: the submission was not graded.
        """
        report = read_report(self.course, self.assignment, student)
        if report is None:
            raise UsageError(
                f"a review is of a graded submission; that of {student!r} is not graded. Run: tito"
                f" grade autograde {self.assignment.name} --course {self.course.root}"
            )
        with changing(self.path):
            self.known = self._read()  # another grader may have added some
            at = time.strftime("%Y-%m-%d %H:%M:%S")
            self.known[student] = {"digest": _digest(report), "at": at, "note": note or ""}
            write_json(self.path, self.known)
        with self.course.book() as book:
            submission = book.find_submission(self.assignment.name, student)
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    if grade.auto_score is not None:
                        grade.needs_manual_grade = False
            book.db.commit()
        return report


def _digest(report: Report) -> str:
    """Changes with the submission (and what it was graded with), and with its result."""
    result = [[*mark.key, mark.points, mark.status] for mark in report.cells]
    flags = [str(flag) for flag in report.flags]
    text = json.dumps([report.content, report.reasons, result, flags])
    return sha256(text)[:32]
