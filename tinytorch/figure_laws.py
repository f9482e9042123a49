"""Laws of pictures: what a function draws on an Axes, and the cases that several exercises have.

    PLOT = Plot("plot_rates", records_and_points)

    @law(1, "Axes it is given", look="draw on ax, and return it")
    def test_the_line_is_on_the_axes(tt, inside, draw):
        yield from PLOT.drawn_and_returned(tt, inside, draw)

    @law(2, "both labels", look="ax.set(xlabel=..., ylabel=...)")
    def test_the_labels_have_units(tt, inside, draw):
        yield from PLOT.seen(tt, inside, draw).labeled("size (MB)", "rate (1/s)")

The laws of an exercise look at one picture, because drawing costs far more than looking. The first
law has it drawn afresh.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


# a probe of `inside`
def picture(tt: Any, name: str, records: Any, own: bool = False) -> dict[str, Any]:
    """What the function `name` draws of the records, and the records afterwards. It draws on Axes
    that it is given or, if `own`, on those that it makes while others are the current ones. Numbers
    are rounded to 6 digits after the point.
    """
    import copy
    import sys

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    if own:
        import matplotlib.pyplot  # noqa: F401

    def open_figures() -> set[int]:
        pyplot = sys.modules.get("matplotlib.pyplot")
        return {*pyplot.get_fignums()} if pyplot else set()

    before, records = open_figures(), copy.deepcopy(records)
    given: Any = (sys.modules["matplotlib.pyplot"].figure() if own else Figure()).subplots()
    try:
        got = getattr(tt, name)(records, *([] if own else [given]))
    finally:
        for number in open_figures() - before:
            sys.modules["matplotlib.pyplot"].close(number)
    another = isinstance(got, Axes) and got is not given
    kind = "other Axes" if another else f"not ax, but an object of type {type(got).__name__}"
    ax: Any = got if own and another else given

    def rounded(*numbers: Any) -> tuple[float, ...]:
        return tuple(round(float(number), 6) for number in numbers)

    def look(line: Any) -> str:
        return str((line.get_color(), line.get_linestyle(), line.get_marker()))

    lines, legend, boxes = ax.get_lines(), ax.get_legend(), [p.get_bbox() for p in ax.patches]
    rows = [*zip(legend.get_texts(), legend.get_lines(), strict=False)] if legend else []
    # asked for only where there are bars, as ticks cost as much as a picture
    ticks = [*zip(ax.get_xticks(), ax.get_xticklabels(), strict=False)] if boxes else []
    return {
        "returned": "ax" if got is given else kind,
        "count": len(lines) + len(boxes) + len(ax.collections),
        "title": " ".join(filter(None, map(ax.get_title, ("left", "center", "right")))),
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "lines": [[rounded(*point) for point in line.get_xydata()] for line in lines],
        "styles": [str(line.get_linestyle()) for line in lines],
        "markers": [str(line.get_marker()) for line in lines],
        "legend": [
            (text.get_text(), [n for n, line in enumerate(lines) if look(line) == look(row)])
            for text, row in rows
        ],
        "bars": [
            ([text.get_text() for x, text in ticks if box.x0 < x < box.x1], *rounded(box.y1))
            for box in boxes
        ],
        "corners": [rounded(*end) for box in boxes for end in (box.min, box.max)],
        "scales": [
            (axis.get_scale(), getattr(axis.get_transform(), "base", None))
            for axis in (ax.xaxis, ax.yaxis)
        ],
        "limits": [rounded(*ax.get_xlim()), rounded(*ax.get_ylim())],
        "afterwards": records,
    }


@dataclass
class Picture:
    """What is on an Axes, and how it came there."""

    call: str
    records: Any
    points: Any  # what `drawn` says belongs to the records
    returned: str
    count: int  # of lines, bars and groups of dots
    title: str  # left, center and right
    labels: list[str]  # of x and y, like scales and limits
    lines: list[list[tuple[float, float]]]
    styles: list[str]
    markers: list[str]
    legend: list[tuple[str, list[int]]]  # a text, and the numbers of the lines with its look
    bars: list[tuple[list[str], float]]  # the names under it, and where it ends
    corners: list[tuple[float, float]]
    scales: list[tuple[str, float | None]]  # with the base
    limits: list[tuple[float, float]]
    afterwards: Any  # the records

    def line(self, count: int) -> list[tuple[float, float]]:
        """The points of the line that has so many; without such a line, those of all lines."""
        every = [point for line in self.lines for point in line]
        return next((line for line in self.lines if len(line) == count), every)

    def labeled(self, *labels: str) -> Iterator[Any]:
        """The cases of "both axes are labeled": the words in any case, the unit as it is."""
        for axis, got, want in zip("xy", self.labels, labels, strict=True):
            words, _, unit = want.partition("(")
            holds = words.lower() in got.lower() and unit in got
            yield f"{self.call}: {axis} label", got or "no label", want, holds

    def joined(self) -> Iterator[Any]:
        """The case of "the points of a line are joined"."""
        holds = bool(self.styles) and "None" not in self.styles
        yield f"{self.call}: line styles", self.styles, ["-"] * len(self.styles), holds

    def begins_at_0(self) -> Iterator[Any]:
        """The case of "the y axis begins at 0"."""
        bottom = self.limits[1][0]
        yield f"{self.call}: where the y axis begins", bottom, 0.0, bottom == 0 and self.count > 0

    def all_visible(self) -> Iterator[Any]:
        """The case of "every point is inside the axes"."""
        (left, right), (bottom, top) = map(sorted, self.limits)
        points = [point for line in self.lines for point in line] + self.corners
        hidden = [
            f"({x:.6g}, {y:.6g})"
            for x, y in points
            if not (left <= x <= right and bottom <= y <= top)
        ]
        got = f"x from {left:.4g} to {right:.4g}, y from {bottom:.4g} to {top:.4g}"
        got += f"; outside: {', '.join(hidden[:3])}" if points else "; no line and no bar"
        holds = bool(points) and not hidden
        yield f"{self.call}: the visible axes", got, "no point outside", holds


class Plot:
    """A function that draws, and the picture that the laws of its exercise share.

    Args:
        name: of the function.
        drawn: takes the Generator of a law, and returns records and the points that belong to them.
    """

    def __init__(self, name: str, drawn: Callable[[Any], tuple[Any, Any]]):
        self.name, self.drawn = name, drawn
        self._shared: tuple[Any, Picture] | None = None

    def picture(self, inside: Any, records: Any, points: Any = None, own: bool = False) -> Picture:
        """One more picture, of these records."""
        shown = "records" if points else repr(records)
        call = f"{self.name}({shown})" if own else f"{self.name}({shown}, ax)"
        return Picture(call, records, points, **inside(picture, self.name, records, own))

    def seen(self, tt: Any, inside: Any, draw: Any, *, afresh: bool = False) -> Picture:
        """The picture that all laws share."""
        # Through the pipe an attribute is another object each time, the module is the same one.
        function = vars(tt).get(self.name, tt)
        if afresh or not self._shared or self._shared[0] is not function:
            self._shared = None
            self._shared = function, self.picture(inside, *self.drawn(draw))
        return self._shared[1]

    def drawn_and_returned(self, tt: Any, inside: Any, draw: Any) -> Iterator[Any]:
        """The cases of "draws on the Axes it is given and returns it", for the first law."""
        call = f"{self.name}(records, ax)"
        returned = lambda: self.seen(tt, inside, draw, afresh=True).returned  # noqa: E731
        yield f"{call}: what is returned", returned, "ax"
        count = self.seen(tt, inside, draw).count
        yield f"{call}: lines and bars on ax", count, "1 or more", count > 0

    def named(self, tt: Any, inside: Any, draw: Any, one: dict[str, Any]) -> Iterator[Any]:
        """The cases of "a legend names every line". The shared points are a dict name -> points,
        and `one` are records of a single name, which gets a drawn number. Which line a name belongs
        to is told by its first two points; a line of other points breaks another promise.
        """
        seen = self.seen(tt, inside, draw)
        names = sorted(name for name, _ in seen.legend)
        yield f"{seen.call}: the legend", names, sorted(seen.records)
        begins = {_begin(points): name for name, points in seen.points.items()}
        for name, numbers in seen.legend:
            got = [begins.get(_begin(seen.lines[number]), name) for number in numbers]
            call = f"{seen.call}: the line that the legend calls {name!r}"
            yield call, f"the line of {' or '.join(got) or 'none'}", f"that of {name}", name in got
        one = {f"{name} {draw.integers(100, 1000)}": rows for name, rows in one.items()}
        alone = self.picture(inside, one)
        yield f"{alone.call}: the legend", [name for name, _ in alone.legend], [*one]


def _begin(points: list[tuple[float, float]]) -> tuple[float, ...]:
    return tuple(y for _, y in sorted(points)[:2])
