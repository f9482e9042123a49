"""A submitted notebook as plain data: for each cell its kind, source, label, id and pictures, and
nothing else. All other content, however large, is parsed once and then dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tito.errors import WorkError
from tito.notebook.cells import need_few, read_json

ATTACHMENT_BYTES = 2 * 2**20  # for one cell; a photographed page has 1 MB
UNREAD = "tito_unread"  # notebook metadata: why a person has to look at the file itself
KINDS = ("code", "markdown", "raw", "heading", "html")  # the last two were used before 2015


def read_submitted(text: str, name: str) -> dict[str, Any]:
    """The notebook in `text`, converted to version 4.

    Args:
        name: the name of the notebook in messages.

    Raises:
        WorkError: the text is not JSON, has no list of cells, or is larger than
            `tito.notebook.cells` allows.
    """
    data = read_json(text, name)
    data = data if isinstance(data, dict) else {}
    cells, sheets = data.get("cells"), data.get("worksheets")
    if "cells" not in data and isinstance(sheets, list):  # before 2014
        parts = [sheet.get("cells") if isinstance(sheet, dict) else None for sheet in sheets]
        cells = [cell for part in parts for cell in (part if isinstance(part, list) else [part])]
    if not isinstance(cells, list):
        raise WorkError(f"a notebook is a JSON object with a list of cells; {name} has none")
    need_few(cells, name)
    minor = data.get("nbformat_minor")
    return {
        "cells": [_cell(cell) for cell in cells if isinstance(cell, dict)],
        "metadata": {UNREAD: unread} if (unread := list(_unread(data, cells, name))) else {},
        "nbformat": 4,
        "nbformat_minor": minor if type(minor) is int and 0 <= minor <= 5 else 5,
    }


def _unread(data: dict[str, Any], cells: list[Any], name: str) -> Iterator[str]:
    """Sentences about what does not follow the notebook format; everything else is read."""
    if not isinstance(data.get("metadata", {}), dict):
        yield f"a notebook's metadata are a JSON object; those of {name} are not. Look at the file"
    odd = [number for number, cell in enumerate(cells, start=1) if not _whole(cell)]
    if odd:
        yield (
            f"each cell has a known cell_type, metadata and a source of text; {len(odd)} of"
            f" {len(cells)} cells of {name} lack one of these, the first is cell {odd[0]}. Look at"
            " the file: what could not be read counted as empty"
        )


def _whole(cell: Any) -> bool:
    """Whether the cell can be read without losing anything."""
    if not isinstance(cell, dict) or not isinstance(cell.get("metadata", {}), dict):
        return False
    source = cell.get("source", cell.get("input"))
    lines = source if isinstance(source, list) else [source]
    return cell.get("cell_type") in KINDS and all(isinstance(line, str) for line in lines)


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell with only the keys that every preprocessor expects."""
    source = cell.get("source", cell.get("input"))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    metadata = cell.get("metadata")
    kind = cell.get("cell_type") if cell.get("cell_type") in ("code", "markdown", "raw") else "raw"
    result = {
        "cell_type": kind,
        "metadata": _metadata(metadata) if isinstance(metadata, dict) else {},
        "source": source if isinstance(source, str) else "",
    }
    if isinstance(cell.get("id"), str):
        result["id"] = cell["id"]
    if kind == "code":
        # submitted outputs are not trusted; the cell is run again
        result["outputs"], result["execution_count"] = [], None
    elif kind == "markdown" and (pictures := _attachments(cell.get("attachments"))):
        result["attachments"] = pictures
    return result


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """nbgrader's flags only. Tags are dropped, because only the release may set them."""
    flags = metadata.get("nbgrader")
    if not isinstance(flags, dict):
        return {}
    plain = (str, int, float, type(None))
    return {"nbgrader": {key: flag for key, flag in flags.items() if isinstance(flag, plain)}}


def _attachments(attachments: Any) -> dict[str, Any]:
    """Pictures pasted into an answer, if they follow the notebook format."""
    good, size = {}, 0
    for name, bundle in attachments.items() if isinstance(attachments, dict) else ():
        right = (
            name.isascii()
            and isinstance(bundle, dict)
            and all(isinstance(data, str) and data.isascii() for data in bundle.values())
        )
        # 1000: the overhead of an entry besides its text
        size += 1000 + sum(1000 + len(data) for data in bundle.values()) if right else 0
        if right and size <= ATTACHMENT_BYTES:
            good[name] = dict(bundle)
    return good
