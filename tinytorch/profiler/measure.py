"""Measure a loader: throughput, peak memory and the share of each stage.

Every clock is an argument, so that a test can say exactly what must come out. Results are small records with
`as_dict()`; units are in the names. A time is only worth its spread: look at `noisy` before you compare two numbers.
"""

from __future__ import annotations

import copy
import dataclasses
import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

Clock = Callable[[], float]
STAGES = ("fetch", "transform", "collate", "other")
NOISY_SPREAD = 0.15        # above this, the machine was busy: measure again before you conclude
NOT_THE_BOTTLENECK = 0.05  # PyTorch's profiler advises on the loader from 5% of the step on


@dataclasses.dataclass(frozen=True)
class Throughput:
    """How fast epochs of one loader ran.

    `samples_per_second` is the median over the epochs, `spread` their interquartile range divided by that median;
    `batches` and `samples` count one epoch; `seconds` holds each timed epoch.
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

    def as_dict(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "seconds": list(self.seconds), "noisy": self.noisy}

    def __str__(self) -> str:
        return (f"{self.samples_per_second:,.0f} samples/s, batch {self.batch_size}, {self.batches} batches, "
                f"median of {len(self.seconds)}, spread {self.spread:.0%}")


def throughput(loader: Iterable, *, clock: Clock = time.perf_counter, warmup: int = 1, repeats: int = 5) -> Throughput:
    """Time whole epochs of `loader`, from before `iter(loader)` to after its last batch.

    Args:
        loader: anything that can be iterated again and again. Each pass is one of its epochs.
        clock: returns seconds.
        warmup: epochs run first and not counted: they fill caches and start workers.
        repeats: epochs timed, 1 or more.

    Raises:
        ValueError: no batch came, or the clock stood still.
    """
    if repeats < 1 or warmup < 0:
        raise ValueError(f"repeats must be 1 or more and warmup 0 or more, got repeats={repeats}, warmup={warmup}")
    seconds, rates, sizes = [], [], []
    for epoch in range(warmup + repeats):
        start = clock()
        sizes = [count_samples(batch) for batch in loader]
        stop = clock()
        if not sizes:
            again = " the second time; a generator gives one epoch only, pass a loader" if epoch else ""
            raise ValueError(f"the loader gave no batch{again}")
        if epoch < warmup:
            continue
        if stop <= start:
            raise ValueError(f"the clock did not move during an epoch of {sum(sizes)} samples; use a finer clock or more samples")
        seconds.append(stop - start)
        rates.append(sum(sizes) / (stop - start))
    median = statistics.median(rates)
    low, high = np.percentile(rates, [25, 75])
    batch_size = getattr(loader, "batch_size", None) or sizes[0]
    return Throughput(median, float(high - low) / median, len(sizes), sum(sizes), int(batch_size), tuple(seconds))


def count_samples(batch: Any) -> int:
    """Samples in a batch: the length of its first array along dimension 0.

    Tuples, lists and dicts of columns are entered at their first item; a list of plain values counts its items.
    """
    if isinstance(batch, Mapping):
        return count_samples(next(iter(batch.values()))) if batch else 0
    if hasattr(batch, "shape"):
        return int(batch.shape[0]) if len(batch.shape) else 1
    if isinstance(batch, (list, tuple)):
        if batch and (isinstance(batch[0], (Mapping, list, tuple)) or len(getattr(batch[0], "shape", ()))):
            return count_samples(batch[0])
        return len(batch)
    return len(batch) if hasattr(batch, "__len__") and not isinstance(batch, (str, bytes)) else 1


def peak_memory(loader: Iterable) -> int:
    """Bytes allocated at the worst moment of one epoch, above what was allocated before it.

    Counted by tracemalloc: Python objects and NumPy arrays. Pages of a memory-mapped file and memory of other
    processes are not seen. Each batch is dropped before the next is asked for, so the figure is the loader's own.
    Tracing makes the epoch several times slower: never time and trace in the same run.
    """
    gc.collect()
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()  # else a peak from before this epoch is reported
        before, _ = tracemalloc.get_traced_memory()
        for batch in loader:
            del batch
        _, peak = tracemalloc.get_traced_memory()
    finally:
        if not tracing:
            tracemalloc.stop()
    return max(0, peak - before)


def copy_bandwidth(num_bytes: int = 64 * 2**20, *, clock: Clock = time.perf_counter, repeats: int = 7) -> float:
    """Bytes per second of a plain memory copy (median): no loader that copies its samples once can be faster."""
    source, target = np.ones(num_bytes, dtype=np.uint8), np.empty(num_bytes, dtype=np.uint8)
    target[:] = 0  # touch the pages, else the first copy pays for them
    rates = []
    for _ in range(repeats):
        start = clock()
        np.copyto(target, source)
        rates.append(num_bytes / (clock() - start))
    return statistics.median(rates)


@dataclasses.dataclass(frozen=True)
class StageShares:
    """Where one epoch's time went. `seconds` maps each of `STAGES` to its own time; they sum to `total_seconds`.

    `fetch` is reading samples without their transform, `transform` the dataset's `transform` and the loader's
    `batch_transform`, `collate` the stacking, `other` the rest of the loader (order, slicing, loops).
    `overhead_share` is the part of the total that measuring itself cost: above a few percent, shares are rough.
    """

    seconds: dict[str, float]
    total_seconds: float
    overhead_share: float
    batches: int
    batch_size: int

    @property
    def shares(self) -> dict[str, float]:
        """Each stage's fraction of the epoch; 0 for all when no time passed."""
        return {stage: self.seconds[stage] / self.total_seconds if self.total_seconds else 0.0 for stage in STAGES}

    def as_dict(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "shares": self.shares}

    def verdict(self, step_seconds: float) -> str:
        """One line on whether to work on the loader at all, given the seconds that one training step takes.

        Rule of thumb: a loader under 5% of loading plus step is not the bottleneck. Otherwise Amdahl's law
        (Amdahl 1967) tells what removing the largest stage would buy.
        """
        per_batch = self.total_seconds * (1 - self.overhead_share) / max(1, self.batches)
        share = per_batch / (per_batch + step_seconds)
        if share < NOT_THE_BOTTLENECK:
            return f"loading is {share:.1%} of a training step: not your bottleneck (rule of thumb: under {NOT_THE_BOTTLENECK:.0%})"
        stage = max(STAGES, key=self.seconds.get)
        gain = 1 / (1 - share * self.shares[stage])
        return f"loading is {share:.0%} of a training step, most of it {stage}: {gain:.2f}x faster if {stage} were free"


def stage_shares(loader_or_dataset: Any, *, clock: Clock = time.perf_counter, warmup: int = 1) -> StageShares:
    """Run `warmup` epochs and one timed epoch on a copy of the loader whose stages carry a clock.

    Args:
        loader_or_dataset: a loader with `.dataset`, `.batch_size` and a `_collate_batch` method or a `collate_fn`;
            or a dataset (no `.batch_size`), which has no collate stage. It is left as it was, its epoch count too.
        clock: returns seconds. It is read twice a sample, which `overhead_share` accounts for.

    Raises:
        ValueError: stages that run in other processes (`num_workers` above 0) cannot be seen from here.
    """
    if getattr(loader_or_dataset, "num_workers", 0):
        raise ValueError(f"stages can only be timed in this process; num_workers is {loader_or_dataset.num_workers}: "
                         "measure the same loader with num_workers=0")
    stages = _Stages(clock)
    is_loader = hasattr(loader_or_dataset, "batch_size")
    timed = _timed_loader(loader_or_dataset, stages) if is_loader else _timed_dataset(loader_or_dataset, stages)
    for _ in range(warmup + 1):
        # A dataset may be indexable without being iterable, and its end is its length, not an IndexError.
        epoch = iter(timed) if is_loader else (timed[index] for index in range(len(timed)))
        stages.start()
        batches = sum(1 for _ in epoch)
        stages.switch("stop")
    seconds = {stage: stages.seconds[stage] for stage in STAGES}
    total, cost = sum(seconds.values()), stages.calls * _seconds_per_call(clock)
    size = getattr(loader_or_dataset, "batch_size", None) or 1
    return StageShares(seconds, total, cost / total if total else 0.0, batches, size)


class _Stages:
    """A stopwatch that always charges exactly one stage, so that the stages sum to the total.

    One thread at a time may switch: a loader that works one batch ahead in a thread is fine, since this side only waits.
    """

    def __init__(self, clock: Clock):
        self.clock = clock
        self.start()

    def start(self) -> None:
        self.seconds = dict.fromkeys((*STAGES, "stop"), 0.0)
        self.calls, self.current, self.since = 0, "other", self.clock()

    def switch(self, stage: str) -> str:
        now = self.clock()
        self.seconds[self.current] += now - self.since
        before, self.current, self.since = self.current, stage, now
        return before


class _Timed:
    """A callable that is charged to one stage; everything else about it is the callable it wraps."""

    def __init__(self, function: Callable, stage: str, stages: _Stages):
        self.__wrapped__, self._stage, self._stages = function, stage, stages

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        before = self._stages.switch(self._stage)
        try:
            return self.__wrapped__(*args, **kwargs)
        finally:
            self._stages.calls += 1
            self._stages.switch(before)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__wrapped__"], name)


class _TimedDataset:
    """A dataset whose reads are charged to `fetch`. It offers the batch and keyed reads of the original, no others."""

    READS = ("__getitems__", "sample_with")

    def __init__(self, dataset: Any, stages: _Stages):
        self._dataset, self._stages, self._read = dataset, stages, _Timed(dataset.__getitem__, "fetch", stages)

    def __len__(self) -> int:
        return len(self._dataset)

    def __getitem__(self, index: Any) -> Any:
        return self._read(index)

    def __iter__(self) -> Iterator:
        return iter(self._dataset)

    def __getattr__(self, name: str) -> Any:
        if name in ("_dataset", "_stages", "_read"):  # not there yet while being copied
            raise AttributeError(name)
        found = getattr(self._dataset, name)
        return _Timed(found, "fetch", self._stages) if name in self.READS and callable(found) else found


def _timed_dataset(dataset: Any, stages: _Stages) -> _TimedDataset:
    return _TimedDataset(_with_timed_transform(dataset, stages), stages)


def _with_timed_transform(dataset: Any, stages: _Stages) -> Any:
    """A shallow copy whose `transform` carries the clock, also where it sits below a Subset or a concatenation."""
    changes: dict[str, Any] = {}
    if callable(getattr(dataset, "transform", None)):
        changes["transform"] = _Timed(dataset.transform, "transform", stages)
    if hasattr(dataset, "dataset"):
        changes["dataset"] = _with_timed_transform(dataset.dataset, stages)
    if isinstance(getattr(dataset, "datasets", None), (list, tuple)):
        changes["datasets"] = type(dataset.datasets)(_with_timed_transform(part, stages) for part in dataset.datasets)
    return _changed_copy(dataset, changes) if changes else dataset


def _timed_loader(loader: Any, stages: _Stages) -> Any:
    if not hasattr(loader, "dataset"):
        raise ValueError(f"stage_shares needs a loader with .dataset, got {type(loader).__name__} without one; "
                         "use throughput(loader) instead")
    changes: dict[str, Any] = {"dataset": _timed_dataset(loader.dataset, stages)}
    collate = next((name for name in ("_collate_batch", "collate_fn") if callable(getattr(loader, name, None))), None)
    if collate:
        changes[collate] = _Timed(getattr(loader, collate), "collate", stages)
    if callable(getattr(loader, "batch_transform", None)):
        changes["batch_transform"] = _Timed(loader.batch_transform, "transform", stages)
    return _changed_copy(loader, changes)


def _changed_copy(original: Any, changes: dict[str, Any]) -> Any:
    twin = copy.copy(original)
    for name, value in changes.items():
        object.__setattr__(twin, name, value)  # PyTorch's DataLoader refuses a plain assignment after __init__
    return twin


def _seconds_per_call(clock: Clock, calls: int = 200) -> float:
    """What one `_Timed` call costs more than the plain call, by the given clock; the least of three trials."""
    def nothing() -> None:
        pass

    def run(function: Callable[[], None]) -> float:
        start = clock()
        for _ in range(calls):
            function()
        return clock() - start

    timed = _Timed(nothing, "other", _Stages(clock))
    return max(0.0, min(run(timed) - run(nothing) for _ in range(3)) / calls)
