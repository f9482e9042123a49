"""Output on the screen: marks and colors that this terminal can show, tables, one JSON document.
Tables on a terminal use rich if it is installed.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing `typing` and its like takes a third of the time of `tito --help`
    from collections.abc import Iterable, Sequence
    from typing import Any

SCHEMA = 1
_COLOURS = {"green": "32", "red": "31", "yellow": "33", "dim": "2", "bold": "1"}
_MARKS = {
    "pass": ("✓", "[ok]", "green"),
    "fail": ("✗", "[x]", "red"),
    "error": ("✗", "[x]", "red"),
    "timeout": ("✗", "[x]", "red"),
    "your_turn": ("○", "[ ]", "yellow"),
    "not_run": ("·", "[-]", "dim"),
    "warn": ("!", "[!]", "yellow"),
}


def prepare_streams() -> None:
    """Print "?" for a character that the terminal cannot encode, instead of raising an error. Marks
    have plain forms of their own.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(ValueError):
                stream.reconfigure(errors="replace")


def unicode_ok() -> bool:
    """Whether stdout can show the marks and bars."""
    try:
        "✓✗○·█░".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def colour_ok() -> bool:
    """Whether to print colors: on a terminal, unless NO_COLOR is set; with FORCE_COLOR also into a
    pipe.
    """
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (
        sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    )


def paint(text: str, colour: str) -> str:
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if colour_ok() else text


def mark(status: str) -> str:
    """The mark of a status. The words beside it say the same, so nothing depends on the mark."""
    fancy, plain, colour = _MARKS[status]
    return paint(fancy if unicode_ok() else plain, colour)


def bar(done: float, whole: float, width: int = 20) -> str:
    """A bar `width` characters long."""
    filled = round(width * done / whole) if whole else 0
    full, empty = "█░" if unicode_ok() else "#."
    return full * filled + empty * (width - filled)


def say(text: str = "") -> None:
    print(text, flush=True)


def warn(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def emit(command: str, document: dict[str, Any]) -> None:
    """The one JSON document of a `--json` run."""
    import json

    print(
        json.dumps(
            {"schema": SCHEMA, "command": command, **document},
            indent=1,
            ensure_ascii=not unicode_ok(),
        ),
        flush=True,
    )


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: with rich on a terminal where rich is installed, else in plain columns."""
    rows = [[str(value) for value in row] for row in rows]
    if sys.stdout.isatty() and colour_ok() and unicode_ok():
        try:
            from rich.console import Console
            from rich.table import Table
            from rich.text import Text
        except ImportError:
            pass
        else:
            fancy = Table(*headings, box=None, pad_edge=False)
            for row in rows:
                fancy.add_row(*(Text.from_ansi(value) for value in row))
            Console().print(fancy)
            return
    widths = [max(len(row[k]) for row in [headings, *rows]) for k in range(len(headings))]
    for row in [headings, *rows]:
        say(
            "  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip()
        )


def counted(number: float, noun: str) -> str:
    """ "1 test", "2 tests", "2.5 points"."""
    shown = f"{number:g}" if isinstance(number, float) else str(number)
    return f"{shown} {noun}{'' if number == 1 else 's'}"


def confirm(question: str) -> bool | None:
    """Ask for y or n; None without a terminal to ask on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # Ctrl-D
        say()
        return False
