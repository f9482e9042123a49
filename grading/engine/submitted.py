"""A submitted notebook as plain data: of each cell its kind, source, label, tags and pictures, and
nothing else. What else was handed in, and there may be much of it, costs no more than being parsed.
"""

from __future__ import annotations

from typing import Any

from tito.errors import WorkError
from tito.notebook.cells import need_few, read_json

MAX_TAGS = 50  # of one cell
ATTACHMENT_BYTES = 2 * 2**20  # of one cell; a photographed page has 1 MB


def read(text: str, name: str) -> dict[str, Any]:
    """The notebook in `text` in the form of version 4.

    Args:
        name: what the notebook is called in a message.

    Raises:
        WorkError: it is not JSON, has no list of cells, or is more than
            `tito.notebook.cells` allows.
    """
    data = read_json(text, name)
    data = data if isinstance(data, dict) else {}
    cells, sheets = data.get("cells"), data.get("worksheets")
    if "cells" not in data and isinstance(sheets, list):  # before 2014
        parts = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        cells = [cell for part in parts if isinstance(part, list) for cell in part]
    if not isinstance(cells, list):
        raise WorkError(f"a notebook is a JSON object with a list of cells; {name} has none")
    need_few(cells, name)
    minor = data.get("nbformat_minor")
    return {
        "cells": [_cell(cell) for cell in cells if isinstance(cell, dict)],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": minor if type(minor) is int and 0 <= minor <= 5 else 5,
    }


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell with the keys that every preprocessor takes for granted, and no others."""
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
        # nothing that was handed in is believed; the cell is run anew
        result["outputs"], result["execution_count"] = [], None
    elif kind == "markdown" and (pictures := _attachments(cell.get("attachments"))):
        result["attachments"] = pictures
    return result


def _metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """nbgrader's flags and the tags."""
    result: dict[str, Any] = {}
    flags, tags = metadata.get("nbgrader"), metadata.get("tags")
    if isinstance(flags, dict):
        plain = (str, int, float, type(None))
        result["nbgrader"] = {key: flag for key, flag in flags.items() if isinstance(flag, plain)}
    if isinstance(tags, list):
        result["tags"] = [tag for tag in tags if isinstance(tag, str)][:MAX_TAGS]
    return result


def _attachments(attachments: Any) -> dict[str, Any]:
    """Pictures pasted into an answer, if they have the form that a notebook gives them."""
    good, size = {}, 0
    for name, bundle in attachments.items() if isinstance(attachments, dict) else ():
        right = (
            name.isascii()
            and isinstance(bundle, dict)
            and all(isinstance(data, str) and data.isascii() for data in bundle.values())
        )
        # what an entry takes besides its text counts too
        size += 1000 + sum(1000 + len(data) for data in bundle.values()) if right else 0
        if right and size <= ATTACHMENT_BYTES:
            good[name] = dict(bundle)
    return good
