"""Tools write tags, ids, names and labels into a notebook, and people move cells. An honest
notebook keeps all its points whatever was done, because the release decides.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from grading.engine.marks.answer_text import answer_in
from grading.engine.nbgrader.import_nbgrader import nbformat, quiet
from grading.engine.submitted_notebook import restore_notebook
from grading.engine.submitted_notebook.execute import is_test, left_out
from grading.engine.submitted_notebook.notebook_files import read_any, read_own
from grading.engine.submitted_notebook.read_submitted_cells import UNREAD
from helpers.tiny_course import cell_of, fill
from tito.notebook.cells import cells_of

with quiet():
    from nbgrader.nbgraderformat import MetadataValidator

ALL = {"test_double": True, "test_box": True, "contract_box": True, "q_why": True}
RIGHT = fill.__kwdefaults__["answer"]
IDS = "cell-1 extension given-tools double mine test-double box test-box cell-7 q-why".split()
IDS += ["answer-q-why", "contract-box"]
MARKUP = ["<b>", "<script>alert(1)</script>", "a,b", "", "x" * 300]
TAGS = ["demo", "skip", "skip-execution", "raises-exception", "remove_cell", "parameters", *MARKUP]
ODD = st.sampled_from([None, True, 7, "demo", [1], {"a": 1}, ["demo"], *MARKUP])
CELLS = st.sets(st.integers(0, len(IDS) - 1), min_size=1) | st.just(set(range(len(IDS))))


class Gone:
    """Stands for the value of a key that is removed."""


KEYS = st.sampled_from("name collapsed jupyter slideshow format unknown".split())
PAIRS = st.sampled_from([["id"], ["metadata"], ["id", "metadata"]])
CHANGES = st.one_of(
    st.tuples(CELLS, st.just("tags"), st.lists(st.sampled_from(TAGS), max_size=3) | ODD),
    st.tuples(CELLS, st.just("id"), st.sampled_from([*IDS, *MARKUP, None, 7, Gone])),
    st.tuples(CELLS, st.just("nbgrader"), st.just(Gone) | ODD),
    st.tuples(CELLS, KEYS, ODD),
    st.tuples(CELLS, st.just("copy"), st.sampled_from(IDS)),
    st.tuples(st.permutations(range(len(IDS))), st.just("exchange"), PAIRS),
)


def honest(released: dict) -> dict:
    """A finished notebook in which a solution needs a helper that the student added."""
    notebook = fill(released, double="return two * x")
    helper = {"id": "mine", "cell_type": "code", "source": "#| export\ntwo = 2", "metadata": {}}
    notebook["cells"].insert(4, {**helper, "outputs": [], "execution_count": None})
    assert [cell["id"] for cell in notebook["cells"]] == IDS
    return notebook


def apply(notebook: dict, changes: list[tuple[Any, str, Any]]) -> None:
    metadata = {cell["id"]: copy.deepcopy(cell["metadata"]) for cell in notebook["cells"]}
    for places, key, value in changes:
        cells = [notebook["cells"][place] for place in places]
        if key == "exchange":  # exchange the values of the first two cells
            one, other = cells[:2]
            for part in value:
                one[part], other[part] = other.get(part), one.get(part)
            continue
        if key == "copy":  # copy the metadata of one cell to others
            for cell in cells:
                cell["metadata"] = copy.deepcopy(metadata[value])
            continue
        for cell in cells:
            room = cell if key == "id" else cell["metadata"]
            room.pop(key, None) if value is Gone else room.update({key: copy.deepcopy(value)})


def as_graded(notebook: Any, released: dict) -> Any:
    submitted = read_any(json.dumps(notebook))
    assert UNREAD not in submitted.metadata
    graded = restore_notebook.rebuild(submitted, read_own(json.dumps(released)))
    nbformat.validate(graded)
    MetadataValidator().validate_nb(graded)
    return graded


def earned(graded: Any, released: dict, answer: str = RIGHT) -> dict[str, bool]:
    """Which cells of the graded notebook pass; the cells are run here, in the steps of grading."""
    cells = {cell.id: cell.python for cell in cells_of(graded)}
    found: dict[str, bool] = {}
    names: dict[str, Any] = {}
    for cell in graded.cells:
        if cell.cell_type == "code" and not left_out(cell):
            passed = runs(cells[cell.id], names)
            if is_test(cell):
                found[cell.metadata.nbgrader.grade_id] = passed
    exported = "\n\n".join(cell.python for cell in cells_of(graded) if cell.exported)
    found["contract_box"] = runs(f"{exported}\nassert double(2) == 4 and len(Box('ab')) == 2", {})
    found["q_why"] = answer in answer_in(graded, "q_why", read_own(json.dumps(released)))
    return found


def runs(source: str, names: dict[str, Any]) -> bool:
    """Whether the code runs without an error. (The demo cell of the release raises SystemExit.)"""
    passed = []
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception, SystemExit):
        exec(compile(source, "a cell", "exec", dont_inherit=True), names)
        passed.append(True)
    return bool(passed)


@settings(max_examples=150)
@given(
    st.lists(CHANGES, min_size=1, max_size=6),
    st.none() | st.permutations(IDS),
    st.sampled_from([4, 5]),
)
def test_an_honest_notebook_keeps_all_points_whatever_tools_wrote_and_in_any_order(
    released: dict, changes: list[Any], order: Any, minor: int
) -> None:
    """In every order the student's helper stays above the solution that needs it."""
    notebook = honest(released)
    if order:
        first, second = sorted(map(order.index, ("mine", "double")))
        order[first], order[second] = "mine", "double"
        notebook["cells"] = [cell_of(notebook, name) for name in order]
    apply(notebook, changes)
    notebook["nbformat_minor"] = minor
    assert earned(as_graded(notebook, released), released) == ALL
