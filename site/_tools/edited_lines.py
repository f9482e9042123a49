"""The line that a person edits, found again by its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

_ENOUGH = 12  # characters of a line that tell it from others


def place_of(lines: Sequence[str], files: Iterable[Path], root: Path) -> str:
    """Where the last of `lines` that one of the files has exactly once is, such as
    site/_landing.py:12; the first file alone if there is none, and nothing without files.

    Args:
        files: the one that a person edits first.
    """
    # notebooks hold their lines in JSON, and pages have backslashes before marks
    texts = {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8").replace("\\", "")
        for path in files
        if path.is_file()
    }
    for shown in reversed(lines):
        words = shown.replace("\\", "").lstrip(": ").strip()
        for path, text in texts.items():
            numbers = [n for n, line in enumerate(text.splitlines(), start=1) if words in line]
            if len(words) >= _ENOUGH and len(numbers) == 1:
                return f"{path}:{numbers[0]}"
    return next(iter(texts), "")
