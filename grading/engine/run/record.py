"""The single writer of nbgrader's gradebook: one transaction for each submission, keeping what a
person gave.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grading.engine.course.assignment import Assignment
    from grading.engine.course.directory import Course
    from grading.engine.course.reports import Report
    from grading.engine.results import CellMark

WAIT_SECONDS = 60  # for a gradebook that another program holds


class Locked(Exception):
    """Another program kept the gradebook locked for WAIT_SECONDS."""


class Writer:
    """The open gradebook of a course. Only one may exist for a course at a time: `autograde`
    holds a lock file.
    """

    def __init__(self, course: Course, assignment: Assignment):
        self.course, self.assignment = course, assignment
        self._stack = contextlib.ExitStack()
        self._book: Any = None

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *problem: object) -> None:
        self._close()

    def _close(self) -> None:
        self._stack.close()
        self._book = None

    def _open(self) -> Any:
        if self._book is None:
            from grading.engine.nbgrader.library import gradebook

            self._book = self._stack.enter_context(gradebook(self.course.db_url))
        return self._book

    def write(self, report: Report) -> None:
        """Set the automatic score of every cell in `report`; manual scores, extra credit and manual
        comments stay.

        A cell that did not run, that has a flag or whose group broke off is put before a person: in
        formgrader it shows as "needs manual grade", so a zero is never silent. A flag without a
        cell is about every test cell of its notebook that earned points. A manual score given
        before is shown for review too, as nbgrader does.

        Raises:
            Locked: the gradebook stayed locked; nothing of this submission is in it.
        """
        from sqlalchemy.exc import OperationalError

        from grading.engine.nbgrader.library import InvalidEntry

        stop_at = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                return self._once(report)
            except (OperationalError, InvalidEntry) as problem:
                # nbgrader turns some of the first into the second
                self._close()  # a server that restarted needs a new connection
                if not _may_pass(str(problem)):
                    raise
                if time.monotonic() > stop_at:
                    raise Locked(str(problem).splitlines()[0]) from None
                time.sleep(0.2)

    def _once(self, report: Report) -> None:
        marks = {mark.key: mark for mark in report.cells}
        flagged = {(flag.notebook, flag.grade_id) for flag in report.flags}
        book, student = self._open(), report.student
        with _one_transaction(book), book.db.no_autoflush:
            book.update_or_create_student(student)
            details = {"timestamp": report.timestamp} if report.timestamp else {}
            submission = book.update_or_create_submission(self.assignment.name, student, **details)
            book.db.flush()
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    mark = marks.get((notebook.name, grade.name))
                    if mark is None:
                        continue
                    if mark.points is None:  # waits for a person, unless one has graded it
                        grade.needs_manual_grade = (
                            grade.needs_manual_grade or grade.manual_score is None
                        )
                        continue
                    earned_in_a_test = mark.kind == "test" and mark.points > 0
                    unsure = (
                        (bool(report.reasons) and _unsure(mark))
                        or mark.key in flagged
                        or ((notebook.name, None) in flagged and earned_in_a_test)
                    )
                    grade.auto_score = float(mark.points)
                    grade.needs_manual_grade = grade.manual_score is not None or unsure


def _unsure(mark: CellMark) -> bool:
    """A lost point that says nothing about the student's code."""
    lost = mark.points is not None and mark.points < mark.max_points
    return mark.review or (lost and mark.status in ("not_run", "timeout"))


@contextlib.contextmanager
def _one_transaction(book: Any) -> Iterator[None]:
    """nbgrader's functions commit at each step; here they flush, and everything is committed at
    the end or not at all.
    """
    commit, book.db.commit = book.db.commit, book.db.flush
    try:
        yield
        commit()
    except BaseException:
        book.db.rollback()
        raise
    finally:
        book.db.commit = commit
        book.db.expire_all()


def _may_pass(said: str) -> bool:
    """An error that waiting may mend: a locked SQLite file, a server that restarts. A full disk
    is none.
    """
    return any(
        word in said.lower()
        for word in ("locked", "busy", "connection", "connect to", "starting up", "shutting down")
    )
