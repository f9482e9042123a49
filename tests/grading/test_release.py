"""`tito grade release`: the student edition holds the exercise and no answers, and never replaces a
notebook with work in it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grading.authoring import release
from grading.engine.course.directory import Course
from grading.engine.nbgrader_steps.release_stubs import owners
from helpers.inboxes import put
from helpers.tiny_class import Class
from helpers.tiny_course import SOURCE, cell_of, make_workspace
from tito.errors import TitoError, UsageError, WorkError
from tito.files import locked
from tito.workspace import Workspace

ANSWERS = ("the answer of double", "list(things)", "len(self.things)", "takes negative numbers")
ANSWERS += ("Two points for aliasing", "SOLUTION", "HIDDEN", "MARK SCHEME")


def own_workspace(tmp_path: Path, *change: str) -> Workspace:
    own = Workspace(make_workspace(tmp_path / "own"))
    if change:
        change_source(own, *change)
    return own


def change_source(own: Workspace, old: str, new: str) -> None:
    assert old in SOURCE
    source = own.root / "grading/modules/07_tiny/tiny_dev.py"
    source.write_text(SOURCE.replace(old, new), encoding="utf-8")


def test_check_finds_drift_and_prints_the_command_that_repairs_it(tmp_path):
    own = own_workspace(tmp_path)
    release.release(own.module("07"), own)
    room = Class(own, own.module("07"), Course(tmp_path / "none"), {}, {})
    assert room.tito("release", "07", "--check")[0] == 0
    change_source(own, "Twice x.", "Two times x.")
    code, text = room.tito("release", "07", "--check")
    assert code == 1 and "repair: tito grade release 07_tiny" in text and "tiny_dev.ipynb" in text
    # nobody has worked in the notebook, so the new edition replaces it
    assert room.tito("release", "07")[0] == 0
    assert room.tito("release", "07", "--check")[0] == 0


@pytest.mark.parametrize("cell_id", ["double", "answer-q-why", None])
def test_a_notebook_that_somebody_worked_in_or_that_is_unreadable_is_kept(tmp_path, cell_id):
    own = own_workspace(tmp_path)
    module = own.module("07")
    release.release(module, own)
    text = "{half a notebook"
    if cell_id:
        notebook = json.loads(module.notebook.read_text(encoding="utf-8"))
        cell_of(notebook, cell_id)["source"] = "my = 'work'"
        text = json.dumps(notebook)
    module.notebook.write_text(text, encoding="utf-8")
    change_source(own, "Twice x.", "Two times x.")
    with pytest.raises(WorkError, match=r"never writes over work.*-tiny_dev.ipynb\).*--force"):
        release.release(module, own)
    assert module.notebook.read_text(encoding="utf-8") == text
    assert release.release(module, own, force=True).changed
    assert module.notebook.read_text(encoding="utf-8") != text
    assert any(path.read_text(encoding="utf-8") == text for path in own.backups.iterdir())


ANSWER = "    return 2 * x  # the answer of double\n"


def test_a_solution_without_markers_is_refused(tmp_path):
    marked = f"    ### BEGIN SOLUTION\n{ANSWER}    ### END SOLUTION\n"
    own = own_workspace(tmp_path, marked, ANSWER)
    with pytest.raises(WorkError, match="wipes it whole"):
        release.release(own.module("07"), own)
    assert not own.module("07").notebook.exists()


def test_a_course_inside_the_repository_is_refused(workspace):
    with pytest.raises(UsageError, match="outside the repository"):
        Course.create(workspace.root / "class", workspace)
    assert not (workspace.root / "class").exists()


def test_a_course_of_an_earlier_version_gets_the_generated_lines_of_this_one(workspace, tmp_path):
    course = Course.create(tmp_path / "course", workspace)
    path = course.root / "nbgrader_config.py"
    new = path.read_text(encoding="utf-8") + "c.Exchange.root = '/srv'\n"
    old = new.replace("grading.nbgrader_config", "an.earlier_place")
    path.write_text(old, encoding="utf-8")
    path.chmod(0o600)
    course.renew_config()
    assert path.read_text(encoding="utf-8") == new != old and path.stat().st_mode & 0o777 == 0o600
    assert [one.read_text(encoding="utf-8") for one in (course.root / "replaced").iterdir()] == [
        old
    ]


def test_two_releases_to_a_course_come_one_after_the_other(workspace, tmp_path, monkeypatch):
    course, strip, held = Course.create(tmp_path / "course", workspace), release._generate, []

    def watched(*args, **options):
        with pytest.raises(BlockingIOError), locked(course.root / ".release.lock", wait=False):
            pass
        held.append(True)
        return strip(*args, **options)

    monkeypatch.setattr(release, "_generate", watched)
    release.release_to_course(workspace.module("07"), course)
    assert held


def test_a_release_that_fails_leaves_the_one_that_students_have(workspace, tmp_path):
    course = Course.create(tmp_path / "course", workspace)
    module = workspace.module("07")
    release.release_to_course(module, course)
    course.submitted("ann", module).mkdir(parents=True)
    release.release_to_course(module, course)  # the same again, beside what was handed in
    before = course.released(module).read_bytes()
    (course.root / "gradebook.db").write_bytes(b"no database" * 999)
    with pytest.raises(TitoError):
        release.release_to_course(module, course)
    assert course.released(module).read_bytes() == before


def test_the_assignment_has_to_be_named_if_there_are_several(workspace, tmp_path):
    course = Course.create(tmp_path / "course", workspace)
    release.release_to_course(workspace.module("07"), course)
    assert course.assignment(None, workspace).name == "07_tiny"
    put(course.root / "release" / "ps1" / "ps1.ipynb", "{}")
    with pytest.raises(UsageError, match="several assignments; say which one: 07_tiny, ps1"):
        course.assignment(None, workspace)


def test_settings_that_are_not_utf_8_are_refused_and_stay(workspace, tmp_path):
    path = Course.create(tmp_path / "course", workspace).root / "nbgrader_config.py"
    own = path.read_bytes() + "# caf\u00e9\n".encode("latin-1")
    path.write_bytes(own)
    with pytest.raises(UsageError, match="text in UTF-8; byte"):
        Course.create(tmp_path / "course", workspace)
    assert path.read_bytes() == own


def test_stock_nbgrader_in_a_copy_of_a_course_reads_the_copy(room, tmp_path):
    from grading.engine.nbgrader.import_nbgrader import CourseDirectory, quiet

    copy = room.copy(tmp_path / "elsewhere").course.root
    with quiet():
        from traitlets.config import PyFileConfigLoader

        config = PyFileConfigLoader("nbgrader_config.py", path=str(copy)).load_config()
        directory = CourseDirectory(config=config)
    assert (directory.root, directory.db_url) == (str(copy), f"sqlite:///{copy / 'gradebook.db'}")
    assert str(room.course.root) not in (copy / "nbgrader_config.py").read_text(encoding="utf-8")


def test_a_region_in_a_class_body_is_refused_with_its_line():
    with pytest.raises(WorkError, match="cell ex, line 2"):
        owners("class C:\n    ### BEGIN SOLUTION\n    x = 1\n    ### END SOLUTION\n", "ex")


def test_no_answer_hidden_test_or_mark_scheme_is_in_the_students_room(workspace):
    for path in (workspace.root / "modules").rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert [answer for answer in ANSWERS if answer in text] == [], path
