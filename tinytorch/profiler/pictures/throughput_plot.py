"""How fast a loader is over its batch sizes, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tinytorch.profiler.pictures.style import (
    BLUE,
    FAINT,
    INK,
    count,
    draw_legend,
    dress,
    new_axes,
    some,
)

KNEE = 0.9  # the knee is the smallest batch that reaches this part of the best throughput


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
