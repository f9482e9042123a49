"""All answers to one question, in an order that does not tell who wrote them."""

import contextlib
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.intake.hand_in_times import HandInTimes
from grading.engine.marks import by_hand_record
from grading.engine.marks.answer_text import answer_to
from grading.engine.marks.by_hand_record import NOTHING, Given, before_and_now
from grading.engine.marks.grade_by_hand import cell_of, no_such_cell, open_regrades, split_scheme
from grading.engine.regrade_requests import Regrade
from tito.errors import UsageError


@dataclass(frozen=True)
class Answer:
    """One student's answer.

    Attributes:
        handle: such as "@3f9c1a2b", which names the student where a student's id may be.
        points: those that a person or the machine has given; None if it waits.
        last: the last grade that a person gave, perhaps for an earlier answer (`last.changed`).
    """

    student: str
    handle: str
    text: str
    points: float | None
    comment: str
    last: Given = field(default_factory=lambda: Given("", ""))
    requests: tuple[Regrade, ...] = ()


@dataclass(frozen=True)
class Question:
    """One question with all answers to it, in a shuffled order that stays the same."""

    label: str
    prompt: str
    mark_scheme: str
    max_points: float
    answers: tuple[Answer, ...]

    @property
    def waiting(self) -> tuple[Answer, ...]:
        return tuple(one for one in self.answers if one.points is None or one.requests)


def question_of(course: Course, assignment: Assignment, wanted: str) -> Question:
    """The question that a number such as "12a" or a grade_id means."""
    label = cell_of(course, assignment, wanted)
    stem, name = assignment.cell(label)
    listed, most = [], 0.0
    by_hand_record.settle(course, assignment)
    with course.book() as book:
        notebook = book.find_notebook(stem, assignment.name)
        cells = {one.name: one.source for one in notebook.source_cells}
        if name not in cells:
            raise UsageError(no_such_cell(book, course, assignment, wanted))
        groups = HandInTimes(course, assignment).groups()
        for submission in book.assignment_submissions(assignment.name):
            student = submission.student_id
            if student != groups.get(student, (student,))[0]:
                continue  # a group gives one answer
            if one := _answer(book, course, assignment, label, student):
                listed.append(one)
                most = book.find_grade(name, stem, assignment.name, student).max_score
    prompt, scheme = split_scheme(cells[name])
    listed.sort(key=lambda one: _number(label, one.student))
    return Question(label, prompt, scheme, most, tuple(listed))


def again(course: Course, assignment: Assignment, label: str, answer: Answer) -> Answer:
    """The answer as it is now, with the grade that somebody may have given meanwhile."""
    by_hand_record.settle(course, assignment, answer.student)
    with course.book() as book:
        return _answer(book, course, assignment, label, answer.student) or answer


def _answer(
    book: Any, course: Course, assignment: Assignment, label: str, student: str
) -> Answer | None:
    from grading.engine.nbgrader.import_nbgrader import MissingEntry

    cell = stem, name = assignment.cell(label)
    place = (name, stem, assignment.name, student)
    try:
        grade = book.find_grade(*place)
    except MissingEntry:
        return None
    said = ""
    with contextlib.suppress(MissingEntry):
        said = book.find_comment(*place).comment or ""
    text = answer_to(course, assignment, student, cell)
    points = None if grade.needs_manual_grade else grade.score
    last = by_hand_record.last_of(course, assignment, student, cell)
    asked = tuple(open_regrades(course, assignment, student, label))
    return Answer(student, handle_of(label, student), text, points, said, last, asked)


def alike(answers: Iterable[Answer]) -> list[list[Answer]]:
    """The answers in groups, in the order of their first ones: those of a group have equal texts
    but for spaces and case. One whose earlier text was graded, or with a regrade request, is alone.
    """
    groups: dict[str, list[Answer]] = {}
    for one in answers:
        alone = one.last.changed or one.requests
        own = one.handle if alone else " ".join(one.text.casefold().split())
        groups.setdefault(own, []).append(one)
    return [*groups.values()]


def shown(answer: Answer) -> str:
    """The text of an answer; beside it the earlier one, if that was graded."""
    if answer.last.changed:
        text = before_and_now(answer.last, answer.text)
    else:
        text = answer.text or NOTHING
    asked = [f"-- {one}\n-- its grade: {answer.last}" for one in answer.requests]
    return "\n".join([text, *asked])


def handle_of(label: str, student: str) -> str:
    """The student's name in this question; another one in each question."""
    return f"@{_number(label, student):016x}"[:9]


def student_of(question: Question, name: str) -> str:
    """The student that a handle means; any other word as it is."""
    if not name.startswith("@"):
        return name
    students = [one.student for one in question.answers if one.handle == name]
    if len(students) != 1:
        raise UsageError(
            f"{name} is the handle of no answer to {question.label}; they are listed by: tito grade"
            f" mark --question {question.label} --anonymous"
        )
    return students[0]


def _number(label: str, student: str) -> int:
    text = f"{label}\0{student}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
