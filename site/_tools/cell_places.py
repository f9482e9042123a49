"""The line that a person edits for a cell that failed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_ENOUGH = 12  # characters of a line that tell it from others
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
_RAISED = re.compile(r"Cell In\[\d+\], line (\d+)")


def place_of(cell: str, traceback: str, files: Iterable[Path], root: Path) -> str:
    """The file and line of a cell's text that raised an error, such as site/_landing.py:12; the
    first file alone if no file has the text, and nothing without files.

    Args:
        cell: its source.
        traceback: as a kernel prints it.
        files: that may hold the cell, the one that a person edits first.
    """
    raised = _RAISED.search(_COLOR.sub("", traceback))
    known = [path for path in files if path.is_file()]
    for path in known:
        start = _start_of(cell, path.read_text(encoding="utf-8"))
        if start:
            line = start + (int(raised[1]) - 1 if raised else 0)
            return f"{path.relative_to(root).as_posix()}:{line}"
    return known[0].relative_to(root).as_posix() if known else ""


def _start_of(cell: str, text: str) -> int | None:
    """The line at which the text of a cell begins in a file, from its first line that the file has
    once; notebooks hold their lines in JSON.
    """
    lines = [line.replace('\\"', '"') for line in text.splitlines()]
    for offset, words in enumerate(line.strip() for line in cell.splitlines()):
        found = [number for number, line in enumerate(lines, start=1) if words in line]
        if len(words) >= _ENOUGH and len(found) == 1:
            return found[0] - offset
    return None
