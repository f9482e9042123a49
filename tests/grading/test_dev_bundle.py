"""`tito dev bundle`: a student's room, the same bytes each time, without answers, and it runs."""

import io
import shutil
import zipfile

import pytest

from grading.authoring import bundle
from grading.commands import dev_bundle
from helpers.module_copies import copied, run_verb
from helpers.repository import ROOT, TRACKED
from tito.errors import WorkError
from tito.notebook.reset_notebook import pristine
from tito.workspace import Module, Workspace

SECRET = "return np.minimum(np.maximum(np.asarray(values), low), high)"
ROOM = (
    """README.md LICENSE pyproject.toml constraints.txt tinytorch/testing.py tito/cli.py""".split()
)
OF_THE_MODULE = "spatial_dev.ipynb tests/test_1a_clip_values.py tests/contracts.json ABOUT.md"
PRIVATE = """.git/HEAD tests/test_x.py tinytorch/core/.gitignore .tito/state.json
modules/09_spatial/__pycache__/x.pyc modules/09_spatial/.ipynb_checkpoints/x.ipynb""".split()


@pytest.fixture(scope="module")
def module(sample_module, tmp_path_factory) -> Module:
    """A clone with one released module, an export, caches and a history."""
    module = copied(sample_module, tmp_path_factory.mktemp("clone"))
    root = module.root
    shutil.copytree(ROOT / "tito", root / "tito", ignore=shutil.ignore_patterns("__pycache__"))
    for name in bundle.TOP_FILES:
        shutil.copy(ROOT / name, root / name)
    module.export_path.write_text(SECRET, encoding="utf-8")
    for place in PRIVATE:
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text("x", encoding="utf-8")
    return module


def build(module: Module) -> bytes:
    return bundle.build(Workspace(module.root), [module])


def files_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zip_of(**texts: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    return out.getvalue()


def run(module: Module, monkeypatch, *arguments: str) -> int:
    monkeypatch.chdir(module.root)
    return run_verb(dev_bundle, *arguments)


def test_it_holds_the_students_room_without_answers_exports_history_or_caches(module):
    data = build(module)
    names = set(files_of(data))
    assert {*ROOM, *(f"modules/09_spatial/{one}" for one in OF_THE_MODULE.split())} <= names
    assert names & {module.export, *PRIVATE} == set()
    assert {name.partition("/")[0] for name in names if "/" in name} == {
        "modules",
        "tinytorch",
        "tito",
    }
    module.notebook.touch()
    assert build(module) == data, "the same files give the same bytes"


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


def test_a_room_that_is_not_a_students_is_a_leak_and_a_bundle_that_does_not_start_is_refused():
    assert len(bundle.leaks(zip_of(**{"grading/x.py": "x", "tito/x.pyc": "x"}), {})) == 2
    package = {"tito/__init__.py": "", "tinytorch/__init__.py": ""}
    with pytest.raises(WorkError, match="broken"):
        bundle.try_out(zip_of(**package, **{"tito/__main__.py": "raise SystemExit('broken')"}))


def test_a_bundle_carries_the_starter_though_a_clone_has_none_and_takes_no_work_for_it(tmp_path):
    """The starter is a derived file: git ignores it."""
    assert [path for path in TRACKED if ".starter" in path.parts] == []
    rooms = ("modules/08c_pipeline", "tinytorch", "pyproject.toml")
    for path in TRACKED:
        name = path.relative_to(ROOT)
        if name.as_posix().startswith(rooms):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, tmp_path / name)
    module = Workspace(tmp_path).module("08c")
    assert not module.starter.exists()
    starter = files_of(build(module))[module.starter.relative_to(tmp_path).as_posix()]
    assert starter == module.notebook.read_bytes()
    text = starter.decode().replace("TODO", "DONE", 1)
    module.notebook.write_text(text, encoding="utf-8")
    assert pristine(module) is None
    with pytest.raises(WorkError, match="tito grade release 08c_pipeline"):
        build(module)
