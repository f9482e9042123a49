"""The words on the line of a cell of a source, and the metadata that follow from them."""

from pathlib import Path

import pytest

from grading.engine.course.cell_lines import parts_of
from tito.errors import WorkError


def test_a_law_is_named_after_the_first_stub_of_its_exercise():
    lines = ("stub one", "stub two", "law, 0.5 points", "stub three", "law, 1 point")
    text = "".join(f"# %% {line}\n" for line in lines)
    flags = [metadata["nbgrader"] for _, _, metadata in parts_of(text, Path("x.py"))]
    assert [one["grade_id"] for one in flags] == ["one", "two", "test_one", "three", "test_three"]
    assert [one.get("points") for one in flags] == [None, None, 0.5, None, 1]


@pytest.mark.parametrize(
    "line",
    [
        "# %% stub clip_values, 4 points",
        "# %% stub Clip",
        "# %% law",
        "# %% law, 0 points",
        "# %% question q_why, 2 points",
        "# %% given setup [markdown]",
        "# %% A title",
        '# %% nbgrader={"grade_id": "x", "solution": true}',
    ],
)
def test_a_line_that_says_something_else_is_refused_with_its_place(line):
    text = f"# %% given setup\nx = 1\n\n{line}\nx = 2\n"
    with pytest.raises(WorkError, match=r"^modules/x\.py:4: .*; got '"):
        parts_of(text, Path("modules/x.py"))
