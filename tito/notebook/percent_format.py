'''The percent format: a notebook as a .py file whose cells begin with `# %%`, read and written as
jupytext does.

It covers what this course's notebooks use: code, markdown in `"""` or `# `, raw cells, options as
key=JSON, and IPython's magics as comments. A test compares reading and writing with jupytext
itself. jupytext is not imported here, because that takes seconds.
'''

import ast
import json
import re
from collections.abc import Iterable
from typing import Any

from tito.notebook.magics import escape_magics, quoted_lines, unescape_magics

Part = tuple[str, str, dict[str, Any]]  # (kind, source, metadata) of one cell

_MARKER = re.compile(r"^\s*#\s*%%(?P<depth>%*)(?:\s(?P<rest>.*))?$")
_OPTION = re.compile(r"(?:^|\s)(?P<key>[a-zA-Z_][\w.-]*)=")


def split(text: str) -> tuple[str, list[Part]]:
    """The header of a percent file (jupytext's own, "" when absent) and its cells.

    Raises:
        ValueError: the options of a cell are not key=JSON; the message quotes the line.
    """
    # as Python reads lines: U+0085 and U+2028, at which splitlines() breaks too, are text
    lines = re.split("\r\n|\r|\n", text)
    start = _header_length(lines)
    marks, parts = _marks(lines, start), []
    for here, after in zip(marks, [*marks[1:], len(lines)], strict=True):
        marker = _MARKER.match(lines[here]) if here >= start else None
        try:
            kind, metadata = _options((marker and marker.group("rest")) or "")
        except (ValueError, SyntaxError):
            raise ValueError(f"line {here + 1}: {lines[here].strip()}") from None
        body = lines[here + 1 : after]
        while body and not body[-1].strip():
            body.pop()
        source = "\n".join(unescape_magics(body)) if kind == "code" else _prose(body)
        parts.append((kind, source, metadata))
    return "\n".join(lines[:start]), parts


def begins(text: str) -> list[int]:
    """The line that begins each cell, counted from 1; the line below it is the cell's first."""
    lines = re.split("\r\n|\r|\n", text)
    return [mark + 1 for mark in _marks(lines, _header_length(lines))]


def _marks(lines: list[str], start: int) -> list[int]:
    quoted = quoted_lines(lines)
    marks = [i for i in range(start, len(lines)) if not quoted[i] and _MARKER.match(lines[i])]
    if any(line.strip() for line in lines[start : marks[0] if marks else len(lines)]):
        marks.insert(0, start - 1)  # code above the first marker is a cell of its own
    return marks


def join(header: str, parts: Iterable[Part], *, quotes: bool = True) -> str:
    '''The text of a percent file with these cells. Markdown is written between `"""` (the form of
    this course's sources) or behind `# `.
    '''
    blocks = [header] if header else []
    for kind, source, metadata in parts:
        options = [] if kind == "code" else [f"[{kind}]"]
        shown = ((key, json.dumps(value, ensure_ascii=False)) for key, value in metadata.items())
        options += [f"{key}={text}" for key, text in shown]
        lines = source.split("\n") if source else []
        if kind == "code":
            lines = escape_magics(lines)
        elif quotes and kind == "markdown" and '"""' not in source:
            lines = ['r"""' if "\\" in source else '"""', *lines, '"""']
        else:
            lines = ["# " + line if line else "#" for line in lines]
        blocks.append("\n".join([" ".join(["# %%", *options]), *lines]))
    return "\n\n".join(blocks) + "\n"


def _header_length(lines: list[str]) -> int:
    if lines and lines[0].rstrip() == "# ---":
        for index, line in enumerate(lines[1:], start=1):
            if line.rstrip() == "# ---":
                return index + 1
    return 0


def _options(rest: str) -> tuple[str, dict[str, Any]]:
    """`title [markdown] key=JSON key=JSON` -> (kind, metadata)."""
    rest, kind, metadata = rest.strip(), "code", {}
    option = _OPTION.search(rest)
    head = rest[: option.start()] if option else rest
    bracket = re.search(r"\[(markdown|md|raw)\]\s*$", head)
    if bracket:
        kind = "raw" if bracket.group(1) == "raw" else "markdown"
        head = head[: bracket.start()]
    if head.strip():
        metadata["title"] = head.strip()
    while option:
        text = rest[option.end() :].lstrip()
        try:
            value, length = json.JSONDecoder().raw_decode(text)
        except ValueError:  # jupytext also accepts a Python literal; it runs to the end of the line
            value, length = ast.literal_eval(text), len(text)
        metadata[option.group("key")] = value
        rest = text[length:]
        option = _OPTION.match(rest)
        if rest.strip() and option is None:
            raise ValueError(rest)
    return kind, metadata


def _prose(lines: list[str]) -> str:
    text = "\n".join(lines).strip()
    for left in ('"""', "'''", 'r"""', "r'''", 'R"""', "R'''"):
        right = left[-3:]
        if text.startswith(left) and text.endswith(right) and len(text) >= len(left) + 3:
            return text[len(left) : -3].removeprefix("\n").removesuffix("\n")
    return "\n".join(
        line[2:] if line.startswith("# ") else line.removeprefix("#") for line in lines
    )
