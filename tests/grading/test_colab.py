"""The notebook's first cell for Google Colab: it exists if the course has an address, does nothing
outside Colab, and changes no test or mark.
"""

from __future__ import annotations

import json
import subprocess
import sys
import types

import pytest

from grading.authoring import release
from grading.authoring.colab import CELL_ID, repository_url
from grading.engine.course.directory import Course
from helpers.tiny_course import make_workspace
from tito.errors import EnvironmentBroken
from tito.notebook.cells import read_ipynb, read_percent
from tito.workspace import Workspace

URL = "https://github.com/ann/course"
SETTING = 'repository_url = "{}"'


def workspace_of(tmp_path, setting: str | None = SETTING.format(URL)) -> Workspace:
    """The tiny course with a tito.toml that holds `setting`; None: without the file."""
    root = make_workspace(tmp_path / "repository")
    if setting is not None:
        (root / "tito.toml").write_text(f"{setting}\n", encoding="utf-8")
    return Workspace(root)


def notebook_of(workspace: Workspace) -> dict:
    release.release(workspace.module("07"), workspace)
    return json.loads(workspace.module("07").notebook.read_text(encoding="utf-8"))


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


@pytest.mark.parametrize(
    "text, said",
    [
        (SETTING.format("http://github.com/ann/course"), "is the https address of a repository"),
        (SETTING.format('https://github.com/a\\"; import os #/b'), r"Repair it in .*tito\.toml"),
        ("[tool", r"tito\.toml must be TOML"),
        ("repository_url = 3", r"repository_url in .*tito\.toml is a text; it is 3"),
        ('package = "my-course"', "a name that Python can import.*'my-course'"),
    ],
)
def test_a_wrong_or_damaged_setting_is_said(tmp_path, text, said):
    (tmp_path / "tito.toml").write_text(text, encoding="utf-8")
    with pytest.raises(EnvironmentBroken, match=said):
        repository_url(tmp_path)
