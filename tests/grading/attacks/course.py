"""A small course to attack, with 100 points: 20 in notebook test cells, 72 in sealed contract
tests, 8 for a question.

    exercise   guarded (notebook cells)               sealed (contract tests)
    double     test_double 4: check, expect, hidden   contract_double 12
    scale      test_scale 5: numpy.testing            contract_scale 8
    count      test_count 4: partial credit, hidden
    box        test_box 7: plain asserts, hidden      contract_box 14
    read_all                                          contract_throughput 18: the test's clock
    sums                                              contract_memory 20: bytes seen from outside

Each canary is a word that occurs only in one secret place; a page, report or notebook that shows it
has leaked that place.
"""

from __future__ import annotations

import json
from pathlib import Path

from helpers.tiny_course import cell_of, write_course

MODULE, STEM = "07_fort", "fort_dev"
ANSWER_CANARY = "marmalade-in-the-answers"
HIDDEN_CELL_CANARY = "quince-in-a-hidden-cell"
HIDDEN_CONTRACT_CANARY = "medlar-in-a-hidden-contract"
SCHEME_CANARY = "damson-in-the-mark-scheme"
NEIGHBOR_CANARY = "bullace-in-a-neighbors-notebook"
ENVIRONMENT_CANARY = "greengage-in-the-environment"

EXERCISES = {  # name -> ({guarded cell: points}, {sealed group: points})
    "double": ({"test_double": 4}, {"contract_double": 12}),
    "scale": ({"test_scale": 5}, {"contract_scale": 8}),
    "count": ({"test_count": 4}, {}),
    "box": ({"test_box": 7}, {"contract_box": 14}),
    "read_all": ({}, {"contract_throughput": 18}),
    "sums": ({}, {"contract_memory": 20}),
}
ALL = tuple(EXERCISES)
SOME = ("double", "box")
NONE = ()

TOML = f"""
number = "07"
title = "Fort"
export = "tinytorch/core/fort.py"
notebook = "{STEM}"
needs = []
after = []

[hints]
double = ["twice", "use *", "return 2 * x"]
"""


SEALED_CELLS = "".join(
    f"# %% test {group}, {points} points\n# scored by sealed tests\n"
    for _, groups in EXERCISES.values()
    for group, points in groups.items()
)
SOURCE = f'''# %% [markdown]
"""
# Fort
Six exercises, one question.
"""
# %% given given_tools
#| export
import numpy as np
# %%
from tinytorch.testing import check, expect
# %% stub double
#| export
def double(x):
    """Twice x, a number or an array."""
    # TODO: one line.
    ### BEGIN SOLUTION
    return 2 * x  # {ANSWER_CANARY}
    ### END SOLUTION
# %% test test_double, 4 points
def test_double():
    """double"""
    expect(double(3) == 6, "double gives twice its argument.", call="double(3)", got=double(3),
           want=6)
    ### BEGIN HIDDEN TESTS
    expect(double(-17) == -34, "double takes negative numbers.", call="double(-17)",
           got=double(-17), want=-34)  # {HIDDEN_CELL_CANARY}
    ### END HIDDEN TESTS
check(test_double, hint="07 double")
# %% stub scale
#| export
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
# %% stub count
#| export
def count(items):
    """How often each item occurs, as a dict."""
    # TODO: three lines.
    ### BEGIN SOLUTION
    found = {{}}
    for item in items:
        found[item] = found.get(item, 0) + 1
    return found
    ### END SOLUTION
# %% test test_count, 4 points
points = 0
if count("aab") == {{"a": 2, "b": 1}}:
    points += 1
if count([]) == {{}}:
    points += 1
### BEGIN HIDDEN TESTS
if count([7, 7, 7]) == {{7: 3}}:  # {HIDDEN_CELL_CANARY}
    points += 2
### END HIDDEN TESTS
points
# %% stub box
#| export
class Box:
    """A copy of some things, in order."""

    def __init__(self, things):
        ### BEGIN SOLUTION
        self.things = list(things)
        ### END SOLUTION

    def __len__(self):
        # TODO: one line.
        ### BEGIN SOLUTION
        return len(self.things)
        ### END SOLUTION

    def __getitem__(self, index):
        ### BEGIN SOLUTION
        return self.things[index]
        ### END SOLUTION
# %% test test_box, 7 points
assert len(Box("abc")) == 3
assert list(Box("abc")) == ["a", "b", "c"]
### BEGIN HIDDEN TESTS
assert Box(range(41))[17] == 17, "{HIDDEN_CELL_CANARY}"
### END HIDDEN TESTS
# %% question q_why, 8 points [markdown]
"""
Why does a box copy its things?

### BEGIN MARK SCHEME
{SCHEME_CANARY}: four points for aliasing, four for iterators.
### END MARK SCHEME
"""
# %% [markdown]
"""
*Your answer.*
"""
# %% stub read_all
#| export
def read_all(source, block):
    """Yield all numbers of `source` in order, `block` at a time.

    source.read(start, stop) costs 10 ms, however much it reads.
    """
    # TODO: two lines.
    ### BEGIN SOLUTION
    for start in range(0, len(source), block):
        yield source.read(start, min(start + block, len(source)))
    ### END SOLUTION
# %% stub sums
#| export
def sums(source):
    """The sum of each array of `source`, as a list of floats; one array is in memory at a time."""
    # TODO: one line.
    ### BEGIN SOLUTION
    return [float(source[i].sum()) for i in range(len(source))]
    ### END SOLUTION
{SEALED_CELLS}'''


ANSWERS = {  # grade_id of the stub -> the lines that replace it
    "double": "return 2 * x",
    "scale": "return (np.asarray(values, np.float64) - low) / (high - low)",
    "count": "return {item: list(items).count(item) for item in items}",
    "box.__init__": "self.things = list(things)",
    "box.__len__": "return len(self.things)",
    "box.__getitem__": "return self.things[index]",
    "read_all": "for start in range(0, len(source), block):\n"
    "    yield source.read(start, min(start + block, len(source)))",
    "sums": "return [float(source[i].sum()) for i in range(len(source))]",
}

PUBLIC = """
import pytest
from tinytorch.testing import expect


@pytest.mark.contract("contract_double")
def test_double_of_a_number(tt, draw):
    number = int(draw.integers(100, 999))
    expect(tt.double(number) == 2 * number, "double gives twice its argument.",
           call=f"double({number})", want=2 * number)


@pytest.mark.contract("contract_box")
def test_a_box_counts_its_things(tt, draw):
    size = int(draw.integers(10, 99))
    expect(len(tt.Box([7] * size)) == size, "A box counts its things.",
           call=f"len(Box([7] * {size}))", want=size)
"""

HIDDEN = f'''
"""{HIDDEN_CONTRACT_CANARY}"""
import time

import numpy as np
import pytest
from tinytorch.testing import FakeClock, expect


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
def test_scale_leaves_the_global_generators_alone(tt, global_random_state):
    before = global_random_state()
    expect(np.allclose(tt.scale([1.0, 2.0], 1, 2), [0, 1]), "low becomes 0, high becomes 1.")
    expect(global_random_state() == before, "Nobody else's random numbers change.")


@pytest.mark.contract("contract_scale")
def test_scale_moves_low_to_0_and_high_to_1(tt, draw):
    low, span, values = draw.integers(1, 100), draw.integers(1, 100), draw.normal(size=20)
    got = tt.scale(values, int(low), int(low + span))
    expect(np.allclose(got, (values - low) / span), "low becomes 0, high becomes 1.",
           call="scale(20 random numbers, low, high)")


@pytest.mark.contract("contract_box")
def test_a_box_gives_back_what_it_was_given(tt, draw):
    things = draw.integers(0, 10**6, 30).tolist()
    box = tt.Box(things)
    things.append(-1)
    expect([box[i] for i in range(len(box))] == things[:-1],
           "A box keeps all its things, in order.", call="Box(30 random integers)")


class Disk:
    """Numbers that cost time on the test's own clock: 10 ms a read."""

    def __init__(self, numbers, clock):
        self.numbers, self.clock = numbers, clock

    def __len__(self):
        return len(self.numbers)

    def read(self, start, stop):
        self.clock.advance(0.010)
        return self.numbers[start:stop].copy()


@pytest.mark.contract("contract_throughput")
def test_read_all_reads_a_block_at_a_time(tt, draw):
    clock, numbers = FakeClock(), draw.integers(0, 10**6, 2000)
    begin = clock()
    blocks = []
    for block in tt.read_all(Disk(numbers, clock), 250):
        blocks.append(np.asarray(block))
        if len(blocks) > 100:
            break
    rate = len(numbers) / (clock() - begin) if clock() > begin else 0
    whole = sum(map(len, blocks)) == len(numbers)
    whole = whole and np.array_equal(np.concatenate(blocks), numbers)
    expect(whole, "Every number comes, in order.", call="read_all(2,000 numbers, 250)",
           got=f"{{len(blocks)}} blocks", want="8 blocks")
    expect(20_000 <= rate <= 26_000, "One read a block.", call="read_all(2,000 numbers, 250)",
           got=f"{{rate:.0f}} numbers/s", want="25000 numbers/s")


@pytest.mark.contract("contract_throughput")
def test_read_all_does_not_dawdle(tt, draw):
    numbers = draw.integers(0, 10**6, 40)
    best = float("inf")
    for _ in range(20):
        begin = time.perf_counter()
        got = [np.asarray(block) for block in tt.read_all(Disk(numbers, FakeClock()), 20)]
        best = min(best, time.perf_counter() - begin)
        if best < 0.4:
            break
    expect(np.array_equal(np.concatenate(got), numbers), "Every number comes, in order.",
           call="read_all(40 numbers, 20)")
    expect(best < 0.4, "Two blocks take milliseconds.",
           call="read_all(40 numbers, 20), the fastest of 20",
           got=f"{{best:.1f}} s", want="below 0.4 s")


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
    """modules/, tinytorch/ and grading/ of a course whose only module is 07_fort."""
    files = {
        f"modules/{MODULE}/module.toml": TOML,
        f"modules/{MODULE}/tests/test_public.py": PUBLIC,
        f"grading/modules/{MODULE}/{STEM}.py": SOURCE,
        f"grading/modules/{MODULE}/tests/test_hidden.py": HIDDEN,
    }
    return write_course(root, files)


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
