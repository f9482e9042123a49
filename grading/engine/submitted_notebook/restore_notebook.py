"""Rebuild a submitted notebook from the release: sources come from the student, everything else
from the release.

Changes to ids, flags, points, types, tags, attachments or positions of graded cells are undone; the
text that a student wrote stays, in its order. Cells that the student added keep only their text.
Outputs stay; a later step decides which of them are shown. Locked cells return to their position in
the release *relative to the solutions*: a test that was moved above its solution goes below it
again, after helpers that the student added there.
"""

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any

from grading.engine.nbgrader.import_nbgrader import nbformat
from grading.engine.submitted_notebook import misplaced_work, own_statements
from grading.engine.submitted_notebook.cell_origins import flag, grade_id, locked, origins, words
from grading.engine.submitted_notebook.match_editions import renewed

_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
RESTORED = "tito_restored"  # notebook metadata: grade_ids whose answer may be in another cell
# notebook metadata: see `misplaced_work.Told`
MISPLACED = "tito_misplaced"


def rebuild(notebook: Any, released: Any, earlier: Sequence[Any] = ()) -> Any:
    """The notebook that is graded; `notebook` is what `notebook_files.read_any` gave, unchanged.

    Args:
        earlier: earlier editions of the release, one of which the student may have worked on.
    """
    misplaced: misplaced_work.Told = []
    cells = renewed(notebook.cells, earlier, released)
    submitted, aside = misplaced_work.tidied(cells, released, misplaced)
    origin = _matched(submitted, aside, released)
    if (more := misplaced_work.unlocked(submitted, aside, origin, released, misplaced)) is not None:
        submitted, aside = more
        origin = _matched(submitted, aside, released)
    ids = {cell.id for cell in released.cells if "id" in cell}
    # (place in the release or None, cell) for all cells that keep their place
    backbone: list[tuple[int | None, Any]] = []
    # locked cells: place in the release -> number of backbone cells before it
    place_in_backbone: dict[int, int] = {}
    shown: dict[int, Any] = {}  # the same cells, as submitted
    for cell in submitted:
        place = origin.get(id(cell))
        original: Any = None if place is None else released.cells[place]
        if place is None or not locked(original):
            backbone.append((place, _kept(cell, original, ids)))
        else:
            place_in_backbone[place], shown[place] = len(backbone), cell
    restored = []
    for place, original in enumerate(released.cells):
        if _missing_answer(original) and not any(other == place for other, _ in backbone):
            restored.append(original.metadata.nbgrader.grade_id)
            where = _slot(backbone, place, None, late=False)
            backbone.insert(where, (place, copy.deepcopy(original)))
            place_in_backbone = {
                other: before + (where < before) for other, before in place_in_backbone.items()
            }
    slots = sorted(
        (_slot(backbone, place, place_in_backbone.get(place), late=flag(original, "grade")), place)
        for place, original in enumerate(released.cells)
        if locked(original)
    )
    cells = []
    own = set()
    for position in range(len(backbone) + 1):
        cells += [
            _showing(copy.deepcopy(released.cells[place]), shown.get(place))
            for slot, place in slots
            if slot == position
        ]
        if position < len(backbone):
            cells.append(backbone[position][1])
            own |= {id(cells[-1])} if backbone[position][0] is None else set()
    restored += _answered_elsewhere(cells, own, released)
    kept = ("kernelspec", "language_info")
    metadata = {
        key: copy.deepcopy(value) for key, value in released.metadata.items() if key in kept
    }
    said = {RESTORED: restored, MISPLACED: misplaced}
    result = nbformat.from_dict(
        {
            "cells": misplaced_work.exporting(cells, released),
            "metadata": copy.deepcopy(metadata)
            | {key: value for key, value in said.items() if value},
            "nbformat": 4,
            "nbformat_minor": released.nbformat_minor,
        }
    )
    _give_ids(result, ids)
    return result


def _matched(submitted: list[Any], aside: set[int], released: Any) -> dict[int, int]:
    return origins([cell for cell in submitted if id(cell) not in aside], released.cells)


def _answered_elsewhere(cells: list[Any], own: set[int], released: Any) -> Iterator[str]:
    """The grade_ids of empty answers with a cell of the student's own near them: nbgrader gives an
    empty answer 0 points.
    """
    empty = {
        grade_id(cell): words(cell.source)
        for cell in released.cells
        if flag(cell, "solution") and flag(cell, "grade")
    }
    for index, cell in enumerate(cells):
        if grade_id(cell) not in empty or words(cell.source) != empty[grade_id(cell)]:
            continue
        for near in (cells[index + 1 :], cells[:index][::-1]):
            for other in near:
                if "nbgrader" in other.metadata:
                    break
                if id(other) in own and other.source.strip():
                    yield cell.metadata.nbgrader.grade_id
                    break


def _missing_answer(original: Any) -> bool:
    """Whether this is a written answer that a person marks; if it were deleted, there would be a
    grade without a cell.
    """
    graded = flag(original, "solution") and flag(original, "grade")
    return graded and original.cell_type == "markdown"


def _kept(cell: Any, original: Any | None, ids: set[str]) -> Any:
    """A cell with the student's source; all else comes from the release, or is that of an ordinary
    cell.
    """
    source = cell.source
    if original is not None:
        result = copy.deepcopy(original)
        result.source = source
        if own_statements.is_exported(original.source) and not own_statements.is_exported(source):
            result.source = f"{own_statements.EXPORT}\n{source}"
    else:
        # no tags: only the release decides which cells are not run
        result = getattr(nbformat.v4, f"new_{cell.cell_type}_cell")(source)
        name = cell.get("id")
        result.id = None if name in ids else name  # that id belongs to a released cell
    if result.cell_type == "markdown":
        result.pop("attachments", None)
        if "attachments" in cell:
            result.attachments = cell.attachments
    return _showing(result, cell)


def _showing(result: Any, cell: Any | None) -> Any:
    """`result` with the outputs that the student's cell had; a later step says which may stay."""
    if result.cell_type == "code":
        result.outputs = copy.deepcopy(cell.get("outputs", [])) if cell is not None else []
    return result


def _slot(
    backbone: list[tuple[int | None, Any]], place: int, before: int | None, *, late: bool
) -> int:
    """The index in the backbone before which a locked cell is put; `before` is where the student
    had the cell, None if it is missing.

    It belongs after the last solution before it in the release and before the first solution after
    it. Within that range it keeps the student's place. If the student had it elsewhere, a test is
    put as late, and a given cell as early, as the released cells around it allow.
    """
    known = [
        (index, other, cell) for index, (other, cell) in enumerate(backbone) if other is not None
    ]
    solutions = [(index, other) for index, other, cell in known if flag(cell, "solution")]
    low = max((index + 1 for index, other in solutions if other < place), default=0)
    high = min((index for index, other in solutions if other > place), default=len(backbone))
    if low > high:  # the student changed the order of the solutions
        return low if late else high
    if before is not None and low <= before <= high:
        return before
    if late:
        return min([high, *(at for at, other, _ in known if at >= low and other > place)])
    return max([low, *(at + 1 for at, other, _ in known if at < high and other < place)])


def _give_ids(notebook: Any, ids: set[str]) -> None:
    """Give every cell a unique id (nbformat 4.5), or no cell an id (older formats); `ids` are those
    of the release.
    """
    if notebook.nbformat_minor < 5:
        for cell in notebook.cells:
            cell.pop("id", None)
        return
    seen: set[str] = set()
    for number, cell in enumerate(notebook.cells, start=1):
        name = cell.get("id")
        good = isinstance(name, str) and _CELL_ID.fullmatch(name)
        if not good or name in seen:
            name = f"added-{number}"
            while name in seen or name in ids:
                number += 1
                name = f"added-{number}"
        cell.id = name
        seen.add(name)
