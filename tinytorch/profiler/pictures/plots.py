"""Three plots of a loader: throughput and peak memory against batch size, and the share of each
stage.

The title of a plot states its result, computed from the data that it shows. The colors are those of
Okabe and Ito (2008), which color-blind people can tell apart; shapes and labels repeat what the
colors say. Lines are labeled at their ends. matplotlib is imported only when a plot is drawn.

Records are dicts, or objects with `as_dict()`. A record's `label` names its line or bar; records
without labels form one line.
"""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

KNEE = 0.9  # the knee is the smallest batch that reaches this part of the line's best throughput


@dataclasses.dataclass(frozen=True)
class Theme:
    """The colors of one style. `face` is the background of the site's pages; for other pages use
    `savefig(..., transparent=True)`.
    """

    face: str
    ink: str
    faint: str
    series: tuple[str, ...]
    stages: dict[str, str]


THEMES = {
    "light": Theme(
        "#ffffff",
        "#1a1a1a",
        "#5f5f5f",
        ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"),
        {"fetch": "#56B4E9", "transform": "#E69F00", "collate": "#CC79A7", "other": "#C8C8C8"},
    ),
    "dark": Theme(
        "#131416",
        "#ececec",
        "#a6a6a6",
        ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442"),
        {"fetch": "#56B4E9", "transform": "#E69F00", "collate": "#CC79A7", "other": "#8A8A8A"},
    ),
}
MARKERS, DASHES = "osD^v", ("-", "--", "-.", ":", "-")
LABEL_LETTERS = 24  # a longer name of a line or bar is broken into several lines
POINTS_PER_LETTER = 0.56  # width of a letter over the font size: an upper estimate for DejaVu Sans


def plot_throughput(
    records: Iterable[Any],
    ax: Any = None,
    *,
    style: str = "light",
    copy_bytes_per_second: float | None = None,
    bytes_per_sample: float | None = None,
) -> Any:
    """Draw samples/s against batch size and return the Axes.

    Args:
        records: each with `batch_size` (samples) and `samples_per_second`.
        ax: Axes to draw on; None makes a figure.
        style: "light" or "dark".
        copy_bytes_per_second, bytes_per_sample: if both are given, the memory-copy limit, their
            quotient, is drawn too.
    """
    theme, lines = _theme(style), _lines(records, "samples_per_second")
    ax = ax if ax is not None else _new_axes()
    if (copy_bytes_per_second is None) != (bytes_per_sample is None):
        raise ValueError(
            "the copy limit needs both copy_bytes_per_second and bytes_per_sample;"
            " one of them is missing"
        )
    best = {label: float(rates.max()) for label, (_, rates) in lines.items()}
    limit = copy_bytes_per_second / bytes_per_sample if bytes_per_sample else None
    top = max([*best.values(), limit or 0.0])
    _draw_lines(ax, lines, theme, top)
    if limit is not None:
        _mark_level(
            ax,
            limit,
            "memory-copy limit:"
            f" {copy_bytes_per_second / 1e9:.1f} GB/s = {_count(limit)} samples/s",
            theme,
        )
    first = next(iter(lines))
    sizes, rates = lines[first]
    knee = _knee(sizes, rates)
    if limit is not None:
        title = f"{_whose(first)} reaches {best[first] / limit:.0%} of the memory-copy limit"
    elif len(lines) > 1:
        fast, slow = max(best, key=best.get), min(best, key=best.get)
        title = f"{_sentence(fast)} is {best[fast] / best[slow]:.1f} times as fast as {slow}"
    elif knee == sizes[-1] and len(sizes) > 1:
        title = f"Throughput still grows at batch size {knee}"
    else:
        title = f"Throughput reaches {KNEE:.0%} of its best at batch size {knee}"
    if len(lines) == 1 and knee != sizes[-1]:
        _point_at_knee(ax, knee, float(rates[list(sizes).index(knee)]), top, theme)
    ax.yaxis.set_major_formatter(lambda value, _: _count(value))
    _dress(ax, theme, title, "batch size (samples)", "throughput (samples/s)")
    return ax


def plot_memory(
    records: Iterable[Any],
    ax: Any = None,
    *,
    style: str = "light",
    dataset_bytes: int | None = None,
) -> Any:
    """Draw peak memory against batch size and return the Axes.

    Args:
        records: each with `batch_size` (samples) and `peak_bytes`; drawn in MB (1e6 bytes).
        ax, style: as for `plot_throughput`.
        dataset_bytes: the size of the whole dataset, drawn as a line for comparison.
    """
    theme, lines = _theme(style), _lines(records, "peak_bytes")
    ax = ax if ax is not None else _new_axes()
    megabytes = {label: (sizes, peaks / 1e6) for label, (sizes, peaks) in lines.items()}
    top = max(
        [float(peaks.max()) for _, peaks in megabytes.values()] + [(dataset_bytes or 0) / 1e6]
    )
    _draw_lines(ax, megabytes, theme, top)
    if dataset_bytes is not None:
        _mark_level(
            ax, dataset_bytes / 1e6, f"whole dataset: {_bytes(dataset_bytes)}", theme, below=True
        )
    worst = {label: float(peaks.max()) for label, (_, peaks) in lines.items()}
    if len(lines) > 1:
        small, large = min(worst, key=worst.get), max(worst, key=worst.get)
        ratio = worst[large] / max(worst[small], 1e-6)
        title = (
            f"{_sentence(small)} needs {ratio:.1f} times less memory than {large}"
            if ratio >= 1.05
            else f"All need the same memory, {_bytes(worst[large])}"
        )
    else:
        sizes, peaks = next(iter(lines.values()))
        slope = (
            float(np.polyfit(sizes, peaks, 1)[0]) if len(sizes) > 1 else float(peaks[0] / sizes[0])
        )
        title = f"Each sample of a batch costs {_bytes(slope)} of peak memory"
    _dress(ax, theme, title, "batch size (samples)", "peak memory (MB)")
    return ax


def plot_stages(records: Iterable[Any], ax: Any = None, *, style: str = "light") -> Any:
    """Draw one bar for each record with the share of each stage in its epoch, and return the Axes.

    Args:
        records: each with `shares` (stage -> fraction), as `StageShares.as_dict()` has; the title
            is about the first record.
        ax, style: as for `plot_throughput`.
    """
    theme, rows = _theme(style), [_as_dict(record) for record in records]
    if not rows:
        raise ValueError("a plot needs at least one record, got none")
    ax = ax if ax is not None else _new_axes(height=1.8 + 0.5 * len(rows))
    width = _axes_points(ax) - 9 * POINTS_PER_LETTER * min(
        LABEL_LETTERS, max(len(_name(row)) for row in rows)
    )
    seen = {
        stage
        for stage in theme.stages
        if any(row["shares"].get(stage, 0.0) >= 0.005 for row in rows)
    }
    named: set[str] = set()
    unnamed: set[str] = set()
    for row, record in enumerate(rows):
        left = 0.0
        for stage, color in theme.stages.items():
            percent = 100 * record["shares"].get(stage, 0.0)
            ax.barh(
                row,
                percent,
                left=left,
                height=0.6,
                color=color,
                edgecolor=theme.face,
                label=stage if row == 0 and stage in seen else None,
            )
            text = f"{stage} {percent:.0f}%"
            if percent / 100 * width >= 9 * POINTS_PER_LETTER * len(text) + 4:
                # the text fits into this part of the bar; narrower parts have none
                ax.text(
                    left + percent / 2,
                    row,
                    text,
                    ha="center",
                    va="center",
                    fontsize=9,
                    color="#000000",
                )
                named.add(stage)
            elif percent >= 1:
                unnamed.add(stage)
            left += percent
    ax.set_yticks(
        range(len(rows)), [textwrap.fill(_name(record), LABEL_LETTERS) for record in rows]
    )
    ax.set_ylim(len(rows) - 0.55, -0.45)  # the first record on top
    ax.set_xlim(0, 100)
    if unnamed - named:  # a color that is not named in any bar
        _legend_below(ax, theme, 4 if width > 230 else 2)
    stage = max(theme.stages, key=lambda name: rows[0]["shares"].get(name, 0.0))
    subject = "the rest of the loader" if stage == "other" else stage
    where = f" ({_name(rows[0])})" if len(rows) > 1 else ""
    _dress(
        ax,
        theme,
        f"{_sentence(subject)} takes {rows[0]['shares'].get(stage, 0.0):.0%} of the loading"
        f" time{where}",
        "share of loading time (%)",
        "",
    )
    return ax


def _legend_below(ax: Any, theme: Theme, columns: int) -> None:
    from matplotlib.transforms import ScaledTranslation

    # 36 points below the axes, below ticks and axis label
    under = ax.transAxes + ScaledTranslation(0, -36 / 72, ax.figure.dpi_scale_trans)
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=under,
        ncols=columns,
        columnspacing=1.2,
        handlelength=1.4,
        frameon=False,
        fontsize=9,
        labelcolor=theme.ink,
    )


def _theme(style: str) -> Theme:
    if style not in THEMES:
        raise ValueError(f"style must be one of {', '.join(THEMES)}, got {style!r}")
    return THEMES[style]


def _as_dict(record: Any) -> dict[str, Any]:
    return dict(record.as_dict() if hasattr(record, "as_dict") else record)


def _lines(records: Iterable[Any], value: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Label -> (batch sizes, values), in the order in which labels first appear. Each line is
    sorted by batch size.
    """
    points: dict[str, list[tuple[int, float]]] = {}
    for record in map(_as_dict, records):
        missing = {"batch_size", value} - record.keys()
        if missing:
            raise ValueError(
                f"a record needs batch_size and {value};"
                f" {', '.join(sorted(missing))} is missing in {record}"
            )
        points.setdefault(record.get("label") or "", []).append(
            (record["batch_size"], record[value])
        )
    if not points:
        raise ValueError("a plot needs at least one record, got none")
    return {
        label: (
            np.array([x for x, _ in sorted(line)]),
            np.array([y for _, y in sorted(line)], dtype=float),
        )
        for label, line in points.items()
    }


def _new_axes(height: float = 4.2, width: float = 7.2) -> Any:
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def _draw_lines(
    ax: Any, lines: dict[str, tuple[np.ndarray, np.ndarray]], theme: Theme, top: float
) -> None:
    """Plot every line with its name at its end. The batch size has a log2 axis; the other axis is
    linear from 0 to a little above `top`.
    """
    ax.set_xscale("log", base=2)
    for number, (label, (x, y)) in enumerate(lines.items()):
        # A leading underscore keeps an unnamed line out of legends.
        ax.plot(
            x,
            y,
            color=theme.series[number % 5],
            marker=MARKERS[number % 5],
            linestyle=DASHES[number % 5],
            linewidth=1.9,
            label=label or "_loader",
        )
    ticks = sorted({int(size) for x, _ in lines.values() for size in x})
    names = [textwrap.wrap(label, LABEL_LETTERS) for label in lines]
    room = _room(ax, names) if any(names) else 0.04
    fitting = max(
        1, int((1 - room) * _axes_points(ax) / (10 * POINTS_PER_LETTER * len(str(ticks[-1])) + 6))
    )
    each = -(-len(ticks) // fitting)
    ax.set_xticks(
        ticks,
        [
            str(tick) if not (len(ticks) - 1 - place) % each else ""
            for place, tick in enumerate(ticks)
        ],
    )
    ax.minorticks_off()
    ax.set_ylim(0, 1.14 * top or 1)
    octaves = max(1.0, np.log2(ticks[-1] / ticks[0]))
    ax.set_xlim(ticks[0] / 2 ** (0.04 * octaves), ticks[-1] * 2 ** (octaves * room / (1 - room)))
    _name_ends(ax, [(x[-1], y[-1]) for x, y in lines.values()], names, theme)


def _room(ax: Any, names: Sequence[list[str]]) -> float:
    """The part of the axes' width that the names at the ends of lines need. The names are inside
    the axes, because a figure without a layout engine cuts off what is outside.
    """
    longest = max(len(part) for name in names for part in name)
    return min(0.6, (9.5 * POINTS_PER_LETTER * longest + 14) / _axes_points(ax))


def _name_ends(
    ax: Any, ends: Sequence[tuple[float, float]], names: Sequence[list[str]], theme: Theme
) -> list[float]:
    """Write each name (a list of lines of text) at the end of its line. Names that would overlap
    are moved apart, and the axis is extended for them. Return the heights of the names.
    """
    # the part of the axes' height that one name needs
    share = min(
        0.9 / len(ends),
        13 * max(1, *map(len, names)) / (72 * ax.figure.get_figheight() * ax.get_position().height),
    )
    low, high = ax.get_ylim()
    for _ in range(2):  # names that move up need a higher axis, and a higher axis needs wider gaps
        gap = share * (high - low)
        places = _apart([max(float(y), low + 0.55 * gap) for _, y in ends], gap)
        high = max(high, max(places) + 0.6 * gap)
    ax.set_ylim(low, high)
    for name, (x, _), place in zip(names, ends, places, strict=True):
        ax.annotate(
            "\n".join(name),
            (x, place),
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            color=theme.ink,
            fontsize=9.5,
            bbox={"facecolor": theme.face, "edgecolor": "none", "pad": 1, "alpha": 0.85},
        )
    return places


def _apart(heights: list[float], gap: float) -> list[float]:
    """The heights, moved up only as far as needed so that no two labels overlap."""
    moved, last = list(heights), -np.inf
    for place in sorted(range(len(heights)), key=heights.__getitem__):
        last = moved[place] = max(heights[place], last + gap)
    return moved


def _knee(sizes: np.ndarray, rates: np.ndarray) -> int:
    return int(sizes[np.argmax(rates >= KNEE * rates.max())])


def _mark_level(ax: Any, height: float, text: str, theme: Theme, below: bool = False) -> None:
    ax.axhline(height, color=theme.faint, linestyle=":", linewidth=1.8)
    ax.annotate(
        text,
        (0.02, height),
        xycoords=("axes fraction", "data"),
        xytext=(0, -5 if below else 5),
        textcoords="offset points",
        va="top" if below else "bottom",
        color=theme.faint,
        fontsize=9,
        bbox={"facecolor": theme.face, "edgecolor": "none", "pad": 1, "alpha": 0.85},
    )


def _point_at_knee(ax: Any, knee: int, rate: float, top: float, theme: Theme) -> None:
    words = f"knee: batch size {knee},\n{KNEE:.0%} of the best"
    left, right = np.log2(ax.get_xlim())
    free = (right - np.log2(1.3 * knee)) / (right - left) * _axes_points(ax)
    fits = free > 9 * POINTS_PER_LETTER * max(map(len, words.split("\n")))
    # Below the line, which is high to the right of its knee; above a line that stays near 0.
    place = (
        1.3 * knee if fits else ax.get_xlim()[1],
        0.06 * top if rate > 0.3 * top else rate + 0.14 * top,
    )
    ax.annotate(
        words,
        (knee, rate),
        xytext=place,
        color=theme.ink,
        fontsize=9,
        ha="left" if fits else "right",
        va="bottom",
        arrowprops={"arrowstyle": "->", "color": theme.faint, "shrinkB": 4},
    )


def _dress(ax: Any, theme: Theme, title: str, xlabel: str, ylabel: str) -> None:
    letters = max(
        (len(line) for tick in ax.get_yticklabels() for line in tick.get_text().splitlines()),
        default=0,
    )
    beside = max(0.8, (10 * POINTS_PER_LETTER * letters + 12) / 72)  # inches left of the axes
    ax.set_title(
        _wrapped(title, 11.5, _width_inches(ax) - beside),
        loc="left",
        color=theme.ink,
        fontsize=11.5,
    )
    ax.set_xlabel(xlabel, color=theme.ink)
    ax.set_ylabel(ylabel, color=theme.ink)
    ax.set_facecolor(theme.face)
    ax.figure.set_facecolor(theme.face)
    ax.tick_params(colors=theme.ink)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.ink)


def _width_inches(ax: Any) -> float:
    """The width of the part of the figure that belongs to these Axes, labels included."""
    place = ax.get_subplotspec()
    return ax.figure.get_figwidth() / (place.get_gridspec().ncols if place else 1)


def _axes_points(ax: Any) -> float:
    """The approximate width of the axes in points, without labels: layout has not run yet."""
    return 72 * max(0.6, _width_inches(ax) - 0.9)


def _wrapped(text: str, font_points: float, width_inches: float) -> str:
    return textwrap.fill(text, max(16, int(72 * width_inches / (font_points * POINTS_PER_LETTER))))


def _name(record: dict[str, Any]) -> str:
    return record.get("label") or f"batch {record.get('batch_size', '?')}"


def _whose(label: str) -> str:
    return _sentence(label) if label else "Your loader"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _count(value: float) -> str:
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def _bytes(value: float) -> str:
    for size, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if abs(value) >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g} B"
