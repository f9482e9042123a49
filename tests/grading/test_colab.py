"""The notebook's first cell for Google Colab: it exists if the course has an address, does nothing
outside Colab, and changes no test or mark.
"""

from __future__ import annotations

import json
import subprocess
import sys
import types
import zipfile

import pytest
from patience import PATIENCE_SECONDS
from tiny_class import Class
from tiny_course import cell_of, fill, make_workspace

from grading.authoring import release
from grading.authoring.colab import CELL_ID, repository_url
from grading.engine.course.directory import Course
from grading.engine.intake import collect
from grading.engine.run import autograde
from tito.errors import EnvironmentBroken
from tito.notebook.cells import read_ipynb, read_percent
from tito.run.runner import run_cells
from tito.workspace import Workspace

URL = "https://github.com/ann/course"


def workspace_of(tmp_path, setting: str | None) -> Workspace:
    """The tiny course with a pyproject.toml that holds `setting`; None: without the file."""
    root = make_workspace(tmp_path / "repository")
    if setting is not None:
        (root / "pyproject.toml").write_text(
            f"[project]\nname = 'tiny'\n{setting}\n", encoding="utf-8"
        )
    return Workspace(root)


def addressed(tmp_path, url: str = URL) -> Workspace:
    return workspace_of(tmp_path, f'[tool.tinytorch]\nrepository_url = "{url}"')


def notebook_of(workspace: Workspace) -> dict:
    release.release(workspace.module("07"), workspace)
    return json.loads(workspace.module("07").notebook.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "setting",
    [None, "", "[tool.tinytorch]\nrepository_url = ''"],
    ids=["no file", "no setting", "empty"],
)
def test_without_an_address_the_edition_has_no_such_cell(tmp_path, setting):
    notebook = notebook_of(workspace_of(tmp_path, setting))
    assert notebook["cells"][0]["id"] == "cell-1" and "colab" not in json.dumps(notebook).lower()


def test_with_an_address_it_is_the_first_cell_of_notebook_script_and_class(tmp_path):
    workspace = addressed(tmp_path, URL + "/")
    module, notebook = workspace.module("07"), notebook_of(workspace)
    without = notebook_of(workspace_of(tmp_path / "other", None))
    # the ids of the other cells do not change
    assert [cell["id"] for cell in notebook["cells"]] == [CELL_ID] + [
        cell["id"] for cell in without["cells"]
    ]
    assert f'"git+{URL}"' in "".join(notebook["cells"][0]["source"]) and notebook["cells"][0][
        "metadata"
    ] == {"tags": ["colab"]}
    assert [(cell.kind, cell.source.strip()) for cell in read_percent(module.script)] == [
        (cell.kind, cell.source.strip()) for cell in read_ipynb(module.notebook)
    ]
    course = Course.create(tmp_path / "class", workspace)
    release.release_to_course(module, course)
    assert (
        json.loads(course.released(module).read_text(encoding="utf-8"))["cells"][0]["id"] == CELL_ID
    )
    assert release.drift(module) == []


@pytest.fixture
def first_cell(tmp_path) -> str:
    return "".join(notebook_of(addressed(tmp_path))["cells"][0]["source"])


def test_in_colab_it_installs_the_course_with_this_python(first_cell, monkeypatch):
    calls = []
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    monkeypatch.setattr(subprocess, "run", lambda command, **more: calls.append((command, more)))
    exec(compile(first_cell, "first cell", "exec"), {})
    assert calls == [
        ([sys.executable, "-m", "pip", "install", "--quiet", f"git+{URL}"], {"check": True})
    ]


def test_anywhere_else_it_does_nothing(first_cell, monkeypatch):
    monkeypatch.delitem(sys.modules, "google.colab", raising=False)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("something was started"))
    names: dict = {}
    exec(compile(first_cell, "first cell", "exec"), names)
    assert names.keys() - {"__builtins__"} == {"sys"}


def test_the_students_tests_and_the_marks_are_as_without_it(tmp_path):
    workspace = addressed(tmp_path)
    module = workspace.module("07")
    finished = fill(notebook_of(workspace))
    module.notebook.write_text(json.dumps(finished), encoding="utf-8")
    cells = read_ipynb(module.notebook)
    results = run_cells(cells, workspace.root, timeout_seconds=PATIENCE_SECONDS)
    assert results[0].cell == 1 and results[0].status == "pass"
    course = Course.create(tmp_path / "class", workspace)
    release.release_to_course(module, course)
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    with zipfile.ZipFile(inbox / "ann.zip", "w") as archive:
        archive.writestr("tiny_dev.ipynb", json.dumps(finished))
        archive.writestr(
            "manifest.json",
            json.dumps(
                {"module": module.name, "student": "ann", "time": "2026-11-20T10:00:00+0000"}
            ),
        )
    assigned = course.assignment("07", workspace)
    collect.collect(course, assigned, [inbox])
    (graded,) = autograde.autograde(
        course,
        assigned,
        autograde.Settings(
            limits=autograde.Limits(cell_seconds=60, notebook_seconds=120, contract_seconds=120),
            jobs=1,
        ),
    )
    marks = Class(workspace, assigned, course, {}, {"ann": graded})
    assert [
        marks.grade("ann", name)["auto_score"]
        for name in ("test_double", "test_box", "contract_box")
    ] == [2, 3, 2]
    assert cell_of(finished, CELL_ID)


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
    workspace = addressed(tmp_path, url)
    with pytest.raises(
        EnvironmentBroken,
        match=r"repository_url is the https address of a repository.*Mend \[tool\.tinytorch\]",
    ):
        release.release(workspace.module("07"), workspace)
    assert not workspace.module("07").notebook.exists()


@pytest.mark.parametrize(
    "text", ["[tool", "tool = 3", "[tool]\ntinytorch = 3", "[tool.tinytorch]\nrepository_url = 3"]
)
def test_a_damaged_setting_is_said(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    with pytest.raises(EnvironmentBroken, match=r"pyproject.toml"):
        repository_url(tmp_path)
