"""A ```mermaid flowchart as rows of boxes with arrows between them: text, so no script, no
request, and a phone breaks a row as it breaks a line.

Only what the handbook pages use: `flowchart LR`, nodes `A[text]` and `A["text<br/>more"]`, arrows
`-->`, chains of them. GitHub draws the same fences with Mermaid itself. Anything else is an error
at build time.
"""

from __future__ import annotations

import itertools
import re
from html import escape
from pathlib import Path
from zlib import crc32

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

_NODE = re.compile(r"""\s*(?P<id>\w+)\s*(?:\[\s*(?:"([^"]*)"|([^\]"]*))\s*\])?\s*""")


def rows(text: str) -> list[list[str]]:
    """The texts of the boxes, a row for each way from a node to which no arrow leads; a row ends
    at a node that a row above goes on from.

    Raises:
        ValueError: a line is not of the few forms above; the message holds the line.
    """
    first, *lines = [line.strip() for line in text.splitlines() if line.strip()] or [""]
    if first.split() != ["flowchart", "LR"]:
        raise ValueError(f"a flowchart starts with `flowchart LR`; it starts with {first!r}")
    texts: dict[str, str] = {}
    edges: list[tuple[str, str]] = []
    for line in lines:
        chain = [_NODE.fullmatch(part) for part in line.split("-->")]
        if None in chain:
            raise ValueError(
                f"a line of a flowchart is `A[text] --> B[text]`; this one is {line!r}"
            )
        for node in chain:
            texts[node["id"]] = node[2] or node[3] or texts.get(node["id"], node["id"])
        edges += itertools.pairwise(node["id"] for node in chain)
    made = []
    while edges:
        led_to = {end for _, end in edges}
        name = next((start for start, _ in edges if start not in led_to), edges[0][0])
        row = [texts[name]]
        while step := next((edge for edge in edges if edge[0] == name), None):
            edges.remove(step)
            name = step[1]
            row.append(texts[name])
        made.append(row)
    return made


def drawn(text: str) -> str:
    """The rows as HTML; of a box, the first line is bold."""

    def box(said: str) -> str:
        first, *more = (escape(line.strip()) for line in re.split(r"<br\s*/?>", said))
        return f"<span>{'<br>'.join([f'<b>{first}</b>', *more])}</span>"

    made = ("<i>→</i>".join(map(box, row)) for row in rows(text))
    return "".join(f'<p class="flowchart">{row}</p>' for row in made)


class Flowchart(SphinxDirective):
    """The directive behind ```mermaid fences."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        try:
            html = drawn("\n".join(self.content))
        except ValueError as problem:
            raise self.error(str(problem)) from None
        return [nodes.raw("", html, format="html")]


def setup(app):
    app.add_directive("mermaid", Flowchart)
    # Another drawing is another environment for Sphinx: pages are read again.
    return {
        "version": "1",
        "env_version": crc32(Path(__file__).read_bytes()),
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
