"""`tito dev new` makes a whole module or nothing."""

import os
from pathlib import Path

import pytest

from grading.authoring import release, scaffold
from tito.errors import UsageError, WorkError
from tito.notebook.cells import read_ipynb
from tito.workspace import Workspace


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    for folder in ("modules", "tinytorch/core", "grading/source"):
        (tmp_path / folder).mkdir(parents=True)
    return Workspace(tmp_path)


def files(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))


def pretend_release(module, workspace):
    module.notebook.write_text("{}", encoding="utf-8")


def test_new_writes_only_the_modules_own_folders(workspace, monkeypatch):
    monkeypatch.setattr(release, "release", pretend_release)
    before = files(workspace.root)
    module = scaffold.new_module(workspace, "09_spatial")
    added = [name for name in files(workspace.root) if name not in before]
    assert all(
        "09_spatial" in name or name in ("grading/misconceptions", "grading/alternatives")
        for name in added
    )
    assert (module.number, module.short, module.export) == (
        "09",
        "spatial",
        "tinytorch/core/spatial.py",
    )


def test_no_placeholder_is_left_in_any_file(workspace, monkeypatch):
    monkeypatch.setattr(release, "release", pretend_release)
    scaffold.new_module(workspace, "10a_two_words")
    texts = {
        path.name: path.read_text(encoding="utf-8")
        for path in workspace.root.rglob("*")
        if path.is_file()
    }
    assert len(texts) >= len(scaffold.PLACES)
    assert not [
        (name, word)
        for name, text in texts.items()
        for word in ("NUMBER", "MODULE", "SHORT", "TITLE", "EXPORT")
        if word in text
    ]


def test_the_student_edition_is_released_by_new_itself(workspace):
    module = scaffold.new_module(workspace, "09_spatial")
    cells = read_ipynb(module.notebook)
    assert 'raise NotImplementedError("your turn: clip_values")' in "\n".join(
        cell.source for cell in cells
    )
    assert release.drift(module) == []


@pytest.mark.parametrize(
    "name",
    [
        "spatial",
        "9_spatial",
        "09-spatial",
        "09_Spatial",
        "09_",
        "09_spatial/..",
        "../09_spatial",
        "",
        "09_ab\n",
    ],
)
def test_a_name_of_another_form_is_refused_with_the_form(workspace, name):
    with pytest.raises(UsageError, match=r"NN_name.*For example: tito dev new") as refused:
        scaffold.new_module(workspace, name)
    example = str(refused.value).split()[-1]
    assert scaffold.NAME.fullmatch(example), "the example in the message is a name that new takes"


@pytest.mark.parametrize(
    "name, said, example",
    [
        ("09_spatial", "number", "10_spatial_2"),
        ("09_other", "number", "10_other"),
        ("10_spatial", "name", "10_spatial_2"),
    ],
)
def test_what_another_module_has_is_refused_with_what_is_free_and_nothing_is_written(
    workspace, monkeypatch, name, said, example
):
    monkeypatch.setattr(release, "release", pretend_release)
    scaffold.new_module(workspace, "09_spatial")
    before = files(workspace.root)
    with pytest.raises(UsageError, match=f"its own {said}") as refused:
        scaffold.new_module(workspace, name)
    assert files(workspace.root) == before
    assert str(refused.value).split()[-1] == example


@pytest.mark.parametrize("place", ["grading/source/09_spatial", "tinytorch/core/spatial.py"])
def test_a_folder_or_file_that_exists_is_never_written_over(workspace, place):
    (workspace.root / place).mkdir(parents=True)
    before = files(workspace.root)
    with pytest.raises(UsageError, match="exists"):
        scaffold.new_module(workspace, "09_spatial")
    assert files(workspace.root) == before


def test_an_error_in_release_leaves_nothing(workspace, monkeypatch):
    def broken(module, workspace):
        raise WorkError("nbgrader could not strip it")

    monkeypatch.setattr(release, "release", broken)
    before = files(workspace.root)
    with pytest.raises(WorkError):
        scaffold.new_module(workspace, "09_spatial")
    assert files(workspace.root) == before


@pytest.mark.parametrize("moves", range(4))
def test_an_error_between_two_moves_leaves_no_half_module(workspace, monkeypatch, moves):
    monkeypatch.setattr(release, "release", pretend_release)
    rename, done = os.rename, []

    def breaks(source, target):
        if len(done) == moves:
            raise OSError("No space left on device")
        done.append(target)
        rename(source, target)

    monkeypatch.setattr(scaffold.os, "rename", breaks)
    with pytest.raises(OSError, match="No space"):
        scaffold.new_module(workspace, "09_spatial")
    assert not [name for name in files(workspace.root) if "09_spatial" in name or ".new-" in name]
