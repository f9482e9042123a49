"""What `tito dev check` sees in the source of a module as `tito dev new` makes it: each edit breaks
one rule, and the fault names the cell and the repair.
"""

import dataclasses
import itertools
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.authoring import release
from grading.authoring.check.exercise_rules import MAX_WORDS, UNDER, check_exercises
from grading.authoring.check.points import check_module
from grading.authoring.check.structure import check_structure
from grading.authoring.mutate import run
from grading.authoring.variants import proof
from grading.engine.course.cell_lines import parts_of
from grading.engine.course.references import read_source, source_path
from helpers.module_copies import copied, edit, laws_of
from tito.errors import WorkError
from tito.notebook.cells import Cell, cells_of_parts
from tito.workspace import Module

CHECK = 'points\ncheck("1a")'  # the graded cell, with the end of the line above it

LINE = "<!-- points -->, about 20 minutes"
STORY = "\n\n**Contract.**"
GIVEN = "# %% given given\nx = 1\n\n"
FREE = "# %% test free, 1 point\nx = 1\n\n"
STUB = "# %% stub clip_values"
GRADED = "# %% law, 8 points"
OTHER = "# %% test test_clip, 8 points"
TOOLS = "given given_test_tools"
ANSWER = '# %% [markdown]\n"""\n*Your answer'
TODO = "    # TODO: two or three lines. Check the limits first.\n"
HIDDEN = "# TODO ### BEGIN HIDDEN TESTS ### END HIDDEN TESTS"
QUESTION = "lies outside -1 and 1? And outside -3\nand 3?"
ABOVE = "(demo_limits): the text cell directly above a demo asks"
NUMPY = "import numpy as np"
HEADING = "### 1a clip_values"
FIRST_LINE = "1a clip_values: values within limits: the first line below the heading states"
BELOW = "write below ### 1a clip_values: values within limits: "
OUT_OF_PLACE = "move given code above the heading"


def cells_of(text: str) -> list[Cell]:
    return cells_of_parts(parts_of(text, Path("spatial_dev.py")))


@pytest.fixture(scope="module")
def module(sample_module) -> Module:
    return sample_module


@pytest.mark.parametrize(
    "old, new, said, repair",
    [
        ("8 points", "7 points", "sum to 10; those of spatial_dev.py sum to 9", "points = 9"),
        (TODO, "", "every exercise has a TODO", "add: # TODO"),
        ("    ### END SOLUTION\n", "", "solution markers come in pairs", "### END SOLUTION"),
        ("# TODO: two", "# TODO ### END HIDDEN TESTS", "hidden tests markers come in pairs", ""),
        (
            "# TODO: two",
            HIDDEN,
            "HIDDEN TESTS stands in a cell that begins with",
            "# %% test",
        ),
        ("import demo, finish", "import finish", "(demo_limits): uses demo, which no cell", ""),
        ("drawn = np.random", "drawn = check or np.random", "alone, where check is not", ""),
        ("    ### BEGIN SOLUTION\n", "", "wiped whole", "inside a function"),
        ("    return np.minimum", "x = 1\n    return np.minimum", "is plain Python", "syntax"),
        (TOOLS, "given clip_values", "each cell has its own grade_id", "rename all but"),
        (
            CHECK,
            'points\ncheck(it, hint="09 clamp")',
            "'clip_values', which no exercise is",
            "",
        ),
        (CHECK, 'points\ncheck(it, hint="08 clip_values")', "hint names module '08'", 'hint="09 '),
        (CHECK, "points\ncheck(it)", "a test says which exercise it belongs to", 'check("1a")'),
        (CHECK, f"{CHECK}\n6", "trailing expression", 'check("1a")'),
        (
            CHECK,
            'points\nclip_values([0], 0, 0)  # hint="09 clip_values"',
            "trailing expression",
            "",
        ),
        (GRADED, OTHER, "which no graded cell is called", ""),
        (NUMPY, f"{NUMPY}\nimport pandas", "imports pandas, which `needs` does not", '"pandas"'),
        (NUMPY, f"{NUMPY}\nfrom tinytorch.core import tensor", "imports tinytorch.core.tensor", ""),
        (ANSWER, ANSWER.replace(" [markdown]", ""), "an answer cell follows it", ""),
        ("### BEGIN MARK SCHEME", "", "has a mark scheme", "### BEGIN MARK SCHEME"),
        ("<!-- hours -->", "<!-- hours Part B -->", "<!-- hours Part B --> names no part", ""),
        ("-->, <!-- points", "-->, <!-- points Part B", "<!-- points Part B --> names no part", ""),
        ("<!-- hours -->, ", "", "no text says how many hours the module takes", "first cell"),
        ("<!-- hours -->", "2 hours", "'2 hours' is typed by hand", "<!-- hours -->"),
        ("-->, <!-- points -->", "-->, 10 points", "'10 points' is typed by hand", ""),
        ("Why limits?", "Why limits? (2 points)", "'2 points' is typed by hand", ""),
        ("**Guess.** What", "What", ABOVE, "**Guess.** How many"),
        (QUESTION, "lies outside -1 and 1.", ABOVE, "How many times ...?"),
        (
            "**Out of scope:**",
            "**Stuck?**",
            'cell 5: "Stuck?" stands once in a notebook; cell 1',
            "",
        ),
        ("**What you see.** Each", "Each", "directly below a demo says what to see", "because ..."),
        ("## 1 Limits", "## 2 Limits", "section 2 follows section 0", "write: ## 1 title"),
        ("## 1 Limits", "## Limits", "exercise 1a clip_values", "write above it: ## 1 title"),
        ("### 1b Why", "### 1c Why", "exercise 1c stands where 1b belongs", "### 1b Why limits?"),
        ("### 1b Why", "### 1a Why", "exercise 1a stands where 1b belongs", "### 1b Why limits?"),
        (HEADING, "### clip_values", "(clip_values): belongs to no exercise", f"{HEADING}: values"),
        ("### 1b Why", "### Why", "(why_limits): belongs to no exercise", "### 1b Why limits?;"),
        (
            "# %%\nprogress(",
            f"{FREE}# %%\nprogress(",
            "it has one graded cell, its last; test_clip_values and free both have points",
            "# %% given test_clip_values as the line of cell 7 (test_clip_values)",
        ),
        (LINE, "", FIRST_LINE, BELOW + UNDER),
        (LINE, "\n" + LINE, FIRST_LINE, BELOW + LINE),
        (LINE, "8 points, about 20 minutes", FIRST_LINE, BELOW + LINE),
        (LINE, "<!-- points -->", FIRST_LINE, BELOW + UNDER),
        (
            STORY,
            " word" * MAX_WORDS + STORY,
            f"at most {MAX_WORDS} words stand before the stub, not 2",
            "move the story above the heading",
        ),
        (STUB, GIVEN + STUB, "with nothing between", OUT_OF_PLACE),
        (
            STUB,
            STUB.replace("stub", "given"),
            "is text, then stub, then tests",
            OUT_OF_PLACE,
        ),
        (
            GRADED,
            "# %% given own",
            "an exercise ends with one graded cell",
            "# %% law, 2 points as the line of cell 7 (own)",
        ),
        (
            GRADED,
            OTHER,
            "(test_clip): no law earns its points",
            'in the file test_1a_NAME.py write @law(N, "words of promise N")',
        ),
    ],
)
def test_a_fault_of_the_source_is_named_with_its_repair(module, old, new, said, repair):
    text = source_path(module).read_text(encoding="utf-8")
    assert old in text
    faults = check_structure(module, cells_of(text.replace(old, new)))
    assert all(fault.repair for fault in faults)
    found = [fault for fault in faults if said in fault.text]
    assert found, [fault.text for fault in faults]
    assert any(repair in fault.repair for fault in found), [fault.repair for fault in found]


def test_a_graded_cell_that_runs_no_laws_wants_a_contract_test(module):
    text = source_path(module).read_text(encoding="utf-8")
    own = 'points\ncheck(test_clip, hint="09 clip_values")'
    faults = check_structure(module, cells_of(text.replace(GRADED, OTHER).replace(CHECK, own)))
    (fault,) = [fault for fault in faults if "(test_clip): no contract test" in fault.text]
    assert '@pytest.mark.contract("test_clip")' in fault.repair


def text_cell(text: str, words: str = "") -> str:
    return f'# %% {words}[markdown]\n"""\n{text}\n"""\n'


def questions(numbers: list[str]) -> str:
    words = "question q_{}, 1 point "
    cells = (text_cell(f"### {number} Why?\n{UNDER}", words.format(number)) for number in numbers)
    return "".join(cells)


@given(st.permutations("abcd"))
def test_a_letter_that_is_not_the_next_one_is_refused_with_the_next_one(letters):
    text = text_cell("## 1 One") + questions([f"1{letter}" for letter in letters])
    repairs = [repair for _, repair in check_exercises(cells_of(text), Counter())]
    pairs = zip("abcd", letters, strict=True)
    assert repairs == [f"write: ### 1{next_} Why?" for next_, letter in pairs if letter != next_]


@given(st.permutations([1, 2, 3, 4]))
def test_a_section_that_does_not_follow_the_one_before_is_refused(sections):
    text = "".join(text_cell(f"## {one} One") + questions([f"{one}a"]) for one in sections)
    repairs = [repair for _, repair in check_exercises(cells_of(text), Counter())]
    pairs = itertools.pairwise([0, *sections])
    assert repairs == [
        f"write: ## {before + 1} title" for before, section in pairs if section != before + 1
    ]


IN_A_CLASS = """class A:
    # TODO
    ### BEGIN SOLUTION
    x = 1
    ### END SOLUTION
    def f(self): pass"""
FULL = {"clip_values": ["1", "2", "3"]}


def test_solution_markers_in_a_class_body_are_refused(module):
    cells = read_source(module)
    place = next(n for n, cell in enumerate(cells) if cell.grade_id == "clip_values")
    cells[place] = dataclasses.replace(cells[place], source=IN_A_CLASS)
    assert any("inside a function" in fault.text for fault in check_structure(module, cells))


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"meta": {"points": 12}}, "points sum to 12"),
        ({"hints": {}}, "hints come in 3 layers"),
        ({"hints": {"clip_values": ["one", "two"]}}, "has 2"),
        ({"hints": {**FULL, "gone": ["1", "2", "3"]}}, "hints for 'gone'"),
    ],
)
def test_module_toml_agrees_with_the_source(module, changes, said):
    faults = check_structure(dataclasses.replace(module, **changes), read_source(module))
    assert any(said in fault.text for fault in faults)


def test_a_module_that_needs_another_ones_export_stands_on_it(module, tmp_path):
    copy = copied(module, tmp_path)
    before = shutil.copytree(copy.folder, copy.folder.with_name("08_before"))
    edit(before / "module.toml", ("spatial", "before"), ("09", "08"))
    needs = ("tinytorch.core.before", "tinytorch.testing")
    alone = dataclasses.replace(copy, needs=needs)
    cells = read_source(alone)
    (fault,) = check_structure(alone, cells)
    assert "needs names tinytorch.core.before, which 08_before exports" in fault.text
    assert fault.repair == 'after = ["08_before"]'
    assert check_structure(dataclasses.replace(alone, after=("08_before",)), cells) == []


LAWS = [
    "test_a_value_outside_moves_to_the_nearer_limit",
    "test_the_shape_and_the_dtype_stay",
    "test_the_array_that_is_passed_stays",
    "test_limits_in_the_wrong_order_are_refused",
]


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("# TODO: two", "# TODO ### BEGIN HIDDEN TESTS", "BEGIN HIDDEN TESTS"),
        ("    ### END SOLUTION\n", "", "come in pairs"),
        ("    ### BEGIN SOLUTION\n", "", "wiped whole"),
        ("### END MARK SCHEME\n", "", "mark scheme markers come in pairs"),
        (TOOLS, "given clip_values", "its own grade_id"),
    ],
)
def test_what_nbgrader_refuses_is_named_by_its_cell_and_the_other_points_are_checked(
    module, tmp_path, monkeypatch, old, new, said
):
    def unanswered(module, jobs, *_):
        return [{"absent": {}}, *({"rows": []} for job in jobs for _ in job["parts"])]

    def untried(*_):
        raise WorkError("not tried")

    broken = copied(module, tmp_path, (old, new))
    # what the jobs find is not asked here
    monkeypatch.setattr(proof, "finished", unanswered)
    monkeypatch.setattr(run, "finished", untried)
    for only, checked in ((None, {1, 3, 4, 5, 6, 8}), ({2}, {6})):
        report = check_module(broken, only)
        (named,) = [one for one in report.faults if one.point == 6 and said in one.text]
        assert named.text.startswith("cell ") or "cells are called" in named.text
        assert named.repair
        assert [fault.repair for fault in report.faults if fault.point == 7] == [
            "repair that cell, or what point 6 names; points 2 and 7 were not checked"
        ]
        assert set(report.facts) == checked
    with pytest.raises(WorkError, match=r"tito dev check 09_spatial --only 6|grade_id"):
        release.build_edition(broken)


@pytest.mark.parametrize(
    "old, new, cell",
    [
        ("def clip_values(values,", "def clip_values(values", "cell 6 (clip_values)"),
        (CHECK, 'points\ncheck("1a"', "cell 7 (test_clip_values)"),
    ],
)
def test_a_cell_that_is_no_python_is_the_one_fault(module, tmp_path, old, new, cell):
    (fault,) = check_module(copied(module, tmp_path, (old, new))).faults
    assert fault.text.startswith(f"{cell}, line ") and "spatial_dev.py" in fault.repair


@pytest.mark.parametrize(
    "name, text, says",
    [
        ("test_spatial.py", "x = 1\ndef test_x(:\n", r"_spatial.py, line 2: .* Repair that line"),
        ("test_clip_values.py", None, r"such as test_1a_clip_values\.py; .* Rename it, then: "),
    ],
)
def test_a_file_of_tests_that_cannot_be_read_is_named(module, tmp_path, name, text, says):
    broken = copied(module, tmp_path)
    laws = laws_of(broken)
    (broken.tests / name).write_text(text or laws.read_text("utf-8"), encoding="utf-8")
    with pytest.raises(WorkError, match=says):
        check_module(broken)


def test_a_law_of_an_exercise_that_the_source_does_not_have_is_named(module, tmp_path):
    more = copied(module, tmp_path)
    shutil.copy(laws_of(more), more.tests / "test_2c_other.py")
    faults = check_structure(more, read_source(more))
    assert [fault.text.rpartition(": ")[2].split()[0] for fault in faults] == LAWS
    assert all("test_2c_other.py" in one.text and "exercise 2c" in one.repair for one in faults)
