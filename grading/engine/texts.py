"""Text that a student chose, made safe for a terminal, an HTML page and a spreadsheet; the
pages' common frame.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

# Nothing is fetched and nothing runs: pictures and style stand in the page itself.
POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:\">"
)
# a spreadsheet runs what starts like this (OWASP, "CSV Injection")
_FORMULA = ("=", "+", "-", "@", "\t", "\n")

PAGE_STYLE = """
:root { color-scheme: light; }
body {
  font: 16px/1.45 system-ui, sans-serif; color: #1a1a1a; background: #fff;
  max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem 3rem;
}
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p { margin: .4rem 0; } .quiet { color: #555; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td {
  text-align: left; vertical-align: top; padding: .35rem .5rem; border-top: 1px solid #c8c8c8;
  overflow-wrap: anywhere;
}
th.number, td.number {
  text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap;
}
code, pre { font: .85rem/1.4 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; }
img { max-width: 100%; height: auto; }
figure { margin: 1rem 0; } figcaption { color: #555; font-size: .9rem; }
@media (max-width: 600px) {
  table, tbody, tr, td { display: block; } thead { display: none; }
  tr { border-top: 1px solid #c8c8c8; padding: .4rem 0; }
  td { border-top: 0; padding: .1rem 0; } td.number { text-align: left; }
  td[data-name]::before { content: attr(data-name) ": "; color: #555; }
}
@media print {
  @page { size: A4; margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  tr, figure { break-inside: avoid; } h2 { break-after: avoid; }
  thead { display: table-header-group; }
}
"""


def shown(name: str, most: int = 80) -> str:
    """A name on one line of a terminal: no control character, no half of a character, not longer
    than `most`.
    """
    text = name.encode("utf-8", "replace").decode("utf-8")
    text = text if text.isprintable() else ascii(text)[1:-1]
    return text if len(text) <= most else text[: most - 3] + "..."


def counted(number: int, noun: str) -> str:
    """ "1 submission", "2 submissions"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def plain_cell(value: Any) -> Any:
    """A value for a CSV field that no spreadsheet takes for a formula; numbers stay numbers."""
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


def page(title: str, body: str, style: str = "") -> str:
    """A whole HTML page that runs nothing and fetches nothing; `body` is HTML, `title` is text."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{POLICY}\n'
        '<meta name="viewport" content="width=device-width,'
        f' initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{PAGE_STYLE}{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def table(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """An HTML table; cells are HTML already (see `escape`), headings are text.

    Args:
        numbers: the columns, from 0, that are set to the right.
    """
    right = set(numbers)
    kinds = [' class="number"' if i in right else "" for i in range(len(header))]
    head = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>'
        for kind, name in zip(kinds, header, strict=True)
    )
    lines = (
        "<tr>"
        + "".join(
            f'<td{kind} data-name="{escape(name)}">{cell}</td>'
            for kind, name, cell in zip(kinds, header, row, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n"
        + "\n".join(lines)
        + "\n</tbody>\n</table>"
    )
