"""Two editions of a released notebook, cell by cell: an assignment may be corrected while students
work on the edition of before.

A cell with a label (grade_id) is the same cell in both editions; cells without one are matched by
their text and their place between the others.
"""

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from grading.engine.submitted_notebook.cell_origins import grade_id, words

EARLIER = "earlier"  # folder of a course: EARLIER/A/TIME/x.ipynb is an edition that was replaced

Pair = tuple[Any | None, Any | None]  # the same cell in the earlier edition and in the later one


def what_counts(cell: Any) -> list[Any]:
    """What of a released cell can change a mark: all but the text that students read."""
    flags = {**cell["metadata"].get("nbgrader", {})}
    flags.pop("checksum", None)  # follows from the text
    work = cell["cell_type"] == "code" or flags.get("solution")
    tags = cell["metadata"].get("tags")
    return [cell["cell_type"], sorted(flags.items()), tags, cell["source"] if work else None]


def aligned(earlier: Sequence[Any], later: Sequence[Any]) -> list[Pair]:
    """Each cell of two editions with the one that it was or became, in the order of the later
    edition; None where there is none.
    """
    was = {_label(cell): cell for cell in earlier if _label(cell)}
    pairs: dict[int, Any] = {id(cell): was.pop(_label(cell), None) for cell in later}
    old_keys, new_keys = (
        [_label(cell) or "\n".join(words(cell["source"])) for cell in cells]
        for cells in (earlier, later)
    )
    matcher = difflib.SequenceMatcher(None, old_keys, new_keys, autojunk=False)
    gone = list(was.values())
    for kind, first, last, begin, end in matcher.get_opcodes():
        olds, news = (
            [cell for cell in cells if not _label(cell)]
            for cells in (earlier[first:last], later[begin:end])
        )
        for old, new in zip(olds, news, strict=False):
            pairs[id(new)] = old if old["cell_type"] == new["cell_type"] else None
        gone += olds[len(news) :] if kind != "equal" else []
    return [(pairs[id(cell)], cell) for cell in later] + [(old, None) for old in gone]


def _label(cell: Any) -> str:
    """The name of a cell that both editions know it by; the cell for an answer has it as its id."""
    name = str(cell.get("id", ""))
    return grade_id(cell) or (name if name.startswith("answer-") else "")


def renewed(cells: Sequence[Any], earlier: Iterable[Any], released: Any) -> list[Any]:
    """A student's cells; one that is still as an earlier edition had it has the text of the
    release. So nothing of an earlier edition is taken for the student's own.
    """
    now: dict[tuple[str, tuple[str, ...]], str] = {}
    for edition in earlier:
        for old, new in aligned(edition.cells, released.cells):
            if old is not None and new is not None:
                now[old.cell_type, words(old.source)] = new.source
    for cell in released.cells:  # what the release still says stays
        now.pop((cell.cell_type, words(cell.source)), None)
    result = []
    for cell in cells:
        text = now.get((cell.cell_type, words(cell.source)))
        result.append(cell if text is None else type(cell)({**cell, "source": text}))
    return result
