"""Output on the screen: marks and colors that this terminal can show, tables, one JSON document.
Lines that are too wide for a terminal are broken between words.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing `typing` and its like takes a third of the time of `tito --help`
    from collections.abc import Iterable, Sequence
    from typing import Any, TextIO

SCHEMA = 1
_COLORS = {"green": "32", "red": "31", "yellow": "33", "dim": "2", "bold": "1"}
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
    have plain forms of their own. Where a stream was closed before the start, nothing is printed.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            closed = open(os.devnull, "r+" if name == "stdin" else "w", encoding="utf-8")  # noqa: SIM115
            setattr(sys, name, closed)
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


def color_ok() -> bool:
    """Whether to print colors: NO_COLOR forbids them, a terminal or FORCE_COLOR allows them."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (
        sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    )


def paint(text: str, color: str) -> str:
    return f"\x1b[{_COLORS[color]}m{text}\x1b[0m" if color_ok() else text


def mark(status: str) -> str:
    """The mark of a status. The words beside it say the same, so nothing depends on the mark."""
    fancy, plain, color = _MARKS[status]
    return paint(fancy if unicode_ok() else plain, color)


def say(text: str = "") -> None:
    print(folded(text, sys.stdout), flush=True)


def warn(text: str) -> None:
    print(folded(text, sys.stderr), file=sys.stderr, flush=True)


def emit(command: str, document: dict[str, Any]) -> None:
    """The one JSON document of a `--json` run."""
    import json

    document = {"schema": SCHEMA, "command": command, **document}
    print(json.dumps(document, indent=1, ensure_ascii=not unicode_ok()), flush=True)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    lines = [[str(value) for value in row] for row in [headings, *rows]]
    widths = [max(_visible(row[k]) for row in lines) for k in range(len(headings))]
    for row in lines:
        cells = zip(row, widths, strict=True)
        padded = (value + " " * (width - _visible(value)) for value, width in cells)
        say("  ".join(padded).rstrip())


def _visible(text: str) -> int:
    """How many columns a text with colors takes."""
    return len(re.sub("\x1b\\[[0-9;]*m", "", text)) if "\x1b" in text else len(text)


def folded(text: str, stream: TextIO) -> str:
    """The text; on a terminal with lines that are too wide broken between words."""
    if not stream.isatty():
        return text
    import shutil
    import textwrap

    width = shutil.get_terminal_size().columns
    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        whole: Any = {"break_long_words": False, "break_on_hyphens": False}
        wide = _visible(line) > width
        lines += textwrap.wrap(line, width, subsequent_indent=indent, **whole) if wide else [line]
    return "\n".join(lines)


_SINGULAR = {"are": "is", "do": "does", "have": "has"}


def counted(number: float, noun: str, verb: str = "", *, of: float | None = None) -> str:
    """A number and its noun, "1 test", "2 matches", "2.5 points", with `of` "1 of 3 tests"; with a
    verb in the plural "1 test passes", "1 of 3 tests passes", "2 tests pass".
    """
    whole = number if of is None else of
    shown = " of ".join(
        f"{part:g}" if isinstance(part, float) else str(part)
        for part in ([number] if of is None else [number, of])
    )
    words = [shown, noun if whole == 1 else _with_s(noun)]
    if verb:
        words.append(_SINGULAR.get(verb, _with_s(verb)) if 1 in (number, whole) else verb)
    return " ".join(words)


def _with_s(word: str) -> str:
    return word + ("es" if word.endswith(("ch", "sh", "ss", "x")) else "s")


def confirm(question: str) -> bool | None:
    """Ask for y or n; None without a terminal to ask on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return None
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:  # Ctrl-D
        say()
        return False
