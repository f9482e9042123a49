"""A list of the figures that this comparison must reach; each is printed beside its row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from peers.ours import WITH, WITHOUT
from peers.pytorch import TENSORS, TENSORS_2

GATHER, COPIES, NO_COPIES = "ours: one gather", f"ours: {WITH}", f"ours: {WITHOUT}"
FIRST_BATCH_SECONDS = 0.002


@dataclass(frozen=True)
class Bar:
    """The `figure` of the rows of `case` that match `loader` must be at most `most` or at least
    `least`.

    `figure` is a key of the row, or "times": the row's xG over that of the row named `than`, which
    says how many times as fast `than` is.
    """

    case: str
    loader: str
    figure: str
    most: float | None = None
    least: float | None = None
    than: str | None = None

    @property
    def limit(self) -> str:
        return f"at most {self.most:g}" if self.most is not None else f"at least {self.least:g}"

    def value(self, row: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> float | None:
        if self.figure != "times":
            return row.get(self.figure)
        base = rows.get(self.than, {}).get("xg")
        return row["xg"] / base if base and row.get("xg") else None

    def met(self, value: float) -> bool:
        return value <= self.most if self.most is not None else value >= self.least


def _times(case: str, loader: str, least: float, than: str) -> Bar:
    return Bar(case, loader, "times", least=least, than=than)


BARS = (
    Bar("memory uint8", GATHER, "xg", most=1.2),
    Bar("memory float32", GATHER, "xg", most=1.1),
    _times("memory uint8", f"pytorch: {TENSORS}", 7, GATHER),
    _times("memory float32", f"pytorch: {TENSORS}", 3.5, GATHER),
    _times("memory *", f"pytorch: {TENSORS_2}", 15, GATHER),
    _times("memory *", "pytorch: __getitems__ with index_select*", 1, GATHER),
    Bar("memory *", GATHER, "peak_batches", most=3),
    Bar("memory *", GATHER, "first_batch_seconds", most=FIRST_BATCH_SECONDS),
    Bar("augment", COPIES, "xg", most=6.8),
    Bar("augment", NO_COPIES, "xg", most=12.5),
    _times("augment", "pytorch: per sample*", 15, COPIES),
    _times("augment", "fastai: after_item*", 15, COPIES),
    _times("augment", "pytorch: batched*", 5, COPIES),
    _times("augment", "pytorch: per sample*", 8, NO_COPIES),
    _times("augment", "fastai: after_item*", 8, NO_COPIES),
    *(
        _times("augment", f"{peer}: *", 1, ours)
        for peer in ("grain", "tfdata")
        for ours in (COPIES, NO_COPIES)
    ),
    Bar("augment", NO_COPIES, "peak_batches", most=3),
    Bar("step", "ours: *, one prefetch thread", "over_steps", most=1.05),
    Bar("memmap", "ours: MemmapDataset", "xg", most=1.5),
    Bar("resident", "ours: MemmapDataset", "grown_share", most=0.1),
    Bar("order", "ours: epoch_order", "order_peak", most=1.1),
    Bar("order", "ours: epoch_order", "times_list", least=15),
    # For a million samples the order alone takes longer; its figure is printed.
    *(
        Bar(f"scale {count}", GATHER, "first_batch_seconds", most=FIRST_BATCH_SECONDS)
        for count in ("1,000", "10,000", "100,000")
    ),
    Bar("scale *", GATHER, "rate_share", least=0.8),
    Bar("scale *", GATHER, "peak_batches_above_order", most=3),
    *(
        Bar(case, "ours: *", "kept_right", least=1)
        for case in ("memory *", "augment", "step", "memmap")
    ),
)
NAMES = {
    "xg": "xG",
    "times": "ours is faster, times",
    "peak_batches": "peak, batches",
    "first_batch_seconds": "first batch, s",
    "over_steps": "of the steps alone",
    "grown_share": "growth / file",
    "order_peak": "peak / 8 bytes a sample",
    "times_list": "faster than the list, times",
    "rate_share": "samples/s / the fastest size",
    "peak_batches_above_order": "peak above the order, batches",
    "kept_right": "kept batches right",
}


def verdicts(
    case: str, row: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The result of each bar for this row; bars whose figure could not be measured are left out."""
    for bar in BARS:
        if fnmatchcase(case, bar.case) and fnmatchcase(row["loader"], bar.loader):
            value = bar.value(row, rows)
            if value is not None:
                than = f" ({bar.than.removeprefix('ours: ')})" if bar.than else ""
                yield {
                    "figure": NAMES[bar.figure] + than,
                    "value": float(value),
                    "bar": bar.limit,
                    "met": bool(bar.met(value)),
                }
