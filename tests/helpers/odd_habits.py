"""What people and their editors do to a notebook. Each habit changes the notebook of a `Desk` at
one exercise or question, or as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from grading.engine.nbgrader.import_nbgrader import nbformat
from helpers.solved_notebook import Desk, flags, label, without_export

Habits = dict[str, Callable[[Desk], object]]


def typed(cell: dict[str, Any], *, above: str = "", below: str = "") -> None:
    cell["source"] = above + cell["source"] + below


def copied(desk: Desk, source: str, **where: Any) -> None:
    """A cell with the label of the solution, beside it."""
    desk.put(source, desk.work, metadata=desk.work["metadata"], **where)


def needs(desk: Desk, what: str) -> None:
    """The solution needs something that is in another cell."""
    typed(desk.work, below=f"\n\n\nassert {what}")


def merged(into: dict[str, Any], cell: dict[str, Any], desk: Desk) -> None:
    typed(into, below="\n\n" + cell["source"])
    desk.cells.remove(cell)


def split(desk: Desk, *, above: int, metadata: dict[str, Any] | None = None) -> None:
    """Everything below some lines of the solution has a cell of its own."""
    lines = desk.work["source"].split("\n")
    desk.put("\n".join(lines[above:]), desk.work, metadata=metadata or {})
    desk.work["source"] = "\n".join(lines[:above])


def answered_elsewhere(desk: Desk, **cell: Any) -> None:
    desk.put(desk.answer["source"], desk.answer, **cell)


def turned_into_text(desk: Desk) -> None:
    desk.work["cell_type"] = desk.chance.choice(["markdown", "raw"])
    del desk.work["outputs"], desk.work["execution_count"]


def renamed(desk: Desk) -> None:
    work = desk.work
    work["id"] = f"mine-{desk.exercise[0].replace('_', '-')}"
    flags(work)["grade_id"] = f"my_{desk.exercise[0]}"


def two_of_one_id(desk: Desk) -> None:
    copied(desk, desk.stub)
    desk.cells[desk.cells.index(desk.work) + 1]["id"] = desk.work["id"]


def moved_test(desk: Desk) -> None:
    work, test = desk.work, desk.test
    desk.cells.remove(test)
    desk.cells.insert(desk.cells.index(work), test)


def between_lines(cell: dict[str, Any], text: str) -> None:
    first, *rest = cell["source"].split("\n")
    cell["source"] = "\n".join([first, text, *rest])


def helper_in_another_cell(desk: Desk) -> None:
    name = f"_helper_{desk.exercise[0]}"
    desk.put(f"def {name}():\n    return True", desk.work, after=False)
    needs(desk, f"{name}()")


def import_in_a_given_cell(desk: Desk) -> None:
    typed(
        next(cell for cell in desk.cells if label(cell).startswith("given")),
        below="\nimport math as given_math",
    )
    needs(desk, "given_math.pi > 3")


AT_EXERCISE: Habits = {
    # A copy of the stub
    "a copied stub below": lambda desk: copied(desk, desk.stub),
    "the stub stays in the same cell": lambda desk: typed(
        desk.work, below="\n\n" + without_export(desk.stub)
    ),
    # The solution in another cell
    "in a new cell below its stub": lambda desk: desk.put(desk.back_to_stub(), desk.work),
    "in a new cell above its stub": lambda desk: desk.put(
        without_export(desk.back_to_stub()), desk.work, after=False
    ),
    "typed above a locked test": lambda desk: typed(
        desk.test, above=without_export(desk.back_to_stub()) + "\n\n"
    ),
    "in place of a locked test": lambda desk: desk.test.update(source=desk.back_to_stub()),
    "a trial typed into a locked test": lambda desk: typed(
        desk.test, below="\nprint('it works for me')  # a trial\n# and for my neighbor"
    ),
    # Cells split, merged, moved, copied
    "a helper in a cell that is not exported": helper_in_another_cell,
    "an import typed into the first locked cell": import_in_a_given_cell,
    "split below its first line": lambda desk: split(desk, above=1, metadata=desk.work["metadata"]),
    "split inside its function": lambda desk: split(desk, above=-1),
    "merged with its test": lambda desk: merged(desk.work, desk.test, desk),
    "merged into its test": lambda desk: merged(desk.test, desk.work, desk),
    "a test moved above its solution": moved_test,
    "a solution cell twice": lambda desk: copied(desk, desk.work["source"]),
    "two cells of one id": two_of_one_id,
    "a test cell deleted": lambda desk: desk.cells.remove(desk.test),
    "a renamed cell": renamed,
    "a cell without label and id": lambda desk: desk.work.update(
        metadata={}, id=f"x{desk.chance.randrange(10**6)}"
    ),
    "the export line deleted": lambda desk: desk.work.update(
        source=without_export(desk.work["source"])
    ),
    "a timer above the export line": lambda desk: typed(
        desk.work, above="%matplotlib inline\n# solved on Monday\n"
    ),
    "a solution turned into text": turned_into_text,
    "a scratch cell that is not Python": lambda desk: desk.put(
        "does this work??\nfor x in", desk.work
    ),
}
AT_QUESTION: Habits = {
    "below the question in its cell": lambda desk: merged(desk.asked, desk.answer, desk),
    "over the question": lambda desk: (
        desk.asked.update(source=desk.answer["source"]),
        desk.answer.update(source="*Your answer.*"),
    ),
    "between the lines of the question": lambda desk: (
        between_lines(desk.asked, desk.answer["source"]),
        desk.cells.remove(desk.answer),
    ),
    "in a new cell": lambda desk: (
        answered_elsewhere(desk, cell_type="markdown"),
        desk.cells.remove(desk.answer),
    ),
    "in a code cell": lambda desk: (
        answered_elsewhere(desk),
        desk.answer.update(source="*Your answer.*"),
    ),
    "turned into code": lambda desk: desk.answer.update(
        cell_type="code", outputs=[], execution_count=None
    ),
}


def ids_lost(desk: Desk) -> None:
    desk.notebook["nbformat_minor"] = desk.chance.choice([0, 1, 2, 4])
    for cell in desk.cells:
        del cell["id"]


def metadata_lost(desk: Desk) -> None:
    for cell in desk.cells:
        cell["metadata"] = {}


def through_a_script(text: str) -> bytes:
    import jupytext

    made = nbformat.from_dict(json.loads(text))
    made.metadata.pop("jupytext", None)
    again = jupytext.reads(jupytext.writes(made, fmt="py:percent"), fmt="py:percent")
    return json.dumps(again).encode()


def in_format_3(text: str) -> bytes:
    return json.dumps(nbformat.convert(nbformat.from_dict(json.loads(text)), to_version=3)).encode()


def lines_that_end_as_in_windows(desk: Desk) -> None:
    for cell in desk.cells:
        cell["source"] = cell["source"].replace("\n", "\r\n")
    desk.data = lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()


WHOLE: Habits = {
    "ids lost": ids_lost,
    "metadata lost": metadata_lost,
    "a later minor version": lambda desk: desk.notebook.update(nbformat_minor=9),
    "written as a script": lambda desk: setattr(desk, "data", through_a_script),
    "saved in format 3": lambda desk: setattr(desk, "data", in_format_3),
    "lines that end as in Windows": lines_that_end_as_in_windows,
    "another file name": lambda desk: setattr(desk, "file", "homework final (1).ipynb"),
}
