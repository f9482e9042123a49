"""The starter is a derived file: git ignores it, the bundle contains it, and in a clone a message
says how to make it.
"""

import io
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from grading.authoring import bundle
from tito.errors import WorkError
from tito.notebook.starter import pristine
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path):
    """One module as in a fresh clone, without a starter."""
    tracked = subprocess.run(
        ["git", "ls-files", "modules/08c_pipeline", "tinytorch", "pyproject.toml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    for name in tracked:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return Workspace(tmp_path)


def test_git_does_not_track_a_starter():
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert ".starter/" not in tracked


def test_a_bundle_carries_the_starter_though_a_clone_has_none(clone):
    module = clone.module("08c")
    assert not module.starter.exists()
    with zipfile.ZipFile(io.BytesIO(bundle.build(clone, [module]))) as archive:
        name = module.starter.relative_to(clone.root).as_posix()
        assert archive.read(name) == module.notebook.read_bytes()


def test_a_bundle_never_takes_somebodys_work_for_the_starter(clone):
    module = clone.module("08c")
    text = module.notebook.read_text(encoding="utf-8")
    module.notebook.write_text(text.replace("TODO", "DONE", 1), encoding="utf-8")
    assert pristine(module) is None
    with pytest.raises(WorkError, match="tito grade release 08c_pipeline"):
        bundle.build(clone, [module])
