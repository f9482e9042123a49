"""What `tito dev check` sees in the source of a module as `tito dev new` makes it: each edit breaks
one rule, and the fault names the cell and the repair.
"""

import dataclasses
import itertools
import shutil
from collections import Counter

import pytest
from copies import copied, edit, laws_of
from hypothesis import given
from hypothesis import strategies as st

from grading.authoring import release
from grading.authoring.check.exercise_rules import MAX_WORDS, UNDER, check_exercises
from grading.authoring.check.points import check_module
from grading.authoring.check.structure import check_structure
from grading.engine.course.references import source_path
from tito.errors import WorkError
from tito.notebook.cells import parse_percent, read_percent
from tito.workspace import Module

CHECK = '}\ncheck("1a")'  # the graded cell, with the end of the line above it


@pytest.fixture(scope="module")
def module(sample_module) -> Module:
    return sample_module


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('"points": 8', '"points": 7', "points sum to 10; those of spatial_dev.py sum to 9"),
        (
            "    # TODO: two or three lines. Check the limits first.\n",
            "",
            "every exercise has a TODO",
        ),
        ("    ### END SOLUTION\n", "", "solution markers come in pairs"),
        ("# TODO: two", "# TODO ### END HIDDEN TESTS", "hidden tests markers come in pairs"),
        (
            "# TODO: two",
            "# TODO ### BEGIN HIDDEN TESTS ### END HIDDEN TESTS",
            '(clip_values): ### BEGIN HIDDEN TESTS stands in a cell that says "grade": true',
        ),
        ("import demo, finish", "import finish", "(demo_limits): uses demo, which no cell defines"),
        (
            "drawn = np.random",
            "drawn = check or np.random",
            "exported package alone, where check is not defined",
        ),
        ("    ### BEGIN SOLUTION\n", "", "wiped whole"),
        (
            '"grade_id": "given_test_tools"',
            '"grade_id": "clip_values"',
            "each cell has its own grade_id",
        ),
        ('"grade_id": "given_test_tools"', '"grade_id": "Given tools"', "lower case"),
        (CHECK, '}\ncheck(it, hint="09 clamp")', "'clip_values', which no exercise is called"),
        (CHECK, '}\ncheck(it, hint="08 clip_values")', "hint names module '08'"),
        (CHECK, "}\ncheck(it)", "(test_clip_values): a test says which exercise it belongs to"),
        (CHECK, f"{CHECK}\n6", "trailing expression"),
        (CHECK, '}\nclip_values([0], 0, 0)  # hint="09 clip_values"', "trailing expression"),
        ('"grade_id": "test_clip', '"grade_id": "test_', "which no graded cell is called"),
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
        (f'"schema_version": 3{CHECK}', f'"schema_version": 2{CHECK}', "schema 3"),
        (
            '"grade": true, "locked": true, "points": 8',
            '"grade": true, "locked": false, "points": 8',
            "only solution cells",
        ),
        (
            '"grade": true, "locked": true, "points": 8',
            '"grade": true, "locked": true, "points": 0',
            "what is graded has points",
        ),
        ("<!-- hours -->", "<!-- hours Part B -->", "<!-- hours Part B --> names no part"),
        ("-->, <!-- points", "-->, <!-- points Part B", "<!-- points Part B --> names no part"),
        ("<!-- hours -->, ", "", "no text says how many hours the module takes"),
        ("<!-- hours -->", "2 hours", "'2 hours' is typed by hand"),
        ("-->, <!-- points -->", "-->, 10 points", "'10 points' is typed by hand"),
        ("Why limits?", "Why limits? (2 points)", "'2 points' is typed by hand"),
        ("**Guess.** What", "What", "(demo_limits): the text cell directly above a demo asks"),
        (
            "lies outside -1 and 1? And outside -3\nand 3?",
            "lies outside -1 and 1.",
            "(demo_limits): the text cell directly above a demo asks",
        ),
        (
            "**Out of scope:**",
            "**Stuck?** `tito hint 09 1a`. **Out of scope:**",
            'cell 5: "Stuck?" stands once in a notebook; cell 1 has it already',
        ),
        (
            "**What you see.** Each",
            "Each",
            "(demo_limits): the text cell directly below a demo says what to see",
        ),
    ],
)
def test_structure_faults_are_seen_in_the_source(module, old, new, said):
    text = source_path(module).read_text(encoding="utf-8")
    assert old in text
    faults = check_structure(module, parse_percent(text.replace(old, new)))
    assert any(said in fault.text for fault in faults), [fault.text for fault in faults]
    assert all(fault.repair for fault in faults)


LINE = "<!-- points -->, about 20 minutes"
STORY = "\n\n**Contract.**"
GIVEN = '# %% nbgrader={"grade_id": "given", "locked": true, "schema_version": 3}\nx = 1\n\n'
STUB = '# %% nbgrader={"grade_id": "clip_values"'
FREE = GIVEN.replace("given", "free").replace('"locked', '"grade": true, "points": 1, "locked')


@pytest.mark.parametrize(
    "old, new, said, repair",
    [
        ("## 1 Limits", "## 2 Limits", "section 2 follows section 0", "write: ## 1 title"),
        ("## 1 Limits", "## Limits", "exercise 1a clip_values", "write above it: ## 1 title"),
        (
            "### 1b Why limits?",
            "### 1c Why limits?",
            "exercise 1c stands where 1b belongs",
            "write: ### 1b Why limits?",
        ),
        (
            "### 1b Why limits?",
            "### 1a Why limits?",
            "exercise 1a stands where 1b belongs",
            "write: ### 1b Why limits?",
        ),
        (
            "### 1a clip_values",
            "### clip_values",
            "(clip_values): belongs to no exercise",
            "write as its heading: ### 1a clip_values: values within limits;",
        ),
        (
            "### 1b Why limits?",
            "### Why limits?",
            "(why_limits): belongs to no exercise",
            "write as its heading: ### 1b Why limits?;",
        ),
        (
            "# %%\nprogress(",
            f"{FREE}# %%\nprogress(",
            "it has one graded cell, its last; test_clip_values and free both have points",
            "in the line of cell 7 (test_clip_values)",
        ),
        *(
            (
                LINE,
                other,
                "1a clip_values: values within limits: the first line below the heading states",
                f"write below ### 1a clip_values: values within limits: {repaired}",
            )
            for other, repaired in (
                ("", UNDER),
                ("\n" + LINE, LINE),
                ("8 points, about 20 minutes", LINE),
                ("<!-- points -->", UNDER),
            )
        ),
        (
            STORY,
            " word" * MAX_WORDS + STORY,
            f"at most {MAX_WORDS} words stand before the stub, not 2",
            "move the story above the heading",
        ),
        (STUB, GIVEN + STUB, "with nothing between", "move given code above the heading"),
        (
            '"solution": true, "grade": false, "locked": false',
            '"solution": false, "grade": false, "locked": true',
            "is text, then stub, then tests",
            "move given code above the heading",
        ),
        (
            '"grade": true, "locked": true, "points": 8',
            '"grade": false, "locked": true',
            "an exercise ends with one graded cell",
            '"grade": true, "points": 2 in the line of cell 7 (test_clip_values)',
        ),
        (
            '"grade_id": "test_clip_values"',
            '"grade_id": "test_clip"',
            "(test_clip): no law earns its points",
            'in the file test_1a_NAME.py write @law(N, "words of promise N")',
        ),
    ],
)
def test_an_exercise_that_breaks_a_rule_of_its_form_is_named(module, old, new, said, repair):
    text = source_path(module).read_text(encoding="utf-8")
    assert text.count(old) == 1
    faults = check_structure(module, parse_percent(text.replace(old, new)))
    found = [fault for fault in faults if said in fault.text]
    assert len(found) == 1, [fault.text for fault in faults]
    assert repair in found[0].repair


def test_a_graded_cell_that_runs_no_laws_wants_a_contract_test(module):
    text = source_path(module).read_text(encoding="utf-8")
    text = text.replace(CHECK, '}\ncheck(test_clip, hint="09 clip_values")')
    text = text.replace('"grade_id": "test_clip_values"', '"grade_id": "test_clip"')
    faults = check_structure(module, parse_percent(text))
    (fault,) = [fault for fault in faults if "(test_clip): no contract test" in fault.text]
    assert '@pytest.mark.contract("test_clip")' in fault.repair


def text_cell(text: str, flags: str = "") -> str:
    return f'# %% [markdown]{flags}\n"""\n{text}\n"""\n'


def questions(numbers: list[str]) -> str:
    flags = ' nbgrader={{"grade_id": "q_{}", "task": true, "points": 1}}'
    cells = (text_cell(f"### {number} Why?\n{UNDER}", flags.format(number)) for number in numbers)
    return "".join(cells)


@given(st.permutations("abcd"))
def test_a_letter_that_is_not_the_next_one_is_refused_with_the_next_one(letters):
    text = text_cell("## 1 One") + questions([f"1{letter}" for letter in letters])
    repairs = [repair for _, repair in check_exercises(parse_percent(text), Counter())]
    pairs = zip("abcd", letters, strict=True)
    assert repairs == [f"write: ### 1{next_} Why?" for next_, letter in pairs if letter != next_]


@given(st.permutations([1, 2, 3, 4]))
def test_a_section_that_does_not_follow_the_one_before_is_refused(sections):
    text = "".join(text_cell(f"## {one} One") + questions([f"{one}a"]) for one in sections)
    repairs = [repair for _, repair in check_exercises(parse_percent(text), Counter())]
    pairs = itertools.pairwise([0, *sections])
    assert repairs == [
        f"write: ## {before + 1} title" for before, section in pairs if section != before + 1
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
    copy = copied(module, tmp_path)
    before = shutil.copytree(copy.folder, copy.folder.with_name("08_before"))
    edit(before / "module.toml", ("spatial", "before"), ("09", "08"))
    needs = ("tinytorch.core.before", "tinytorch.testing")
    alone = dataclasses.replace(copy, needs=needs)
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


LAWS = [
    "test_a_value_outside_moves_to_the_nearer_limit",
    "test_the_shape_and_the_dtype_stay",
    "test_the_array_that_is_passed_stays",
    "test_limits_in_the_wrong_order_are_refused",
]


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('"points": 8, ', "", "what is graded has points"),
        ("# TODO: two", "# TODO ### BEGIN HIDDEN TESTS", "BEGIN HIDDEN TESTS"),
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
    broken = copied(module, tmp_path, (old, new))
    report = check_module(broken, only)
    (named,) = [one for one in report.faults if one.point == 6 and said in one.text]
    assert named.text.startswith("cell ") or "cells are called" in named.text
    assert named.repair
    assert [fault.repair for fault in report.faults if fault.point == 7] == [
        "mend that cell, or what point 6 names; points 2 and 7 were not checked"
    ]
    assert set(report.facts) == ({1, 3, 4, 5, 6, 8} if only is None else {6})
    with pytest.raises(WorkError, match=r"tito dev check 09_spatial --only 6|grade_id"):
        release.build_edition(broken)


@pytest.mark.parametrize(
    "old, new, cell",
    [
        ("def clip_values(values,", "def clip_values(values", "cell 6 (clip_values)"),
        ("import numpy as np", "import numpy as as np", "cell 2 (given_setup)"),
        (CHECK, '}\ncheck("1a"', "cell 7 (test_clip_values)"),
    ],
)
def test_a_cell_that_is_no_python_is_the_one_fault(module, tmp_path, old, new, cell):
    broken = copied(module, tmp_path, (old, new))
    (fault,) = check_module(broken).faults
    assert fault.text.startswith(f"{cell}, line ") and "spatial_dev.py" in fault.repair


@pytest.mark.parametrize(
    "old, new, said",
    [
        ('"points": 8, ', '"points": -6, ', "-6 is less than the minimum"),
        ('"points": 8, ', '"pionts": 6, ', "('pionts' was unexpected)"),
        ('"points": 8, ', '"points": "6", ', "'6' is not of type 'number'"),
        (f'"task": false, "schema_version": 3{CHECK}', f'"task": false{CHECK}', "schema"),
    ],
)
def test_metadata_that_nbgrader_refuses_is_named_by_its_cell(module, tmp_path, old, new, said):
    with pytest.raises(WorkError, match=r"strip .*: cell 7 \(test_clip_values\): ") as refused:
        release.build_edition(copied(module, tmp_path, (old, new)))
    assert said in str(refused.value)


def test_a_contract_test_that_is_no_python_is_named_with_its_line(module, tmp_path):
    broken = copied(module, tmp_path)
    (broken.tests / "test_spatial.py").write_text("x = 1\ndef test_x(:\n", encoding="utf-8")
    with pytest.raises(WorkError, match=r"test_spatial.py, line 2: .* Mend that line"):
        check_module(broken)


def test_a_file_of_laws_whose_name_says_no_exercise_is_refused_with_a_name_that_does(
    module, tmp_path
):
    misnamed = copied(module, tmp_path)
    laws_of(misnamed).rename(misnamed.tests / "test_clip_values.py")
    with pytest.raises(WorkError, match=r"such as test_1a_clip_values\.py; .* Rename it, then: "):
        check_module(misnamed)


def test_a_law_of_an_exercise_that_the_source_does_not_have_is_named(module, tmp_path):
    more = copied(module, tmp_path)
    shutil.copy(laws_of(more), more.tests / "test_2c_other.py")
    faults = check_structure(more, read_percent(source_path(more)))
    assert [fault.text.rpartition(": ")[2].split()[0] for fault in faults] == LAWS
    assert all("test_2c_other.py" in one.text and "exercise 2c" in one.repair for one in faults)
