"""What the gradebook holds of an assignment. The reports say what each submission earned; whether
the gradebook has it is read here, from the gradebook alone, which may be lost, replaced or another
one than before.
"""

from collections.abc import Iterable
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.submission_reports import Report
from tito.errors import EnvironmentBroken

# student -> the automatic score of each cell with points
Held = dict[str, dict[tuple[str, str], float | None]]


def held(book: Any, assignment: Assignment) -> Held:
    """The automatic scores of all submissions, by one query.

    Raises:
        MissingEntry: the gradebook does not know the assignment.
    """
    from grading.engine.nbgrader.import_nbgrader import automatic_scores

    book.find_assignment(assignment.name)
    scores: Held = {}
    for student, stem, cell, score in automatic_scores(book, assignment.name):
        scores.setdefault(student, {})[stem, cell] = score
    return scores


def has(in_book: Held, report: Report) -> bool:
    """Whether the gradebook has the points of the report. A cell without a row in it does not
    count, because the gradebook does not know it and can hold nothing for it.
    """
    scores = in_book.get(report.student)
    if scores is None:
        return not report.cells
    return all(
        scores[mark.key] == mark.points
        for mark in report.cells
        if mark.points is not None and mark.key in scores
    )


def need_all(course: Course, assignment: Assignment, book: Any, reports: Iterable[Report]) -> None:
    """Raise EnvironmentBroken if the gradebook lacks what a report says, so that no table of marks
    is silently too short.
    """
    in_book = held(book, assignment)
    lacking = [one.student for one in reports if not has(in_book, one)]
    if lacking:
        raise EnvironmentBroken(
            f"the gradebook lacks the marks of {len(lacking)} of"
            f" {len(course.students(assignment))} submissions, first"
            f" {lacking[0]}'s, which were graded. To record them: tito grade autograde"
            f" {assignment.name} --course {course.root}"
        )
