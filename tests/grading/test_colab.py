"""The notebook's first cell for Google Colab: it exists if the course has an address, does nothing
outside Colab, and changes no test or mark.
"""

from __future__ import annotations

import json
import subprocess
import sys
import types

import pytest
from paper import blank, hand_in
from patience import PATIENCE_SECONDS
from tiny_class import grade
from tiny_course import fill, make_workspace

from grading.authoring import release
from grading.authoring.colab import CELL_ID, repository_url
from grading.engine.course.directory import Course
from tito.errors import EnvironmentBroken
from tito.notebook.cells import read_ipynb, read_percent
from tito.run.runner import run_cells
from tito.workspace import Workspace

URL = "https://github.com/ann/course"
SETTING = '[tool.tinytorch]\nrepository_url = "{}"'


def workspace_of(tmp_path, setting: str | None = SETTING.format(URL)) -> Workspace:
    """The tiny course with a pyproject.toml that holds `setting`; None: without the file."""
    root = make_workspace(tmp_path / "repository")
    if setting is not None:
        (root / "pyproject.toml").write_text(f"{setting}\n", encoding="utf-8")
    return Workspace(root)


def notebook_of(workspace: Workspace) -> dict:
    release.release(workspace.module("07"), workspace)
    return json.loads(workspace.module("07").notebook.read_text(encoding="utf-8"))


@pytest.mark.parametrize("setting", [None, "", SETTING.format("")])
def test_without_an_address_the_edition_has_no_such_cell(tmp_path, setting):
    notebook = notebook_of(workspace_of(tmp_path, setting))
    assert notebook["cells"][0]["id"] == "cell-1" and "colab" not in json.dumps(notebook).lower()


def test_with_an_address_it_is_the_first_cell_of_notebook_script_and_class(tmp_path):
    workspace = workspace_of(tmp_path, SETTING.format(f"{URL}/"))
    module, (first, *others) = workspace.module("07"), notebook_of(workspace)["cells"]
    without = notebook_of(workspace_of(tmp_path / "other", None))["cells"]
    # the ids of the other cells do not change
    assert [cell["id"] for cell in others] == [cell["id"] for cell in without]
    assert (first["id"], first["metadata"]) == (CELL_ID, {"tags": ["colab"]})
    assert f'"git+{URL}"' in "".join(first["source"])
    script, notebook = read_percent(module.script), read_ipynb(module.notebook)
    assert script[0].source.strip() == notebook[0].source.strip()
    course = Course.create(tmp_path / "class", workspace)
    release.release_to_course(module, course)
    released = json.loads(course.released(module).read_text(encoding="utf-8"))
    assert released["cells"][0]["id"] == CELL_ID
    assert release.drift(module) == []


@pytest.mark.parametrize("colab", [True, False])
def test_it_installs_the_course_with_this_python_in_colab_alone(tmp_path, monkeypatch, colab):
    cell = "".join(notebook_of(workspace_of(tmp_path))["cells"][0]["source"])
    calls: list = []
    monkeypatch.delitem(sys.modules, "google.colab", raising=False)
    if colab:
        monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    monkeypatch.setattr(subprocess, "run", lambda command, **more: calls.append((command, more)))
    names: dict = {}
    exec(compile(cell, "first cell", "exec"), names)
    install = [sys.executable, "-m", "pip", "install", "--quiet", f"git+{URL}"]
    assert calls == ([(install, {"check": True})] if colab else [])
    assert names.keys() - {"__builtins__"} == ({"sys", "subprocess"} if colab else {"sys"})


def test_the_students_tests_and_the_marks_are_as_without_it(tmp_path):
    workspace = workspace_of(tmp_path)
    module, finished = workspace.module("07"), fill(notebook_of(workspace))
    module.notebook.write_text(json.dumps(finished), encoding="utf-8")
    cells = read_ipynb(module.notebook)
    first = run_cells(cells, workspace.root, timeout_seconds=PATIENCE_SECONDS)[0]
    assert (first.cell, first.status, cells[0].id) == (1, "pass", CELL_ID)
    room = blank(workspace, tmp_path)
    points = {"test_double": 2, "test_box": 3, "contract_box": 2}
    hand_in(room, "ann", notebook=finished, **dict.fromkeys(points, 0))
    grade(room.course, room.module, force=True)
    assert {name: room.grade("ann", name)["auto_score"] for name in points} == points


@pytest.mark.parametrize(
    "url",
    [
        "github.com/ann/course",
        "http://github.com/ann/course",
        "git@github.com:ann/course",
        "https://github.com",
        'https://github.com/a\\"; import os #/b',
        "https://github.com/ann/course name",
    ],
)
def test_an_address_that_is_none_is_refused_with_the_file_to_mend(tmp_path, url):
    workspace = workspace_of(tmp_path, SETTING.format(url))
    said = r"repository_url is the https address of a repository.*Mend \[tool\.tinytorch\]"
    with pytest.raises(EnvironmentBroken, match=said):
        release.release(workspace.module("07"), workspace)
    assert not workspace.module("07").notebook.exists()


@pytest.mark.parametrize(
    "text", ["[tool", "tool = 3", "[tool]\ntinytorch = 3", "[tool.tinytorch]\nrepository_url = 3"]
)
def test_a_damaged_setting_is_said(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(EnvironmentBroken, match=r"pyproject.toml"):
        repository_url(tmp_path)
