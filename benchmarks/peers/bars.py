"""A list of the figures that this comparison must reach; each is printed beside its row.

A bar is judged by the rounds of a row: runs are paired, so a ratio of two rows is taken round by
round, and the bar holds if the lower quartile of the rounds reaches it. Whether a peer is ahead is
judged by the median alone.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from peers import ours
from peers.figures import per_round, quartiles

GATHER, COPIES, NO_COPIES = (f"ours: {name}" for name in (ours.GATHER, ours.WITH, ours.WITHOUT))
RANGES, COLUMNS = f"ours: {ours.RANGES}", f"ours: {ours.COLUMNS}"
HOOKS, HOOKS_2 = (f"ours: {ours.HOOKS}, {count} workers" for count in (0, 2))
PER_SAMPLE, BATCH_AUGMENT = "ours: per sample", "ours: BatchAugment, then normalize"
PER_SAMPLE_2 = "ours: 08b, per sample, 2 workers"
PYTORCH, PYTORCH_2 = (f"pytorch: TensorDataset, {count} workers" for count in (0, 2))
OURS = ("ours: ", "naive: ")
FIGURES = {
    "xg": "xG",
    "times": "as long as",
    "faster": "ours is faster, times",
    "ahead": "ours is ahead, times",
    "peak_batches": "peak, batches",
    "first_batch_seconds": "first batch, s",
    "over_steps": "of the steps alone",
    "kept_right": "kept batches right",
}


@dataclass(frozen=True)
class Bar:
    """The `figure` of the rows of `case` that match `loader` must be at most `most` or at least
    `least`.

    `figure` is a key of FIGURES. With `than`, the name of another row, it is this row's xG over
    that row's: "times" for a row of ours, and for a peer's row "faster" and "ahead", which say how
    many times as fast as the peer the row `than` of ours is.
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

    def about(self, case: str, loader: str) -> bool:
        return (
            fnmatchcase(case, self.case)
            and fnmatchcase(loader, self.loader)
            and not (self.figure == "ahead" and loader.startswith(OURS))
        )

    def values(self, row: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> list[float]:
        """The figure in each round; [] if it was not measured."""
        if self.than is None:
            return per_round(row, self.figure)
        pairs = zip(per_round(row, "xg"), per_round(rows.get(self.than, {}), "xg"), strict=False)
        return [one / other for one, other in pairs]

    def met(self, value: float) -> bool:
        return value <= self.most if self.most is not None else value >= self.least


def faster(case: str, loader: str, least: float, than: str) -> Bar:
    return Bar(case, loader, "faster", least=least, than=than)


def at_most(case: str, loader: str, most: float, than: str) -> Bar:
    return Bar(case, loader, "times", most=most, than=than)


# case, row of ours, peers' rows that do the same work in the same way or a better one
RIVALS = (
    ("memory *", GATHER, "*"),
    *(("memory *", lab, "pytorch: *, 0 workers") for lab in (RANGES, HOOKS, COLUMNS)),
    ("memory *", HOOKS, "fastai: *, 0 workers"),
    ("memory *", HOOKS_2, "*, 2 workers"),
    ("augment", COPIES, "*"),
    ("augment", NO_COPIES, "*"),
    ("augment", PER_SAMPLE, "pytorch: per sample, 0 workers"),
    ("augment", PER_SAMPLE, "fastai: after_item, 0 workers"),
    ("augment", PER_SAMPLE_2, "pytorch: per sample, 2 workers"),
    ("augment", PER_SAMPLE_2, "fastai: after_item, 2 workers"),
    ("augment", BATCH_AUGMENT, "pytorch: batched, 0 workers"),
    ("augment", BATCH_AUGMENT, "fastai: after_batch*"),
    ("step", f"{COPIES}, one prefetch thread", "*"),
    ("step", f"{NO_COPIES}, one prefetch thread", "*"),
)
BARS = (
    Bar("memory uint8", GATHER, "xg", most=1.2),
    Bar("memory float32", GATHER, "xg", most=1.1),
    faster("memory uint8", PYTORCH, 7, GATHER),
    faster("memory float32", PYTORCH, 3.5, GATHER),
    faster("memory *", PYTORCH_2, 15, GATHER),
    at_most("memory *", HOOKS, 1.5, GATHER),
    at_most("memory *", COLUMNS, 2, GATHER),
    at_most("memory *", RANGES, 2, GATHER),
    Bar("memory *", GATHER, "peak_batches", most=3),
    Bar("memory *", GATHER, "first_batch_seconds", most=0.002),
    Bar("augment", COPIES, "xg", most=6.5),
    Bar("augment", NO_COPIES, "xg", most=10),
    Bar("augment", BATCH_AUGMENT, "xg", most=20),
    *(
        faster("augment", peer, least, than)
        for peer in ("pytorch: per sample*", "fastai: after_item*")
        for least, than in ((15, COPIES), (8, NO_COPIES))
    ),
    faster("augment", "pytorch: batched*", 5, COPIES),
    Bar("augment", NO_COPIES, "peak_batches", most=3),
    Bar("step", "ours: *, one prefetch thread", "over_steps", most=1.05),
    Bar("*", "ours: *", "kept_right", least=1),
    *(Bar(case, peers, "ahead", least=1, than=row) for case, row, peers in RIVALS),
)


def verdicts(
    case: str, row: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The result of each bar for this row; bars whose figure could not be measured are left out."""
    for bar in BARS:
        values = bar.values(row, rows) if bar.about(case, row["loader"]) else []
        if values:
            low, high = quartiles(values)
            middle = float(statistics.median(values))
            than = f" ({bar.than.removeprefix('ours: ')})" if bar.than else ""
            yield {
                "figure": FIGURES[bar.figure] + than,
                "value": middle,
                "low": low,
                "high": high,
                "bar": bar.limit,
                "met": bool(bar.met(low)),
                "peer_is_ahead": bar.figure == "ahead" and middle < 1,
            }


def compared(case: str, some: Iterable[str], loaders: Iterable[str]) -> set[str]:
    """Those of `loaders` that a bar compares with one of `some`, and `some`."""
    some = set(some)
    chosen = set(some)
    for bar in BARS:
        if bar.than is not None and fnmatchcase(case, bar.case):
            about = {loader for loader in loaders if bar.about(case, loader)}
            chosen |= {bar.than} if about & some else set()
            chosen |= about if bar.than in some else set()
    return chosen & set(loaders)
