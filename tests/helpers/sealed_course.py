"""The tiny course in the form that this course's modules have: numbered exercises, and
all points of the machine earned by sealed tests.
"""

from __future__ import annotations

from pathlib import Path

from grading.authoring import release
from helpers import tiny_course
from tito.workspace import Workspace

DOUBLES = """
import pytest
from tinytorch.testing import expect

pytestmark = pytest.mark.contract("test_double")


def test_twice_a_number(tt, draw):
    number = int(draw.integers(1, 100))
    expect(tt.double(number) == 2 * number, "double gives twice its argument.")


def test_twice_a_negative_number(tt, draw):
    number = -int(draw.integers(1, 100))
    expect(tt.double(number) == 2 * number, "double takes negative numbers.")
"""

CONTRACT = """
**Contract.** `double(x)` -> a number.

1. `double` gives twice its argument.
2. double takes negative numbers.
"""


def sealed_source() -> str:
    """The source of the tiny course, without its last cell and with a number for each exercise."""
    source, _, _ = tiny_course.SOURCE.rpartition("# %% test")
    for number, name, contract in (("1a", "double", CONTRACT), ("1b", "box", "")):
        text = f"### {number} {name}\n<!-- points -->, about 5 minutes\n{contract}"
        cell = f"# %% stub {name}\n"
        source = source.replace(cell, f'# %% [markdown]\n"""\n{text}"""\n{cell}')
    question = "Why does a box copy its things?"
    heading = "### 1c copies\n<!-- points -->, about 5 minutes\n\n"
    return source.replace(question, heading + question)


def sealed_course(root: Path) -> Workspace:
    """A released course of this source."""
    marked = [
        text.replace("contract_box", "test_box")
        for text in (tiny_course.PUBLIC, tiny_course.HIDDEN)
    ]
    files = {
        "modules/07_tiny/module.toml": tiny_course.TOML,
        "modules/07_tiny/tests/test_box.py": marked[0],
        "grading/modules/07_tiny/tiny_dev.py": sealed_source(),
        "grading/modules/07_tiny/tests/test_box_hidden.py": marked[1],
        "grading/modules/07_tiny/tests/test_double_hidden.py": DOUBLES,
    }
    made = Workspace(tiny_course.write_course(root, files))
    release.release(made.module("07"), made)
    return made
