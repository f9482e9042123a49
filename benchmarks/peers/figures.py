"""What the rounds of a row say: each round is {"epoch": seconds, "limit": seconds, ...}."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

# figure -> (dividend, divisor) within one round
RATIOS = {
    "xg": ("epoch", "limit"),
    "over_steps": ("epoch", "steps"),
}


def per_round(row: Mapping[str, Any], figure: str) -> list[float]:
    """The figure of each round; of a figure that is none of RATIOS the row's own value; [] if it
    was not measured, or the row failed in a later round.
    """
    if "reason" in row:
        return []
    above, below = RATIOS.get(figure, ("", ""))
    measured = [one for one in row.get("rounds", []) if one.get(above) and one.get(below)]
    ratios = [one[above] / one[below] for one in measured]
    own = row.get(figure)
    return ratios if above or own is None else [float(own)]


def with_figures(row: dict[str, Any], samples: int) -> dict[str, Any]:
    """The row with the results of its rounds: medians and their spread (interquartile range over
    median).
    """
    if not row.get("rounds") or "reason" in row:
        return row
    row["seconds"] = statistics.median(one["epoch"] for one in row["rounds"])
    row["samples_per_second"] = samples / row["seconds"]
    for figure, (_, below) in RATIOS.items():
        if ratios := per_round(row, figure):
            row[figure], row[f"{figure}_spread"] = statistics.median(ratios), spread(ratios)
            row[f"{below}_seconds"] = statistics.median(one[below] for one in row["rounds"])
    return row


def spread(values: Sequence[float]) -> float:
    low, high = quartiles(values)
    return (high - low) / statistics.median(values)


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    low, high = np.percentile(values, [25, 75])
    return float(low), float(high)
