"""What can still be read of a damaged .ipynb, and where its cells belong in the student edition."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tito.errors import WorkError
from tito.notebook.cells import Cell, cells_of, read
from tito.notebook.ipynb_format import TOO_DEEP, is_cell, load_ipynb

_FIRST_CELL = re.compile(r'"cells"\s*:\s*\[')
# What git writes into a file whose lines it cannot merge. The lines above ======= are those of
# this computer; with some settings, those that both sides began with follow below |||||||.
_MERGE = re.compile(
    r"^<{7}[^\n]*\n(.*?)(?:^\|{7}.*?)?^={7}[^\n]*\n.*?^>{7}[^\n]*\n?", re.MULTILINE | re.DOTALL
)
_DEFINED = re.compile(
    r"^(?:@add_to_class\((\w+)\)[^\n]*\n)?(?:async +)?(?:def|class) +(\w+)", re.MULTILINE
)


def names(cell: Cell) -> Iterator[str]:
    """The functions and classes that a cell defines; a method as `Name.method`."""
    for holder, name in _DEFINED.findall(cell.source):
        yield f"{holder}.{name}" if holder else name


def raw_cells(path: Path) -> list[dict[str, Any]]:
    """The cells of a .ipynb as far as they can be read, without outputs where it is damaged: cut
    off, with the marks of a merge, in another encoding, of format 3, or with text below its end.
    """
    try:
        cells: list[dict[str, Any]] = load_ipynb(path)["cells"]
        return cells
    except WorkError:
        pass
    try:
        text = _MERGE.sub(r"\1", _decoded(path.read_bytes()))
    except OSError:
        return []
    return [raw for raw in map(_format_4, _values(text)) if is_cell(raw)]


def _decoded(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:  # an editor on Windows; these bytes mean something in each of them
        return data.decode("cp1252", errors="replace")


def _values(text: str) -> Iterator[Any]:
    """The cells from the first one on, up to the one that ends too early."""
    begin = _FIRST_CELL.search(text)
    place, decoder = begin.end() if begin else len(text), json.JSONDecoder()
    while True:
        place += len(text[place:]) - len(text[place:].lstrip(" \t\r\n,"))
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, *TOO_DEEP):
            return
        yield value


def _format_4(raw: Any) -> Any:
    if not isinstance(raw, dict):
        return raw
    kept = {key: raw[key] for key in ("cell_type", "id", "metadata", "source") if key in raw}
    if "input" in raw:  # format 3
        kept.setdefault("source", raw["input"])
    if raw.get("cell_type") == "heading":
        marks = "#" * int(raw.get("level") or 1)
        kept |= {"cell_type": "markdown", "source": [f"{marks} ", *raw.get("source", "")]}
    if raw.get("cell_type") == "code":
        kept |= {"outputs": [], "execution_count": None}
    return kept


def readable(path: Path) -> list[Cell]:
    """The cells of a .ipynb, damaged or not, or of a .py; an empty list where none can be read."""
    if path.suffix == ".py":
        try:
            return read(path)
        except WorkError:
            return []
    return cells_of({"cells": raw_cells(path)})


def places(released: list[Cell], left: list[Cell]) -> dict[int, int]:
    """For each cell of `left` that is found in the student edition, its place there: by its
    grade_id, its id, its text, the function that it defines, or, for the answer to a question, by
    the question above it. Places count from 0.
    """
    place_of: dict[int, int] = {}

    def match(keys: Iterable[Iterable[Any]], of_left: Iterable[Iterable[Any]]) -> None:
        taken = set(place_of.values())
        homes: dict[Any, int] = {}
        for place, several in enumerate(keys):
            for key in several:
                if place not in taken:
                    homes.setdefault(key, place)
        for index, several in enumerate(of_left):
            if index in place_of:
                continue
            home = next((homes[key] for key in several if key in homes), None)
            if home is not None and home not in taken:
                place_of[index] = home
                taken.add(home)

    for key in (
        lambda cell: [cell.grade_id] if cell.grade_id else [],
        # `cell-3` only counts the cells, so another module's notebook has it too
        lambda cell: [cell.id] if cell.id and not cell.id.startswith("cell-") else [],
        lambda cell: [] if cell.id.startswith("answer-") else [cell.source.strip()],
        lambda cell: list(names(cell)) if cell.kind == "code" else [],
    ):
        match(map(key, released), map(key, left))
    for index, cell in enumerate(left[1:], start=1):
        home = place_of.get(index - 1, len(released)) + 1
        if index in place_of or home >= len(released) or home in place_of.values():
            continue
        if cell.kind == "markdown" and released[home].id.startswith("answer-"):
            place_of[index] = home
    return place_of


def merged(released: list[Cell], left: list[Cell]) -> list[Cell]:
    """The student edition with what `left` has in the cells that are not locked."""
    homes = {home: index for index, home in places(released, left).items()}
    return [
        replace(cell, source=left[homes[place]].source)
        if place in homes and not cell.nbgrader.get("locked")
        else cell
        for place, cell in enumerate(released)
    ]


def rebuilt(released: dict[str, Any], left: list[dict[str, Any]]) -> dict[str, Any]:
    """The student edition with the code and the answers of `left`, and its other cells that the
    course does not have, each below the cell that it followed.
    """
    sources = merged(cells_of(released), cells_of({"cells": left}))
    homes = places(cells_of(released), cells_of({"cells": left}))
    listed: list[list[dict[str, Any]]] = [
        [{**raw, "source": cell.source.splitlines(keepends=True)}]
        for raw, cell in zip(released["cells"], sources, strict=True)
    ]
    used, home = {raw.get("id") for raw in released["cells"]}, 0
    for number, raw in enumerate(left):
        if number in homes:
            home = homes[number]
        elif "".join(raw["source"]).strip():
            own = raw.get("id") if raw.get("id") not in used else None
            own = own or next(f"own-{n}" for n in range(len(left) + 1) if f"own-{n}" not in used)
            used.add(own)
            listed[home].append({**raw, "id": own})
    return {**released, "cells": [raw for several in listed for raw in several]}
