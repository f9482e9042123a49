"""Whatever a submitted notebook looks like, the notebook that is graded is the release with the
student's own work.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.engine.guard.reading import read_any
from grading.engine.guard.restore import MISPLACED, RESTORED, rebuild
from grading.engine.nbgrader.library import nbformat, quiet
from tito.errors import WorkError

with quiet():
    from nbgrader.nbgraderformat import MetadataValidator

KINDS = {
    "given": (False, False, True, False),
    "test": (True, False, True, False),
    "work": (False, True, False, False),
    "answer": (True, True, False, False),
    "task": (False, False, True, True),
}


def cell(name: str, kind: str | None = None, source: str | None = None) -> Any:
    """A released cell."""
    make = (
        nbformat.v4.new_markdown_cell
        if kind in ("answer", "task", "text")
        else nbformat.v4.new_code_cell
    )
    made = make(source or f"released {name}", id=name)
    if kind in KINDS:
        grade, solution, locked, task = KINDS[kind]
        made.metadata["nbgrader"] = {
            "grade_id": name,
            "grade": grade,
            "solution": solution,
            "locked": locked,
            "task": task,
            "schema_version": 3,
        }
        if grade or task:
            made.metadata["nbgrader"]["points"] = 2
    return made


def notebook(*cells: Any) -> Any:
    return nbformat.v4.new_notebook(
        cells=list(cells), metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    )


RELEASED = notebook(
    cell("title", "text"),
    cell("imports", "given"),
    cell("s1", "work"),
    cell("t1", "test"),
    cell("middle", "text"),
    cell("s2", "work"),
    cell("t2", "test"),
    cell("q", "task"),
    cell("a", "answer"),
    cell("end"),
)


def submitted() -> Any:
    """A worked-on release: every cell that a student may edit is marked as edited."""
    made = copy.deepcopy(RELEASED)
    for one in made.cells:
        if one.metadata.get("nbgrader", {}).get("solution"):
            one.source = f"my {one.id}"
    return made


def added(source: str) -> Any:
    return nbformat.v4.new_code_cell(source, id=source.replace(" ", "-"))


def order(made: Any) -> list[str]:
    return [one.source.removeprefix("released ") for one in made.cells]


def regraded(made: Any) -> Any:
    """The notebook that is graded for `made`, read as a submission is and checked."""
    found = rebuild(read_any(json.dumps(made)), RELEASED)
    nbformat.validate(found)
    MetadataValidator().validate_nb(found)
    locked = {
        one.id: one
        for one in RELEASED.cells
        if one.metadata.get("nbgrader") and not one.metadata.nbgrader.solution
    }
    flags = {
        one.metadata.nbgrader.grade_id: one for one in found.cells if "nbgrader" in one.metadata
    }
    assert locked.keys() <= flags.keys() and all(
        flags[name].source == one.source for name, one in locked.items()
    )
    assert all(
        one.metadata.nbgrader == next(r for r in RELEASED.cells if r.id == name).metadata.nbgrader
        for name, one in flags.items()
    )
    return found


WHOLE = ["title", "imports", "my s1", "t1", "middle", "my s2", "t2", "q", "my a", "end"]


def test_an_honest_notebook_comes_back_as_it_was() -> None:
    made = submitted()
    made.cells.insert(3, added("helper"))
    assert order(regraded(made)) == [*WHOLE[:3], "helper", *WHOLE[3:]]
    assert [one.id for one in regraded(made).cells] == [one.id for one in made.cells]


def move(made: Any, name: str, before: str) -> None:
    one = next(one for one in made.cells if one.id == name)
    made.cells.remove(one)
    made.cells.insert(next(i for i, other in enumerate(made.cells) if other.id == before), one)


def test_a_test_moved_above_its_solution_goes_below_it_and_below_the_helpers_there() -> None:
    made = submitted()
    move(made, "t1", "s1")
    made.cells.insert(4, added("helper"))
    assert order(regraded(made)) == [*WHOLE[:3], "helper", *WHOLE[3:]]


def test_a_given_cell_moved_to_the_end_comes_before_the_first_solution() -> None:
    made = submitted()
    move(made, "imports", "end")
    assert order(regraded(made)) == WHOLE


def test_deleted_locked_cells_and_answers_come_back_and_deleted_solutions_do_not() -> None:
    made = submitted()
    made.cells = [one for one in made.cells if one.id not in ("imports", "t1", "q", "a", "s2")]
    assert order(regraded(made)) == [
        "title",
        "imports",
        "my s1",
        "t1",
        "middle",
        "t2",
        "q",
        "a",
        "end",
    ]


def test_solutions_in_another_order_stay_so_and_each_test_follows_its_solution() -> None:
    made = submitted()
    move(made, "s2", "s1")
    found = order(regraded(made))
    assert found.index("my s2") < found.index("my s1") < found.index("t1") and found.index(
        "my s2"
    ) < found.index("t2")
    assert found.index("imports") < found.index("my s2")


def test_exchanged_labels_are_exchanged_back() -> None:
    made = submitted()
    one, other = (next(c for c in made.cells if c.id == name) for name in ("s1", "t1"))
    one.metadata, other.metadata = other.metadata, one.metadata
    assert order(regraded(made)) == WHOLE


@pytest.mark.parametrize("lost", ["metadata", "id", "cell_type"])
def test_a_cell_is_known_by_two_of_its_label_its_id_and_its_kind(lost: str) -> None:
    made = json.loads(json.dumps(submitted()))
    for one in made["cells"]:
        del one[lost]
    found = regraded(made)
    assert order(found) == WHOLE
    assert [one.metadata.get("nbgrader") for one in found.cells] == [
        one.metadata.get("nbgrader") for one in RELEASED.cells
    ]


def test_released_cells_of_one_text_keep_their_places() -> None:
    released = notebook(*(cell(name, "given", "the same") for name in "abc"))
    made = copy.deepcopy(released)
    made.cells.insert(1, added("helper"))
    found = rebuild(read_any(json.dumps(made)), released)
    assert [one.id for one in found.cells] == [one.id for one in made.cells]


def test_of_a_copied_solution_both_are_run_and_the_last_is_the_released_one() -> None:
    made = submitted()
    twin = copy.deepcopy(next(c for c in made.cells if c.id == "s1"))
    twin.source, twin.id = "better s1", "other"
    made.cells.insert(3, twin)
    found = regraded(made)
    assert order(found) == [*WHOLE[:3], "better s1", *WHOLE[3:]]
    assert (
        "nbgrader" not in found.cells[2].metadata
        and found.cells[3].metadata.nbgrader.grade_id == "s1"
    )


def test_tags_of_a_test_cell_are_the_releases_own() -> None:
    made = submitted()
    for one in made.cells:
        one.metadata["tags"] = ["demo", "skip-execution"]
    assert not any(
        "tags" in one.metadata for one in regraded(made).cells if "nbgrader" in one.metadata
    )


def test_a_picture_in_an_answer_stays_and_a_huge_one_goes() -> None:
    made = submitted()
    answer = next(one for one in made.cells if one.id == "a")
    answer["attachments"] = {
        "photo.png": {"image/png": "aGk="},
        "huge.png": {"image/png": "A" * 3_000_000},
        "odd": 7,
    }
    found = next(
        one
        for one in regraded(made).cells
        if one.metadata.get("nbgrader", {}).get("grade_id") == "a"
    )
    assert found.attachments == {"photo.png": {"image/png": "aGk="}}


@pytest.mark.parametrize(
    "text",
    ["", "[]", "7", "{", '{"cells": 3}', "[" * 100_000],
    ids=["empty", "list", "number", "cut", "no cells", "deep"],
)
def test_what_is_no_notebook_is_said_to_be_none(text: str) -> None:
    with pytest.raises(WorkError):
        read_any(text)


ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=3),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
KEYS = st.sampled_from(
    ["id", "metadata", "source", "cell_type", "outputs", "execution_count", "attachments", "extra"]
)
FLAGS = st.sampled_from(
    [
        "grade_id",
        "points",
        "grade",
        "solution",
        "locked",
        "task",
        "schema_version",
        "checksum",
        "cell_type",
        "extra",
    ]
)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 9), KEYS, ODD), max_size=6),
    st.lists(st.tuples(st.integers(0, 9), FLAGS, ODD), max_size=6),
    st.randoms(use_true_random=False),
    st.sampled_from([None, 0, 4, 5, 99, "x"]),
)
def test_any_metadata_and_any_order_ends_in_a_notebook_that_can_be_graded(
    cells: Any, flags: Any, chance: Any, minor: Any
) -> None:
    made = json.loads(json.dumps(submitted()))
    for index, key, value in cells:
        made["cells"][index][key] = value
    for index, key, value in flags:
        metadata = made["cells"][index].get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get("nbgrader"), dict):
            metadata["nbgrader"][key] = value
    chance.shuffle(made["cells"])
    made["nbformat_minor"], made["metadata"] = (
        minor,
        {
            "kernelspec": {"name": "bash"},
            "language_info": 3,
        },
    )
    found = regraded(made)
    assert set(found.metadata.pop(RESTORED, [])) <= {"a"}
    found.metadata.pop(MISPLACED, None)
    assert found.metadata == RELEASED.metadata
    place = {one.source: index for index, one in enumerate(found.cells)}
    if "my s1" in place and any(
        one.metadata.get("nbgrader", {}).get("grade_id") == "s1" and one.source == "my s1"
        for one in found.cells
    ):
        assert place["my s1"] < place["released t1"] < place["released t2"] or (
            "my s2" in place and place["my s2"] < place["my s1"]
        )
