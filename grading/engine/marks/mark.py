"""Grading by hand: list what waits for a grade, and give one, through nbgrader's gradebook as
formgrader does.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grading.engine.course.directory import Course
from grading.engine.intake import times
from tito.console import counted
from tito.errors import UsageError
from tito.notebook.cells import read_ipynb
from tito.notebook.exercises import exercises, named

if TYPE_CHECKING:
    from grading.engine.course.assignment import Assignment

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


def waiting(course: Course, assignment: Assignment) -> list[Waiting]:
    """Everything in an assignment that needs a manual grade, by student and position in the
    notebook.
    """
    from grading.engine.course.reports import read_report

    found = []
    open_grades, cells = _open_grades(course, assignment)
    order = {cell: number for number, cell in enumerate(cells)}
    for student, (stem, grade_id), max_points, _ in sorted(
        open_grades, key=lambda entry: (entry[0], order[entry[1]])
    ):
        prompt, scheme = split_scheme(cells[stem, grade_id])
        report = read_report(course, assignment, student)
        flags = [
            f"flagged: {flag.text}"
            for flag in (report.flags if report else ())
            if flag.notebook == stem and flag.grade_id in (grade_id, None)
        ]
        found.append(
            Waiting(
                student,
                assignment.label(stem, grade_id),
                max_points,
                prompt,
                answer_to(course, assignment, student, grade_id, stem),
                scheme,
                (*(report.reasons if report else ()), *flags),
            )
        )
    return found


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


def grades_wait(count: int) -> str:
    """A phrase such as "3 grades wait for a person"."""
    return f"{counted(count, 'grade')} {'waits' if count == 1 else 'wait'} for a person"


def _open_grades(
    course: Course, assignment: Assignment
) -> tuple[list[tuple[str, tuple[str, str], float, bool]], dict[tuple[str, str], str]]:
    """((student, cell, max_points, whether the machine gave points) of each grade that waits, the
    source of every cell).
    """
    from grading.engine.nbgrader.library import gradebook

    cells = {}
    with gradebook(course.db_url) as book:
        for stem in assignment.stems:
            cells.update(
                {
                    (stem, cell.name): cell.source
                    for cell in book.find_notebook(stem, assignment.name).source_cells
                }
            )
        open_grades = [
            (
                grade.student.id,
                (notebook.name, grade.name),
                grade.max_score,
                grade.auto_score is not None,
            )
            for submission in book.assignment_submissions(assignment.name)
            for notebook in submission.notebooks
            for grade in notebook.grades
            if grade.needs_manual_grade
        ]
    return open_grades, cells


def split_scheme(source: str) -> tuple[str, str]:
    """(prompt, mark scheme) of a task cell."""
    scheme = _SCHEME.search(source)
    return _SCHEME.sub("", source).strip(), scheme.group(1).strip() if scheme else ""


def answer_to(
    course: Course, assignment: Assignment, student: str, grade_id: str, stem: str | None = None
) -> str:
    """A student's answer to a question, from the notebook that was graded."""
    from grading.engine.nbgrader.library import nbformat

    path = course.autograded(student, assignment, stem)
    if not path.is_file():
        return ""
    released = nbformat.read(course.released(assignment, stem), as_version=4)
    return answer_in(nbformat.read(path, as_version=4), grade_id, released)


def answer_in(notebook: Any, grade_id: str, released: Any) -> str:
    """The answer cell of a question and the student's cells, of any type, between the question and
    the next code or graded cell of the release; if there is none, all markdown that the student
    added. The release's own text is left out.
    """
    given = {cell.source.strip() for cell in released.cells}
    code = {cell.get("id") for cell in released.cells if cell.cell_type == "code"} - {None}
    # the answers to other questions, which stand in cells of their own
    others = {
        cell.get("id")
        for cell in released.cells
        if str(cell.get("id")).startswith("answer-")
        and cell.get("id") != f"answer-{grade_id.replace('_', '-')}"
    }
    written, elsewhere, below = [], [], False
    for cell in notebook.cells:
        flags = cell.metadata.get("nbgrader", {})
        text = cell.source.strip()
        if flags or cell.get("id") in code or (cell.cell_type == "code" and text in given):
            below = flags.get("grade_id") == grade_id and cell.cell_type == "markdown"
        if text in given or flags.get("task"):
            continue
        if below or cell.get("id") == f"answer-{grade_id.replace('_', '-')}":
            written.append(text)
        elif cell.cell_type == "markdown" and not flags and cell.get("id") not in others:
            elsewhere.append(text)
    return "\n\n".join(written or elsewhere)


def mark(
    course: Course,
    assignment: Assignment,
    student: str,
    question: str,
    points: float,
    comment: str | None = None,
) -> float:
    """Give points by hand, to each member of the group that handed this in; returns the maximum
    points of the cell.

    Raises:
        UsageError: no such student, no such cell, or points outside 0..max.
    """
    from grading.engine.nbgrader.library import gradebook

    cell = assignment.cell(cell_of(course, assignment, question))
    members = times.groups(course, assignment).get(student, (student,))
    with gradebook(course.db_url) as book:
        for member in (student, *(one for one in members if one != student)):
            try:
                most = _give(book, course, assignment, member, question, cell, points, comment)
            except UsageError:
                book.db.rollback()
                raise
        book.db.commit()
    return most


def _give(
    book: Any,
    course: Course,
    assignment: Assignment,
    student: str,
    question: str,
    cell: tuple[str, str],
    points: float,
    comment: str | None,
) -> float:
    from grading.engine.nbgrader.library import MissingEntry

    stem, name = cell
    try:
        grade = book.find_grade(name, stem, assignment.name, student)
    except MissingEntry:
        raise UsageError(_nothing_there(book, assignment, student, question, course)) from None
    if not 0 <= points <= grade.max_score:  # also refuses nan
        raise UsageError(
            f"points lie between 0 and {grade.max_score:g} for {question}; got {points:g}. Try:"
            f" tito grade mark {student} {question} {grade.max_score:g} --course {course.root}"
        )
    grade.manual_score = float(points)
    grade.needs_manual_grade = False
    if comment is not None:
        try:
            book.find_comment(name, stem, assignment.name, student).manual_comment = comment
        except MissingEntry:
            raise UsageError(
                f"nbgrader keeps comments on questions and solution cells; {question} is a test"
                " cell. Leave out --comment, or comment on the solution above it"
            ) from None
    return float(grade.max_score)


def cell_of(course: Course, assignment: Assignment, wanted: str) -> str:
    """The label of the cell that an exercise's number means; any other word as it is."""
    if not re.fullmatch(r"\d+[a-z]", wanted):
        return wanted
    for stem in assignment.stems:
        path = course.released(assignment).with_name(f"{stem}.ipynb")
        found = named(exercises(read_ipynb(path)), wanted) if path.is_file() else None
        if found and found.graded:
            return assignment.label(stem, found.graded.name)
    return wanted


def no_such_cell(book: Any, course: Course, assignment: Assignment, wanted: str) -> str:
    """A sentence with the names of the cells that a person grades."""
    asked = [
        assignment.label(stem, cell.name)
        for stem in assignment.stems
        for cell in book.find_notebook(stem, assignment.name).task_cells
    ]
    return (
        f"no cell with points is called {wanted!r} in {assignment.name}; its questions are"
        f" {', '.join(asked) or 'none'}. See what waits: tito grade mark --course {course.root}"
    )


def _nothing_there(
    book: Any, assignment: Assignment, student: str, question: str, course: Course
) -> str:
    ids = [
        assignment.label(stem, cell.name)
        for stem in assignment.stems
        for cell in book.find_notebook(stem, assignment.name).source_cells
    ]
    if question not in ids:
        return no_such_cell(book, course, assignment, question)
    return (
        f"{question} of {student!r} was not graded yet; run: tito grade autograde {assignment.name}"
        f" --course {course.root}"
    )
