"""Two pictures over time: what loader and training step do side by side, and the memory that a
loader holds.

As in `plots`, the title states the result, computed from the data. The colors are those of Okabe
and Ito (2008), and waiting is hatched as well as colored. Records are dicts, or objects with
`as_dict()`. matplotlib is imported only when a picture is drawn.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from tinytorch.profiler.pictures.plots import (
    DASHES,
    LABEL_LETTERS,
    POINTS_PER_LETTER,
    Theme,
    _as_dict,
    _axes_points,
    _bytes,
    _dress,
    _name_ends,
    _room,
    _sentence,
    _theme,
    _wrapped,
)
from tinytorch.profiler.recording.measure import NOISY_SPREAD, NOT_THE_BOTTLENECK

# a run is called faster if it is this many times faster; smaller differences are noise
GAIN = 1.1
STEP, WAIT = "#009E73", "#D55E00"
ON_COLOR = "#000000"  # text inside a colored bar; its contrast is at least 6:1 on each color
LANES = {"load": (1.0, "loader"), "train": (0.0, "train step")}
NOTHING_MB = 0.5  # less memory than this is only a few pages, too little to compute a ratio
INVISIBLE = 0.002  # of the whole width: a stage with less needs no entry in the legend
BAR = 0.62  # height of a bar, where lanes are 1 apart
# room for the text at a row's end and for the lanes' names, in points
END_POINTS, LEFT_POINTS = 92.0, 72.0


def plot_timeline(
    timelines: Iterable[Any], *, style: str = "light", width_inches: float = 7.2
) -> Any:
    """Draw one row for each timeline, with the loader above the training step, and return the
    Figure.

    Args:
        timelines: each with `name`, `wall_seconds`, `idle_share` (waiting / wall), `step_seconds`,
            `stretch` (a step's seconds over those of the step alone), `spread`, and `spans`: dicts
            with `lane` ("load" or "train"), `stage`, `batch`, `start`, `stop` in seconds, of the
            first batches or of all. The others are compared with the first timeline. `batches` may
            give the number of batches in the wall time; if it is more than the spans show, the
            picture says so.
        style: "light" or "dark".
        width_inches: the width of the figure.

    Raises:
        ValueError: there is no timeline, or a field is missing.
    """
    import matplotlib.pyplot as plt

    theme, rows = _theme(style), [_checked(_as_dict(timeline)) for timeline in timelines]
    if not rows:
        raise ValueError("a plot needs at least one record, got none")
    title = _wrapped(timeline_finding(rows), 11.5, width_inches - 0.2)
    height = 1.0 + 1.45 * len(rows) + 0.2 * title.count("\n")
    figure, grid = plt.subplots(
        len(rows),
        1,
        sharex=True,
        squeeze=False,
        figsize=(width_inches, height),
        layout="constrained",
    )
    axes = [row[0] for row in grid]
    last = max((_end(row) for row in rows), default=0.0) or 1.0
    room = min(0.5, END_POINTS / max(1.0, 72 * width_inches - LEFT_POINTS))
    scale, unit = _time_unit(last)
    axes[0].set_xlim(0, last * scale / (1 - room))
    axes[0].locator_params(axis="x", nbins=max(2, int(width_inches)))
    for ax, row in zip(axes, rows, strict=True):
        _draw_row(ax, row, theme, scale, width_inches)
    shown = max(map(_shown, rows))
    axes[-1].set_xlabel(f"time ({unit}), {_batches(shown)}", color=theme.ink)
    figure.suptitle(title, x=0.01, ha="left", color=theme.ink, fontsize=11.5)
    figure.set_facecolor(theme.face)
    _legend(figure, rows, theme, width_inches)
    return figure


def timeline_finding(rows: Sequence[dict[str, Any]]) -> str:
    """One sentence on what prefetch gains. Three rows are those of `profile_loader`: without
    prefetch, with the step elsewhere, and with the step on the same cores. Otherwise the fastest
    row is compared with the first, and a single row gives its waiting time.
    """
    first = rows[0]
    if len(rows) == 1:
        return f"The training step waits for data {first['idle_share']:.0%} of the time"
    gains = [
        first["wall_seconds"] / row["wall_seconds"] if row["wall_seconds"] > 0 else 1.0
        for row in rows[1:]
    ]
    if len(rows) != 3:
        best = max(range(len(gains)), key=gains.__getitem__)
        return (
            f"{_sentence(rows[1 + best]['name'])} is"
            f" {gains[best]:.2f} times as fast as {first['name']}"
        )
    (elsewhere, here), idle = gains, first["idle_share"]
    if idle < NOT_THE_BOTTLENECK:
        return f"Nothing to hide: the training step waits for data {idle:.1%} of the time"
    if elsewhere >= GAIN:
        return (
            f"Prefetch hides loading, also from a step on the same cores: {elsewhere:.2f} times as"
            f" fast elsewhere, {here:.2f} times here"
            if here >= GAIN
            else (
                f"Prefetch hides loading only when the step runs elsewhere: {elsewhere:.2f} times"
                f" as fast there, {here:.2f} times on the same cores"
            )
        )
    numbers = (
        f"{elsewhere:.2f} times as fast with the step elsewhere, {here:.2f} times on the same cores"
    )
    if idle * GAIN > 1:  # even with a perfect overlap nearly all of the waiting would remain
        return (
            f"Prefetch cannot hide loading that takes {idle / max(1e-9, 1 - idle):.0f} times as"
            f" long as the step: {numbers}"
        )
    return f"Prefetch changes little: {numbers}"


def plot_resident(
    records: Iterable[Any],
    ax: Any = None,
    *,
    style: str = "light",
    dataset_bytes: int | None = None,
) -> Any:
    """Draw how much memory was held over time, above that at the start, one line for each record,
    and return the Axes.

    Args:
        records: each with `resident` ([[seconds, bytes], ...] in order) and, when there are
            several, `label`.
        ax: Axes to draw on; None makes a figure.
        style: "light" or "dark".
        dataset_bytes: the size of the whole dataset, drawn as a line for comparison.
    """
    theme, lines = _theme(style), [_resident_line(_as_dict(record)) for record in records]
    if not lines:
        raise ValueError("a plot needs at least one record, got none")
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")[1]
    top = max([max(held) for _, _, held in lines] + [(dataset_bytes or 0) / 1e6]) or 1.0
    last = max(seconds[-1] for _, seconds, _ in lines) or 1.0
    scale, unit = _time_unit(last)
    for number, (label, seconds, held) in enumerate(lines):
        ax.plot(
            [scale * second for second in seconds],
            held,
            color=theme.series[number % 5],
            linestyle=DASHES[number % 5],
            linewidth=1.9,
            drawstyle="steps-post",
            label=label or "_loader",
        )
    low = min(0.0, *(min(held) for _, _, held in lines))
    ax.set_ylim(low - 0.02 * (top - low), low + 1.14 * (top - low))  # a line at 0 stays visible
    names = [
        [*textwrap.wrap(label, LABEL_LETTERS), f"peak {_bytes(1e6 * max(held))}"]
        for label, _, held in lines
    ]
    ax.set_xlim(0, scale * last / (1 - _room(ax, names)))
    ends = [(scale * seconds[-1], held[-1]) for _, seconds, held in lines]
    places = _name_ends(ax, ends, names, theme)
    if dataset_bytes is not None:
        _mark_dataset(
            ax,
            dataset_bytes,
            [(x, place, name) for (x, _), place, name in zip(ends, places, names, strict=True)],
            theme,
        )
    _dress(ax, theme, resident_finding(lines), f"time ({unit})", "memory above the start (MB)")
    return ax


def resident_finding(lines: Sequence[tuple[str, list[float], list[float]]]) -> str:
    """One sentence on lines (label, seconds, MB): how much less memory the best one needs, or how
    much the only one holds.
    """
    peaks = {label: max(held) for label, _, held in lines}
    if len(lines) == 1:
        return f"The process grows by {_bytes(1e6 * max(lines[0][2]))} while it loads"
    small, large = min(peaks, key=peaks.get), max(peaks, key=peaks.get)
    if peaks[large] < NOTHING_MB or peaks[large] <= 1.05 * peaks[small]:
        return f"No difference: none holds more than {_bytes(1e6 * peaks[large])}"
    if peaks[small] < NOTHING_MB:
        return f"{_sentence(small)} needs hardly any memory, {large} {_bytes(1e6 * peaks[large])}"
    return (
        f"{_sentence(small)} needs {peaks[large] / peaks[small]:.1f} times less memory than {large}"
    )


def _mark_dataset(
    ax: Any, dataset_bytes: int, taken: Sequence[tuple[float, float, list[str]]], theme: Theme
) -> None:
    """Draw a line at the dataset's size. Its text is placed where it does not overlap the names of
    the other lines, given as (x, height, name).
    """
    level, words, wide, high = (
        dataset_bytes / 1e6,
        f"whole dataset: {_bytes(dataset_bytes)}",
        _axes_points(ax),
        72 * ax.figure.get_figheight() * 0.7,
    )
    (left, right), (low, top) = ax.get_xlim(), ax.get_ylim()

    def crossed(side: str, lift: int) -> int:
        from_x = 0.02 * wide if side == "left" else 0.98 * wide - 9 * POINTS_PER_LETTER * len(words)
        y = (level - low) / (top - low) * high + lift
        count = 0
        for end, place, name in taken:
            x = (end - left) / (right - left) * wide
            apart_x = (
                x > from_x + 9 * POINTS_PER_LETTER * len(words)
                or x + 9.5 * POINTS_PER_LETTER * max(map(len, name)) + 9 < from_x
            )
            count += not (
                apart_x or abs((place - low) / (top - low) * high - y) > 7 * len(name) + 7
            )
        return count

    side, lift = min(
        ((side, lift) for lift in (9, -9) for side in ("left", "right")),
        key=lambda spot: crossed(*spot),
    )
    ax.axhline(level, color=theme.faint, linestyle=":", linewidth=1.8)
    ax.annotate(
        words,
        (0.02 if side == "left" else 0.98, level),
        xycoords=("axes fraction", "data"),
        xytext=(0, lift),
        textcoords="offset points",
        ha=side,
        va="center",
        color=theme.faint,
        fontsize=9,
    )


def _checked(row: dict[str, Any]) -> dict[str, Any]:
    missing = [
        name
        for name in ("name", "wall_seconds", "idle_share", "step_seconds", "stretch", "spans")
        if row.get(name) is None
    ]
    if missing:
        raise ValueError(
            "a timeline needs name, wall_seconds, idle_share, step_seconds, stretch and spans;"
            f" {', '.join(missing)} is missing in {row.get('name', row)}"
        )
    return {**row, "spans": [_as_dict(span) for span in row["spans"]]}


def _shown(row: dict[str, Any]) -> int:
    return len({span["batch"] for span in row["spans"]})


def _batches(count: int) -> str:
    return f"{count} batch{'' if count == 1 else 'es'}"


def _end(row: dict[str, Any]) -> float:
    return max((span["stop"] for span in row["spans"]), default=row["wall_seconds"])


def _draw_row(
    ax: Any, row: dict[str, Any], theme: Theme, scale: float, width_inches: float
) -> None:
    lanes = {span["lane"] for span in row["spans"]}
    for lane, stage in sorted({(span["lane"], span["stage"]) for span in row["spans"]}):
        spans = [span for span in row["spans"] if (span["lane"], span["stage"]) == (lane, stage)]
        bars = [(scale * span["start"], scale * (span["stop"] - span["start"])) for span in spans]
        looks = {
            "wait": {"facecolor": theme.face, "edgecolor": WAIT, "hatch": "////", "linewidth": 0.6},
            "step": {"facecolor": STEP, "edgecolor": theme.face, "linewidth": 0.8},
        }
        look = looks.get(
            stage, {"facecolor": theme.stages.get(stage, theme.stages["other"]), "linewidth": 0}
        )
        ax.broken_barh(bars, (LANES[lane][0] - BAR / 2, BAR), gid=stage, **look)
        if stage == "step":
            _number(ax, spans, scale, width_inches)
    _write_end(ax, row, theme, scale)
    ax.set_ylim(-0.5, 1.5)
    ax.set_yticks([place for place, _ in LANES.values()], [name for _, name in LANES.values()])
    _dress(ax, theme, "", "", "")
    name = _sentence(row["name"]) + (
        "" if "load" in lanes else " (the loader's stages are not visible)"
    )
    ax.set_title(
        _wrapped(name, 11.5, width_inches - 1.0),
        loc="left",
        color=theme.ink,
        fontsize=10,
        fontweight="bold",
    )
    ax.tick_params(axis="y", length=0)


def _number(ax: Any, spans: list[dict[str, Any]], scale: float, width_inches: float) -> None:
    """Write a step's batch number into its bar, where it fits."""
    points_per_unit = (72 * width_inches - LEFT_POINTS) / ax.get_xlim()[1]
    for span in spans:
        wide = scale * (span["stop"] - span["start"]) * points_per_unit
        text = str(span["batch"])
        if wide > 8 * POINTS_PER_LETTER * len(text) + 4:
            ax.text(
                scale * (span["start"] + span["stop"]) / 2,
                LANES["train"][0],
                text,
                ha="center",
                va="center",
                fontsize=8,
                color=ON_COLOR,
            )


def _write_end(ax: Any, row: dict[str, Any], theme: Theme, scale: float) -> None:
    end, spread = _end(row) * scale, row.get("spread") or 0.0
    wall, more = _seconds(row["wall_seconds"]), (row.get("batches") or 0) > _shown(row)
    words = [
        f"{_batches(row['batches'])}: {wall}" if more else wall,
        f"idle {row['idle_share']:.0%}",
        f"step {_seconds(row['step_seconds'])}",
        f"stretch {row['stretch']:.2f} times",
    ]
    if spread > NOISY_SPREAD:
        words.append(f"noisy: spread {spread:.0%}")
    ax.axvline(end, color=theme.ink, linewidth=1.1)
    ax.annotate(
        "\n".join(words),
        (end, 0.5),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        color=theme.ink,
        fontsize=8.5,
    )


def _legend(figure: Any, rows: Sequence[dict[str, Any]], theme: Theme, width_inches: float) -> None:
    from matplotlib.patches import Patch

    total = sum(map(_end, rows)) or 1.0
    spent = Counter()
    for span in (span for row in rows for span in row["spans"]):
        spent[span["stage"]] += span["stop"] - span["start"]
    seen = {stage for stage, seconds in spent.items() if seconds > INVISIBLE * total}
    patches = [
        Patch(facecolor=color, label=stage)
        for stage, color in theme.stages.items()
        if stage in seen
    ]
    patches += [Patch(facecolor=STEP, label="step")] if "step" in seen else []
    patches += (
        [Patch(facecolor=theme.face, edgecolor=WAIT, hatch="////", label="waiting for data")]
        if "wait" in seen
        else []
    )
    if patches:
        columns = max(1, min(len(patches), int(width_inches / 1.15)))
        figure.legend(
            handles=patches,
            loc="outside lower center",
            ncols=columns,
            frameon=False,
            fontsize=9,
            labelcolor=theme.ink,
        )


def _resident_line(record: dict[str, Any]) -> tuple[str, list[float], list[float]]:
    """Label, seconds from the first point, MB above the first point."""
    points = record.get("resident")
    if not points:
        raise ValueError(
            f"a record needs resident, [[seconds, bytes], ...]; it is {points!r} in"
            f" {record.get('label', record)}"
        )
    (start, ground), label = points[0], record.get("label") or ""
    return (
        label,
        [second - start for second, _ in points],
        [(held - ground) / 1e6 for _, held in points],
    )


def _time_unit(seconds: float) -> tuple[float, str]:
    """The factor to multiply seconds with, and the unit of the product."""
    return next(
        (
            (scale, unit)
            for least, scale, unit in ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"))
            if seconds >= least
        ),
        (1e6, "µs"),
    )


def _seconds(value: float) -> str:
    scale, unit = _time_unit(value) if value > 0 else (1e3, "ms")
    return f"{value * scale:.3g} {unit}" if value * scale < 1000 else f"{value * scale:,.0f} {unit}"
