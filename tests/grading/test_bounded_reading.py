"""The time and memory for reading a submitted notebook are bounded by its size, and the result is
always a notebook that can be graded, or a sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import notebook_fuzz
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.engine import submission_size_and_time
from grading.engine.submitted_notebook import read_submitted_cells
from grading.engine.trusted_process_limits import bounded
from tito.errors import WorkError
from tito.notebook.ipynb_format import MAX_CELLS, load_ipynb

MB = 10**6


@pytest.fixture(scope="module")
def real():
    return notebook_fuzz.real_notebooks()


@pytest.mark.parametrize(
    "count", [200, pytest.param(10_000, marks=pytest.mark.long)], ids="{} damaged notebooks".format
)
def test_what_comes_of_a_damaged_notebook_can_be_graded_or_is_refused_in_words(real, count):
    # if damage never mattered, or always did, the test would show nothing
    assert 0.2 < notebook_fuzz.run(range(count), real) / count < 0.8


# Notebooks with too much of one thing


def frame(cells: str) -> str:
    """The JSON of a notebook with these cells, which are JSON too."""
    return '{"metadata": {}, "nbformat": 4, "nbformat_minor": 5, "cells": [' + cells + "]}"


def cell(kind: str = "code", **fields: object) -> str:
    code = {"outputs": [], "execution_count": None} if kind == "code" else {}
    whole = {"cell_type": kind, "id": "x", "metadata": {}, "source": "", **code, **fields}
    return json.dumps(whole)


def one(**fields: object) -> str:
    """A notebook of one code cell."""
    return frame(cell(**fields))


def exported(source: str) -> str:
    return one(source="#| export\n" + source)


def with_value(text: str) -> str:
    """A notebook with a JSON value somewhere in a cell's metadata."""
    return one(metadata={"a": "@"}).replace('"@"', text)


def old(cells: str) -> str:
    """A notebook as it was before 2014."""
    return '{"nbformat": 3, "worksheets": [{"cells": [' + cells + "]}]}"


def many(text: str, size: int) -> str:
    """`text` repeated up to about `size` characters."""
    return text * max(1, size // len(text))


def values(text: str, size: int) -> str:
    return ",".join([text] * max(1, size // (len(text) + 1)))


def array(text: str, size: int) -> str:
    return "[" + values(text, size) + "]"


CLASS = "class A:\n def f(self): return __class__\n"
# Functions that return about n characters of the texts that cost a reader most.
MUCH: dict[str, Callable[[int], str]] = {
    "cells that are nothing": lambda n: frame(values("{}", n)),
    "cells of an old format": lambda n: old(values('{"cell_type":"code","input":"1"}', n)),
    "cells of one id": lambda n: frame(",".join([cell()] * MAX_CELLS)),
    "cells of code": lambda n: frame(",".join([cell(source=many("x = 1\n", n // 1900))] * 1900)),
    "lists": lambda n: with_value(array("[]", n)),
    "dicts": lambda n: with_value(array("{}", n)),
    "dicts with a key": lambda n: with_value(array('{"a":0}', n)),
    "depth": lambda n: with_value("[" * 900 + "]" * 900),
    "depth without end": lambda n: "[" * n,
    "a whole number of many digits": lambda n: with_value("9" * n),
    "one key again and again": lambda n: "{" + many('"cells": [{}],', n) + '"metadata": {}}',
    "outputs": lambda n: one(outputs=[{"output_type": "stream", "text": ""}] * (n // 45)),
    "one output": lambda n: one(outputs=[{"output_type": "stream", "text": "x" * n}]),
    "tags": lambda n: one(metadata={"tags": [f"t{number}" for number in range(n // 9)]}),
    "a picture": lambda n: frame(cell("markdown", attachments={"a": {"image/png": "A" * n}})),
    "comments": lambda n: one(source=many("#\n", n)),
    "a long line": lambda n: one(source="a=" + many("1+", n) + "1"),
    "classes": lambda n: exported(many(CLASS, n)),
    "classes in many cells": lambda n: frame(
        ",".join([cell(source="#| export\n" + many(CLASS, 20_000))] * (n // 20_000))
    ),
    "brackets": lambda n: exported("(" * n),
    "magics": lambda n: one(source=many("%x\n", n)),
    "halves of characters": lambda n: one(source="\ud800" * (n // 6)),
    "one wide character": lambda n: json.dumps(
        {"cells": [{"source": "\U0001f600" + "a" * n}]}, ensure_ascii=False
    ),
}


@pytest.mark.parametrize(
    "size", [MB // 5, pytest.param(MB, marks=pytest.mark.long)], ids="{} bytes".format
)
@pytest.mark.parametrize("what", MUCH)
def test_much_of_anything_is_read_in_seconds_and_little_memory(tmp_path, real, what, size):
    """CPU time and memory are measured, so other programs do not matter. Without limits, 0.1 MB of
    empty cells took 20 s, and 1 MB of them took 1 GB.
    """
    data = MUCH[what](size).encode("utf-8")
    released = notebook_fuzz.as_released(real[0])
    with bounded("it", seconds=10, memory_bytes=512 * 2**20):
        said = notebook_fuzz.whole_way(data, released, tmp_path)
    assert said is None or "work.ipynb" in said


@pytest.mark.parametrize("what", ["cells that are nothing", "dicts with a key", "lists", "dicts"])
def test_the_largest_file_that_is_taken_in_is_refused_before_its_values_are_made(what):
    text = MUCH[what](submission_size_and_time.MAX_BYTES - 1000)
    said = "fit into 256 MiB of memory; work has too many"
    with pytest.raises(WorkError, match=said), bounded("it", memory_bytes=128 * 2**20):
        read_submitted_cells.read_submitted(text, "work")


def test_cells_are_counted_when_they_are_parsed(tmp_path):
    words = one(source='"cell_type"' * 3000)  # inside a string they are not cells
    assert len(read_submitted_cells.read_submitted(words, "work")["cells"]) == 1
    with pytest.raises(WorkError, match=r"at most 2,000 cells; work has 2,001\. "):
        read_submitted_cells.read_submitted(frame(values("{}", 3 * 2001)), "work")
    (tmp_path / "work.ipynb").write_text(frame(values(cell(), 2001 * (len(cell()) + 1))))
    with pytest.raises(WorkError, match=r"at most 2,000 cells; work\.ipynb has 2,001\. "):
        load_ipynb(tmp_path / "work.ipynb")


def test_text_inside_strings_costs_no_values():
    """A notebook whose program contains a lot of JSON as text is honest."""
    source = many('[{"a": [1, {}]}, "\\\\", "\\""],', 20 * MB)
    (found,) = read_submitted_cells.read_submitted(one(source=source), "work")["cells"]
    assert found["source"] == source


# The programs that read notebooks


def test_what_else_a_cell_holds_is_left_behind():
    odd = {"sort": {"deep": [1]}, "outputs": [{"a": 1}], "execution_count": "many"}
    flags = {"grade_id": "x", "points": 3, "grade": [True], "extra": {"a": 1}}
    text = one(metadata={"nbgrader": flags, "tags": ["t"], "slides": {"a": 1}}, **odd)
    (found,) = read_submitted_cells.read_submitted(text, "work")["cells"]
    assert found.pop("metadata") == {"nbgrader": {"grade_id": "x", "points": 3}}
    rest = {"source": "", "outputs": [], "execution_count": None}
    assert found == {"cell_type": "code", "id": "x", **rest}


ODD_CELLS = [
    {},
    {"cell_type": "wizard", "source": ""},
    {"cell_type": ["code"], "source": ""},
    {"cell_type": "code"},
    {"cell_type": "code", "source": 7},
    {"cell_type": "code", "source": ["a", None]},
    {"cell_type": "code", "source": "", "metadata": []},
    7,
]


@given(st.lists(st.none() | st.sampled_from(ODD_CELLS)), st.booleans())
def test_what_cannot_be_read_is_a_reason_and_the_rest_is_read(odd, listed):
    whole = json.loads(cell(source="mine"))
    cells = [whole if one is None else one for one in odd]
    text = json.dumps({"metadata": [] if listed else {}, "cells": cells})
    found = read_submitted_cells.read_submitted(text, "work")
    assert [one["source"] for one in found["cells"]].count("mine") == odd.count(None)
    reasons = found["metadata"].get(read_submitted_cells.UNREAD, [])
    assert ("metadata are a JSON object; those of work are not" in str(reasons)) == listed
    places = [number for number, one in enumerate(odd, start=1) if one is not None]
    assert len(reasons) == listed + bool(places)
    if places:
        assert f"; {len(places)} of {len(odd)} cells of work lack" in reasons[-1]
        assert f" the first is cell {places[0]}." in reasons[-1]
