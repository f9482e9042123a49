"""The only writer of nbgrader's gradebook: one transaction for each submission; grades given by a
person are kept.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.gradebook_contents import Held, held
from grading.engine.course.submission_reports import Report
from grading.engine.marks import by_hand_record
from grading.engine.submission_marks import CellMark

WAIT_SECONDS = 60  # for a gradebook that another program has locked

Result = TypeVar("Result")


class Locked(Exception):
    """Another program kept the gradebook locked for WAIT_SECONDS."""


class Writer(contextlib.AbstractContextManager["Writer"]):
    """The open gradebook of a course. Only one may exist for a course at a time: `autograde`
    holds a lock file.
    """

    def __init__(self, course: Course, assignment: Assignment):
        self.course, self.assignment = course, assignment
        self._stack = contextlib.ExitStack()
        self._book: Any = None

    def __exit__(self, *problem: object) -> None:
        self._close()

    def _close(self) -> None:
        self._stack.close()
        self._book = None

    def _open(self) -> Any:
        if self._book is None:
            self._book = self._stack.enter_context(self.course.book())
        return self._book

    def write(self, report: Report) -> bool:
        """Set the automatic score of every cell in `report`; what a person gave is kept. True, or
        Locked is raised and nothing of this submission was written.

        A cell needs a manual grade if it did not run, has a flag, or its group stopped early, so a
        zero is never silent. A flag without a cell applies to every test cell of its notebook that
        earned points. As in nbgrader, cells with an earlier manual score are also shown for review.
        """
        self._patiently(lambda: self._once(report))
        return True

    def held(self) -> Held:
        """What the gradebook holds of the assignment."""
        return self._patiently(lambda: held(self._open(), self.assignment))

    def settle(self, student: str | None = None, *, again: bool = False) -> None:
        """Let the gradebook and the grades by hand say the same; see `by_hand_record`."""
        of = (self.course, self.assignment, student)
        self._patiently(lambda: by_hand_record.settle(*of, again=again))

    def _patiently(self, step: Callable[[], Result]) -> Result:
        from grading.engine.nbgrader.import_nbgrader import Busy, database_errors

        stop_at = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                with database_errors(self.course.db_url):
                    return step()
            except Busy as problem:
                self._close()  # if the server restarted, a new connection is needed
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
                    if mark.points is None:  # needs a person, unless one has graded it already
                        waits = grade.needs_manual_grade or grade.manual_score is None
                        grade.needs_manual_grade = waits
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
    """Whether points were lost for a reason that says nothing about the student's code."""
    lost = mark.points is not None and mark.points < mark.max_points
    return mark.review or (lost and mark.status in ("not_run", "timeout"))


@contextlib.contextmanager
def _one_transaction(book: Any) -> Iterator[None]:
    """Commit everything at the end or nothing at all. nbgrader's functions commit at each step;
    here they only flush.
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
