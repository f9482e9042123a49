"""A picture of the rates of several loaders beside the limit from the same run: how much each
version gained.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinytorch.profiler.pictures.plots import _count, _dress, _new_axes, _sentence, _theme

LIMIT = "limit"
WIDTH = 5.2  # inches; its letters stay legible on a phone, which shows it at 390 pixels


def plot_ladder(rates: Mapping[str, float], ax: Any = None, *, style: str = "light") -> Any:
    """Draw one bar for each loader, in the given order, and the limit as a line; return the Axes.

    Args:
        rates: name -> samples per second, one of them named "limit": the same rows gathered by one
            bare NumPy call a batch.
        ax, style: as for `plot_throughput`.
    """
    names = [name for name in rates if name != LIMIT]
    if not names or LIMIT not in rates:
        raise ValueError(
            f"plot_ladder needs the rate of a loader and one named {LIMIT!r}, got"
            f" {', '.join(rates) or 'none'}"
        )
    theme, limit = _theme(style), rates[LIMIT]
    ax = ax if ax is not None else _new_axes(1.5 + 0.5 * len(names), WIDTH)
    right = 1.32 * max(limit, *(rates[name] for name in names))
    for row, name in enumerate(names):
        ax.barh(row, rates[name], height=0.6, color=theme.series[0])
        times = f", {rates[name] / rates[names[0]]:.1f}x" if row else ""
        inside = rates[name] > 0.55 * right  # outside, the text would cross the line of the limit
        ax.annotate(
            f"{_count(rates[name])}{times}, {_share(rates[name] / limit)} of the limit",
            (rates[name], row),
            xytext=(-6 if inside else 6, 0),
            textcoords="offset points",
            va="center",
            ha="right" if inside else "left",
            fontsize=9.5,
            color=theme.face if inside else theme.ink,
            bbox=(
                None
                if inside
                else {"facecolor": theme.face, "edgecolor": "none", "pad": 1, "alpha": 0.85}
            ),
        )
    ax.axvline(limit, color=theme.faint, linestyle=":", linewidth=1.8)
    ax.annotate(
        "limit: one bare gather",
        (limit, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        va="bottom",
        color=theme.faint,
        fontsize=9,
    )
    ax.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_xlim(0, right)
    ax.xaxis.set_major_formatter(lambda value, _: _count(value))
    best = max(names, key=rates.get)
    title = (
        f"{_sentence(best.replace('_', ' '))} reaches {_share(rates[best] / limit)} of the limit"
    )
    if best != names[0]:
        title += (
            f", {rates[best] / rates[names[0]]:.1f} times as fast as {names[0].replace('_', ' ')}"
        )
    _dress(ax, theme, title, "throughput (samples/s)", "")
    # leave room for the limit's label below the title
    ax.set_title(ax.get_title(loc="left"), loc="left", color=theme.ink, fontsize=11.5, pad=18)
    return ax


def _share(value: float) -> str:
    return f"{value:.0%}" if value >= 0.1 else f"{value:.1%}"
