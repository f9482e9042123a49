"""`tito export` writes the package from the notebook, never the other way, whole or not at all."""

import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from tito.errors import EnvironmentBroken, WorkError
from tito.notebook.cells import read_ipynb
from tito.student_work import exporter

CHANGED = "#| export\ndef add(a, b):\n    return b + a"


@pytest.fixture
def exported(course):
    """The finished course, exported."""
    course.solve()
    exporter.export(course.module)
    return course


def stubs(course):
    return [stub.exercise for stub in exporter.export(course.module, partial=True).stubs]


def test_a_notebook_with_stubs_is_refused_with_their_names_and_exported_with_partial(
    course, monkeypatch
):
    monkeypatch.setattr("tito.student_work.exporter.MOST_ROWS", 1)  # a long list fits on a screen
    with pytest.raises(WorkError, match=r"\n  add: cell 4, line 5\n  and 1 more\n"):
        exporter.export(course.module)
    course.write(add="#| export\ndef add(a, b):\n    return a + b")
    with pytest.raises(WorkError, match=r"1 exercise that.*\n  scale: cell 7, line 4\n.*--partial"):
        exporter.export(course.module)
    assert not course.module.export_path.exists()
    assert stubs(course) == ["scale"]


def test_stubs_of_several_functions_in_one_cell_are_named_after_their_functions(course):
    stub = "raise NotImplementedError('your turn: scale')"
    plots = "".join(f"def {name}(ax):\n    {stub}\n\n\n" for name in ("plot_a", "plot_b"))
    helped = f"#| export\ndef _helper(a):\n    return a\n\n\ndef add(a, b):\n    {stub}\n"
    course.write(scale=f"#| export\n{plots}", add=helped.replace("scale", "add"))
    assert stubs(course) == ["add", "scale.plot_a", "scale.plot_b"]
    course.write(scale=f"#| export\n{plots.replace(stub, 'return ax', 1)}")
    assert stubs(course) == ["add", "scale.plot_b"]


def test_the_same_notebook_twice_is_unchanged_and_another_one_keeps_the_previous_export(exported):
    first = exported.module.export_path.read_bytes()
    assert not exporter.export(exported.module).changed
    exported.write(add=CHANGED)
    again = exporter.export(exported.module)
    assert again.changed and again.backup.read_bytes() == first


def test_future_imports_lead_the_file_and_import_cells_come_before_definitions(course):
    future = "from __future__ import annotations\n"
    course.write(
        given_setup=f"#| export\nimport math\n{future}",
        scale=f"#| export\n{future}from math import pi",
    )
    cells = read_ipynb(course.module.notebook)
    text = exporter.render(cells, course.module, source_name="adder_dev.ipynb")
    code = [line for line in text.split("\n") if line and not line.startswith("#")]
    assert code[:3] == [future.strip(), "import math", "from math import pi"]


@pytest.mark.parametrize(
    "target, says",
    [
        ("../outside.py", "goes to a .py file in tinytorch/"),
        ("modules/07_adder/adder_dev.py", "goes to a .py file in tinytorch/"),
        ("tinytorch/core/adder.txt", "goes to a .py file in tinytorch/"),
        ("tinytorch/core/mine.py", "written by hand"),
    ],
)
def test_an_export_replaces_only_what_it_wrote_in_the_package(course, target, says):
    course.solve()
    mine = course.root / "tinytorch/core/mine.py"
    mine.write_text("mine = 1\n", encoding="utf-8")
    with pytest.raises(EnvironmentBroken, match=says):
        exporter.export(replace(course.module, export=target))
    assert mine.read_text(encoding="utf-8") == "mine = 1\n"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_export_that_is_killed_at_any_step_leaves_the_old_file_whole(exported, step):
    old = exported.module.export_path.read_bytes()
    exported.write(add=CHANGED)
    # The process kills itself, as kill -9 would, just before the step.
    script = f"""
import os, signal, sys
from tito import files, workspace
from tito.student_work import exporter
def die(*args, **kwargs): os.kill(os.getpid(), signal.SIGKILL)
module = workspace.find_workspace().module("07")
files.backup(module.export_path, module.root / ".tito" / "backups")
exporter.backup = lambda *args: None
files.os.{step} = die
exporter.export(module)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=exported.root, check=False)
    assert done.returncode == -signal.SIGKILL
    assert exported.module.export_path.read_bytes() == old
    assert exporter.export(exported.module).changed


def test_a_full_disk_during_export_leaves_the_old_file_and_no_scraps(exported, monkeypatch, tito):
    path = exported.module.export_path
    old, files = path.read_bytes(), sorted(path.parent.iterdir())
    exported.write(add=CHANGED)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tito.files.os.fsync", full)
    code, _, err = tito("export", "07")
    assert code == 3 and f"the disk is full: {path} (No space left on device)" in err
    assert path.read_bytes() == old and sorted(path.parent.iterdir()) == files
