"""The percent format, compared with jupytext."""

import jupytext
import nbformat.v4 as v4
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tito.errors import WorkError
from tito.notebook import magics, percent_format
from tito.notebook.cells import parse_percent

CODE_LINES = [
    "x = 1",
    "",
    "def f(a):",
    "    return a",
    "%matplotlib inline",
    "%%time",
    "!ls data",
    "files = !ls",
    "    %timeit f(1)",
    "# a comment",
    "# %magic in a comment",
    '"""one line"""',
    "y = 'it is # no comment'",
    "s = '''\n# %% [markdown]\n%time\n# %time\n'''",
]
TEXT_LINES = [
    "# Title",
    "",
    "A line with `code` and a % sign.",
    "- item",
    r"$\alpha$ and a back\slash",
    "    indented",
    "it's quoted",
    "#hash",
]
METADATA = st.sampled_from(
    [
        {},
        {"tags": ["demo"]},
        {"nbgrader": {"grade_id": "add", "points": 2.5, "solution": True, "grade": False}},
        {"editable": False, "tags": ["a", "b = c"]},
    ]
)


def source(lines):
    """Texts without blank lines around them."""
    some = st.lists(st.sampled_from(lines), min_size=1, max_size=6)
    return some.map(lambda lines: "\n".join(lines).strip("\n")).filter(str.strip)


CELLS = st.lists(
    st.tuples(st.just("code"), source(CODE_LINES), METADATA)
    | st.tuples(st.just("markdown"), source(TEXT_LINES), METADATA),
    min_size=1,
    max_size=5,
)


def notebook(parts):
    make = {"code": v4.new_code_cell, "markdown": v4.new_markdown_cell}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [make[kind](text, metadata=dict(metadata)) for kind, text, metadata in parts]
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def as_parts(found):
    own = ("cell_marker", "lines_to_next_cell")
    return [
        (c.cell_type, c.source, {k: v for k, v in c.metadata.items() if k not in own})
        for c in found.cells
    ]


@settings(max_examples=25)
@given(CELLS)
def test_what_jupytext_writes_is_read_as_jupytext_reads_it(parts):
    text = jupytext.writes(notebook(parts), "py:percent")
    assert percent_format.split(text)[1] == as_parts(jupytext.reads(text, "py:percent"))


@settings(max_examples=25)
@given(CELLS, st.booleans())
def test_what_is_written_here_comes_back_whole_through_jupytext_and_through_the_reader(
    parts, quotes
):
    header = "# ---\n# jupyter:\n#   jupytext: {}\n# ---"
    text = percent_format.join(header, parts, quotes=quotes)
    assert percent_format.split(text) == (header, parts)
    assert as_parts(jupytext.reads(text, "py:percent")) == parts


def test_options_that_are_not_json_name_the_file_and_the_line():
    with pytest.raises(WorkError, match=r"x_dev\.py, line 3: # %% tags=\[demo"):
        parse_percent("# %%\n1\n# %% tags=[demo\n2\n", name="x_dev.py")


def test_magics_become_comments_for_the_compiler_and_the_lines_keep_their_numbers():
    text = magics.comment_magics("%matplotlib inline\nif True:\n    !ls\nx = 1 %2\nfiles = !ls")
    assert len(text.split("\n")) == 5
    namespace = {}
    exec(text, namespace)
    assert namespace["x"] == 1
