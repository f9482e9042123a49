"""One right answer below the student's own code, once the instructor has released the solutions."""

import re
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.files import write_text
from grading.engine.nbgrader.library import nbformat, quiet
from tito.errors import UsageError

with quiet():
    from nbgrader.preprocessors import NbGraderPreprocessor

_MARKER = re.compile(r"^\s*### (?:BEGIN|END) SOLUTION\s*$\n?", re.MULTILINE)


def release_solutions(course: Course, assignment: Assignment, *, now: bool = False) -> Path:
    """From now on, feedback pages of the assignment show the solutions of DIR/source. Returns the
    file that says so; whoever deletes it takes them back. `now`: do not wait for the deadline.
    """
    due, today = course.due(assignment), datetime.now(timezone.utc)
    if not now and (due is None or due > today):
        when = f"which is {due:%Y-%m-%d %H:%M} UTC" if due else "and this assignment has none"
        raise UsageError(
            f"solutions are shown after the deadline, {when}. To show them all the same: tito grade"
            f" release {assignment.name} --solutions --now --course {course.root}"
        )
    path = _said(course.root, assignment.name)
    path.parent.mkdir(exist_ok=True)
    write_text(path, f"solutions are shown on feedback pages since {today:%Y-%m-%d %H:%M} UTC\n")
    return path


def _said(root: Path, assignment: str) -> Path:
    return root / "solutions" / f"{assignment}.txt"


class ShowSolutions(NbGraderPreprocessor):
    """Put the instructor's code below each cell that the student solved."""

    def preprocess(self, notebook: Any, resources: dict) -> tuple[Any, dict]:
        names = resources["nbgrader"]
        source = Path("source") / names["assignment"] / f"{names['notebook']}.ipynb"
        if not _said(Path(), names["assignment"]).is_file() or not source.is_file():
            return notebook, resources
        answers = {
            flags["grade_id"]: _MARKER.sub("", cell.source)
            for cell in nbformat.read(source, as_version=4).cells
            if (flags := cell.metadata.get("nbgrader", {})).get("solution")
            and cell.cell_type == "code"
        }
        cells = []
        for cell in notebook.cells:
            cells.append(cell)
            answer = answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"))
            if answer and cell.cell_type == "code":
                text = f"**One right answer**\n\n````python\n{answer}\n````"
                cells.append(nbformat.v4.new_markdown_cell(text))
        notebook.cells = cells
        return notebook, resources
