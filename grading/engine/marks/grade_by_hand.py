"""Grading by hand: list what waits for a grade, and give one, through nbgrader's gradebook as
formgrader does.
"""

import contextlib
import dataclasses
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.roster import left_the_class
from grading.engine.course.submission_reports import read_report
from grading.engine.intake.hand_in_times import HandInTimes
from grading.engine.marks import by_hand_record
from grading.engine.marks.answer_text import answer_to
from grading.engine.marks.by_hand_record import ByHand, Cell, Given, Row
from grading.engine.regrade_requests import Regrade, Regrades
from tito.errors import UsageError
from tito.notebook.cells import read_ipynb
from tito.notebook.exercises import exercises, named

_SCHEME = re.compile(
    r"^[^\n]*BEGIN MARK SCHEME[^\n]*\n(.*?)^[^\n]*END MARK SCHEME[^\n]*$", re.DOTALL | re.MULTILINE
)


@dataclass(frozen=True)
class Waiting:
    """One answer, or one cell that the machine could not score, that waits for a person."""

    student: str
    grade_id: str
    max_points: float
    prompt: str
    answer: str
    mark_scheme: str
    reasons: tuple[str, ...] = ()
    # the grade of an earlier answer, which the student has changed since
    before: Given | None = None


def waiting(course: Course, assignment: Assignment) -> list[Waiting]:
    """Everything in an assignment that needs a manual grade, by student and position in the
    notebook.
    """
    entries = []
    open_grades, cells = _open_grades(course, assignment)
    order = list(cells)
    for student, cell, max_points, _ in sorted(
        open_grades, key=lambda entry: (entry[0], order.index(entry[1]))
    ):
        stem, grade_id = cell
        prompt, scheme = split_scheme(cells[cell])
        answer = answer_to(course, assignment, student, cell)
        reasons: list[str] = []
        if report := read_report(course, assignment, student):
            mine = {(stem, grade_id), (stem, None)}
            flags = [flag for flag in report.flags if (flag.notebook, flag.grade_id) in mine]
            reasons = [*report.reasons, *(f"flagged: {flag.text}" for flag in flags)]
        last = by_hand_record.last_of(course, assignment, student, cell)
        before, label = last if last.changed else None, assignment.label(*cell)
        entries.append(
            Waiting(student, label, max_points, prompt, answer, scheme, tuple(reasons), before)
        )
    return entries


def waiting_in_cells(course: Course, assignment: Assignment) -> dict[str, int]:
    """How many grades wait for a person in each question, in the order of the notebook; under ""
    those of cells that the machine grades.
    """
    open_grades, cells = _open_grades(course, assignment)
    counts = Counter(
        "" if scored else assignment.label(*cell) for _, cell, _, scored in open_grades
    )
    labels = ["", *(assignment.label(*cell) for cell in cells)]
    return {label: counts[label] for label in labels if counts[label]}


def _open_grades(
    course: Course, assignment: Assignment
) -> tuple[list[tuple[str, Cell, float, bool]], dict[Cell, str]]:
    """((student, cell, max_points, whether the machine gave points) of each grade that waits, the
    source of every cell).
    """
    by_hand_record.settle(course, assignment)
    gone = left_the_class(course)
    with course.book() as book:
        cells = {
            (stem, cell.name): cell.source
            for stem in assignment.stems
            for cell in book.find_notebook(stem, assignment.name).source_cells
        }
        open_grades = [
            (one.student.id, (notebook.name, one.name), one.max_score, one.auto_score is not None)
            for submission in book.assignment_submissions(assignment.name)
            for notebook in submission.notebooks
            for one in notebook.grades
            if one.needs_manual_grade and one.student.id not in gone
        ]
    return open_grades, cells


def split_scheme(source: str) -> tuple[str, str]:
    """(prompt, mark scheme) of a task cell."""
    scheme = _SCHEME.search(source)
    return _SCHEME.sub("", source).strip(), scheme.group(1).strip() if scheme else ""


class Taken(UsageError):
    """The answer has a grade that whoever gives another one has not seen."""


def mark(
    course: Course,
    assignment: Assignment,
    student: str,
    question: str,
    points: float,
    comment: str | None = None,
    *,
    seen: Given | None = None,
    replace: bool = False,
) -> float:
    """Give points by hand, to each member of the group that handed this in; returns the maximum
    points of the cell.

    Args:
        comment: None keeps the comment that is there; it closes the student's regrade requests.
        seen: the last grade that was shown to the grader, with the answer that was shown.
        replace: also replace a grade that was not shown.

    Raises:
        Taken: there is another grade than the one that was shown; nothing is changed.
        UsageError: no such student, no such cell, or points outside 0..max.
    """
    cell = assignment.cell(cell_of(course, assignment, question))
    members = HandInTimes(course, assignment).groups().get(student, (student,))
    by = by_hand_record.whoever_runs_this()
    given = Given(*cell, float(points), comment=comment, by=by)
    with by_hand_record.alone(course, assignment), course.book() as book:
        by_member = {}
        for member in (student, *(one for one in members if one != student)):
            by_member[member] = _graded(book, course, assignment, member, question, cell)
            _need_fit(by_member[member].rows[cell], course, student, question, given)
        if not replace:
            _need_free(by_member[student], question, cell, seen)
        for graded in by_member.values():
            _, extra, comment = graded.rows[cell].grade
            kept = comment if given.comment is None else given.comment
            graded.give(dataclasses.replace(given, extra=extra, comment=kept))
            graded.counted()
        book.db.commit()
        most = float(by_member[student].rows[cell].score.max_score)
    said = given.comment or f"It was graded again: {points:g} of {most:g} points."
    for member in by_member:
        close_regrades(course, assignment, member, question, said)
    return most


def _names(course: Course, assignment: Assignment, wanted: str) -> tuple[str, ...]:
    """All that a student may call a question."""
    label = cell_of(course, assignment, wanted)
    stem, grade_id = assignment.cell(label)
    path = course.released(assignment).with_name(f"{stem}.ipynb")
    listed = exercises(read_ipynb(path)) if path.is_file() else []
    mine = [one.number for one in listed if one.graded and one.graded.name == grade_id]
    return (wanted, label, grade_id, *mine)


def open_regrades(
    course: Course, assignment: Assignment, student: str, question: str
) -> list[Regrade]:
    """The regrade requests of a student about a question that wait for a person."""
    names = _names(course, assignment, question)
    return Regrades(course.root, assignment.name).still_open(student, *names)


def close_regrades(
    course: Course, assignment: Assignment, student: str, question: str, sentence: str
) -> int:
    """Close them with a sentence for the student; returns how many there were."""
    names = _names(course, assignment, question)
    return Regrades(course.root, assignment.name).close(student, sentence, *names)


def regrades_beside_answers(
    course: Course, assignment: Assignment, student: str | None
) -> list[tuple[str, str, str]]:
    """(student, question, what is asked with the answer and its grade) of each request that waits,
    of one student or of the class.
    """
    entries = []
    for name, one in Regrades(course.root, assignment.name).everybody():
        if student in (None, name):
            cell = assignment.cell(cell_of(course, assignment, one.question))
            answer = answer_to(course, assignment, name, cell)
            grade = by_hand_record.last_of(course, assignment, name, cell)
            said = [f"-- answer\n{answer}"] if answer else []
            said += [f"-- grade\n{grade}"] if grade.at else []
            entries.append((name, one.question or '""', "\n".join([f"-- {one}", *said])))
    return entries


def _graded(
    book: Any, course: Course, assignment: Assignment, student: str, question: str, cell: Cell
) -> ByHand:
    """The grades of a submission, with those that were given in formgrader."""
    from grading.engine.nbgrader.import_nbgrader import MissingEntry

    with contextlib.suppress(MissingEntry):
        submission = book.find_submission(assignment.name, student)
        graded = by_hand_record.of_submission(book, course, assignment, submission)
        if cell in graded.rows and graded.rows[cell].score is not None:
            graded.settle()
            return graded
    if question not in _labels(book, assignment, "source_cells"):
        raise UsageError(no_such_cell(book, course, assignment, question))
    raise UsageError(
        f"{question} of {student!r} was not graded yet; run: tito grade autograde {assignment.name}"
        f" --course {course.root}"
    )


def _need_fit(row: Row, course: Course, student: str, question: str, given: Given) -> None:
    most = row.score.max_score
    if not 0 <= (given.points or 0.0) <= most:  # also refuses nan
        raise UsageError(
            f"points lie between 0 and {most:g} for {question}; got {given.points:g}. Try:"
            f" tito grade mark {student} {question} {most:g} --course {course.root}"
        )
    if given.comment is not None and row.remark is None:
        raise UsageError(
            f"nbgrader keeps comments on questions and solution cells; {question} is a test"
            " cell. Leave out --comment, or comment on the solution above it"
        )


def _need_free(graded: ByHand, question: str, cell: Cell, seen: Given | None) -> None:
    """Raise Taken if somebody gave this cell a grade that was not shown, or if the answer is not
    the one that was shown. A grade that waits for a person again may be replaced.
    """
    now, row = by_hand_record.last(graded.lines, cell), graded.rows[cell]
    if seen is None:
        free = row.waits or row.score.manual_score is None
    else:
        free = now.grade == seen.grade and now.at == seen.at
        if free and graded.answer(cell) != seen.answer:
            raise Taken(f"this answer to {question} has been replaced by another one meanwhile")
    if not free:
        raise Taken(
            f"this answer to {question} has a grade: {now}. Nothing was changed; to replace it,"
            " give the grade again with --replace"
        )


def cell_of(course: Course, assignment: Assignment, wanted: str) -> str:
    """The label of the cell that an exercise's number means; any other word as it is."""
    if not re.fullmatch(r"\d+[a-z]", wanted):
        return wanted
    for stem in assignment.stems:
        path = course.released(assignment).with_name(f"{stem}.ipynb")
        exercise = named(exercises(read_ipynb(path)), wanted) if path.is_file() else None
        if exercise and exercise.graded:
            return assignment.label(stem, exercise.graded.name)
    return wanted


def no_such_cell(book: Any, course: Course, assignment: Assignment, wanted: str) -> str:
    """A sentence with the names of the cells that a person grades."""
    asked = _labels(book, assignment, "task_cells")
    return (
        f"no cell with points is called {wanted!r} in {assignment.name}; its questions are"
        f" {', '.join(asked) or 'none'}. See what waits: tito grade mark --course {course.root}"
    )


def _labels(book: Any, assignment: Assignment, kind: str) -> list[str]:
    return [
        assignment.label(stem, cell.name)
        for stem in assignment.stems
        for cell in getattr(book.find_notebook(stem, assignment.name), kind)
    ]
