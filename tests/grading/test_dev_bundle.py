"""`tito dev bundle`: a student's room, the same bytes each time, without answers, and it runs."""

import argparse
import io
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from grading.authoring import bundle, scaffold
from grading.commands import dev_bundle
from tito.errors import UsageError, WorkError
from tito.workspace import Module, Workspace

ROOT = Path(__file__).resolve().parents[2]
SECRET = "return np.minimum(np.maximum(np.asarray(values), low), high)"


@pytest.fixture(scope="module")
def module(tmp_path_factory) -> Module:
    """A clone with one released module, an export, caches and a history."""
    root = tmp_path_factory.mktemp("clone").resolve()
    (root / "modules").mkdir()
    for folder in ("tinytorch", "tito"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in bundle.TOP_FILES:
        shutil.copy(ROOT / name, root / name)
    module = scaffold.new_module(Workspace(root), "09_spatial")
    module.export_path.write_text(SECRET, encoding="utf-8")
    for place in (
        ".git/HEAD",
        "tests/test_x.py",
        "tinytorch/core/.gitignore",
        "modules/09_spatial/__pycache__/x.pyc",
        ".tito/state.json",
        "modules/09_spatial/.ipynb_checkpoints/x.ipynb",
    ):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text("x", encoding="utf-8")
    return module


def run(module: Module, monkeypatch, *arguments: str) -> int:
    monkeypatch.chdir(module.root)
    parser = argparse.ArgumentParser()
    dev_bundle.add_arguments(parser)
    return dev_bundle.run(parser.parse_args(arguments))


@pytest.fixture
def names(module) -> list[str]:
    return zipfile.ZipFile(io.BytesIO(bundle.build(Workspace(module.root), [module]))).namelist()


def test_it_holds_the_students_room(names):
    assert {
        "README.md",
        "LICENSE",
        "pyproject.toml",
        "constraints.txt",
        "tinytorch/testing.py",
        "tito/cli.py",
        "modules/09_spatial/spatial_dev.ipynb",
        "modules/09_spatial/tests/test_1a_clip_values.py",
        "modules/09_spatial/tests/contracts.json",
        "modules/09_spatial/ABOUT.md",
        "modules/09_spatial/module.toml",
    } <= set(names)


def test_it_holds_no_answers_exports_history_or_caches(names, module):
    assert module.export not in names
    assert not [
        name
        for name in names
        if name.startswith(("grading/", ".git/", "tests/", ".tito/"))
        or "__pycache__" in name
        or ".ipynb_checkpoints" in name
    ]


def test_the_same_files_give_the_same_bytes(module):
    first = bundle.build(Workspace(module.root), [module])
    module.notebook.touch()
    assert bundle.build(Workspace(module.root), [module]) == first


def test_its_files_have_the_time_of_the_last_commit(module, tmp_path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    assert bundle._moment(tmp_path) == (2020, 1, 1, 0, 0, 0)  # no repository
    subprocess.run([*git, "init", "-q"], check=True)
    when = {**os.environ, "GIT_COMMITTER_DATE": "2025-09-01T10:20:30Z"}
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True, env=when)
    assert bundle._moment(tmp_path) == (2025, 9, 1, 10, 20, 30)


def test_the_unpacked_bundle_runs_and_is_written(module, monkeypatch, tmp_path, capsys):
    out = tmp_path / "class.zip"
    assert run(module, monkeypatch, "09", "--out", str(out)) == 0
    assert zipfile.is_zipfile(out) and "none found" in capsys.readouterr().out


def test_an_answer_in_the_bundle_stops_it_and_writes_nothing(module, monkeypatch, tmp_path):
    page = module.folder / "ABOUT.md"
    before = page.read_text(encoding="utf-8")
    page.write_text(f"{before}\n    {SECRET}\n", encoding="utf-8")
    try:
        with pytest.raises(WorkError, match=r"ABOUT.md holds a line of cell 6"):
            run(module, monkeypatch, "--out", str(tmp_path / "class.zip"))
    finally:
        page.write_text(before, encoding="utf-8")
    assert list(tmp_path.iterdir()) == []


def test_a_room_that_is_not_a_students_is_a_leak():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("grading/x.py", "x")
        archive.writestr("tito/x.pyc", "x")
    assert len(bundle.leaks(data.getvalue(), {})) == 2


def test_a_bundle_that_does_not_start_is_refused():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("tito/__init__.py", "")
        archive.writestr("tito/__main__.py", "raise SystemExit('broken')")
        archive.writestr("tinytorch/__init__.py", "")
    with pytest.raises(WorkError, match="broken"):
        bundle.try_out(data.getvalue())


@pytest.mark.parametrize("out, said", [("class.tar", "zip"), ("absent/class.zip", "mkdir -p")])
def test_a_place_that_cannot_be_is_refused_with_the_remedy(tmp_path, out, said):
    with pytest.raises(UsageError, match=said):
        bundle.write(tmp_path / out, b"")


def test_a_module_without_a_student_edition_is_refused_with_the_command(module, monkeypatch):
    unreleased = Module(
        module.root, "10_next", "10", "next", "Next", "tinytorch/core/next.py", "next_dev"
    )
    with pytest.raises(WorkError, match="tito grade release 10_next"):
        bundle.build(Workspace(module.root), [unreleased])
