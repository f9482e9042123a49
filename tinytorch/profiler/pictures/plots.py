"""Throughput against batch size, and the look that all pictures share.

The title of a picture states its result, computed from the data that it shows. The colors are those
of Okabe and Ito (2008), which color-blind people can tell apart.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

KNEE = 0.9  # the knee is the smallest batch that reaches this part of the best throughput
POINTS_PER_LETTER = 0.56  # width of a letter over the font size: an upper estimate for DejaVu Sans


FACE, INK, FAINT = "#ffffff", "#1a1a1a", "#5f5f5f"  # background, words, limits
BLUE = "#0072B2"
STAGE_COLORS = {
    "fetch": "#56B4E9",
    "transform": "#E69F00",
    "collate": "#CC79A7",
    "other": "#C8C8C8",
}


def plot_throughput(sweep: Sequence[Mapping[str, float]], limit: Mapping[str, float]) -> Any:
    """Draw samples/s against batch size, beside the memory-copy limit, and return the Axes.

    Args:
        sweep: rows with `batch_size` and `samples_per_second`, as `LoaderReport.sweep` has them.
        limit: `memcpy_bytes_per_second` and `bytes_per_sample`, as in `LoaderReport.limit`.
    """
    points = sorted((row["batch_size"], row["samples_per_second"]) for row in some(sweep))
    sizes, rates = zip(*points, strict=True)
    ax = new_axes()
    ax.set_xscale("log", base=2)
    ax.plot(sizes, rates, color=BLUE, marker="o", linewidth=1.9, label="_loader")
    ax.set_xticks(sizes, [str(size) for size in sizes])
    ax.minorticks_off()
    knee, rate = next(point for point in points if point[1] >= KNEE * max(rates))
    ax.plot(
        knee,
        rate,
        color=INK,
        linestyle="",
        marker="o",
        markersize=11,
        fillstyle="none",
        label=f"knee: batch size {knee}, {KNEE:.0%} of the best",
    )
    most = limit["memcpy_bytes_per_second"] / limit["bytes_per_sample"]
    speed = f"{limit['memcpy_bytes_per_second'] / 1e9:.1f} GB/s = {count(most)} samples/s"
    label = f"memory-copy limit: {speed}"
    ax.axhline(most, color=FAINT, linestyle=":", linewidth=1.8, label=label)
    ax.set_ylim(0, 1.14 * max(most, *rates))
    ax.yaxis.set_major_formatter(lambda value, _: count(value))
    title = f"Your loader reaches {max(rates) / most:.0%} of the memory-copy limit"
    dress(ax, title, "batch size (samples)", "throughput (samples/s)")
    draw_legend(ax)
    return ax


# The look


def some(records: Iterable[Any]) -> list[Any]:
    found = list(records)
    if not found:
        raise ValueError("a plot needs at least one record, got none")
    return found


def new_axes(height: float = 4.2, width: float = 7.2) -> Any:
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def draw_legend(ax: Any) -> None:
    """Below the axes, where it hides no line."""
    from matplotlib.transforms import ScaledTranslation

    # 36 points below the axes, below ticks and axis label
    under = ax.transAxes + ScaledTranslation(0, -36 / 72, ax.figure.dpi_scale_trans)
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=under,
        frameon=False,
        fontsize=9,
        labelcolor=INK,
    )


def dress(ax: Any, title: str, xlabel: str, ylabel: str) -> None:
    width = ax.figure.get_figwidth() - 0.8  # inches, without the labels left of the axes
    ax.set_title(wrapped(title, 11.5, width), loc="left", color=INK, fontsize=11.5)
    ax.set_xlabel(xlabel, color=INK)
    ax.set_ylabel(ylabel, color=INK)
    ax.set_facecolor(FACE)
    ax.figure.set_facecolor(FACE)
    ax.tick_params(colors=INK)
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(INK)


def wrapped(text: str, font_points: float, width_inches: float) -> str:
    return textwrap.fill(text, max(16, int(72 * width_inches / (font_points * POINTS_PER_LETTER))))


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def time_unit(seconds: float) -> tuple[float, str]:
    """The factor to multiply seconds with, and the unit of the product."""
    if seconds >= 1:
        return 1.0, "s"
    return (1e3, "ms") if seconds >= 1e-3 else (1e6, "µs")


def count(value: float) -> str:
    return _scaled(value, (" k", " M", " G"))


def size(num_bytes: float) -> str:
    return _scaled(num_bytes, (" kB", " MB", " GB"), " B")


def _scaled(value: float, units: Sequence[str], one: str = "") -> str:
    scales = zip((1e9, 1e6, 1e3), reversed(units), strict=True)
    scale, unit = next((pair for pair in scales if abs(value) >= pair[0]), (1.0, one))
    return f"{value / scale:.3g}{unit}"
