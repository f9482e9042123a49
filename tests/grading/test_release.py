"""`tito grade release`: the student edition holds the exercise and no answers, and never replaces a
notebook with work in it.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_course import SOURCE, STUBS, cell_of, make_workspace

from grading.authoring import release
from grading.authoring.first_aid import SOURCE as EXTENSION
from grading.authoring.first_aid import in_the_notebook, with_extension
from grading.engine.course.directory import Course
from grading.engine.steps.stubs import owners
from tito.errors import UsageError, WorkError
from tito.notebook.cells import cells_of, code_hash, read_ipynb, read_percent
from tito.workspace import Workspace

ANSWERS = (
    "the answer of double",
    "list(things)",
    "len(self.things)",
    "takes negative numbers",
    "Two points for aliasing",
    "SOLUTION",
    "HIDDEN",
    "MARK SCHEME",
)


def own_workspace(tmp_path: Path) -> Workspace:
    return Workspace(make_workspace(tmp_path / "own"))


def test_no_answer_hidden_test_or_mark_scheme_is_in_the_students_room(workspace):
    for path in (workspace.root / "modules").rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert [answer for answer in ANSWERS if answer in text] == [], path


def test_each_stub_names_its_exercise_and_keeps_its_indentation(released):
    code = "\n".join(
        (
            cell_of(released, name)["source"]
            if isinstance(cell_of(released, name)["source"], str)
            else "".join(cell_of(released, name)["source"])
        )
        for name in ("double", "box")
    )
    ast.parse(code)
    assert f"    {STUBS['double']}" in code.splitlines()
    assert f"        {STUBS['box.__init__']}" in code.splitlines()
    assert f"        {STUBS['box.__len__']}" in code.splitlines()


def test_cell_ids_follow_from_the_grade_id_or_the_place(released):
    assert [cell["id"] for cell in released["cells"]] == [
        "cell-1",
        "extension",
        "given-tools",
        "double",
        "test-double",
        "box",
        "test-box",
        "cell-7",
        "q-why",
        "answer-q-why",
        "contract-box",
    ]


def test_help_is_where_the_cursor_is():
    said = "Stuck? `tito hint 08a 3a` gives one hint; `tito hint 08 3a`, `tito hint 08a`."
    here = "Stuck? `%hint 3a` gives one hint; `tito hint 08 3a`, `tito hint 08a`."
    assert in_the_notebook(said, "08a") == here
    assert in_the_notebook(said, "08b") == said


def test_one_cell_below_the_title_loads_the_extension():
    title, code = nbformat.v4.new_markdown_cell("# Title"), nbformat.v4.new_code_cell("x = 1")
    _, loads, _ = with_extension([title, code])
    assert loads.source == EXTENSION and EXTENSION.endswith("\n%reload_ext tinytorch")
    own = nbformat.v4.new_code_cell("import os\n%reload_ext tinytorch")
    for already in ([title, loads, code], [title, code, own]):
        assert with_extension(already) == already


def test_the_notebook_has_no_outputs_and_says_what_was_released(released):
    assert all(
        cell["outputs"] == [] and cell["execution_count"] is None
        for cell in released["cells"]
        if cell["cell_type"] == "code"
    )
    assert released["metadata"]["tito"]["released"] == code_hash(cells_of(released))
    assert released["metadata"]["jupytext"]["formats"] == "ipynb,py:percent"
    assert released["metadata"]["kernelspec"]["name"] == "python3"


def test_the_percent_copy_reads_as_the_same_notebook(workspace):
    module = workspace.module("07")
    left, right = read_ipynb(module.notebook), read_percent(module.script)
    assert [(cell.kind, cell.source.strip(), cell.grade_id, cell.tags) for cell in left] == [
        (cell.kind, cell.source.strip(), cell.grade_id, cell.tags) for cell in right
    ]


def test_a_second_release_writes_nothing(workspace):
    before = {
        path: path.stat().st_mtime_ns
        for path in workspace.module("07").folder.rglob("*")
        if path.is_file()
    }
    assert release.release(workspace.module("07"), workspace).changed == []
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_check_finds_drift_and_prints_the_command_that_repairs_it(tmp_path, class_of_tiny):
    own = own_workspace(tmp_path)
    release.release(own.module("07"), own)
    room = type(class_of_tiny)(own, own.module("07"), class_of_tiny.course, {}, {})
    assert room.tito("release", "07", "--check")[0] == 0
    source = own.root / "grading/source/07_tiny/tiny_dev.py"
    source.write_text(SOURCE.replace("Twice x.", "Two times x."), encoding="utf-8")
    code, text = room.tito("release", "07", "--check")
    assert code == 1 and "repair: tito grade release 07_tiny" in text and "tiny_dev.ipynb" in text
    # nobody has worked in the notebook, so the new edition replaces it
    assert room.tito("release", "07")[0] == 0
    assert room.tito("release", "07", "--check")[0] == 0


@pytest.mark.parametrize("cell_id", ["double", "answer-q-why"])
def test_a_notebook_that_somebody_worked_in_is_kept(tmp_path, cell_id):
    own = own_workspace(tmp_path)
    module = own.module("07")
    release.release(module, own)
    notebook = json.loads(module.notebook.read_text(encoding="utf-8"))
    cell_of(notebook, cell_id)["source"] = "my = 'work'"
    module.notebook.write_text(json.dumps(notebook), encoding="utf-8")
    (own.root / "grading/source/07_tiny/tiny_dev.py").write_text(
        SOURCE.replace("Twice x.", "Two times x."), encoding="utf-8"
    )
    with pytest.raises(WorkError, match="--force"):
        release.release(module, own)
    assert "my = 'work'" in module.notebook.read_text(encoding="utf-8")
    assert release.release(module, own, force=True).changed
    assert "my = 'work'" not in module.notebook.read_text(encoding="utf-8")
    assert any("my = 'work'" in path.read_text(encoding="utf-8") for path in own.backups.iterdir())


def test_an_unreadable_notebook_is_kept_too(tmp_path):
    own = own_workspace(tmp_path)
    module = own.module("07")
    module.notebook.write_text("{half a notebook", encoding="utf-8")
    with pytest.raises(WorkError, match="never writes over work"):
        release.release(module, own)
    assert module.notebook.read_text(encoding="utf-8") == "{half a notebook"


@pytest.mark.parametrize(
    "change, message",
    [
        (
            (
                (
                    "    ### BEGIN SOLUTION\n    return 2 * x  #"
                    " the answer of double\n    ### END SOLUTION"
                ),
                "    return 2 * x",
            ),
            "wipes it whole",
        ),
        (('"grade_id": "test_box"', '"grade_id": "test_double"'), "its own grade_id"),
        (("def double(x):", "def double(x"), "plain Python"),
    ],
)
def test_a_source_that_would_leak_or_break_is_refused_by_name(tmp_path, change, message):
    own = own_workspace(tmp_path)
    (own.root / "grading/source/07_tiny/tiny_dev.py").write_text(
        SOURCE.replace(*change), encoding="utf-8"
    )
    with pytest.raises(WorkError, match=message):
        release.release(own.module("07"), own)
    assert not own.module("07").notebook.exists()


def test_a_course_inside_the_repository_is_refused(workspace):
    with pytest.raises(UsageError, match="outside the repository"):
        Course.create(workspace.root / "class", workspace)
    assert not (workspace.root / "class").exists()


def test_settings_that_an_instructor_wrote_survive_the_next_release(workspace, tmp_path):
    course = Course.create(tmp_path / "course", workspace)
    path = course.root / "nbgrader_config.py"
    path.write_text(
        path.read_text(encoding="utf-8") + "c.Exchange.root = '/srv/exchange'\n", encoding="utf-8"
    )
    Course.create(tmp_path / "course", workspace)
    assert path.read_text(encoding="utf-8").count("c.Exchange.root = '/srv/exchange'\n") == 1


@given(st.lists(st.sampled_from(["function", "method", "plain"]), min_size=1, max_size=5))
def test_a_region_belongs_to_the_function_or_the_method_around_it(parts):
    source, expected = [], []
    for number, part in enumerate(parts):
        region = ["    ### BEGIN SOLUTION", "    pass", "    ### END SOLUTION"]
        if part == "function":
            source += [f"def f{number}():", *region]
            expected.append("ex")
        elif part == "method":
            source += [
                f"class C{number}:",
                f"    def m{number}(self):",
                *("    " + line for line in region),
            ]
            expected.append(f"ex.m{number}")
        else:
            source.append(f"x{number} = 1")
    assert owners("\n".join(source), "ex") == expected


def test_a_region_in_a_class_body_is_refused_with_its_line():
    with pytest.raises(WorkError, match="cell ex, line 2"):
        owners("class C:\n    ### BEGIN SOLUTION\n    x = 1\n    ### END SOLUTION\n", "ex")


def test_a_release_that_students_work_on_does_not_change_under_them(tmp_path):
    workspace = own_workspace(tmp_path)
    module, course = workspace.module("07"), Course.create(tmp_path / "class", workspace)
    release.release_to_course(module, course)
    handed_out = course.released(module).read_bytes()
    course.submitted("ann", module).mkdir(parents=True)
    release.release_to_course(module, course)  # the same again
    source = workspace.root / "grading/source/07_tiny/tiny_dev.py"
    changed = source.read_text(encoding="utf-8").replace("# Tiny", "# Tiny, with other words", 1)
    assert changed != source.read_text(encoding="utf-8")
    source.write_text(changed, encoding="utf-8")
    with pytest.raises(WorkError, match=r"has 1 submission, .* --course ANOTHER_DIRECTORY"):
        release.release_to_course(module, course)
    assert course.released(module).read_bytes() == handed_out
    other = Course.create(tmp_path / "next", workspace)
    release.release_to_course(module, other)
    assert other.released(module).read_bytes() != handed_out
