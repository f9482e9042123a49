"""Whatever a submitted notebook looks like, the notebook that is graded is the release with the
student's own work. Work in the wrong cell is put where it counts.
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest

from grading.engine.nbgrader.import_nbgrader import nbformat, quiet
from grading.engine.submitted_notebook.notebook_files import read_any
from grading.engine.submitted_notebook.restore_notebook import MISPLACED, RESTORED, rebuild

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
    of = "markdown" if kind in ("answer", "task", "text") else "code"
    made = getattr(nbformat.v4, f"new_{of}_cell")(source or f"released {name}", id=name)
    if kind in KINDS:
        flags = dict(zip(("grade", "solution", "locked", "task"), KINDS[kind], strict=True))
        points = {"points": 2} if flags["grade"] or flags["task"] else {}
        made.metadata["nbgrader"] = {"grade_id": name, **flags, "schema_version": 3, **points}
    return made


def notebook(*cells: Any) -> Any:
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return nbformat.v4.new_notebook(cells=list(cells), metadata=kernel)


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
    return nbformat.v4.new_code_cell(source, id=re.sub(r"\W", "-", source))


def order(made: Any) -> list[str]:
    return [one.source.removeprefix("released ") for one in made.cells]


def regraded(made: Any) -> Any:
    """The notebook that is graded for `made`, read as a submission is and checked."""
    found = rebuild(read_any(json.dumps(made)), RELEASED)
    nbformat.validate(found)
    MetadataValidator().validate_nb(found)
    released, mine = labelled(RELEASED), labelled(found)
    for name, one in released.items():
        if not one.metadata.nbgrader.solution:
            assert mine[name].source == one.source
    for name, one in mine.items():
        assert one.metadata == {"nbgrader": released[name].metadata.nbgrader}
    return found


def labelled(made: Any) -> dict[str, Any]:
    cells = [one for one in made.cells if "nbgrader" in one.metadata]
    return {one.metadata.nbgrader.grade_id: one for one in cells}


WHOLE = ["title", "imports", "my s1", "t1", "middle", "my s2", "t2", "q", "my a", "end"]


HELPED = [*WHOLE[:3], "helper", *WHOLE[3:]]


def move(made: Any, name: str, before: str) -> None:
    one = next(one for one in made.cells if one.id == name)
    made.cells.remove(one)
    made.cells.insert(next(i for i, other in enumerate(made.cells) if other.id == before), one)


def moved_above_its_solution(made: Any) -> None:
    move(made, "t1", "s1")
    made.cells.insert(4, added("helper"))


def deleted(made: Any) -> None:
    made.cells = [one for one in made.cells if one.id not in ("imports", "t1", "q", "a", "s2")]


def exchanged(made: Any) -> None:
    one, other = (next(c for c in made.cells if c.id == name) for name in ("s1", "t1"))
    one.metadata, other.metadata = other.metadata, one.metadata


@pytest.mark.parametrize(
    "change, wanted",
    [
        (lambda made: made.cells.insert(3, added("helper")), HELPED),
        (moved_above_its_solution, HELPED),  # below the helpers that are there, too
        (lambda made: move(made, "imports", "end"), WHOLE),  # before the first solution
        # locked cells and answers come back, solutions do not
        (deleted, [*WHOLE[:2], "my s1", "t1", "middle", "t2", "q", "a", "end"]),
        (exchanged, WHOLE),
    ],
)
def test_a_locked_cell_stands_where_the_release_has_it(change: Any, wanted: list[str]) -> None:
    made = submitted()
    change(made)
    found = regraded(made)
    assert order(found) == wanted
    assert [one.id for one in found.cells] == [name.removeprefix("my ") for name in wanted]


def test_solutions_in_another_order_stay_so_and_each_test_follows_its_solution() -> None:
    made = submitted()
    move(made, "s2", "s1")
    at = order(regraded(made)).index
    assert at("imports") < at("my s2") < at("my s1") < at("t1") and at("my s2") < at("t2")


@pytest.mark.parametrize("lost", ["metadata", "id", "cell_type"])
def test_a_cell_is_known_by_two_of_its_label_its_id_and_its_kind(lost: str) -> None:
    made = json.loads(json.dumps(submitted()))
    for one in made["cells"]:
        del one[lost]
    found = regraded(made)
    assert order(found) == WHOLE
    assert list(labelled(found)) == list(labelled(RELEASED))


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
    assert found.cells[2].metadata == {} and labelled(found)["s1"] is found.cells[3]


def test_a_picture_in_an_answer_stays_and_a_huge_one_goes() -> None:
    made = submitted()
    answer = next(one for one in made.cells if one.id == "a")
    answer["attachments"] = {
        "photo.png": {"image/png": "aGk="},
        "huge.png": {"image/png": "A" * 3_000_000},
        "odd": 7,
    }
    found = labelled(regraded(made))["a"]
    assert found.attachments == {"photo.png": {"image/png": "aGk="}}


CODE = notebook(
    cell("given", "given", "#| export\nimport os"),
    cell("f", "work", "#| export\ndef f(x):\n    raise NotImplementedError('your turn: f')"),
    cell("t", "test", "assert f(1) == 2\nprint('done')"),
    cell("q", "task", "Why?\n\nIn two sentences."),
)
STUB, TEST = CODE.cells[1].source, CODE.cells[2].source


def regraded_code(changed: dict[str, str], more: Any = ()) -> tuple[Any, dict[str, Any]]:
    """The notebook that is graded for one with these sources and with more cells at its end, and
    the names that it exports.
    """
    made = copy.deepcopy(CODE)
    for one in made.cells:
        one.source = changed.get(one.id, one.source)
    made.cells += more
    found = rebuild(read_any(json.dumps(made)), CODE)
    nbformat.validate(found)
    code = [one.source for one in found.cells if one.cell_type == "code"]
    assert code.count(TEST) == 1
    names: dict[str, Any] = {}
    for text in code:
        if text.startswith("#| export"):
            exec(text, names)
    return found, names


SOLVED = {"f": "#| export\ndef f(x):\n    return x + 1"}


def test_what_is_not_needed_is_not_exported() -> None:
    _, names = regraded_code(SOLVED, [added("f = 7\nx = 3\nprint(x)\nimport math")])
    assert set(names) == {"__builtins__", "os", "f"}


ANSWER, NOTE = "my answer is 7, see above", f"{STUB}\n# a note"


@pytest.mark.parametrize(
    "changed, more, shown, why",
    [
        ({"t": f"{TEST}\n{ANSWER}"}, [], ANSWER, f"Python cannot read it: {ANSWER!r}"),
        ({}, [{**CODE.cells[1], "source": NOTE}], NOTE, "a copy of the stub was left out"),
    ],
)
def test_what_cannot_count_is_kept_and_named(changed: Any, more: Any, shown: str, why: str) -> None:
    found, names = regraded_code(SOLVED | changed, more)
    assert ("raw", shown) in [(one.cell_type, one.source) for one in found.cells]
    assert names["f"](1) == 2
    ((grade_id, told),) = found.metadata[MISPLACED]
    assert grade_id == "t" and why in told


def test_an_empty_answer_with_text_near_it_waits_for_a_person() -> None:
    made = submitted()
    answer = next(one for one in made.cells if one.id == "a")
    answer.source = "released a"
    assert RESTORED not in regraded(made).metadata
    made.cells.insert(9, nbformat.v4.new_markdown_cell("my answer", id="mine"))
    assert regraded(made).metadata[RESTORED] == ["a"]


def test_of_two_answers_with_one_label_the_one_with_a_text_counts() -> None:
    made = submitted()
    made.cells.append(copy.deepcopy(RELEASED.cells[8]))
    assert labelled(regraded(made))["a"].source == "my a"
