"""Which cell of a submitted notebook is which cell of the release."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from grading.engine.submitted_notebook.own_statements import defined


def grade_id(cell: Any) -> str | None:
    """The label of a cell that was released, or read by `read_submitted_cells`."""
    name = cell["metadata"].get("nbgrader", {}).get("grade_id")
    return name if isinstance(name, str) else None


def origins(submitted: list[Any], released: list[Any]) -> dict[int, int]:
    """Match submitted cells to released cells: {id(cell): place}. Of two cells that match, the one
    that was worked on is taken; if they match equally well, the later one.
    """
    origin: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, index, place in sorted(_claims(submitted, released)):
        cell = id(submitted[-index])
        if cell not in origin and place not in taken:
            origin[cell] = place
            taken.add(place)
    return origin


def _claims(submitted: list[Any], released: list[Any]) -> Iterator[tuple[bool, int, int, int]]:
    """(whether it is an empty solution, rank, minus the cell's index, place in the release); 0 is
    the best rank.

    Tools change ids, tags and labels (grade_ids), and copy them from cell to cell. So the text of a
    locked cell is compared first; then the label, then the cell id, provided that the cell defines
    the same names as the released one; last, the names that it defines, or label and id together.
    """
    by_label: dict[str | None, int] = {}
    by_id: dict[str | None, int] = {}
    by_text: dict[tuple[str, ...], list[int]] = {}
    by_name: dict[str, int] = {}
    names = [defined(cell.source) for cell in released]
    for place, cell in enumerate(released):
        by_label[grade_id(cell)] = by_id[cell.get("id")] = place
        by_text.setdefault(words(cell.source), []).append(place)
        by_name.update(dict.fromkeys([] if locked(cell) else names[place], place))
    ids = [cell.get("id") for cell in submitted]
    often = Counter(ids)
    for index, cell in enumerate(submitted):
        source = cell.source
        own = defined(source)
        label = by_label.get(grade_id(cell)) if grade_id(cell) else None
        body = by_id.get(ids[index]) if ids[index] and often[ids[index]] == 1 else None
        same = by_text.get(words(source), []) if source.strip() else []
        claimed = {label, body, *same, *map(by_name.get, own)}
        for place in (place for place in claimed if place is not None):
            original, wanted = released[place], names[place]
            alike = cell.get("cell_type") == original.cell_type
            likely = bool(wanted & own) if wanted else alike
            untouched = locked(original) and place in same
            reasons = (
                untouched and place in (label, body),
                untouched,
                place == label and likely,
                same == [place] and alike,
                place == body and likely,
                bool(wanted) and wanted <= own and not locked(original),
                place == label == body,
            )
            if True in reasons:
                empty = flag(original, "solution") and place in same
                yield empty, reasons.index(True), -index, place


def words(source: str) -> tuple[str, ...]:
    """The lines of a cell without differences that editors make: blank lines and trailing
    blanks.
    """
    return tuple(line.rstrip() for line in source.splitlines() if line.strip())


def flag(cell: Any, name: str) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get(name))


def locked(original: Any) -> bool:
    """Whether a cell's text comes from the release: tests, tasks and locked cells."""
    return not flag(original, "solution") and any(
        flag(original, name) for name in ("grade", "locked", "task")
    )
