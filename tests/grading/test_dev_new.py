"""`tito dev new` makes a whole module or nothing."""

import os
from pathlib import Path

import pytest

from grading.authoring import new_module, release
from tito.errors import UsageError
from tito.notebook.cells import read_ipynb
from tito.workspace import Workspace


@pytest.fixture
def workspace(tmp_path) -> Workspace:
    for folder in ("modules", "tinytorch/core", "grading/modules"):
        (tmp_path / folder).mkdir(parents=True)
    return Workspace(tmp_path)


@pytest.fixture
def unreleased(workspace, monkeypatch) -> Workspace:
    """Here a release writes an empty notebook."""
    monkeypatch.setattr(release, "release", lambda module, _: module.notebook.write_text("{}"))
    return workspace


def files(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))


def test_new_writes_the_modules_own_folders_without_a_placeholder(workspace):
    before = files(workspace.root)
    module = new_module.new_module(workspace, "10a_two_words")
    assert (module.number, module.short) == ("10a", "two_words")
    assert module.export == "tinytorch/core/two_words.py"
    added = {name for name in files(workspace.root) if name not in before}
    assert [name for name in added if "10a_two_words" not in name] == []
    paths = [path for path in map(workspace.root.joinpath, added) if path.is_file()]
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
    assert len(paths) > len(new_module.PLACES)
    assert not [one for one in "NUMBER MODULE SHORT TITLE EXPORT".split() if one in text]
    sources = "\n".join(cell.source for cell in read_ipynb(module.notebook))
    assert 'raise NotImplementedError("your turn: clip_values")' in sources
    assert release.drift(module) == []


OTHER_FORMS = "spatial 9_spatial 09-spatial 09_Spatial 09_ 09_spatial/.. ../09_spatial".split()


@pytest.mark.parametrize("name", [*OTHER_FORMS, "", "09_ab\n"])
def test_a_name_of_another_form_is_refused_with_the_form(workspace, name):
    with pytest.raises(UsageError, match=r"NN_name.*For example: tito dev new") as refused:
        new_module.new_module(workspace, name)
    example = str(refused.value).split()[-1]
    assert new_module.NAME.fullmatch(example), "the example in the message is a name that new takes"


@pytest.mark.parametrize(
    "name, said, example",
    [
        ("09_spatial", "number", "10_spatial_2"),
        ("09_other", "number", "10_other"),
        ("10_spatial", "name", "10_spatial_2"),
    ],
)
def test_what_another_module_has_is_refused_with_what_is_free_and_nothing_is_written(
    unreleased, name, said, example
):
    new_module.new_module(unreleased, "09_spatial")
    before = files(unreleased.root)
    with pytest.raises(UsageError, match=f"its own {said}") as refused:
        new_module.new_module(unreleased, name)
    assert files(unreleased.root) == before
    assert str(refused.value).split()[-1] == example


@pytest.mark.parametrize("place", ["grading/modules/09_spatial", "tinytorch/core/spatial.py"])
def test_a_folder_or_file_that_exists_is_never_written_over(workspace, place):
    (workspace.root / place).mkdir(parents=True)
    before = files(workspace.root)
    with pytest.raises(UsageError, match="exists"):
        new_module.new_module(workspace, "09_spatial")
    assert files(workspace.root) == before


@pytest.mark.parametrize("moves", range(2))
def test_an_error_between_two_moves_leaves_no_half_module(unreleased, monkeypatch, moves):
    rename, done = os.rename, []

    def breaks(source, target):
        if len(done) == moves:
            raise OSError("No space left on device")
        done.append(target)
        rename(source, target)

    monkeypatch.setattr(new_module.os, "rename", breaks)
    with pytest.raises(OSError, match="No space"):
        new_module.new_module(unreleased, "09_spatial")
    assert not [name for name in files(unreleased.root) if "09_spatial" in name or ".new-" in name]
