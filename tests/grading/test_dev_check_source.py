"""What `tito dev check` sees in the source of a module as `tito dev new` makes it: each edit breaks
one rule, and the fault names the cell and the repair.
"""

import dataclasses
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.authoring import release
from grading.authoring.check.points import check_module
from grading.authoring.check.structure import check_structure
from grading.engine.course.references import source_path
from tito.errors import WorkError
from tito.notebook.cells import parse_percent, read_percent
from tito.workspace import Module, Workspace


@pytest.fixture(scope="module")
def module(sample_module) -> Module:
    return sample_module


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('"points": 6', '"points": 5', "points sum to 10; those of spatial_dev.py sum to 9"),
        (
            "    # TODO: two or three lines. Check the limits first.\n",
            "",
            "every exercise has a TODO",
        ),
        ("    ### END SOLUTION\n", "", "solution markers come in pairs"),
        ("    ### END HIDDEN TESTS\n", "", "hidden tests markers come in pairs"),
        (
            '"grade": true, "locked": true, "points": 6',
            '"grade": false, "locked": true, "points": 6',
            '(test_clip_values): ### BEGIN HIDDEN TESTS stands in a cell that says "grade": true',
        ),
        ("    demo,\n", "", "(demo_limits): uses demo, which no cell defines"),
        (
            "drawn = np.random",
            "drawn = test_clip_values or np.random",
            "exported package alone, where test_clip_values is not defined",
        ),
        ("    ### BEGIN SOLUTION\n", "", "wiped whole"),
        (
            '"grade_id": "given_test_tools"',
            '"grade_id": "clip_values"',
            "each cell has its own grade_id",
        ),
        ('"grade_id": "given_test_tools"', '"grade_id": "Given tools"', "lower case"),
        ('hint="09 clip_values")', 'hint="09 clamp")', "(clip_values): every exercise has a test"),
        ('hint="09 clip_values")', 'hint="08 clip_values")', "hint names module '08'"),
        (
            'check(test_clip_values, hint="09 clip_values")',
            'check(test_clip_values, hint="09 clip_values")\n6',
            "trailing expression",
        ),
        (
            'check(test_clip_values, hint="09 clip_values")',
            'test_clip_values()  # hint="09 clip_values"',
            "trailing expression",
        ),
        (
            'carrier("contract_spatial")',
            'carrier("contract_other")',
            "a carrier names its own cell",
        ),
        (
            '"grade_id": "contract_spatial"',
            '"grade_id": "contract_other"',
            "which no graded cell is called",
        ),
        (
            "import numpy as np",
            "import numpy as np\nimport pandas",
            "imports pandas, which `needs` does not allow",
        ),
        (
            "import numpy as np",
            "import numpy as np\nfrom tinytorch.core import tensor",
            "imports tinytorch.core.tensor",
        ),
        ('# %% [markdown] id="answer-why-limits"', "# %%", "an answer cell follows it"),
        ("### BEGIN MARK SCHEME", "", "has a mark scheme"),
        ('"schema_version": 3}\ndef test', '"schema_version": 2}\ndef test', "schema 3"),
        (
            '"grade": true, "locked": true, "points": 6',
            '"grade": true, "locked": false, "points": 6',
            "only solution cells",
        ),
        (
            '"grade": true, "locked": true, "points": 2',
            '"grade": true, "locked": true, "points": 0',
            "what is graded has points",
        ),
        (
            "(6 points, about 20 minutes)",
            "6 points",
            "(clip_values): no heading above it states its minutes",
        ),
        (
            "(2 points, about 10 minutes)",
            "2 points",
            "(why_limits): no heading above it states its minutes",
        ),
        ("<!-- hours -->", "<!-- hours Part B -->", "names no part"),
        ("<!-- hours -->, ", "", "no text says how many hours the module takes"),
        ("-->, 10 points", "-->, 99 points", "says 99 points; the cells' points sum to 10"),
        ("<!-- hours -->", "2 hours", "'2 hours, 10 points' is typed by hand"),
    ],
)
def test_structure_faults_are_seen_in_the_source(module, old, new, said):
    text = source_path(module).read_text(encoding="utf-8")
    assert old in text
    faults = check_structure(module, parse_percent(text.replace(old, new)))
    assert any(said in fault.text for fault in faults), [fault.text for fault in faults]
    assert all(fault.repair for fault in faults)


@pytest.mark.parametrize(
    "heading, repair",
    [
        ("## Exercise 1: limits (6 points)", "## Exercise 1: limits (6 points, about 15 minutes)"),
        ("## Exercise 1: limits", "## Exercise 1: limits (about 15 minutes)"),
        ("", "## Exercise 1: clip_values (N points, about 15 minutes)"),
    ],
)
def test_a_heading_with_minutes_is_proposed_as_it_should_be(module, heading, repair):
    text = source_path(module).read_text(encoding="utf-8")
    old = "## Exercise 1: values within limits (6 points, about 20 minutes)"
    assert old in text
    faults = check_structure(module, parse_percent(text.replace(old, heading)))
    (fault,) = [one for one in faults if "(clip_values): no heading above" in one.text]
    assert fault.repair == f"write in spatial_dev.py: {repair}"


@given(whole=st.integers(1, 30), parts=st.lists(st.integers(1, 30), max_size=3))
def test_points_beside_the_hours_sum_to_those_of_the_cells(module, whole, parts):
    texts = [f"<!-- hours -->, {whole} points"]
    texts += [f"(<!-- hours Part A -->,\n{points} points)" for points in parts]
    text = source_path(module).read_text(encoding="utf-8")
    text = text.replace("<!-- hours -->, 10 points", "; ".join(texts))
    faults = [fault.text for fault in check_structure(module, parse_percent(text))]
    wrong = [total for total in (whole, sum(parts) or 10) if total != 10]
    assert [fault.partition("says ")[2].split()[0] for fault in faults if "says" in fault] == [
        str(total) for total in wrong
    ]


def test_solution_markers_in_a_class_body_are_refused(module):
    cells = read_percent(source_path(module))
    cells = [
        (
            dataclasses.replace(
                c,
                source=(
                    "class A:\n    # TODO\n    ### BEGIN SOLUTION\n    x = 1\n    ### END"
                    " SOLUTION\n    def f(self): pass"
                ),
            )
            if c.grade_id == "clip_values"
            else c
        )
        for c in cells
    ]
    assert any("inside a function" in fault.text for fault in check_structure(module, cells))


def test_points_in_module_toml_agree_with_the_source(module):
    changed = dataclasses.replace(module, meta={"points": 12})
    faults = check_structure(changed, read_percent(source_path(module)))
    assert any("points sum to 12" in fault.text for fault in faults)


def test_a_module_that_needs_another_ones_export_stands_on_it(module, tmp_path):
    root = tmp_path.resolve() / "course"
    shutil.copytree(module.root, root)
    text = (module.folder / "module.toml").read_text(encoding="utf-8")
    (root / "modules" / "08_before").mkdir()
    (root / "modules" / "08_before" / "module.toml").write_text(
        text.replace("spatial", "before").replace("09", "08"), encoding="utf-8"
    )
    needs = ("tinytorch.core.before", "tinytorch.testing")
    alone = dataclasses.replace(Workspace(root).module("09"), needs=needs)
    cells = read_percent(source_path(alone))
    (fault,) = check_structure(alone, cells)
    assert "needs names tinytorch.core.before, which 08_before exports" in fault.text
    assert fault.repair == 'after = ["08_before"]'
    assert check_structure(dataclasses.replace(alone, after=("08_before",)), cells) == []


@pytest.mark.parametrize(
    "hints, said",
    [
        ({}, "hints come in 3 layers"),
        ({"clip_values": ["one", "two"]}, "has 2"),
        ({"clip_values": ["1", "2", "3"], "gone": ["1", "2", "3"]}, "hints for 'gone'"),
    ],
)
def test_hints_come_in_three_layers_for_exercises_that_exist(module, hints, said):
    changed = dataclasses.replace(module, hints=hints)
    assert any(
        said in fault.text for fault in check_structure(changed, read_percent(source_path(module)))
    )


def copied(module: Module, folder: Path, old: str, new: str) -> Module:
    """A copy of the module with a change in its source."""
    root = folder.resolve() / "course"
    shutil.copytree(module.root, root)
    changed = Workspace(root).module("09")
    text = source_path(changed).read_text(encoding="utf-8")
    assert old in text
    source_path(changed).write_text(text.replace(old, new), encoding="utf-8", newline="\n")
    return changed


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('"points": 6, ', "", "what is graded has points"),
        ('"grade": true, "locked": true, "points": 6', '"locked": true', "BEGIN HIDDEN TESTS"),
        ("    ### END SOLUTION\n", "", "come in pairs"),
        ("    ### BEGIN SOLUTION\n", "", "wiped whole"),
        ("### END MARK SCHEME\n", "", "mark scheme markers come in pairs"),
        ('"grade_id": "given_test_tools"', '"grade_id": "clip_values"', "its own grade_id"),
    ],
)
@pytest.mark.parametrize("only", [None, {2}])
def test_what_nbgrader_refuses_is_named_by_its_cell_and_the_other_points_are_checked(
    module, tmp_path, old, new, said, only
):
    broken = copied(module, tmp_path, old, new)
    report = check_module(broken, only)
    (named,) = [one for one in report.faults if one.point == 6 and said in one.text]
    assert named.text.startswith("cell ") or "cells are called" in named.text
    assert named.repair
    assert [fault.repair for fault in report.faults if fault.point == 7] == [
        "mend that cell, or what point 6 names; points 2 and 7 were not checked"
    ]
    assert set(report.facts) == ({1, 3, 4, 5, 6} if only is None else {6})
    with pytest.raises(WorkError, match=r"tito dev check 09_spatial --only 6|grade_id"):
        release.build_edition(broken)


@pytest.mark.parametrize(
    "old, new, cell",
    [
        ("def clip_values(values,", "def clip_values(values", "cell 5 (clip_values)"),
        ("import numpy as np", "import numpy as as np", "cell 2 (given_setup)"),
        ("def test_clip_values():", "def test_clip_values(:", "cell 6 (test_clip_values)"),
    ],
)
def test_a_cell_that_is_no_python_is_the_one_fault(module, tmp_path, old, new, cell):
    broken = copied(module, tmp_path, old, new)
    (fault,) = check_module(broken).faults
    assert fault.text.startswith(f"{cell}, line ") and "spatial_dev.py" in fault.repair


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('"points": 6, ', '"points": -6, ', "-6 is less than the minimum"),
        ('"points": 6, ', '"pionts": 6, ', "('pionts' was unexpected)"),
        ('"points": 6, ', '"points": "6", ', "'6' is not of type 'number'"),
        ('"task": false, "schema_version": 3}\ndef test_', '"task": false}\ndef test_', "schema"),
    ],
)
def test_metadata_that_nbgrader_refuses_is_named_by_its_cell(module, tmp_path, old, new, said):
    with pytest.raises(WorkError, match=r"strip .*: cell 6 \(test_clip_values\): ") as refused:
        release.build_edition(copied(module, tmp_path, old, new))
    assert said in str(refused.value)


def test_a_contract_test_that_is_no_python_is_named_with_its_line(module, tmp_path):
    root = tmp_path.resolve() / "course"
    shutil.copytree(module.root, root)
    broken = Workspace(root).module("09")
    (broken.tests / "test_spatial.py").write_text("x = 1\ndef test_x(:\n", encoding="utf-8")
    with pytest.raises(WorkError, match=r"test_spatial.py, line 2: .* Mend that line"):
        check_module(broken)
