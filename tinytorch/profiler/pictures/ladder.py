"""A picture of the rates of several loaders beside the limit from the same run: how much each
version gained.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinytorch.profiler.pictures.style import BLUE, FAINT, INK, count, dress, new_axes, sentence

LIMIT = "limit"
WIDTH = 4.5  # inches; 10 points are legible on a phone, which shows it 358 pixels wide


def plot_ladder(rates: Mapping[str, float]) -> Any:
    """Draw one bar for each loader, in the given order, and one for the limit; return the Axes.

    Args:
        rates: name -> samples per second, one of them named "limit": the same rows copied by one
            NumPy call a batch.
    """
    names = [name for name in rates if name != LIMIT]
    if not names or LIMIT not in rates:
        raise ValueError(
            f"plot_ladder needs the rate of a loader and one named {LIMIT!r}, got"
            f" {', '.join(rates) or 'none'}"
        )
    limit, slowest = rates[LIMIT], rates[names[0]]
    ax = new_axes(1.7 + 0.5 * len(rates), WIDTH)
    labels = [f"The limit, a copy of the rows: {count(limit)}"]
    for name in reversed(names):
        times = f", {rates[name] / slowest:.1f}x" if name != names[0] else ""
        of_limit = f"{_share(rates[name] / limit)} of the limit"
        labels.insert(0, f"{_words(name)}: {count(rates[name])}{times}, {of_limit}")
    for row, (name, label) in enumerate(zip([*names, LIMIT], labels, strict=True)):
        color = FAINT if name == LIMIT else BLUE
        ax.barh(row, rates[name], height=0.42, color=color)
        # above its bar a text has the whole width, whatever the length of the bar
        ax.annotate(
            label,
            (0, row - 0.24),
            xytext=(2, 1),
            textcoords="offset points",
            va="bottom",
            fontsize=10,
            color=INK,
        )
    ax.set_yticks([])
    ax.set_ylim(len(names) + 0.4, -0.8)
    ax.set_xlim(0, 1.05 * max(rates.values()))
    ax.xaxis.set_major_formatter(lambda value, _: count(value))
    best = max(names, key=rates.__getitem__)
    title = f"{_words(best)} reaches {_share(rates[best] / limit)} of the limit"
    if best != names[0]:
        title += f", {rates[best] / slowest:.1f} times as fast as {names[0].replace('_', ' ')}"
    dress(ax, title, "throughput (samples/s)", "")
    return ax


def _words(name: str) -> str:
    return sentence(name.replace("_", " "))


def _share(value: float) -> str:
    return f"{value:.0%}" if value >= 0.1 else f"{value:.1%}"
