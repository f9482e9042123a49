"""Rebuild a submitted notebook from the release: sources come from the student, everything else
from the release.

Changes to ids, flags, points, types, tags, attachments or positions of graded cells are undone; the
text that a student wrote stays, in its order. Cells that the student added keep only their text.
Outputs stay; a later step decides which of them are shown. Locked cells return to their position in
the release *relative to the solutions*: a test that was moved above its solution goes below it
again, after helpers that the student added there.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from grading.engine.nbgrader.library import nbformat

_DEFINES = re.compile(r"^(?:class|def|async def) (\w+)", re.MULTILINE)
_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
RESTORED = "tito_restored"  # notebook metadata: grade_ids of answers that no cell holds


def rebuild(notebook: Any, released: Any) -> Any:
    """The notebook that is graded; `notebook` comes from `reading.read_any` and is not changed."""
    submitted = notebook.cells
    origin = _origins(submitted, released.cells)
    ids = {cell.id for cell in released.cells if "id" in cell}
    # (place in the release or None, cell) for all cells that keep their place
    backbone: list[tuple[int | None, Any]] = []
    # locked cells: place in the release -> number of backbone cells before it
    found: dict[int, int] = {}
    shown: dict[int, Any] = {}  # the same cells, as submitted
    for cell in submitted:
        place = origin.get(id(cell))
        original: Any = None if place is None else released.cells[place]
        if place is None or not _locked(original):
            backbone.append((place, _kept(cell, original, ids)))
            continue
        found[place], shown[place] = len(backbone), cell
        if own := _own_text(cell, original):
            mine = nbformat.from_dict({**cell, "cell_type": original.cell_type, "source": own})
            backbone.append((None, _kept(mine, None, ids)))
            # work goes before its test; an answer that was typed into its question goes after it
            found[place] += original.cell_type == "code"
    restored = []
    for place, original in enumerate(released.cells):
        if _missing_answer(original) and not any(other == place for other, _ in backbone):
            restored.append(original.metadata.nbgrader.grade_id)
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
        cells += [
            _showing(copy.deepcopy(released.cells[place]), shown.get(place))
            for slot, place in slots
            if slot == position
        ]
        cells += [backbone[position][1]] if position < len(backbone) else []
    result = nbformat.from_dict(
        {
            "cells": cells,
            "metadata": {**_metadata(released), **({RESTORED: restored} if restored else {})},
            "nbformat": 4,
            "nbformat_minor": released.nbformat_minor,
        }
    )
    _give_ids(result, ids)
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
    """Whether a cell's text comes from the release: tests, tasks and locked cells."""
    return not _flag(original, "solution") and any(
        _flag(original, name) for name in ("grade", "locked", "task")
    )


def _missing_answer(original: Any) -> bool:
    """Whether this is a written answer that a person marks; if it were deleted, there would be a
    grade without a cell.
    """
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
    """Match submitted cells to released cells: {id(cell): place}. If two cells match equally well,
    the later one is taken.
    """
    origin: dict[int, int] = {}
    taken: set[int] = set()
    for _, index, place in sorted(_claims(submitted, released)):
        cell = id(submitted[-index])
        if cell not in origin and place not in taken:
            origin[cell] = place
            taken.add(place)
    return origin


def _claims(submitted: list[Any], released: list[Any]) -> Iterator[tuple[int, int, int]]:
    """(rank, minus the cell's index, place in the release); 0 is the best rank.

    Tools change ids, tags and labels (grade_ids), and copy them from cell to cell. So the text of a
    locked cell is compared first; then the label, then the cell id, provided that the cell defines
    the same names as the released one; last, the names that it defines, or label and id together.
    """
    by_label: dict[str | None, int] = {}
    by_id: dict[str | None, int] = {}
    by_text: dict[tuple[str, ...], list[int]] = {}
    by_name: dict[str, int] = {}
    names = [_names(cell.source) for cell in released]
    for place, cell in enumerate(released):
        by_label[_grade_id(cell)] = by_id[cell.get("id")] = place
        by_text.setdefault(_words(cell.source), []).append(place)
        by_name.update(dict.fromkeys([] if _locked(cell) else names[place], place))
    ids = [cell.id if isinstance(cell.get("id"), str) else None for cell in submitted]
    often = Counter(ids)
    for index, cell in enumerate(submitted):
        source = _source(cell.get("source"))
        defined = _names(source)
        label = by_label.get(_grade_id(cell)) if _grade_id(cell) else None
        body = by_id.get(ids[index]) if ids[index] and often[ids[index]] == 1 else None
        same = by_text.get(_words(source), []) if source.strip() else []
        claimed = {label, body, *same, *map(by_name.get, defined)}
        for place in (place for place in claimed if place is not None):
            original, wanted = released[place], names[place]
            alike = cell.get("cell_type") == original.cell_type
            likely = bool(wanted & defined) if wanted else alike
            untouched = _locked(original) and place in same
            reasons = (
                untouched and place in (label, body),
                untouched,
                place == label and likely,
                same == [place] and alike,
                place == body and likely,
                bool(wanted) and wanted <= defined and not _locked(original),
                place == label == body,
            )
            if True in reasons:
                yield reasons.index(True), -index, place


def _names(source: str) -> set[str]:
    """The functions and classes that a cell defines."""
    return set(_DEFINES.findall(source))


def _words(source: str) -> tuple[str, ...]:
    """The lines of a cell without differences that editors make: blank lines and trailing
    blanks.
    """
    return tuple(line.rstrip() for line in source.splitlines() if line.strip())


def _own_text(cell: Any, original: Any) -> str:
    """The student's own text in a cell whose text is restored from the release.

    An edited or older version of a released cell has none, unless it is an answer that was typed
    into the question. If label and id name different cells, the whole text may be the student's.
    """
    source = _source(cell.get("source"))
    if _words(source) == _words(original.source):
        return ""
    if _grade_id(cell) != _grade_id(original) or cell.get("id") not in (None, original.get("id")):
        return source
    before, asked, after = source.partition(original.source.strip())
    return f"{before}{after}".strip() if asked and original.cell_type == "markdown" else ""


def _kept(cell: Any, original: Any | None, ids: set[str]) -> Any:
    """A cell with the student's source; all else comes from the release, or is that of an ordinary
    cell.
    """
    source = _source(cell.get("source"))
    if original is not None:
        result = copy.deepcopy(original)
        result.source = source
    else:
        kind = cell.get("cell_type") if cell.get("cell_type") in ("code", "markdown") else "raw"
        name = cell.get("id")
        free = isinstance(name, str) and name not in ids  # otherwise it belongs to a released cell
        # no tags: only the release decides which cells are not run
        result = getattr(nbformat.v4, f"new_{kind}_cell")(source)
        result.id = name if free else None
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


def _source(source: Any) -> str:
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return source.encode("utf-8", "replace").decode("utf-8") if isinstance(source, str) else ""


def _slot(
    backbone: list[tuple[int | None, Any]], place: int, before: int | None, *, late: bool
) -> int:
    """The index in the backbone before which a locked cell is put; `before` is where the student
    had the cell, None if it is missing.

    It belongs after the last solution before it in the release and before the first solution after
    it. Within that range it keeps the student's place. If the student had it elsewhere, a test is
    put as late, and a given cell as early, as the released cells around it allow.
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
