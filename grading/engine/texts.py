"""Make text chosen by a student safe for a terminal and a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

# a spreadsheet runs fields that start like this (OWASP, "CSV Injection")
_FORMULA = ("=", "+", "-", "@", "\t", "\n")


def shown(name: str, most: int = 80) -> str:
    """A name on one line of a terminal: without control characters and lone surrogates, and at most
    `most` characters long.
    """
    text = name.encode("utf-8", "replace").decode("utf-8")
    text = text if text.isprintable() else ascii(text)[1:-1]
    return text if len(text) <= most else text[: most - 3] + "..."


def plain_cell(value: Any) -> Any:
    """A value for a CSV field that no spreadsheet treats as a formula; numbers stay numbers."""
    if isinstance(value, str):
        # Python's csv leaves a lone \r unquoted
        text = value.replace("\r\n", "\n").replace("\r", "\n")
        return "'" + text if text.startswith(_FORMULA) and len(text) > 1 else text
    return "" if value is None else f"{value:g}" if isinstance(value, float) else value


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([plain_cell(name) for name in header])
    writer.writerows([plain_cell(value) for value in row] for row in rows)
    return out.getvalue()
