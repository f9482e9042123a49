"""A ```mermaid flowchart as an inline SVG made at build time: no script, no request, readable in
both themes and on a phone.

Only what the handbook pages use: `flowchart LR`, nodes `A[text]` and `A["text<br/>more"]`, arrows
`-->`, chains of them. GitHub draws the same fences with Mermaid itself. Anything else is an error
at build time.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from zlib import crc32

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

_NODE = re.compile(r"""\s*(?P<id>\w+)\s*(?:\[\s*(?:"([^"]*)"|([^\]"]*))\s*\])?\s*""")
_PAGE = 800  # pixels; the text column is 736 wide
# pixels; a bold character of the 13 px font is about 7.5 wide
_CHAR, _LINE, _PAD, _GAP_ALONG, _GAP_ACROSS = 7.5, 18, 12, 44, 18


@dataclass
class Chart:
    """Nodes by name with their lines of text, and edges (from, to) in the order they were
    written.
    """

    texts: dict[str, list[str]] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)

    def layers(self) -> list[list[str]]:
        """Each node one layer after the last of those that point to it; an arrow back to an
        earlier node moves nothing.
        """
        order = list(self.texts)
        depth = dict.fromkeys(order, 0)
        for _ in order:
            for start, end in self.edges:
                if order.index(start) < order.index(end):
                    depth[end] = max(depth[end], depth[start] + 1)
        return [
            [name for name in order if depth[name] == level]
            for level in range(max(depth.values()) + 1)
        ]

    def said(self) -> str:
        """The chart as a sentence, for whoever hears the page."""
        return "Flowchart: " + "; ".join(
            f"{' '.join(self.texts[a])} to {' '.join(self.texts[b])}" for a, b in self.edges
        )


def parse(text: str) -> Chart:
    """Read the fence's text.

    Raises:
        ValueError: a line is not of the few forms above; the message holds the line.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or lines[0].split() != ["flowchart", "LR"]:
        raise ValueError(
            f"a flowchart starts with `flowchart LR`; it starts with {lines[0] if lines else ''!r}"
        )
    chart = Chart()
    for line in lines[1:]:
        before = None
        for part in line.split("-->"):
            found = _NODE.fullmatch(part)
            if not found:
                raise ValueError(
                    f"a line of a flowchart is `A[text] --> B[text]`; this one is {line!r}"
                )
            name, shown = found["id"], found[2] or found[3]
            if shown or name not in chart.texts:
                chart.texts[name] = re.split(r"<br\s*/?>", shown) if shown else [name]
            if before:
                chart.edges.append((before, name))
            before = name
    return chart


def draw(chart: Chart, direction: str) -> str:
    """The chart as SVG, along the page ("LR") or down it ("TD")."""
    size = {
        name: (max(len(line) for line in lines) * _CHAR + 2 * _PAD, len(lines) * _LINE + _PAD)
        for name, lines in chart.texts.items()
    }
    along, across = (0, 1) if direction == "LR" else (1, 0)
    layers = chart.layers()
    breadth = [
        sum(size[name][across] for name in layer) + _GAP_ACROSS * (len(layer) - 1)
        for layer in layers
    ]
    place, offset = {}, 1.0
    for layer, wide in zip(layers, breadth, strict=True):
        deep, beside = max(size[name][along] for name in layer), 1 + (max(breadth) - wide) / 2
        for name in layer:
            corner = [0.0, 0.0]
            corner[along], corner[across] = offset + (deep - size[name][along]) / 2, beside
            place[name] = tuple(corner)
            beside += size[name][across] + _GAP_ACROSS
        offset += deep + _GAP_ALONG
    extent = [0.0, 0.0]
    extent[along], extent[across] = offset - _GAP_ALONG + 1, max(breadth) + 2
    parts = [_edge(place, size, edge, along) for edge in chart.edges] + [
        _box(place[name], size[name], lines) for name, lines in chart.texts.items()
    ]
    return (
        f'<svg class="flowchart flowchart-{direction.lower()}" role="img"'
        f' aria-label="{escape(chart.said(), quote=True)}" viewBox="0 0 {extent[0]:g}'
        f' {extent[1]:g}" width="{extent[0]:g}" height="{extent[1]:g}"'
        f' xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def _box(corner: tuple[float, float], size: tuple[float, float], lines: list[str]) -> str:
    x, y = corner[0] + size[0] / 2, corner[1] + size[1] / 2 - (len(lines) - 1) * _LINE / 2 + 4.5
    words = "".join(
        f'<text x="{x:g}" y="{y + k * _LINE:g}"'
        f' class="{"more" if k else "first"}">{escape(line.strip())}</text>'
        for k, line in enumerate(lines)
    )
    return (
        f'<rect x="{corner[0]:g}" y="{corner[1]:g}" width="{size[0]:g}" height="{size[1]:g}"'
        f' rx="6"/>{words}'
    )


def _edge(place: dict, size: dict, edge: tuple[str, str], along: int) -> str:
    start, end = edge

    def point(name: str, share: float) -> tuple[float, float]:
        corner, extent = place[name], size[name]
        return tuple(corner[k] + extent[k] * (share if k == along else 0.5) for k in (0, 1))

    (x0, y0), (x1, y1) = point(start, 1), point(end, 0)
    tip = (
        f"{x1:g},{y1:g} {x1 - 8:g},{y1 - 4:g} {x1 - 8:g},{y1 + 4:g}"
        if along == 0
        else f"{x1:g},{y1:g} {x1 - 4:g},{y1 - 8:g} {x1 + 4:g},{y1 - 8:g}"
    )
    back = (7, 0) if along == 0 else (0, 7)
    return (
        f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1 - back[0]:g}" y2="{y1 - back[1]:g}"/><polygon'
        f' points="{tip}"/>'
    )


class Flowchart(SphinxDirective):
    """The directive behind ```mermaid fences."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        try:
            chart = parse("\n".join(self.content))
        except ValueError as problem:
            raise self.error(str(problem)) from None
        along, down = draw(chart, "LR"), draw(chart, "TD")
        fits = float(ElementTree.fromstring(along).get("width")) <= _PAGE
        # a wider one would be shown too small to read
        both, name = (along + down, "flowcharts two") if fits else (down, "flowcharts")
        return [nodes.raw("", f'<div class="{name}">{both}</div>', format="html")]


def setup(app):
    app.add_directive("mermaid", Flowchart)
    # Another drawing is another environment for Sphinx: pages are read again.
    return {
        "version": "1",
        "env_version": crc32(Path(__file__).read_bytes()),
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
