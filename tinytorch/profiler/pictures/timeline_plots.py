"""A picture over time: what loader and training step do side by side. Waiting is hatched as well as
colored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tinytorch.profiler.pictures.style import (
    FACE,
    INK,
    POINTS_PER_LETTER,
    STAGE_COLORS,
    STEP,
    WAIT,
    dress,
    sentence,
    some,
    time_unit,
    wrapped,
)
from tinytorch.profiler.recording.thresholds import NOISY_SPREAD, NOT_THE_BOTTLENECK

# a run is called faster if it is this many times faster; smaller differences are noise
GAIN = 1.1
ON_COLOR = "#000000"  # text inside a colored bar; its contrast is at least 6:1 on each color
LANES = {"load": (1.0, "loader"), "train": (0.0, "train step")}
INVISIBLE = 0.002  # of the whole width: a stage with less needs no entry in the legend
BAR = 0.62  # height of a bar, where lanes are 1 apart
# room for the text at a row's end and for the lanes' names, in points
END_POINTS, LEFT_POINTS = 92.0, 72.0


def plot_timeline(timelines: Iterable[Mapping[str, Any]], *, width_inches: float = 7.2) -> Any:
    """Draw one row for each timeline, with the loader above the training step, and return the
    Figure.

    Args:
        timelines: those of `LoaderReport.timelines`, or some of them. Their `spans` may be those of
            the first of their `batches`; then the picture says so.
        width_inches: the width of the figure.

    Raises:
        ValueError: there is no timeline.
    """
    import matplotlib.pyplot as plt

    rows = some(timelines)
    title = wrapped(timeline_finding(rows), 11.5, width_inches - 0.2)
    height = 1.0 + 1.45 * len(rows) + 0.2 * title.count("\n")
    figure, axes = plt.subplots(
        len(rows),
        sharex=True,
        squeeze=False,
        figsize=(width_inches, height),
        layout="constrained",
    )
    axes = axes[:, 0]
    last = max(map(_end, rows)) or 1.0
    room = min(0.5, END_POINTS / max(1.0, 72 * width_inches - LEFT_POINTS))
    scale, unit = time_unit(last)
    axes[0].set_xlim(0, last * scale / (1 - room))
    axes[0].locator_params(axis="x", nbins=max(2, int(width_inches)))
    for ax, row in zip(axes, rows, strict=True):
        _draw_row(ax, row, scale, width_inches)
    axes[-1].set_xlabel(f"time ({unit}), {_batches(max(map(_shown, rows)))}", color=INK)
    figure.suptitle(title, x=0.01, ha="left", color=INK, fontsize=11.5)
    figure.set_facecolor(FACE)
    _legend(figure, rows, width_inches)
    return figure


def timeline_finding(rows: Sequence[Mapping[str, Any]]) -> str:
    """One sentence on what prefetch gains. Three rows are those of `profile_loader`: without
    prefetch, with the step elsewhere, and with the step on the same cores. Otherwise the fastest
    row is compared with the first, and a single row gives its waiting time.
    """
    first, idle = rows[0], rows[0]["idle_share"]
    if len(rows) == 1:
        return f"The training step waits for data {idle:.0%} of the time"
    gains = [
        first["wall_seconds"] / row["wall_seconds"] if row["wall_seconds"] > 0 else 1.0
        for row in rows[1:]
    ]
    if len(rows) != 3:
        gain, best = max((gain, row["name"]) for gain, row in zip(gains, rows[1:], strict=True))
        return f"{sentence(best)} is {gain:.2f} times as fast as {first['name']}"
    elsewhere, here = gains
    if idle < NOT_THE_BOTTLENECK:
        return f"Nothing to hide: the training step waits for data {idle:.1%} of the time"
    if elsewhere >= GAIN and here >= GAIN:
        return (
            f"Prefetch hides loading, also from a step on the same cores: {elsewhere:.2f} times as"
            f" fast elsewhere, {here:.2f} times here"
        )
    if elsewhere >= GAIN:
        return (
            f"Prefetch hides loading only when the step runs elsewhere: {elsewhere:.2f} times"
            f" as fast there, {here:.2f} times on the same cores"
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


def _shown(row: Mapping[str, Any]) -> int:
    return len({span["batch"] for span in row["spans"]})


def _batches(count: int) -> str:
    return f"{count} batch{'' if count == 1 else 'es'}"


def _end(row: Mapping[str, Any]) -> float:
    return max((span["stop"] for span in row["spans"]), default=row["wall_seconds"])


def _draw_row(ax: Any, row: Mapping[str, Any], scale: float, width_inches: float) -> None:
    looks = {
        "wait": {"facecolor": FACE, "edgecolor": WAIT, "hatch": "////", "linewidth": 0.6},
        "step": {"facecolor": STEP, "edgecolor": FACE, "linewidth": 0.8},
        **{stage: {"facecolor": color, "linewidth": 0} for stage, color in STAGE_COLORS.items()},
    }
    for lane, stage in sorted({(span["lane"], span["stage"]) for span in row["spans"]}):
        spans = [span for span in row["spans"] if (span["lane"], span["stage"]) == (lane, stage)]
        bars = [(scale * span["start"], scale * (span["stop"] - span["start"])) for span in spans]
        ax.broken_barh(bars, (LANES[lane][0] - BAR / 2, BAR), gid=stage, **looks[stage])
        if stage == "step":
            _number(ax, spans, scale, width_inches)
    _write_end(ax, row, scale)
    ax.set_ylim(-0.5, 1.5)
    ax.set_yticks([place for place, _ in LANES.values()], [name for _, name in LANES.values()])
    dress(ax, "", "", "")
    seen = any(span["lane"] == "load" for span in row["spans"])
    name = sentence(row["name"]) + ("" if seen else " (the loader's stages are not visible)")
    ax.set_title(
        wrapped(name, 11.5, width_inches - 1.0),
        loc="left",
        color=INK,
        fontsize=10,
        fontweight="bold",
    )
    ax.tick_params(axis="y", length=0)


def _number(ax: Any, spans: list[Mapping[str, Any]], scale: float, width_inches: float) -> None:
    """Write a step's batch number into its bar, where it fits."""
    points_per_unit = (72 * width_inches - LEFT_POINTS) / ax.get_xlim()[1]
    for span in spans:
        wide = scale * (span["stop"] - span["start"]) * points_per_unit
        text, middle = str(span["batch"]), scale * (span["start"] + span["stop"]) / 2
        if wide > 8 * POINTS_PER_LETTER * len(text) + 4:
            place = (middle, LANES["train"][0])
            ax.text(*place, text, ha="center", va="center", fontsize=8, color=ON_COLOR)


def _write_end(ax: Any, row: Mapping[str, Any], scale: float) -> None:
    end, wall = _end(row) * scale, _seconds(row["wall_seconds"])
    more = row["batches"] > _shown(row)
    words = [
        f"{_batches(row['batches'])}: {wall}" if more else wall,
        f"idle {row['idle_share']:.0%}",
        f"step {_seconds(row['step_seconds'])}",
        f"stretch {row['stretch']:.2f} times",
    ]
    if row["spread"] > NOISY_SPREAD:
        words.append(f"noisy: spread {row['spread']:.0%}")
    ax.axvline(end, color=INK, linewidth=1.1)
    ax.annotate(
        "\n".join(words),
        (end, 0.5),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        color=INK,
        fontsize=8.5,
    )


def _legend(figure: Any, rows: Sequence[Mapping[str, Any]], width_inches: float) -> None:
    from matplotlib.patches import Patch

    spent: Counter[str] = Counter()
    for span in (span for row in rows for span in row["spans"]):
        spent[span["stage"]] += span["stop"] - span["start"]
    patches = {stage: Patch(facecolor=color, label=stage) for stage, color in STAGE_COLORS.items()}
    patches["step"] = Patch(facecolor=STEP, label="step")
    waiting: dict[str, Any] = {"facecolor": FACE, "edgecolor": WAIT, "hatch": "////"}
    patches["wait"] = Patch(**waiting, label="waiting for data")
    least = INVISIBLE * sum(map(_end, rows))
    seen = [patch for stage, patch in patches.items() if spent[stage] > least]
    if seen:
        figure.legend(
            handles=seen,
            loc="outside lower center",
            ncols=max(1, min(len(seen), int(width_inches / 1.15))),
            frameon=False,
            fontsize=9,
            labelcolor=INK,
        )


def _seconds(value: float) -> str:
    scale, unit = time_unit(value) if value > 0 else (1e3, "ms")
    return f"{value * scale:.3g} {unit}" if value * scale < 1000 else f"{value * scale:,.0f} {unit}"
