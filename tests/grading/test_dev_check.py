"""`tito dev check` on a module as `tito dev new` makes it: sound as it is, and each kind of
damage is named with its repair.
"""

import argparse
import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.authoring import release
from grading.authoring.check import about, points
from grading.authoring.check.points import check_module
from grading.authoring.check.proof import CPU_LIMIT_SECONDS
from grading.authoring.check.report import Proof
from grading.authoring.check.structure import check_structure
from grading.authoring.check.subject import wanted_solutions
from grading.authoring.scaffold import new_module
from grading.commands import dev_check
from grading.engine.course.references import source_path
from tito import console
from tito.errors import WorkError
from tito.notebook.cells import parse_percent, read_percent
from tito.workspace import Module, Workspace

ROOT = Path(__file__).resolve().parents[2]
WRONG = (
    "# What a student believed: x\n# caught by: {test}\n# reads: {reads}\ndef clip_values(values,"
    " low, high):\n    {body}\n"
)
RIGHT = (
    "if low > high:\n        raise ValueError(f'{low} {high}')\n    return np.clip(values,"
    " low, high)"
)


@pytest.fixture(scope="module")
def module(tmp_path_factory) -> Module:
    """A workspace with the given package and one new module."""
    root = tmp_path_factory.mktemp("course").resolve()
    (root / "modules").mkdir()
    ours = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tinytorch/core").glob("*.py")
        if path.read_text(encoding="utf-8").startswith("# Made by")
    ]
    shutil.copytree(
        ROOT / "tinytorch",
        root / "tinytorch",
        ignore=lambda folder, names: [
            n for n in names if n == "__pycache__" or f"tinytorch/core/{n}" in ours
        ],
    )
    return new_module(Workspace(root), "09_spatial")


@pytest.fixture(scope="module")
def sound(module) -> Proof:
    return check_module(module)


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    dev_check.add_arguments(parser)
    return parser.parse_args(words)


@pytest.mark.parametrize("words", [["--only", "1", "6"], ["--only", "1", "--only", "6"]])
def test_points_may_be_named_together_or_one_by_one(words):
    assert parsed(*words).only == [1, 6]


@pytest.fixture
def behind(module, tmp_path, monkeypatch) -> Module:
    """The module, whose source was changed after its release; no proof is run on it."""
    root = tmp_path.resolve() / "course"
    shutil.copytree(module.root, root)
    changed = Workspace(root).module("09")
    source = source_path(changed)
    text = source.read_text(encoding="utf-8").replace("Say in two sentences", "Say in one")
    source.write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    monkeypatch.setattr(points, "check_module", lambda module, *_: Proof(module.name))
    return changed


def check_with(*words: str) -> int:
    return dev_check.run(parsed(*words))


@pytest.mark.parametrize("answer", [True, False, None], ids=["yes", "no", "no terminal"])
def test_a_module_whose_source_changed_is_released_only_by_a_yes(
    behind, monkeypatch, capsys, answer
):
    asked = []
    monkeypatch.setattr(console, "confirm", lambda question: asked.append(question) or answer)
    assert check_with("09") == 0
    assert len(asked) == 1 and "The source of 09_spatial has changed" in asked[0]
    assert (release.drift(behind) == []) == (answer is True)
    assert ("released: modules/09_spatial/spatial_dev.ipynb" in capsys.readouterr().out) == (
        answer is True
    )
    asked.clear()
    assert check_with("09") == 0 and len(asked) == (answer is not True)


def test_the_flag_releases_without_a_question_and_says_so(behind, monkeypatch, capsys):
    monkeypatch.setattr(console, "confirm", lambda question: pytest.fail("asked"))
    assert check_with("09", "--json") == 0  # a program that reads JSON cannot answer
    assert release.drift(behind)
    capsys.readouterr()
    assert check_with("09", "--release", "--json") == 0
    said = capsys.readouterr()
    assert release.drift(behind) == []
    assert "released: modules/09_spatial/spatial_dev.py" in said.err and json.loads(said.out)["ok"]


def test_the_flag_never_releases_over_somebodys_work(behind):
    behind.notebook.write_text(
        behind.notebook.read_text(encoding="utf-8").replace("# TODO", "# mine"), encoding="utf-8"
    )
    with pytest.raises(WorkError, match=r"never writes over work.*--force"):
        check_with("09", "--release")


def test_a_new_module_passes_all_seven_points(sound):
    assert sound.faults == []
    assert set(sound.facts) >= {1, 2, 3, 4, 5, 6, 7}
    # both forms of each
    assert "2 contract tests" not in sound.facts[1] and "4 contract tests" in sound.facts[1]
    # both tests, with the one function they call turned in each of the five ways
    assert "10 contract tests on a part that was turned" in sound.facts[3]


@pytest.fixture(scope="module")
def damaged(module, tmp_path_factory) -> Proof:
    """The same module with one fault of each kind, checked once."""
    root = tmp_path_factory.mktemp("damaged").resolve() / "course"
    shutil.copytree(module.root, root)
    grading = root / "grading"
    wrong = grading / "misconceptions/09_spatial/clip_values"
    texts = {
        "harmless": ("test_clip_values", "x", RIGHT),
        "other_sentence": ("test_clip_values", "Never said.", "return np.asarray(values)"),
        "unknown_test": ("test_nothing", "x", RIGHT),
        "still_a_stub": (
            "test_clip_values",
            "your turn",
            "raise NotImplementedError('your turn: clip_values')",
        ),
        "by_contract": (
            "test_the_argument_is_not_changed",
            "The array you pass stays as it was.",
            "values[values < low] = low; return values",
        ),
    }
    for name, (test, reads, body) in texts.items():
        (wrong / f"{name}.py").write_text(
            WRONG.format(test=test, reads=reads, body=body), encoding="utf-8"
        )
    (wrong / "no_header.py").write_text(
        "def clip_values(values, low, high):\n    return values\n", encoding="utf-8"
    )
    (wrong.parent / "no_exercise").mkdir()
    (wrong.parent / "no_exercise" / "x.py").write_text(
        WRONG.format(
            test="test_clip_values", reads="No value lies above", body="return np.asarray(values)"
        ),
        encoding="utf-8",
    )
    (grading / "alternatives/09_spatial/wrong.py").write_text(
        "def clip_values(values, low, high):\n    return np.asarray(values)\n", encoding="utf-8"
    )
    (grading / "tests/09_spatial/test_more_hidden.py").write_text(
        "import pytest\nfrom tinytorch.testing import"
        ' expect\n@pytest.mark.contract("contract_spatial")\ndef test_never(tt):\n   '
        ' expect(tt.clip_values([5], 0, 1)[0] == 2, "Five becomes'
        ' two.")\n@pytest.mark.contract("contract_spatial")\ndef test_always(tt):\n    expect(True,'
        ' "Free points.")\n@pytest.mark.contract("contract_spatial")\ndef test_blind(tt):\n   '
        " tt.clip_values([5], 0, 1)\n",
        encoding="utf-8",
    )
    source = grading / "source/09_spatial/spatial_dev.py"
    text = source.read_text(encoding="utf-8").replace(
        "    got = clip_values(np.array([-2",
        '    import sys; print("careful", file=sys.stderr)\n    got = clip_values(np.array([-2',
    )
    text = text.replace(
        "# %%\nprogress(",
        '# %%\nnot_defined_yet\n\n# %% nbgrader={"grade_id": "test_free", "solution": false,'
        ' "grade": true, "locked": true, "points": 1, "task": false, "schema_version":'
        ' 3}\ncheck(lambda: None, hint="09 clip_values")\n\n# %%\nsum(i * i for i in'
        " range(9_000_000))\nprogress(",
    )
    source.write_text(text, encoding="utf-8", newline="\n")
    page = root / "modules/09_spatial/ABOUT.md"
    page.write_text(
        page.read_text(encoding="utf-8")
        .replace("array([-1,  0,  3])", "array([-1,  0,  4])")
        .replace("# 09 Spatial", "# Spatial")
        .replace("## Common errors", "## Errors")
        + "```python\n>>> clip_valeus(1, 2, 3)\n2\n\n```\n"
        + "\nIt takes 77 ms.\n\n```python\nx = 1\n```\n"
        + "kept[kept < low] = low_and\n    return np.minimum(np.maximum(np.asarray(values), low),"
        " high)\n",
        encoding="utf-8",
    )
    toml = root / "modules/09_spatial/module.toml"
    toml.write_text(
        toml.read_text(encoding="utf-8").replace(
            '["tinytorch.testing"]', '["tinytorch.testing", "tinytorch.core.absent"]'
        ),
        encoding="utf-8",
    )
    return check_module(Workspace(root).module("09"))


@pytest.mark.parametrize(
    "point, said, repair",
    [
        (
            1,
            "reference: contract test test_never (--tt=module) gives 'fail'",
            "grading/tests/09_spatial/test_more_hidden.py, or mend ",
        ),
        (1, "reference: contract test test_never (--tt=wire) gives 'fail'", "--only 1"),
        (1, "reference: cell 7 gives 'error'", "mend"),
        (2, "(test_free) gives 'pass', not 'your turn'", "call the exercise first"),
        (2, "cell 7 fails before anything is solved: NameError", "demo"),
        (2, "contract test test_always gives 'pass', not 'your turn'", "call an exercise"),
        (3, "harmless.py: test_clip_values does not catch it", "strengthen test_clip_values"),
        (
            3,
            "other_sentence.py: the student does not read 'Never said.'",
            "# reads: No value lies above the upper limit.",
        ),
        (3, "unknown_test.py: caught by 'test_nothing'", "name one of: test_clip_values"),
        (3, "still_a_stub.py: reads as an unsolved stub", "NotImplementedError"),
        (3, "no_header.py: a misconception says", "add the header"),
        (
            3,
            "test_blind passes although clip_values is empty, clip_values gives no item,"
            " clip_values is 0",
            "test_more_hidden.py, let it look at one value as well",
        ),
        (3, "no_exercise belongs to no exercise", "rename it to one of: clip_values"),
        (4, "wrong.py: cell 6 (test_clip_values) gives 'fail'", "asks for too much"),
        (
            5,
            "modules/09_spatial/ABOUT.md holds a line of cell 5 (clip_values): return np.minimum",
            "tito grade release 09_spatial",
        ),
        (6, "writes to stderr", "catch the warning"),
        (6, "CPU-seconds beyond imports", "demo"),
        (6, "points sum to 10; those of spatial_dev.py sum to 11", "points = 11"),
        (7, "spatial_dev.ipynb is not what its source gives", "tito grade release 09_spatial"),
        (7, "line 12: clip_values(np.array([-2, 0, 5]), -1, 3)", "write: array([-1,  0,  3])"),
        (7, "NameError: name 'clip_valeus'", "mend line 33; the module exports clip_values"),
        (7, "ABOUT.md has no heading '## Common errors'", "write the line: ## Common errors"),
        (7, "ABOUT.md has no heading '# 09 Spatial'", "write the line: # 09 Spatial"),
        (7, "77 ms is in no snippet", "add a >>> line"),
        (7, "a ```python block without >>> is not run", "```text"),
        (7, "needs names tinytorch.core.absent", "correct `needs`"),
    ],
)
def test_damage_is_named_with_its_repair(damaged, point, said, repair):
    found = [fault for fault in damaged.faults if fault.point == point and said in fault.text]
    assert found, [fault.text for fault in damaged.faults if fault.point == point]
    assert repair in found[0].repair


def test_a_misconception_caught_by_a_contract_test_is_no_fault(damaged):
    assert not [
        fault
        for fault in damaged.faults
        if "by_contract.py" in fault.text or "lower_limit_only.py" in fault.text
    ]


def test_a_report_survives_json(damaged):
    document = json.loads(json.dumps(damaged.as_json()))
    assert document["ok"] is False and document["points"]["3"]["facts"].startswith(
        "9 misconceptions; wanted 2, 2 for each exercise"
    )


def test_too_few_wrong_and_other_right_solutions_are_named_with_where_to_write_more(module):
    changed = dataclasses.replace(
        module, meta={**module.meta, "misconceptions": 9, "alternatives": 4}
    )
    report = check_module(changed, {3, 4})
    assert [(fault.point, fault.text) for fault in report.faults] == [
        (3, "misconceptions: wanted 9, as module.toml says; there are 2"),
        (4, "alternatives: wanted 4, as module.toml says; there are 3"),
    ]
    assert "write 7 more: " in report.faults[0].repair
    assert "grading/misconceptions/09_spatial/EXERCISE/NAME.py" in report.faults[0].repair
    assert "grading/alternatives/09_spatial/NAME.py" in report.faults[1].repair


def test_what_is_wanted_without_a_word_in_module_toml_grows_with_the_exercises(module):
    cells = read_percent(source_path(module))
    test = next(cell for cell in cells if cell.is_test)
    more = dataclasses.replace(test, source=test.source + 'check(other, hint="09 other")\n')
    for asked, number in ((cells, 1), ([*cells, more], 2)):
        wanted = wanted_solutions(module, asked)
        assert wanted["misconceptions"] == (2 * number, "2 for each exercise")
        assert wanted["alternatives"] == (3, "3 for each module")


def test_contributing_states_the_same_limits(module):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rules = [rule for _, rule in wanted_solutions(module, []).values()]
    assert [rule for rule in rules if f"| {rule} |" not in text] == []
    assert f"at most {CPU_LIMIT_SECONDS} seconds of CPU time" in text


# What reading the source shows; each edit breaks one rule.


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
            "which no carrier cell holds",
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
    root = tmp_path.resolve() / "course"
    shutil.copytree(module.root, root)
    broken = Workspace(root).module("09")
    path = source_path(broken)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8", newline="\n")
    report = check_module(broken, only)
    (named,) = [one for one in report.faults if one.point == 6 and said in one.text]
    assert named.text.startswith("cell ") or "cells are called" in named.text
    assert named.repair
    assert [fault.repair for fault in report.faults if fault.point == 7] == [
        "mend what point 6 names; points 2 and 7 were not checked"
    ]
    assert set(report.facts) == ({1, 3, 4, 5, 6} if only is None else {6})
    with pytest.raises(WorkError, match=r"tito dev check 09_spatial --only 6|grade_id"):
        release.build_edition(broken)


# The page


@given(
    st.lists(st.sampled_from(["text", "```python", "```", ">>> 1", "```text", "   ```python", ""]))
)
def test_snippets_keep_their_line_numbers(lines):
    kept = about.snippets("\n".join(lines))[0].split("\n")
    page = "\n".join(lines).splitlines()
    assert all(kept[number] in ("", line) for number, line in enumerate(page)) and not "".join(
        kept[len(page) :]
    )


def test_a_figure_is_loose_when_no_snippet_shows_it():
    page = (
        "It holds 4,000 B, `9 ms` and CIFAR-10, in 2009; 12 % and 3 MB.\n```python\n>>> print(4000,"
        " 'B', 3.0)\n4000 B 3.0\n```\n"
    )
    assert about.loose_figures(page) == [(1, "12 %"), (1, "3 MB")]
