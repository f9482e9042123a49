"""All answers to one question, in an order that does not tell who wrote them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grading.engine.course.directory import Course
from grading.engine.intake import times
from grading.engine.marks.mark import answer_to, cell_of, no_such_cell, split_scheme
from tito.errors import UsageError

if TYPE_CHECKING:
    from grading.engine.course.assignment import Assignment


@dataclass(frozen=True)
class Answer:
    """One student's answer.

    Attributes:
        handle: such as "@3f9c1a2b", which names the student where a student's id may stand.
        points: those that a person or the machine has given; None if it waits.
    """

    student: str
    handle: str
    text: str
    points: float | None
    comment: str


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
        return tuple(one for one in self.answers if one.points is None)


def question_of(course: Course, assignment: Assignment, wanted: str) -> Question:
    """The question that a number such as "12a" or a grade_id means.

    Raises:
        UsageError: no cell with points is called so.
    """
    from grading.engine.nbgrader.library import MissingEntry, gradebook

    label = cell_of(course, assignment, wanted)
    stem, name = assignment.cell(label)
    found, most = [], 0.0
    with gradebook(course.db_url) as book:
        cells = {
            one.name: one.source for one in book.find_notebook(stem, assignment.name).source_cells
        }
        if name not in cells:
            raise UsageError(no_such_cell(book, course, assignment, wanted))
        groups = times.groups(course, assignment)
        for submission in book.assignment_submissions(assignment.name):
            student = submission.student.id
            if student != groups.get(student, (student,))[0]:
                continue  # a group gives one answer
            try:
                grade = book.find_grade(name, stem, assignment.name, student)
            except MissingEntry:
                continue
            most = grade.max_score
            try:
                said = book.find_comment(name, stem, assignment.name, student).comment or ""
            except MissingEntry:
                said = ""
            points = None if grade.needs_manual_grade else grade.score
            text = answer_to(course, assignment, student, name, stem)
            found.append(Answer(student, handle_of(label, student), text, points, said))
    prompt, scheme = split_scheme(cells[name])
    found.sort(key=lambda one: _number(label, one.student))
    return Question(label, prompt, scheme, most, tuple(found))


def handle_of(label: str, student: str) -> str:
    """The student's name in this question; another one in each question."""
    return f"@{_number(label, student):016x}"[:9]


def student_of(question: Question, name: str) -> str:
    """The student that a handle means; any other word as it is.

    Raises:
        UsageError: no answer has this handle.
    """
    if not name.startswith("@"):
        return name
    found = [one.student for one in question.answers if one.handle == name]
    if len(found) != 1:
        raise UsageError(
            f"{name} is the handle of no answer to {question.label}; they are listed by: tito grade"
            f" mark --question {question.label} --anonymous"
        )
    return found[0]


def _number(label: str, student: str) -> int:
    text = f"{label}\0{student}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
