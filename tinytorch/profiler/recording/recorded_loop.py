"""The results of watching a loop: spans of time, and their sums."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable

from tinytorch.profiler.recording.stopwatch import STAGES

LONG_WAIT = 10  # times the median; such a wait is worth a line of its own


@dataclasses.dataclass(frozen=True)
class Span:
    """What one lane did from `start` to `stop`, in seconds since the start of the watch.

    In the lane "train" the stage is "wait" or "step". In the lane "load", or that of a worker
    process ("worker 0"), it is a stage of loading: the samples of a batch are added up, so a batch
    has one span for each stage, in the order in which the stages began. `estimated` means that the
    batch was not timed in detail, and that its time was split as in the batches that were.
    """

    lane: str
    stage: str
    batch: int
    start: float
    stop: float
    estimated: bool = False


@dataclasses.dataclass(frozen=True, repr=False)
class Watched:
    """The results of a watched loop. Epochs of one loader are added up, and their batches are
    numbered consecutively.

    Attributes:
        wall_seconds: from the request for the first batch to the end of the loop; `wait_seconds` +
            `step_seconds`.
        idle_share: wait / wall, the share of the time in which training waited.
        stages: loading time by stage, or None where `unseen` says why. Without a prefetch thread
            they sum to `wait_seconds` (less the cost of the clocks); with one, they are the working
            time of that thread.
        reads_per_batch: samples (or whole batches) that the loader asked its dataset for in a
            batch; None where that was not seen. `reads_of_first` are those before the first batch
            of an epoch.
        overhead_share: calibrated cost of all clocks / wall.
        unseen: sentences that say what could not be measured; empty if everything could.
        waits: seconds of single waits: "first" (the longest first wait of an epoch; starting
            workers counts there), and of the others "median", "p95" (95% are no longer) and "max".
        make_spans: called once, when `spans` are first asked for.
        rank: the rank that was watched, and the number of ranks, where PyTorch trains in several.
    """

    name: str
    batches: int
    samples: int
    wall_seconds: float
    wait_seconds: float
    step_seconds: float
    step_seconds_median: float
    stages: dict[str, float] | None
    reads_per_batch: float | None
    reads_of_first: int | None
    overhead_share: float
    unseen: str
    waits: dict[str, float]
    make_spans: Callable[[], Iterable[Span]] = dataclasses.field(repr=False, compare=False)
    rank: tuple[int, int] | None = None

    @functools.cached_property
    def spans(self) -> tuple[Span, ...]:
        """What each lane did, in order: two spans of the loop for each batch, and those of the
        loader.
        """
        return tuple(self.make_spans())

    @property
    def idle_share(self) -> float:
        return self.wait_seconds / self.wall_seconds if self.wall_seconds else 0.0

    def __str__(self) -> str:
        stages = self.stages or {}
        loading = sum(stages.values())
        shares = "".join(f", {stage} {stages[stage] / loading:.0%}" for stage in STAGES if loading)
        rank = f" (rank {self.rank[0]} of {self.rank[1]})" if self.rank else ""
        return (
            f"{self.name}{rank}: {self.batches} batches, {self.samples:,} samples in"
            f" {self.wall_seconds:.3g} s, {self.idle_share:.0%} of it"
            f" waiting{shares and '; loading is ' + shares[2:]}{self._stragglers()}"
            + (f". {self.unseen}" if self.unseen else "")
        )

    __repr__ = __str__

    def _stragglers(self) -> str:
        """The single waits, where some are much longer than the others."""
        first, median, p95, longest = self.waits.values()
        if (
            max(first, longest) <= LONG_WAIT * median
            or max(first, longest) < 0.01 * self.wall_seconds
        ):
            return ""
        return (
            f"; a wait takes {_ms(median)} ms (median), 95% at most {_ms(p95)}, the longest"
            f" {_ms(longest)}, the first {_ms(first)}"
        )


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:,.0f}" if seconds >= 0.1 else f"{1e3 * seconds:.3g}"
