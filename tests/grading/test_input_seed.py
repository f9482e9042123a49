"""The inputs of sealed tests are drawn once for a class: the same code gets the same mark in every
run and on every machine.
"""

from __future__ import annotations

import json
import shutil

import pytest

from grading.authoring import release
from grading.engine.course.input_seed import seed_of
from helpers.inboxes import put
from helpers.tiny_class import grade
from helpers.tiny_course import HIDDEN, fill, make_workspace
from helpers.written_marks import blank
from tito.errors import UsageError, WorkError
from tito.workspace import Workspace

# The test reports the number that it drew.
DRAWS = """
@pytest.mark.contract("contract_box")
def test_a_draw(tt, draw):
    tt.Box([1])
    expect(False, "This one always fails.", got=int(draw.integers(2**60)))
"""


@pytest.fixture(scope="module")
def drawing(tmp_path_factory):
    """A course with a hidden test that draws a number, and two students with the same work."""
    root = make_workspace(tmp_path_factory.mktemp("drawn") / "repository")
    hidden = root / "grading/modules/07_tiny/tests/test_box_hidden.py"
    hidden.write_text(HIDDEN + "\n" + DRAWS, encoding="utf-8")
    workspace = Workspace(root)
    release.release(workspace.module("07"), workspace)
    notebook = json.loads(workspace.module("07").notebook.read_text(encoding="utf-8"))
    made = blank(workspace, tmp_path_factory.mktemp("class"))
    for student in ("ann", "bob"):
        put(made.notebook(student), json.dumps(fill(notebook)))
    return made


def drawn(room, **settings) -> set[str]:
    """The numbers that the test drew for everybody who was graded in this run."""
    graded = grade(room.course, room.module, **settings)
    assert {one.status for one in graded} == {"graded"}
    return {room.cell(one.student, "contract_box")["message"] for one in graded}


def test_the_same_code_gets_the_same_mark_in_every_run_of_every_machine(drawing, monkeypatch):
    first = drawn(drawing, jobs=2)
    assert len(first) == 1
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    moved = drawing.copy(drawing.course.root.with_name("elsewhere"))
    shutil.rmtree(moved.notebook("bob").parent)
    assert drawn(moved, jobs=1, force=True) == first
    # without `force`: new inputs mean that everybody is graded again
    other = drawn(moved, redraw=True)
    assert len(other) == 1 and other != first


def test_a_new_draw_is_asked_for_and_the_old_one_is_kept(room):
    seed = seed_of(room.course, room.module)
    other = seed_of(room.course, room.module, redraw=True)
    assert other != seed and seed_of(room.course, room.module) == other
    (kept,) = (room.course.root / "replaced").glob(f"*-{room.module.name}")
    assert int(kept.read_text()) == seed
    with pytest.raises(UsageError, match="--redraw takes no --student"):
        grade(room.course, room.module, redraw=True, students=["ann"])
    path = room.course.root / "draws" / room.module.name
    assert int(path.read_text()) == other
    path.write_text("seven\n")
    with pytest.raises(WorkError, match=r"draws.* says 'seven'\. .* --redraw"):
        seed_of(room.course, room.module)
