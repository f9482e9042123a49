"""Measure a loader: throughput, peak memory and the share of each stage.

Look at `noisy` before you compare two numbers: if the spread is large, a difference may be noise.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import gc
import statistics
import time
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tinytorch.profiler.recording.arrays_in_a_batch import count_samples
from tinytorch.profiler.recording.recorder import Profiler
from tinytorch.profiler.recording.stopwatch import STAGES, Clock
from tinytorch.profiler.recording.thresholds import NOISY_SPREAD
from tinytorch.profiler.recording.unknown_loader import processes_of


def busy_seconds() -> tuple[float, float]:
    """Seconds that this thread computed, and seconds that it waited for a core (Linux only). The
    rest of its time it waited for data.
    """
    queued = 0.0
    try:
        with open("/proc/thread-self/schedstat", encoding="ascii") as file:
            queued = int(file.read().split()[1]) / 1e9
    except (OSError, IndexError):  # on other systems a busy machine looks a little like a slow disk
        pass
    # Python in the browser has one thread, and no clock for it
    computed = getattr(time, "thread_time", time.process_time)
    return computed(), queued


def spread_of(values: Sequence[float]) -> float:
    """The interquartile range of the values divided by their median; 0 when all are equal."""
    low, high = np.percentile(values, [25, 75])
    if low == high:
        return 0.0
    median = statistics.median(values)
    return float(high - low) / abs(median) if median else float("inf")


@dataclasses.dataclass(frozen=True)
class Throughput:
    """How fast epochs of one loader ran.

    `samples_per_second` is the median over the epochs, `spread` their interquartile range divided
    by that median. `batches` and `samples` are those of one epoch; `seconds` holds the time of each
    timed epoch.
    """

    samples_per_second: float
    spread: float
    batches: int
    samples: int
    batch_size: int
    seconds: tuple[float, ...]

    @property
    def noisy(self) -> bool:
        return self.spread > NOISY_SPREAD

    def __str__(self) -> str:
        return (
            f"{self.samples_per_second:,.0f} samples/s, batch {self.batch_size}, {self.batches}"
            f" batches, median of {len(self.seconds)}, spread {self.spread:.0%}"
        )


def throughput(
    loader: Iterable, *, clock: Clock = time.perf_counter, warmup: int = 1, repeats: int = 5
) -> Throughput:
    """Time whole epochs of `loader`, from before `iter(loader)` to after its last batch.

    Args:
        loader: any object that can be iterated over repeatedly. Each pass is one of its epochs.
        clock: returns seconds.
        warmup: epochs that run first and do not count; they fill caches and start workers.
        repeats: epochs that are timed, 1 or more.

    Raises:
        ValueError: the loader gave no batch, or the clock did not move.
    """
    if repeats < 1 or warmup < 0:
        raise ValueError(
            "repeats must be 1 or more and warmup 0 or more,"
            f" got repeats={repeats}, warmup={warmup}"
        )
    seconds, rates, sizes = [], [], []
    for epoch in range(warmup + repeats):
        start = clock()
        sizes = [count_samples(batch) for batch in loader]
        stop = clock()
        if not sizes:
            again = (
                " the second time; a generator gives one epoch only, pass a loader" if epoch else ""
            )
            raise ValueError(f"the loader gave no batch{again}")
        if epoch < warmup:
            continue
        if stop <= start:
            raise ValueError(
                f"the clock did not move during an epoch of {sum(sizes)} samples;"
                " use a finer clock or more samples"
            )
        seconds.append(stop - start)
        rates.append(sum(sizes) / (stop - start))
    batch_size = int(getattr(loader, "batch_size", None) or sizes[0])
    median, spread = statistics.median(rates), spread_of(rates)
    return Throughput(median, spread, len(sizes), sum(sizes), batch_size, tuple(seconds))


def peak_memory(loader: Iterable) -> int:
    """Bytes allocated at the worst moment of one epoch, above what was allocated before it.

    tracemalloc counts Python objects and NumPy arrays. It does not see pages of a memory-mapped
    file or memory of other processes. Each batch is dropped before the next is asked for, so the
    figure is the loader's alone. Tracing makes the epoch several times slower: never time and trace
    in the same run.
    """
    with traced():
        tracemalloc.reset_peak()  # otherwise a peak from before this epoch would be reported
        before, _ = tracemalloc.get_traced_memory()
        for batch in loader:
            del batch
        return max(0, tracemalloc.get_traced_memory()[1] - before)


@contextlib.contextmanager
def traced() -> Iterator[None]:
    """Memory is traced inside. Tracing that was on before stays on."""
    gc.collect()
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        yield
    finally:
        if not tracing:
            tracemalloc.stop()


@dataclasses.dataclass(frozen=True)
class StageShares:
    """Where the time of one epoch went. `seconds` maps each of `STAGES` to its time; they sum to
    `total_seconds`.

    `fetch` is reading samples without their transform, `transform` the dataset's `transform` and
    the loader's `batch_transform`, `collate` the stacking, `other` the rest of the loader (order,
    slicing, loops). `overhead_share` is the time that measuring added, as a fraction of the timed
    epoch; it is not part of `seconds`. If it is above one half, the shares are rough.
    """

    seconds: dict[str, float]
    total_seconds: float
    overhead_share: float
    batches: int
    batch_size: int

    @property
    def shares(self) -> dict[str, float]:
        """Each stage's fraction of the epoch; 0 for all when no time passed."""
        total = self.total_seconds
        return {stage: self.seconds[stage] / total if total else 0.0 for stage in STAGES}


def stage_shares(loader: Any, *, clock: Clock = time.perf_counter, warmup: int = 1) -> StageShares:
    """Run `warmup` epochs and then one epoch in which every call is timed. They run on a copy of
    the loader, so that its own epoch count does not change.

    Args:
        loader: with `.dataset`, `.batch_size` and a `_collate_batch` method or a `collate_fn`.
        clock: returns seconds. The time for reading it is subtracted from the stages and reported
            as `overhead_share`.

    Raises:
        ValueError: the stages run in other processes (`num_workers` above 0) and cannot be timed
            from this one.
    """
    if processes_of(loader):
        raise ValueError(
            "stages can only be timed in this process; num_workers is"
            f" {processes_of(loader)}: measure the same loader with num_workers=0"
        )
    if not hasattr(loader, "dataset"):
        raise ValueError(
            f"stage_shares needs a loader with .dataset, got {type(loader).__name__}"
            " without one; use throughput(loader) instead"
        )
    loader = copy.copy(loader)
    for _ in range(warmup):
        collections.deque(loader, maxlen=0)
    with Profiler(clock, detail=True) as profiler:
        collections.deque(profiler.wrap(loader), maxlen=0)
    seen = profiler.report()
    seconds = seen.stages or {**dict.fromkeys(STAGES, 0.0), "other": seen.wait_seconds}
    batch_size = getattr(loader, "batch_size", None) or 1
    total = sum(seconds.values())
    return StageShares(seconds, total, seen.overhead_share, seen.batches, batch_size)
