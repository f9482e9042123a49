"""A submitted notebook rebuilt from the release: the student's sources, the release's everything
else.

Whatever was done to ids, flags, points, types, tags, attachments or places of graded cells is
undone; what a student wrote stays, in its order. Locked cells come back where the release has them
*relative to the solutions*: a test that was moved above its solution goes below it, behind helpers
that the student added there.
"""

from __future__ import annotations

import copy
import re
from typing import Any

from grading.engine.nbgrader.library import nbformat

_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TAG = re.compile(r"[^,\ud800-\udfff]{1,100}")


def rebuild(notebook: Any, released: Any) -> Any:
    """The notebook that is graded; `notebook` comes from `reading.read_any` and is not changed."""
    submitted = notebook.cells
    origin = _origins(submitted, released.cells)
    # (place in the release or None, cell) of all that keeps its place
    backbone: list[tuple[int | None, Any]] = []
    # locked cells: place in the release -> how many of the backbone come before
    found: dict[int, int] = {}
    for cell in submitted:
        place = origin.get(id(cell))
        if place is not None and _locked(released.cells[place]):
            found[place] = len(backbone)
        else:
            backbone.append(
                (place, _kept(cell, released.cells[place] if place is not None else None))
            )
    for place, original in enumerate(released.cells):
        if _missing_answer(original) and not any(other == place for other, _ in backbone):
            backbone.insert(
                _slot(backbone, place, None, late=False), (place, copy.deepcopy(original))
            )
            found = {other: _shifted(backbone, before, place) for other, before in found.items()}
    slots = sorted(
        (_slot(backbone, place, found.get(place), late=_flag(original, "grade")), place)
        for place, original in enumerate(released.cells)
        if _locked(original)
    )
    cells = []
    for position in range(len(backbone) + 1):
        cells += [copy.deepcopy(released.cells[place]) for slot, place in slots if slot == position]
        cells += [backbone[position][1]] if position < len(backbone) else []
    result = nbformat.from_dict(
        {
            "cells": cells,
            "metadata": _metadata(released),
            "nbformat": 4,
            "nbformat_minor": released.nbformat_minor,
        }
    )
    _give_ids(result)
    return result


def _metadata(released: Any) -> dict[str, Any]:
    return {
        key: copy.deepcopy(released.metadata[key])
        for key in ("kernelspec", "language_info")
        if key in released.metadata
    }


def _flag(cell: Any, name: str) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get(name))


def _locked(original: Any) -> bool:
    """Cells whose text is the release's: tests, tasks and locked ones."""
    return not _flag(original, "solution") and any(
        _flag(original, name) for name in ("grade", "locked", "task")
    )


def _missing_answer(original: Any) -> bool:
    """A written answer that a person marks; deleted, it would be a grade without a cell."""
    return (
        _flag(original, "solution")
        and _flag(original, "grade")
        and original.cell_type == "markdown"
    )


def _grade_id(cell: Any) -> str | None:
    metadata = cell.get("metadata")
    flags = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    found = flags.get("grade_id") if isinstance(flags, dict) else None
    return found if isinstance(found, str) else None


def _origins(submitted: list[Any], released: list[Any]) -> dict[int, int]:
    """Which released cell each submitted one is: {id(cell): place}.

    By grade_id, the last of several; by the notebook's own cell id where that is gone, and where
    two labels were exchanged.
    """
    by_grade_id = {_grade_id(cell): place for place, cell in enumerate(released) if _grade_id(cell)}
    by_id = {cell.id: place for place, cell in enumerate(released) if "id" in cell}
    labels = {id(cell): by_grade_id.get(_grade_id(cell)) for cell in submitted}
    bodies = {
        id(cell): by_id.get(cell.get("id")) if isinstance(cell.get("id"), str) else None
        for cell in submitted
    }
    crossed = {(labels[id(cell)], bodies[id(cell)]) for cell in submitted}
    taken: dict[int, int] = {}
    for cell in submitted:
        label, body = labels[id(cell)], bodies[id(cell)]
        place = label
        if label is not None and body not in (None, label) and (body, label) in crossed:
            place = body
        if place is not None:
            taken[place] = id(cell)
    for cell in submitted:
        body = bodies[id(cell)]
        if body is not None and body not in taken and id(cell) not in taken.values():
            taken[body] = id(cell)
    return {cell: place for place, cell in taken.items()}


def _kept(cell: Any, original: Any | None) -> Any:
    """A cell with the student's source; its form is the release's, or that of an ordinary cell."""
    source = _source(cell.get("source"))
    if original is not None and (
        original.cell_type == cell.get("cell_type") or "nbgrader" in original.metadata
    ):
        result = copy.deepcopy(original)
        result.source = source
    else:
        kind = cell.get("cell_type") if cell.get("cell_type") in ("code", "markdown") else "raw"
        result = getattr(nbformat.v4, f"new_{kind}_cell")(source)
        result.metadata = nbformat.from_dict(_tags(cell.get("metadata")))
        result.id = cell.get("id")
    if result.cell_type == "markdown":
        result.pop("attachments", None)
        if "attachments" in cell:
            result.attachments = cell.attachments
    return result


def _source(source: Any) -> str:
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return source.encode("utf-8", "replace").decode("utf-8") if isinstance(source, str) else ""


def _tags(metadata: Any) -> dict[str, Any]:
    tags = metadata.get("tags") if isinstance(metadata, dict) else None
    good = (
        list(dict.fromkeys(tag for tag in tags if isinstance(tag, str) and _TAG.fullmatch(tag)))
        if isinstance(tags, list)
        else []
    )
    return {"tags": good} if good else {}


def _slot(
    backbone: list[tuple[int | None, Any]], place: int, before: int | None, *, late: bool
) -> int:
    """Before which cell of the backbone a locked cell stands; `before` is where the student had it,
    None if it is gone.

    It stands behind the last solution that the release has before it and in front of the first one
    after it; there it keeps the student's place, and from elsewhere a test comes as late, a given
    cell as early as the released cells around it allow.
    """
    solutions = [
        (index, other)
        for index, (other, cell) in enumerate(backbone)
        if other is not None and _flag(cell, "solution")
    ]
    low = max((index + 1 for index, other in solutions if other < place), default=0)
    high = min((index for index, other in solutions if other > place), default=len(backbone))
    if low > high:  # the student changed the order of the solutions
        return low if late else high
    if before is not None and low <= before <= high:
        return before
    if late:
        after = [
            index
            for index, (other, _) in enumerate(backbone)
            if index >= low and other is not None and other > place
        ]
        return min([*after, high])
    earlier = [
        index + 1
        for index, (other, _) in enumerate(backbone)
        if index < high and other is not None and other < place
    ]
    return max([*earlier, low])


def _shifted(backbone: list[tuple[int | None, Any]], before: int, inserted: int) -> int:
    where = next(index for index, (place, _) in enumerate(backbone) if place == inserted)
    return before + (where < before)


def _give_ids(notebook: Any) -> None:
    """Every cell an id of its own (nbformat 4.5), or none at all (before)."""
    if notebook.nbformat_minor < 5:
        for cell in notebook.cells:
            cell.pop("id", None)
        return
    first = {
        cell.id
        for cell in notebook.cells
        if "nbgrader" in cell.metadata and isinstance(cell.get("id"), str)
    }
    seen: set[str] = set()
    for number, cell in enumerate(notebook.cells, start=1):
        name = cell.get("id")
        own = "nbgrader" in cell.metadata
        good = isinstance(name, str) and _CELL_ID.fullmatch(name)
        if not good or name in seen or (not own and name in first):
            name = f"added-{number}"
            while name in seen or name in first:
                number += 1
                name = f"added-{number}"
        cell.id = name
        seen.add(name)
