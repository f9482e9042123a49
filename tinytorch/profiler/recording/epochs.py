"""Raw times of one watched epoch: those of the loop, those of the loader, and the time that the
clocks themselves take.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import math
import random
import statistics
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tinytorch.profiler.recording.arrays_in_a_batch import count_samples
from tinytorch.profiler.recording.stopwatch import (
    Clock,
    Clocks,
    Cost,
    Load,
    Stopwatch,
    timed_after,
)
from tinytorch.profiler.recording.unknown_loader import processes_of
from tinytorch.profiler.recording.workers import WorkerClocks

_END = object()


@dataclasses.dataclass
class Epoch:
    """One pass over a loader. `marks` are the times at which a wait and a step began, alternately;
    `stop` is the end of the last one.
    """

    loading: Loading
    marks: list[float] = dataclasses.field(default_factory=list)
    samples: int = 0
    stop: float | None = None


def record(
    loader: Iterable,
    epochs: list[Epoch],
    clock: Clock,
    cost: Cost,
    detail: bool,
    synchronize: Callable[[], Any],
    start: Callable[[Any], Iterator] = iter,
) -> Iterator:
    """Yield one epoch's batches and append its times to `epochs`. A step ends when `synchronize`
    returns. `start(loader)` starts the epoch.
    """
    loading = Loading(loader, clock, cost, detail)
    # only when the first batch is asked for does the epoch start, so that its time counts
    batches = itertools.chain.from_iterable(map(start, (loader,)))
    epoch = Epoch(loading)
    epochs.append(epoch)
    now = clock()
    try:
        while True:
            epoch.marks.append(now)
            batch = (
                loading.next(batches, len(epoch.marks) // 2)
                if now >= loading.due
                else next(batches, _END)
            )
            if batch is _END:
                return
            epoch.marks.append(clock())
            epoch.samples += count_samples(batch)
            yield batch
            del batch  # otherwise two batches are in memory while the next one is made
            synchronize()
            now = clock()
    finally:
        with contextlib.suppress(Exception):  # the error of a step is the one to see
            synchronize()
        epoch.stop = clock()
        loading.finish()


class Loading:
    """The times of the loader in one epoch.

    A loader without a thread of its own works inside `next`. A loader that reads ahead works in
    another thread, at its own pace. There each call of `_load` is a batch; a loader without `_load`
    has a record for each outermost timed call.

    Attributes:
        due: the time after which the loop's thread times the next batch in detail.
        unseen: sentences that say what cannot be timed.
    """

    def __init__(self, loader: Any, clock: Clock, cost: Cost, detail: bool):
        self.clock, self.cost, self.detail = clock, cost, detail
        self.loads: list[Load] = []
        self.threaded, self._finished, self.due, self._load_due = False, False, -math.inf, -math.inf
        self._loaded, self._thread, self._random = 0, threading.get_ident(), random.Random(0)
        self._in_workers: WorkerClocks | None = None
        self._clocks, self.unseen = self._attach(loader)
        if self._clocks is None and self._in_workers is None:
            self.due = math.inf

    def _attach(self, loader: Any) -> tuple[Clocks | Any, str]:  # Any: None where it says why not
        kind, rest = type(loader).__name__, "only wait and step are known"
        loader = getattr(loader, "base_dataloader", loader)  # the one inside Accelerate's
        if processes_of(loader):
            with contextlib.suppress(Exception):
                self._in_workers = WorkerClocks(loader, self.clock, self.cost, self.detail)
                self.threaded = True
            return None, (
                f"{kind} loads in other processes (num_workers={processes_of(loader)}): {rest};"
                " num_workers=0 shows the stages"
            )
        if getattr(loader, "dataset", None) is None:
            return None, f"{kind} has no .dataset: {rest}"
        try:
            return Clocks(loader, self._outermost), ""
        except Exception as error:  # noqa: BLE001 (a program never fails because of its clocks)
            return None, f"{kind} takes no clocks ({error}): {rest}"

    def next(self, batches: Iterator, number: int) -> Any:
        """Return the next batch, or the end mark, and time it in detail."""
        if self._in_workers:  # the first batch, for which the workers start
            self.due = math.inf
            with self._in_workers.put():
                return next(batches, _END)
        self._clocks.put("calls")
        stopwatch = Stopwatch(self.clock)
        try:
            return next(batches, _END)
        finally:
            load = stopwatch.stop()
            if self.threaded:
                # this thread only waits, so the clocks remain on for the thread that loads
                self.due = math.inf
            else:
                self._clocks.put("nothing")
                self.due = self._keep(number, load)

    def _outermost(self, call: Callable[[], Any], stage: str) -> Any:
        """Make a timed call in a thread in which no stopwatch runs."""
        if threading.get_ident() == self._thread or self._finished:
            return call()
        self.threaded, whole = True, stage == "other"
        detail = not whole or self.detail or self.clock() >= self._load_due
        if whole:
            self._clocks.put("calls" if detail else "batches")
        stopwatch = Stopwatch(self.clock, stage)
        try:
            return call()
        finally:
            load = stopwatch.stop()
            number, self._loaded = self._loaded, self._loaded + (stage in ("other", "collate"))
            if detail:
                self._load_due = self._keep(number, load)
            else:
                self.loads.append(Load(number, load.start, load.stop))

    def _keep(self, number: int, load: Load) -> float:
        """Keep a batch's stages, and return the time after which the next batch may be timed in
        detail.
        """
        load.batch = number
        self.loads.append(load)
        return -math.inf if self.detail else timed_after(load, self.cost, self._random)

    def finish(self) -> None:
        self._finished = True
        if self._clocks is not None:
            self._clocks.remove()
        if self._in_workers is not None:
            self.loads = self._in_workers.remove()


@functools.lru_cache(maxsize=8)  # a real clock is measured once in a process
def measure_cost(clock: Clock, calls: int = 100, trials: int = 5) -> Cost:
    """Measure how much time the clocks take on this machine.

    Many calls in a row find their data in the processor's caches. What is done once in a batch does
    not, because the batch has just filled the caches: 2 microseconds become tens. So for these
    costs, memory is touched before each trial, and more memory for what is done rarely.
    """
    loader, memory = _Nothing(), np.zeros(16 * 2**20, np.uint8)
    clocks = Clocks(loader, lambda call, stage: call())

    def in_a_row() -> tuple[float, float]:
        start = clock()
        for _ in range(calls):
            loader.dataset[0]
        plain = (clock() - start) / calls
        clocks.put("calls")
        stopwatch = Stopwatch(clock)
        for _ in range(calls):
            loader.dataset[0]
        stopwatch.stop()
        clocks.put("nothing")
        fetch, other = stopwatch.seconds["fetch"] / calls, stopwatch.seconds["other"] / calls
        return max(0.0, fetch - plain), max(0.0, other)

    def once(function: Callable[[], Any], num_bytes: int) -> float:
        def trial() -> float:
            memory[:num_bytes:64] += 1  # a byte in each cache line
            start = clock()
            function()
            return clock() - start

        nothing = clock() - clock()  # negative: the cost of reading the clock once
        return max(0.0, statistics.median(trial() for _ in range(trials)) + nothing)

    def in_detail() -> None:
        clocks.put("calls")
        stopwatch = Stopwatch(clock)
        loader.dataset[0]
        stopwatch.stop()
        clocks.put("nothing")

    def each_batch() -> None:
        epoch.samples += count_samples(batch)
        epoch.marks += clock(), clock()

    def whole_epoch() -> None:
        for _ in record(loader, [], clock, Cost(), False, lambda: None):
            pass

    nothing: Any = None  # the loading of this epoch, which nobody asks for
    epoch, batch = Epoch(nothing), (np.zeros((1, 1)), np.zeros(1))
    inside, outside = map(statistics.median, zip(*(in_a_row() for _ in range(trials)), strict=True))
    one, detail = once(each_batch, 2**20), once(in_detail, memory.size) - inside - outside
    # the batch of this epoch and its end are both timed in detail
    rest = once(whole_epoch, memory.size) - one - 2 * detail - inside - outside
    return Cost(inside, outside, one, max(0.0, detail), max(0.0, rest))


class _Nothing:
    """A loader and dataset that do nothing, so that only the clocks take time."""

    dataset: Any = None

    def __init__(self) -> None:
        self.dataset = self.__class__.__new__(_Nothing)

    def __getitem__(self, index: int) -> None:
        return None

    def __iter__(self) -> Iterator[None]:
        yield self.dataset[0]
