"""The text of an answer that a person grades, from the notebook that was graded."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.regrade_requests import is_request
from grading.engine.submission_marks import kind_of
from grading.engine.submitted_notebook.match_editions import renewed


def answers(
    course: Course, assignment: Assignment, student: str
) -> Callable[[tuple[str, str]], str | None]:
    """A function from (notebook, grade_id) to the student's answer to a question; to None for a
    cell that the machine grades. The notebooks are read once, when it is first called.
    """

    @functools.cache
    def read(stem: str) -> tuple[Any, Any]:
        from grading.engine.submitted_notebook.notebook_files import earlier_editions

        path = course.autograded(student, assignment, stem)
        edition = _notebook(course.released(assignment, stem))
        if not path.is_file():
            return None, edition
        graded = _notebook(path)
        earlier = earlier_editions(course.root, assignment.name, stem)
        graded.cells = renewed(graded.cells, earlier, edition)
        return graded, edition

    def answer(cell: tuple[str, str]) -> str | None:
        stem, grade_id = cell
        graded, released = read(stem)
        questions = [one for one in released.cells if kind_of(one) == "question"]
        if grade_id not in [one.metadata["nbgrader"]["grade_id"] for one in questions]:
            return None
        return answer_in(graded, grade_id, released) if graded else ""

    return answer


def _notebook(path: Path) -> Any:
    """A notebook that nbgrader wrote; checking its schema again would take most of the time."""
    from grading.engine.nbgrader.import_nbgrader import nbformat

    return nbformat.v4.reads(path.read_text(encoding="utf-8"))


def answer_to(course: Course, assignment: Assignment, student: str, cell: tuple[str, str]) -> str:
    """A student's answer to a question, from the notebook that was graded."""
    return answers(course, assignment, student)(cell) or ""


def answer_in(notebook: Any, grade_id: str, released: Any) -> str:
    """The answer cell of a question and the student's cells, of any type, between the question and
    the next code or graded cell of the release; if there is none, all markdown that the student
    added. The release's own text is left out.
    """
    given = {cell.source.strip() for cell in released.cells}
    code = {cell.get("id") for cell in released.cells if cell.cell_type == "code"} - {None}
    mine = f"answer-{grade_id.replace('_', '-')}"
    answer_ids = {str(cell.get("id")) for cell in released.cells}
    # the answers to other questions, which have cells of their own
    others = {name for name in answer_ids if name.startswith("answer-") and name != mine}
    written, elsewhere, below = [], [], False
    for cell in notebook.cells:
        flags = cell.metadata.get("nbgrader", {})
        text = cell.source.strip()
        if flags or cell.get("id") in code or (cell.cell_type == "code" and text in given):
            own = flags.get("grade_id") == grade_id
            below = own and (cell.cell_type == "markdown" or bool(flags.get("solution")))
        if text in given or flags.get("task") or is_request(text):
            continue
        if below or cell.get("id") == mine:
            written.append(text)
        elif cell.cell_type == "markdown" and not flags and cell.get("id") not in others:
            elsewhere.append(text)
    return "\n\n".join(written or elsewhere)
