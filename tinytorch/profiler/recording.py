"""Raw times of one watched epoch: the loop's side, the loader's side, and what the clocks themselves cost."""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tinytorch.profiler.samples import count_samples
from tinytorch.profiler.stopwatch import Clock, Clocks, Stopwatch

DETAIL_BUDGET = 0.01  # of the time may go into timing calls; with the clocks of the loop itself it stays under 3%
_END = object()


@dataclasses.dataclass(frozen=True)
class Cost:
    """Seconds that measuring adds: for a timed call `inside` its stage and `outside` it, for a batch, for a batch in detail."""

    inside: float = 0.0
    outside: float = 0.0
    batch: float = 0.0
    detail: float = 0.0

    def of(self, calls: Counter) -> float:
        return self.detail + calls.total() * (self.inside + self.outside)


@dataclasses.dataclass(frozen=True)
class Load:
    """One batch on the loader's side; `seconds` by stage, in the order they began, is None where only the whole was timed."""

    batch: int
    start: float
    stop: float
    seconds: dict[str, float] | None = None
    calls: Counter = dataclasses.field(default_factory=Counter)


@dataclasses.dataclass
class Epoch:
    """One pass over a loader. `marks` are the times at which wait and step began, in turn; `stop` ends the last of them."""

    loading: Loading
    setup_seconds: float
    marks: list[float] = dataclasses.field(default_factory=list)
    samples: int = 0
    stop: float | None = None


def record(loader: Iterable, epochs: list[Epoch], clock: Clock, cost: Cost, detail: bool) -> Iterator:
    """Yield one epoch's batches and append its times to `epochs`."""
    began = clock()
    loading = Loading(loader, clock, cost, detail)
    batches = itertools.chain.from_iterable((loader,))  # calls iter(loader) with the first batch: an epoch begins by ordering
    now = clock()
    epoch = Epoch(loading, now - began)
    epochs.append(epoch)
    try:
        while True:
            epoch.marks.append(now)
            batch = loading.next(batches, len(epoch.marks) // 2) if now >= loading.due else next(batches, _END)
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

    Without a thread of its own the loader works inside `next`. A loader that reads ahead works in another thread, at its own
    pace: there each `_load` is a batch, and without `_load` each outermost timed call stands for itself.

    Attributes:
        due: the time from which the loop's thread times a batch in detail.
        unseen: sentences on what cannot be timed.
    """

    def __init__(self, loader: Any, clock: Clock, cost: Cost, detail: bool):
        self.clock, self.cost, self.detail = clock, cost, detail
        self.loads: list[Load] = []
        self.threaded, self._finished, self.due, self._load_due = False, False, -math.inf, -math.inf
        self._loaded, self._thread, self._random = 0, threading.get_ident(), random.Random(0)
        self._clocks, self.unseen = self._attach(loader)
        if self._clocks is None:
            self.due = math.inf

    def _attach(self, loader: Any) -> tuple[Clocks | None, str]:
        kind, rest = type(loader).__name__, "only wait and step are known"
        if getattr(loader, "num_workers", 0):
            return None, f"{kind} loads in {loader.num_workers} other processes: {rest}; num_workers=0 shows the stages"
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
                self.due = math.inf  # this thread only waits; the clocks stay where the other one works
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
                self.loads.append(Load(number, stopwatch.start, stopwatch.since))

    def _keep(self, number: int, stopwatch: Stopwatch) -> float:
        """Keep a batch's stages; return when the next may be timed in detail: random gaps cannot fall in step with the data."""
        self.loads.append(Load(number, stopwatch.start, stopwatch.since, dict(stopwatch.seconds), stopwatch.calls))
        if self.detail:
            return -math.inf
        return stopwatch.start + self.cost.of(stopwatch.calls) / DETAIL_BUDGET * self._random.uniform(0.5, 1.5)

    def finish(self) -> None:
        self._finished = True
        if self._clocks is not None:
            self._clocks.remove()


def measure_cost(clock: Clock, calls: int = 100, trials: int = 5) -> Cost:
    """What the clocks cost on this machine now: the least of some trials, since a busy machine only adds."""
    loader = _Nothing()
    clocks, batch = Clocks(loader, lambda call, stage: call()), (np.zeros((1, 1)), np.zeros(1))

    def seconds(function: Callable[[], Any]) -> float:
        start = clock()
        function()
        return (clock() - start) / calls

    def read() -> None:
        for _ in range(calls):
            loader.dataset[0]

    def read_timed() -> tuple[float, float]:
        clocks.put("calls")
        stopwatch = Stopwatch(clock)
        read()
        stopwatch.stop()
        clocks.put("nothing")
        return stopwatch.seconds["fetch"] / calls, stopwatch.seconds["other"] / calls

    def attach() -> None:
        for _ in range(calls):
            clocks.put("calls")
            Stopwatch(clock).stop()
            clocks.put("nothing")

    def loop(batches: Iterable) -> None:
        for _ in batches:
            pass

    def trial() -> tuple[float, ...]:
        plain, (fetch, other) = seconds(read), read_timed()
        inside = max(0.0, fetch - plain)
        watched = record([batch] * calls, [], clock, Cost(), detail=False)
        return (inside, max(0.0, fetch + other - plain - inside), max(0.0, seconds(lambda: loop(watched)) - seconds(lambda: loop([batch] * calls))),
                seconds(attach))

    return Cost(*map(min, zip(*(trial() for _ in range(trials)))))


class _Nothing:
    """A loader and dataset that do nothing, so that all the time goes into the clocks."""

    dataset: Any = None

    def __init__(self):
        self.dataset = self.__class__.__new__(_Nothing)

    def __getitem__(self, index: int) -> None:
        return None
