"""The words on the line of a cell of a source, and the metadata that follow from them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.nbgraderformat import MetadataValidator

from grading.engine.course.cell_lines import parts_of
from tito.errors import WorkError

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True)
POINTS = st.integers(1, 100) | st.sampled_from([0.5, 2.25])
FLAGS = {  # kind -> the flags that are true
    "stub": {"solution"},
    "given": {"locked"},
    "demo": {"locked"},
    "test": {"grade", "locked"},
    "question": {"task", "locked"},
}


@given(st.sampled_from(sorted(FLAGS)), NAMES, POINTS)
def test_the_words_of_a_line_become_metadata_that_nbgrader_accepts(kind, name, points):
    graded = "grade" in FLAGS[kind] or kind == "question"
    words = f"{kind} {name}" + (f", {points} points" if graded else "")
    line = f"# %% {words} [markdown]" if kind == "question" else f"# %% {words}"
    ((of_cell, source, metadata),) = parts_of(f'{line}\n"""\nx\n"""\n', Path("x.py"))
    flags = metadata["nbgrader"]
    assert flags["grade_id"] == name and flags.get("points") == (points if graded else None)
    assert {flag for flag, value in flags.items() if value is True} == FLAGS[kind]
    assert metadata.get("tags") == (["demo"] if kind == "demo" else None)
    make = new_markdown_cell if of_cell == "markdown" else new_code_cell
    MetadataValidator().validate_cell(make(source, metadata=metadata))


def test_a_law_is_named_after_the_first_stub_of_its_exercise():
    text = "# %% stub one\n# %% stub two\n# %% law, 2 points\n# %% stub three\n# %% law, 1 point\n"
    names = [metadata["nbgrader"]["grade_id"] for _, _, metadata in parts_of(text, Path("x.py"))]
    assert names == ["one", "two", "test_one", "three", "test_three"]


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
