"""Raw times of one watched epoch: the loop's side, the loader's side, and what the clocks
themselves cost.
"""

from __future__ import annotations

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

from tinytorch.profiler.samples import count_samples
from tinytorch.profiler.stopwatch import Clock, Clocks, Stopwatch

# of the time may go into timing calls inside the loader; the clocks of the loop itself come on top
DETAIL_BUDGET = 0.01
_END = object()


@dataclasses.dataclass(frozen=True)
class Cost:
    """Seconds that measuring adds: for a timed call `inside` its stage and `outside` it, for a
    batch, for a batch in detail.
    """

    inside: float = 0.0
    outside: float = 0.0
    batch: float = 0.0
    detail: float = 0.0

    def of(self, load: Stopwatch) -> float:
        """What timing this batch added on the loader's side."""
        return (
            self.batch
            if load.seconds is None
            else self.detail + sum(load.calls.values()) * (self.inside + self.outside)
        )


@dataclasses.dataclass
class Epoch:
    """One pass over a loader. `marks` are the times at which wait and step began, in turn;
    `stop` ends the last of them.
    """

    loading: Loading
    setup_seconds: float
    marks: list[float] = dataclasses.field(default_factory=list)
    samples: int = 0
    stop: float | None = None


def record(
    loader: Iterable, epochs: list[Epoch], clock: Clock, cost: Cost, detail: bool
) -> Iterator:
    """Yield one epoch's batches and append its times to `epochs`."""
    began = clock()
    loading = Loading(loader, clock, cost, detail)
    # calls iter(loader) with the first batch: an epoch begins by ordering
    batches = itertools.chain.from_iterable((loader,))
    now = clock()
    epoch = Epoch(loading, now - began)
    epochs.append(epoch)
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
            del batch  # or two batches are alive while the next one is made
            now = clock()
    finally:
        epoch.stop = clock()
        loading.finish()


class Loading:
    """The loader's side of one epoch.

    Without a thread of its own the loader works inside `next`. A loader that reads ahead works in
    another thread, at its own pace: there each `_load` is a batch, and without `_load` each
    outermost timed call stands for itself.

    Attributes:
        due: the time from which the loop's thread times a batch in detail.
        unseen: sentences on what cannot be timed.
    """

    def __init__(self, loader: Any, clock: Clock, cost: Cost, detail: bool):
        self.clock, self.cost, self.detail = clock, cost, detail
        self.loads: list[Stopwatch] = []
        self.threaded, self._finished, self.due, self._load_due = False, False, -math.inf, -math.inf
        self._loaded, self._thread, self._random = 0, threading.get_ident(), random.Random(0)
        self._clocks, self.unseen = self._attach(loader)
        if self._clocks is None:
            self.due = math.inf

    def _attach(self, loader: Any) -> tuple[Clocks | None, str]:
        kind, rest = type(loader).__name__, "only wait and step are known"
        if getattr(loader, "num_workers", 0):
            return (
                None,
                (
                    f"{kind} loads in other processes (num_workers={loader.num_workers}): {rest};"
                    " num_workers=0 shows the stages"
                ),
            )
        if getattr(loader, "dataset", None) is None:
            return None, f"{kind} has no .dataset: {rest}"
        try:
            return Clocks(loader, self._outermost), ""
        except TypeError:
            return None, f"the class of {kind} cannot be extended: {rest}"

    def next(self, batches: Iterator, number: int) -> Any:
        """Return the next batch, or the end mark, timed in detail."""
        self._clocks.put("calls")
        stopwatch = Stopwatch(self.clock)
        try:
            return next(batches, _END)
        finally:
            stopwatch.stop()
            if self.threaded:
                # this thread only waits; the clocks stay where the other one works
                self.due = math.inf
            else:
                self._clocks.put("nothing")
                self.due = self._keep(number, stopwatch)

    def _outermost(self, call: Callable[[], Any], stage: str) -> Any:
        """Make a timed call that came in a thread without a running stopwatch."""
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
            stopwatch.stop()
            number, self._loaded = self._loaded, self._loaded + (stage in ("other", "collate"))
            if detail:
                self._load_due = self._keep(number, stopwatch)
            else:
                stopwatch.batch, stopwatch.seconds = number, None
                self.loads.append(stopwatch)

    def _keep(self, number: int, stopwatch: Stopwatch) -> float:
        """Keep a batch's stages; return when the next may be timed in detail: random gaps cannot
        fall in step with the data.
        """
        stopwatch.batch = number
        self.loads.append(stopwatch)
        if self.detail:
            return -math.inf
        return stopwatch.start + self.cost.of(stopwatch) / DETAIL_BUDGET * self._random.uniform(
            0.5, 1.5
        )

    def finish(self) -> None:
        self._finished = True
        if self._clocks is not None:
            self._clocks.remove()


@functools.lru_cache(maxsize=8)  # a real clock is measured once in a process
def measure_cost(clock: Clock, calls: int = 100, trials: int = 5) -> Cost:
    """What the clocks cost on this machine.

    Calls in a row find the processor's caches warm. What happens once a batch does not: the batch
    has just gone through them, which makes tens of microseconds of two. So there, memory is touched
    before each trial: more for what is done rarely.
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

        nothing = clock() - clock()  # below 0: one reading
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

    epoch, batch = Epoch(None, 0.0), (np.zeros((1, 1)), np.zeros(1))
    inside, outside = map(statistics.median, zip(*(in_a_row() for _ in range(trials)), strict=True))
    return Cost(
        inside,
        outside,
        once(each_batch, 2**20),
        max(0.0, once(in_detail, memory.size) - inside - outside),
    )


class _Nothing:
    """A loader and dataset that do nothing, so that all the time goes into the clocks."""

    dataset: Any = None

    def __init__(self):
        self.dataset = self.__class__.__new__(_Nothing)

    def __getitem__(self, index: int) -> None:
        return None
