"""Stock nbgrader, in a course that nobody set up for this engine, runs the graded cells and pays
them: the solved notebook earns all machine points, and the stubs none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grading.authoring.release import instructor_notebook
from grading.engine.course.references import write_references
from tito.workspace import Module, Workspace, find_workspace

CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "plain"
c.ExecutePreprocessor.timeout = 120
"""
MODULES = [m for m in find_workspace(__file__).modules() if m.notebook.is_file()]


def graded_by_nbgrader(module: Module, place: Path) -> dict[str, dict[str, tuple[float, float]]]:
    """student -> grade_id -> (points, most), for the students solved and stubs."""
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
    for student, notebook in (("stubs", stubs), ("solved", reference)):
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


@pytest.mark.long
@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_plain_course_pays_the_graded_cells_of_a_module(module, tmp_path):
    marks = graded_by_nbgrader(module, tmp_path)
    assert marks["solved"] and marks["solved"].keys() == marks["stubs"].keys()
    assert [name for name, (points, most) in marks["solved"].items() if points != most] == []
    assert {points for points, _ in marks["stubs"].values()} == {0.0}
