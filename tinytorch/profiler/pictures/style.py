"""The look that all pictures share: colors, axes, legends, and how numbers are written.

The title of a picture states its result, computed from the data that it shows. The colors are those
of Okabe and Ito (2008), which color-blind people can tell apart.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

POINTS_PER_LETTER = 0.56  # width of a letter over the font size: an upper estimate for DejaVu Sans
FACE, INK, FAINT = "#ffffff", "#1a1a1a", "#5f5f5f"  # background, words, limits
BLUE = "#0072B2"
STAGE_COLORS = {
    "fetch": "#56B4E9",
    "transform": "#E69F00",
    "collate": "#CC79A7",
    "other": "#C8C8C8",
}
STEP, WAIT = "#009E73", "#D55E00"  # of the training step, and of waiting for data


def some(records: Iterable[Any]) -> list[Any]:
    listed = list(records)
    if not listed:
        raise ValueError("a plot needs at least one record, got none")
    return listed


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
    """A number with three digits and, from a thousand on, a prefix."""
    scales = ((1e9, " G"), (1e6, " M"), (1e3, " k"))
    scale, unit = next((pair for pair in scales if abs(value) >= pair[0]), (1.0, ""))
    return f"{value / scale:.3g}{unit}"
