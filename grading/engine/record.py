"""Write one submission's result to nbgrader's gradebook, keeping what a person gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grading.engine.course import Course

if TYPE_CHECKING:
    from tito.course import Module


def record(course: Course, module: Module, student: str, rows: list[dict[str, Any]], reasons: list[str], timestamp: Any) -> None:
    """Set every automatic score in one transaction; manual scores, extra credit and manual comments stay.

    With a reason for review, each cell that did not run is put before a person: in formgrader it shows as "needs manual grade",
    so a zero is never silent. A manual score given before is shown for review too, as nbgrader does.
    """
    from grading.engine.nbg import gradebook

    by_id = {row["grade_id"]: row for row in rows}
    with gradebook(course.db_url) as book:
        book.update_or_create_student(student)
        details = {"timestamp": timestamp} if timestamp else {}
        submission = book.update_or_create_submission(module.name, student, **details)
        with book.db.no_autoflush:
            for notebook in submission.notebooks:
                if notebook.name != module.stem:
                    continue
                for grade in notebook.grades:
                    row = by_id.get(grade.name)
                    if row is None or row["kind"] == "question":
                        continue
                    grade.auto_score = float(row["points"] or 0.0)
                    grade.needs_manual_grade = grade.manual_score is not None or bool(reasons) and _unsure(row)
        book.db.commit()


def _unsure(row: dict[str, Any]) -> bool:
    """A lost point that says nothing about the student's code."""
    return bool(row.get("review")) or row["points"] < row["max_points"] and row["status"] in ("not_run", "timeout")
