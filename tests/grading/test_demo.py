"""A part of `tito dev demo`: a sample student's notebook is exported, and the demo cells run on the
package.
"""

from pathlib import Path

import pytest

from grading.authoring import demo
from tito.student_work.exporter import export
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_the_demo_cells_of_module_08_run_on_the_exported_package_and_leave_pictures(tmp_path):
    stage = demo.set_stage(ROOT, tmp_path)
    module = Workspace(stage.workspace).module("08")
    believed = demo.play_student(module, ["hours_saved/all_loading_is_hidden"])
    assert len(believed) == 1 and export(module).changed
    out = tmp_path / "out"
    out.mkdir()
    printed = {cell.name: text for cell, text, _, _ in demo.run_demo_cells(module, stage, out)}
    assert "test accuracy: shuffled" in printed["demo_train"] and all(printed.values())
    pictures = {path.stem: path.read_bytes() for path in out.glob("*.png")}
    shown = "augment", "fast", "look", "measure", "prefetch", "streaming"
    assert sorted(pictures) == [f"demo_{name}" for name in shown]
    assert all(data.startswith(b"\x89PNG") for data in pictures.values())
