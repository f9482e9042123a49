"""Stock nbgrader, in a course that nobody set up for this engine, runs the graded cells and pays
them: the solved notebook earns all machine points, the stubs none, and half of it its half.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grading.authoring.release import instructor_notebook
from grading.engine.course.references import write_references
from tito.notebook.cells import cells_of
from tito.notebook.exercises import Exercise, exercises
from tito.workspace import Module, Workspace, find_workspace

CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "plain"
c.ExecutePreprocessor.timeout = 120
"""
MODULES = [m for m in find_workspace(__file__).modules() if m.notebook.is_file()]


def graded_by_nbgrader(module: Module, place: Path) -> dict[str, dict[str, tuple[float, float]]]:
    """student -> grade_id -> (points, most), for the students solved, stubs and half."""
    from grading.engine.nbgrader.import_nbgrader import gradebook, nbformat

    Workspace(module.root).copy_package(place / "package")
    write_references(Workspace(module.root).before(module), place / "package")
    # the laws are where an installed package has them
    shutil.copytree(module.tests, place / "package/tinytorch/modules" / module.name / "tests")
    course = place / "course"
    source = course / "source" / module.name / f"{module.stem}.ipynb"
    source.parent.mkdir(parents=True)
    reference = instructor_notebook(module)
    nbformat.write(reference, source)
    (course / "nbgrader_config.py").write_text(CONFIG, encoding="utf-8")
    # nbgrader starts `alembic`, which is beside this Python
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(place / "package")}

    def nbgrader(*arguments: str) -> None:
        command = [sys.executable, "-m", "nbgrader", *arguments]
        done = subprocess.run(
            command, cwd=course, env=environment, capture_output=True, text=True, timeout=500
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]

    nbgrader("generate_assignment", module.name)
    released = course / "release" / module.name / source.name
    stubs = nbformat.read(released, as_version=4)
    for student, notebook in _students(stubs, reference).items():
        folder = course / "submitted" / student / module.name
        folder.mkdir(parents=True)
        nbformat.write(notebook, folder / source.name)
    nbgrader("autograde", module.name)
    with gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        return {
            one.student.id: {
                grade.name: (grade.auto_score or 0.0, grade.max_score)
                for notebook in one.notebooks
                for grade in notebook.grades
                if grade.cell.type == "GradeCell"
            }
            for one in book.assignment_submissions(module.name)
        }


def _asked(reference: Any) -> list[Exercise]:
    """The exercises; the student half has solved every other one."""
    return [one for one in exercises(cells_of(reference)) if not one.is_question]


def _students(stubs: Any, reference: Any) -> dict[str, Any]:
    """The stubs, the stubs with all solutions, and with those of every other exercise."""
    from grading.engine.nbgrader.import_nbgrader import nbformat

    answers = {cell.id: cell.source for cell in reference.cells}
    asked, made = _asked(reference), {}
    for name, solved in (("stubs", []), ("half", asked[::2]), ("solved", asked)):
        wanted = {stub.id for one in solved for stub in one.stubs}
        notebook = json.loads(json.dumps(stubs))
        for cell in notebook["cells"]:
            cell["source"] = answers[cell["id"]] if cell["id"] in wanted else cell["source"]
        made[name] = nbformat.from_dict(notebook)
    return made


def pays_what_is_stated(module: Module, place: Path) -> None:
    marks = graded_by_nbgrader(module, place)
    most = {name: points for name, (_, points) in marks["solved"].items()}
    assert most
    assert {name: points for name, (points, _) in marks["solved"].items()} == most
    assert {points for points, _ in marks["stubs"].values()} == {0.0}
    asked = _asked(instructor_notebook(module))
    half = {one.graded.name for one in asked[::2] if one.graded}
    paid = {name for name, (points, _) in marks["half"].items() if points}
    # a test may need an earlier exercise that "half" has left out; nothing else is paid
    assert paid <= half and paid
    assert all(marks["half"][name][0] == most[name] for name in paid)


@pytest.mark.long
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_plain_course_pays_the_graded_cells_of_a_module(module, tmp_path):
    pays_what_is_stated(module, tmp_path)
