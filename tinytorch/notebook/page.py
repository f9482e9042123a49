"""Small pieces of HTML for light and dark pages: no colors of their own, scripts or requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from tinytorch.notebook.image_grid import Pictures
from tinytorch.notebook.png import data_url, png

LINE = "rgba(128,128,128,.55)"  # visible on white and on black
IN_A_ROW, GAP = 8, 6  # images, fewer on a narrow page; pixels between them
_CELL = "text-align:left;padding:1px 12px 1px 0;background:none;border:none;vertical-align:top"


def block(*parts: str) -> str:
    return (
        '<div style="line-height:1.45;max-width:100%;overflow-x:auto;padding:2px'
        f' 0">{"".join(parts)}</div>'
    )


def heading(kind: str, *facts: str) -> str:
    """One line: the kind of object in bold, then facts about it. Arguments are text, not HTML."""
    return (
        f"<div><strong>{escape(kind)}</strong>"
        f" {escape('  ·  '.join(fact for fact in facts if fact))}</div>"
    )


def table(headings: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts; the first column holds the names of the rows."""
    head = "".join(
        f'<th scope="col" style="{_CELL};font-weight:normal;opacity:.75">{escape(text)}</th>'
        for text in headings
    )
    body = ""
    for row in rows:
        end = len(row) - 1
        cells = (_cell(text, first=not place, last=place == end) for place, text in enumerate(row))
        body += f"<tr>{''.join(cells)}</tr>"
    head = f"<thead><tr>{head}</tr></thead>" if head else ""
    return (
        '<table style="margin:4px 0 6px 0;border-collapse:collapse;border:none;'
        f'font-size:inherit;color:inherit">{head}<tbody>{body}</tbody></table>'
    )


def _cell(text: str, first: bool, last: bool) -> str:
    """A cell of a table. Only the last column may break its lines: half a shape is hard to read."""
    wrap = "white-space:normal;overflow-wrap:break-word" if last else "white-space:nowrap"
    if first:
        return f'<th scope="row" style="{_CELL};{wrap};font-weight:600">{escape(text)}</th>'
    return f'<td style="{_CELL};{wrap}">{escape(text)}</td>'


def note(text: str) -> str:
    return f'<div style="opacity:.75;font-size:92%">{escape(text)}</div>'


def code(text: str) -> str:
    return (
        '<pre style="margin:4px'
        f' 0;background:none;color:inherit;overflow-x:auto">{escape(text)}</pre>'
    )


def grid(pictures: Pictures, labels: list[str] | None) -> str:
    """The images side by side, each with its label below, at most eight in a row."""
    figures = []
    for number, pixels in enumerate(pictures.pixels):
        alt, caption = f"image {number}", ""
        if labels:
            alt += f", label {labels[number]}"
            caption = f'<figcaption style="font-size:92%">{escape(labels[number])}</figcaption>'
        figures.append(
            f'<figure style="margin:0;text-align:center"><img src="{data_url(png(pixels))}"'
            f' alt="{escape(alt)}" width="{pictures.width}"'
            ' style="image-rendering:pixelated;border:1px solid'
            f' {LINE};border-radius:3px;display:block;margin:0 auto">{caption}</figure>'
        )
    widest = IN_A_ROW * (pictures.width + 2 + GAP)
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:{GAP}px;margin:4px'
        f' 0;max-width:{widest}px">{"".join(figures)}</div>'
    )


def size_of(count: float) -> str:
    """A number of bytes with its unit, in powers of 1000."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 999.5 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.3g} {unit}"
        count /= 1000
    raise AssertionError("unreachable")


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 'es' if word.endswith(('ch', 'ss')) else 's'}"


def shape_of(array: np.ndarray) -> str:
    return f"({', '.join(map(str, array.shape))}{',' if array.ndim == 1 else ''})"


def short(value: Any, letters: int = 60) -> str:
    """The repr of a value, shortened to one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= letters else text[: letters - 3] + "..."
