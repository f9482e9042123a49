"""Work in the wrong cell is put where it counts; nothing of it is lost."""

from __future__ import annotations

import copy
import json
from typing import Any

from test_guard_restore import RELEASED, cell, notebook, regraded, submitted

from grading.engine.guard.reading import read_any
from grading.engine.guard.restore import MISPLACED, RESTORED, rebuild
from grading.engine.nbgrader.library import nbformat

CODE = notebook(
    cell("given", "given", "#| export\nimport os"),
    cell("f", "work", "#| export\ndef f(x):\n    raise NotImplementedError('your turn: f')"),
    cell("t", "test", "assert f(1) == 2\nprint('done')"),
    cell("q", "task", "Why?\n\nIn two sentences."),
)
SOLVED = "#| export\ndef f(x):\n    return x + 1"


def regraded_code(change: Any) -> Any:
    made = copy.deepcopy(CODE)
    cells = {one.id: one for one in made.cells}
    cells["f"].source = SOLVED
    change(made.cells, cells)
    found = rebuild(read_any(json.dumps(made)), CODE)
    nbformat.validate(found)
    kept = [(one.cell_type, one.source) for one in found.cells]
    texts = [text for _, text in kept]
    assert texts.count(CODE.cells[2].source) == texts.count(CODE.cells[3].source) == 1
    return found, kept


def exported(kept: list[tuple[str, str]]) -> dict[str, Any]:
    """The names in a file of the exported cells."""
    names: dict[str, Any] = {}
    for kind, text in kept:
        if kind == "code" and text.startswith("#| export"):
            exec(text, names)
    return names


def own_test(cells: dict[str, Any], source: str) -> None:
    cells["t"].source = source
    cells["f"].source = CODE.cells[1].source


def test_what_is_not_needed_is_not_exported() -> None:
    _, kept = regraded_code(
        lambda made, cells: made.insert(
            1, nbformat.v4.new_code_cell("f = 7\nx = 3\nprint(x)\nimport math")
        )
    )
    assert set(exported(kept)) == {"__builtins__", "os", "f"}


def test_code_in_a_test_cell_that_python_cannot_read_is_kept_and_named() -> None:
    found, kept = regraded_code(
        lambda made, cells: own_test(cells, f"{CODE.cells[2].source}\nmy answer is 7, see above")
    )
    assert ("raw", "my answer is 7, see above") in kept
    ((grade_id, told),) = found.metadata[MISPLACED]
    assert grade_id == "t" and "Python cannot read it: 'my answer is 7, see above'" in told


def test_a_stub_with_notes_is_kept_and_named() -> None:
    note = f"{CODE.cells[1].source}\n# a note"
    found, kept = regraded_code(
        lambda made, cells: made.append({**copy.deepcopy(CODE.cells[1]), "source": note})
    )
    assert ("raw", note) in kept and exported(kept)["f"](1) == 2
    ((grade_id, told),) = found.metadata[MISPLACED]
    assert grade_id == "t" and "a copy of the stub was left out" in told


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
    found = {one.metadata.get("nbgrader", {}).get("grade_id"): one for one in regraded(made).cells}
    assert found["a"].source == "my a"
