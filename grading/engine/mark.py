"""Grades given by a person: what waits for one, and giving it, through nbgrader's gradebook as formgrader does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grading.engine.course import Course
from tito.errors import UsageError

if TYPE_CHECKING:
    from tito.course import Module

_SCHEME = re.compile(r"^[^\n]*BEGIN MARK SCHEME[^\n]*\n(.*?)^[^\n]*END MARK SCHEME[^\n]*$", re.DOTALL | re.MULTILINE)


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


def waiting(course: Course, module: Module) -> list[Waiting]:
    """Everything of an assignment that needs a manual grade, by student and place in the notebook."""
    from grading.engine.autograde import read_report
    from grading.engine.nbg import gradebook

    found = []
    with gradebook(course.db_url) as book:
        sources = {cell.name: cell.source for cell in book.find_notebook(module.stem, module.name).source_cells}
        order = list(sources)
        open_grades = [(grade.student.id, grade.name, grade.max_score) for submission in book.assignment_submissions(module.name)
                       for notebook in submission.notebooks for grade in notebook.grades if grade.needs_manual_grade]
    for student, grade_id, max_points in sorted(open_grades, key=lambda entry: (entry[0], order.index(entry[1]))):
        prompt, scheme = split_scheme(sources[grade_id])
        report = read_report(course, module, student) or {}
        found.append(Waiting(student, grade_id, max_points, prompt, answer_to(course, module, student, grade_id), scheme,
                             (*report.get("reasons", ()), *(f"flagged: {flag['text']}" for flag in report.get("flags", ()) if flag.get("grade_id") in (grade_id, "")))))
    return found


def split_scheme(source: str) -> tuple[str, str]:
    """(prompt, mark scheme) of a task cell."""
    scheme = _SCHEME.search(source)
    return _SCHEME.sub("", source).strip(), scheme.group(1).strip() if scheme else ""


def answer_to(course: Course, module: Module, student: str, grade_id: str) -> str:
    """What the student wrote below a question: its answer cell, or the markdown between the task and the next graded cell."""
    from grading.engine.nbg import nbformat

    path = course.autograded(student, module)
    if not path.is_file():
        return ""
    cells = nbformat.read(path, as_version=4).cells
    wanted = f"answer-{grade_id.replace('_', '-')}"
    by_id = [cell.source for cell in cells if cell.get("id") == wanted]
    if by_id:
        return "\n\n".join(by_id).strip()
    place = next((i for i, cell in enumerate(cells) if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id), None)
    if place is None or cells[place].cell_type != "markdown":
        return ""
    written = []
    for cell in cells[place + 1:]:
        if cell.cell_type != "markdown" or "nbgrader" in cell.metadata:
            break
        written.append(cell.source)
    return "\n\n".join(written).strip()


def mark(course: Course, module: Module, student: str, question: str, points: float, comment: str | None = None) -> float:
    """Give points by hand; returns the most that the cell can have.

    Raises:
        UsageError: no such student, no such cell, or points outside 0..max.
    """
    from grading.engine.nbg import MissingEntry, gradebook

    with gradebook(course.db_url) as book:
        try:
            grade = book.find_grade(question, module.stem, module.name, student)
        except MissingEntry:
            raise UsageError(_nothing_there(book, module, student, question, course)) from None
        if not 0 <= points <= grade.max_score:  # also refuses nan
            raise UsageError(f"points lie between 0 and {grade.max_score:g} for {question}; got {points:g}. "
                             f"Try: tito grade mark {student} {question} {grade.max_score:g} --course {course.root}")
        grade.manual_score = float(points)
        grade.needs_manual_grade = False
        if comment is not None:
            try:
                book.find_comment(question, module.stem, module.name, student).manual_comment = comment
            except MissingEntry:
                book.db.rollback()
                raise UsageError(f"nbgrader keeps comments on questions and solution cells; {question} is a test cell. "
                                 "Leave out --comment, or comment on the solution above it") from None
        book.db.commit()
        return grade.max_score


def _nothing_there(book: Any, module: Module, student: str, question: str, course: Course) -> str:
    ids = [cell.name for cell in book.find_notebook(module.stem, module.name).source_cells]
    if question not in ids:
        return f"no cell with points is called {question!r} in {module.name}; see what waits: tito grade mark --course {course.root}"
    return f"{question} of {student!r} was not graded yet; run: tito grade autograde {module.name} --course {course.root}"
