"""Text for a terminal and a spreadsheet: what a student chose is made safe for both."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tito.console import counted

# a spreadsheet runs fields that start like this (OWASP, "CSV Injection")
_FORMULA = ("=", "+", "-", "@", "\t", "\n")


def shown(name: str, most: int = 80) -> str:
    """A name on one line of a terminal: without control characters and lone surrogates, and at most
    `most` characters long.
    """
    text = name.encode("utf-8", "replace").decode("utf-8")
    text = text if text.isprintable() else ascii(text)[1:-1]
    return text if len(text) <= most else text[: most - 3] + "..."


# Control characters except tab and line break, those that turn the direction of text, and halves of
# a surrogate pair. A color (SGR) is let through: it moves nothing.
_UNSEEN = re.compile(
    r"(\x1b\[[0-9;]*m)|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def plain_text(text: str) -> str:
    """Text of several lines in which each character that a terminal would obey is written out."""
    text = text.replace("\r\n", "\n")
    return _UNSEEN.sub(lambda found: found[1] or ascii(found[0])[1:-1], text)


def tell(text: object = "", **options: Any) -> None:
    """Print what a command has to say, with what students wrote in it."""
    print(plain_text(str(text)), **options)


def plain_cell(value: Any) -> Any:
    """A value for a CSV field that no spreadsheet treats as a formula; numbers stay numbers."""
    if isinstance(value, str):
        # Python's csv leaves a lone \r unquoted
        text = value.replace("\r\n", "\n").replace("\r", "\n")
        return "'" + text if text.startswith(_FORMULA) and len(text) > 1 else text
    return "" if value is None else f"{value:g}" if isinstance(value, float) else value


def some(names: Sequence[str], most: int = 5) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def grades_wait(count: int) -> str:
    """A phrase such as "3 grades wait for a person"."""
    return f"{counted(count, 'grade')} {'waits' if count == 1 else 'wait'} for a person"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([plain_cell(name) for name in header])
    writer.writerows([plain_cell(value) for value in row] for row in rows)
    return out.getvalue()
