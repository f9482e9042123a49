"""The tiny course, to be attacked: with two more exercises, and 52 points: 10 in notebook test
cells, 42 in sealed contract tests. Its question has 4.

    exercise   guarded (notebook cells)               sealed (contract tests)
    double     test_double 2: check, expect, hidden   contract_double 12
    box        test_box 3: check, expect              contract_box 2
    scale      test_scale 5: numpy.testing            contract_scale 8
    sums                                              contract_memory 20: bytes seen from outside

Each canary is a word that occurs only in one secret place; a page, report or notebook that shows it
has leaked that place.
"""

from __future__ import annotations

import json
from pathlib import Path

from helpers import tiny_course
from helpers.tiny_course import cell_of

STEM = "tiny_dev"
ANSWER_CANARY = "marmalade-in-the-answers"
HIDDEN_CELL_CANARY = "quince-in-a-hidden-cell"
HIDDEN_CONTRACT_CANARY = "medlar-in-a-hidden-contract"
SCHEME_CANARY = "damson-in-the-mark-scheme"
NEIGHBOR_CANARY = "bullace-in-a-neighbors-notebook"
ENVIRONMENT_CANARY = "greengage-in-the-environment"

EXERCISES = {  # name -> ({guarded cell: points}, {sealed group: points})
    "double": ({"test_double": 2}, {"contract_double": 12}),
    "box": ({"test_box": 3}, {"contract_box": 2}),
    "scale": ({"test_scale": 5}, {"contract_scale": 8}),
    "sums": ({}, {"contract_memory": 20}),
}
ALL = tuple(EXERCISES)
SOME = ("double", "box")
NONE = ()

ADDED = '''# %% stub scale
#| export
import numpy as np
def scale(values, low, high):
    """`values` with low at 0 and high at 1, float64."""
    # TODO: one line.
    ### BEGIN SOLUTION
    return (np.asarray(values, np.float64) - low) / (high - low)
    ### END SOLUTION
# %% test test_scale, 5 points
import numpy.testing
numpy.testing.assert_allclose(scale(np.array([2.0, 4.0]), 2, 6), [0.0, 0.5])
numpy.testing.assert_array_equal(scale(np.array([1, 3]), 1, 3), [0, 1])
# %% stub sums
#| export
def sums(source):
    """The sum of each array of `source`, as a list of floats; one array is in memory at a time."""
    # TODO: one line.
    ### BEGIN SOLUTION
    return [float(source[i].sum()) for i in range(len(source))]
    ### END SOLUTION
# %% test contract_double, 12 points
# scored by sealed tests
# %% test contract_scale, 8 points
# scored by sealed tests
# %% test contract_memory, 20 points
# scored by sealed tests
'''
ANSWERS = {  # grade_id of the stub -> the lines that replace it
    "double": "return 2 * x",
    "box.__init__": "self.things = list(things)",
    "box.__len__": "return len(self.things)",
    "scale": "return (np.asarray(values, np.float64) - low) / (high - low)",
    "sums": "return [float(source[i].sum()) for i in range(len(source))]",
}

PUBLIC = """
@pytest.mark.contract("contract_double")
def test_double_of_a_number(tt, draw):
    number = int(draw.integers(100, 999))
    expect(tt.double(number) == 2 * number, "double gives twice its argument.",
           call=f"double({number})", want=2 * number)
"""

HIDDEN = f'''
"""{HIDDEN_CONTRACT_CANARY}"""
import numpy as np
import pytest
from tinytorch.testing import expect


@pytest.mark.contract("contract_double")
def test_double_of_an_array_nobody_knows(tt, draw):
    values = draw.integers(-1000, 1000, 50)
    expect(np.array_equal(tt.double(values), 2 * values), "double takes arrays.",
           call="double(50 random integers)")


@pytest.mark.contract("contract_double")
def test_what_double_gave_can_be_doubled(tt, draw):
    number = int(draw.integers(100, 999))
    expect(
        tt.double(tt.double(number)) == 4 * number,
        "What double gives can be doubled.",
        call=f"double(double({{number}}))",
    )


@pytest.mark.contract("contract_scale")
def test_scale_moves_low_to_0_and_high_to_1(tt, draw):
    low, span, values = draw.integers(1, 100), draw.integers(1, 100), draw.normal(size=20)
    got = tt.scale(values, int(low), int(low + span))
    expect(np.allclose(got, (values - low) / span), "low becomes 0, high becomes 1.",
           call="scale(20 random numbers, low, high)")


class Large:
    """Arrays of 4 MB, made when they are asked for."""

    def __init__(self, seeds):
        self.seeds = seeds

    def __len__(self):
        return len(self.seeds)

    def __getitem__(self, index):
        return np.full(1_000_000, self.seeds[index], np.float32)


@pytest.mark.contract("contract_memory")
def test_sums_holds_one_array_at_a_time(tt, draw, peak_memory):
    seeds = draw.integers(0, 8, 25).tolist()
    before = peak_memory()
    got = tt.sums(Large(seeds))
    peak = peak_memory() - before
    expect(got == [seed * 1e6 for seed in seeds], "sums gives the sum of each array.",
           call="sums(25 arrays of 4 MB)")
    expect(peak < 30e6, "One array is in memory at a time.", call="sums(25 arrays of 4 MB)",
           got=f"{{peak / 1e6:.0f}} MB", want="below 30 MB")
'''


def make_workspace(root: Path) -> Path:
    """modules/, tinytorch/ and grading/ of this course, whose only module is 07_tiny."""
    source = tiny_course.SOURCE
    for end, canary in (
        ("the answer of double", ANSWER_CANARY),
        ("### END HIDDEN TESTS", f"# {HIDDEN_CELL_CANARY}\n    ### END HIDDEN TESTS"),
        ("### END MARK SCHEME", f"{SCHEME_CANARY}\n### END MARK SCHEME"),
    ):
        assert source.count(end) == 1
        source = source.replace(end, canary)
    files = {
        "modules/07_tiny/module.toml": tiny_course.TOML,
        "modules/07_tiny/tests/test_public.py": tiny_course.PUBLIC + PUBLIC,
        f"grading/modules/07_tiny/{STEM}.py": source + ADDED,
        "grading/modules/07_tiny/tests/test_hidden.py": HIDDEN,
        "grading/modules/07_tiny/tests/test_hidden_box.py": tiny_course.HIDDEN,
    }
    return tiny_course.write_course(root, files)


def fill(released: dict, solved: tuple[str, ...] = NONE, **code: str) -> dict:
    """A student's notebook: the released notebook with the stubs of `solved` replaced by right
    answers, and the stubs named in `code` by that code.

    A method such as `box.__len__` is passed as `box__len=...`.
    """
    notebook = json.loads(json.dumps(released))
    lines = {name: text for name, text in ANSWERS.items() if name.partition(".")[0] in solved}
    lines |= {
        name.replace("box__", "box.__") + "__" if name.startswith("box__") else name: text
        for name, text in code.items()
    }
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        for name, text in lines.items():
            stub = f'raise NotImplementedError("your turn: {name}")'
            before, found, after = source.partition(stub)
            if found:
                indent = before.rpartition("\n")[2]
                source = before + text.strip("\n").replace("\n", f"\n{indent}") + after
        cell["source"] = source
    return notebook


def code_cell(name: str, source: str = "") -> dict:
    rest = {"metadata": {}, "execution_count": None, "outputs": []}
    return {"cell_type": "code", "id": name, "source": source.strip("\n"), **rest}


def put(notebook: dict, source: str, *, before: str = "double", exported: bool = False) -> None:
    """Add a code cell in front of the cell `before`."""
    if exported:
        source = "#| export\n" + source.lstrip("\n")
    cells = notebook["cells"]
    cells.insert(cells.index(cell_of(notebook, before)), code_cell("mine", source))


def honest_points(solved: tuple[str, ...], kind: str) -> dict[str, float]:
    """The points of each "guarded" notebook cell or "sealed" group if exactly these exercises are
    right.
    """
    return {
        group: float(points if name in solved else 0)
        for name, parts in EXERCISES.items()
        for group, points in parts[kind == "sealed"].items()
    }


# all points except those of the question
FULL_MARKS = sum(sum(honest_points(ALL, kind).values()) for kind in ("guarded", "sealed"))
