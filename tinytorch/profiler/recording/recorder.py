"""Watches a training loop: how long it waits for data, how long the steps take, and what the loader
does meanwhile.

    with Profiler() as p:
        for batch in p.wrap(loader):
            step(batch)
    print(p.report())
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import statistics
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from tinytorch.profiler.recording.device import rank_of_torch, synchronize_torch
from tinytorch.profiler.recording.epochs import Epoch, measure_cost, record
from tinytorch.profiler.recording.recorded_loop import Span, Watched
from tinytorch.profiler.recording.stopwatch import STAGES, Clock, Cost, Load
from tinytorch.profiler.recording.unknown_loader import one_loader
from tinytorch.profiler.recording.wrapped import Wrapped, inside, is_wrapped, wrapped

CHANGED = 0.05  # a change counts if idle falls by 5 percentage points, or wall time by 5%


class Profiler:
    """Watches loops over loaders. `with` makes sure that all clocks are removed from a loader,
    however the loop ends.

    Args:
        clock: returns seconds.
        detail: True times every call inside the loader. False does so only in some batches, so that
            timing takes about 1% of the time, and splits the other batches in the same proportions.
            In slow loaders every batch is timed in either case.
        synchronize: called at the end of each step; returns when the step is done. Default
            PyTorch's, for the accelerator that is in use: a step that only starts work there would
            otherwise take no time, and all of it would count as waiting for data.
    """

    def __init__(
        self,
        clock: Clock = time.perf_counter,
        *,
        detail: bool = False,
        synchronize: Callable[[], Any] = synchronize_torch,
    ):
        self.clock, self.detail, self.cost = clock, detail, measure_cost(clock)
        self.synchronize = synchronize
        self._epochs: dict[str, list[Epoch]] = {}
        self._loaders: list[tuple[Any, str]] = []
        # weak references: when a loop is left early, its record must end at once
        self._running: weakref.WeakSet = weakref.WeakSet()

    def __enter__(self) -> Profiler:
        return self

    def __exit__(self, *_: Any) -> None:
        for epoch in list(self._running):
            epoch.close()

    def __repr__(self) -> str:
        return "\n".join(str(self.report(name)) for name in self._epochs) or "nothing watched yet"

    def wrap(self, loader: Iterable, name: str | None = None) -> Wrapped:
        """Return the loader with a record of its epochs, for a loop or a trainer. Epochs with the
        same name, or of the same loader, are one report. So are those of a loader that Accelerate
        or Lightning makes from this one: waiting for it is timed where PyTorch gives its batches.

        Raises:
            TypeError: `loader` is a tuple or dict of loaders.
        """
        if is_wrapped(loader):  # a cell that was run twice
            loader = inside(loader)
        one_loader(loader, "wrap(loaders[{which}])")
        return wrapped(loader, functools.partial(self._record, name or self._name(loader)))

    def _record(
        self, name: str, loader: Iterable, start: Callable[[Any], Iterator] = iter
    ) -> Iterator:
        epochs = self._epochs.setdefault(name, [])
        timing = self.clock, self.cost, self.detail
        epoch = record(loader, epochs, *timing, self.synchronize, start)
        self._running.add(epoch)
        return epoch

    @overload
    def report(self, name: str) -> Watched: ...
    @overload
    def report(self, name: None = None) -> Any: ...
    def report(self, name: str | None = None) -> Watched | Reports:
        """Return the report on `name`; without a name that on the only loader that was watched, or
        the reports on all of them, which print one below the other.
        """
        if not self._epochs:
            raise ValueError(
                "nothing was watched yet; write `for batch in p.wrap(loader)` first, or wrap the"
                " loader that the loop runs over"
            )
        first, *others = self._epochs
        if name is None and others:
            return Reports(map(self.report, self._epochs))
        if name not in (None, *self._epochs):
            raise ValueError(
                f"report needs one of the names {', '.join(self._epochs)}, got {name!r};"
                f" try report({first!r})"
            )
        name = name or first
        found = summarize(name, self._epochs[name], self.cost)
        return dataclasses.replace(found, rank=rank_of_torch())

    @property
    def names(self) -> list[str]:
        """The names of the reports, in the order in which their loops began."""
        return list(self._epochs)

    def _name(self, loader: Any) -> str:
        for known, name in self._loaders:
            if known is loader:
                return name
        kind = type(loader).__name__
        numbered = (f"{kind} {number}" for number in itertools.count(2))
        taken = {*self._epochs, *(name for _, name in self._loaders)}
        name = next(name for name in itertools.chain([kind], numbered) if name not in taken)
        self._loaders.append((loader, name))
        return name


class Reports(tuple[Watched, ...]):
    """The reports on several loaders, in the order in which their loops began."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self))


@dataclasses.dataclass(frozen=True)
class Contention:
    """A comparison of two ways to run the same loop, per batch. Do not judge by idle alone: a step
    that shares its cores with a reader takes longer.

    `wall_ratio` and `step_stretch` are after / before; 1 means no change.
    """

    wall_ratio: float
    idle_before: float
    idle_after: float
    step_stretch: float

    @property
    def verdict(self) -> str:
        """ "faster" if wall time fell, "contention" if only idle fell, else "no gain"."""
        if self.wall_ratio <= 1 - CHANGED:
            return "faster"
        return "contention" if self.idle_before - self.idle_after >= CHANGED else "no gain"

    def __str__(self) -> str:
        return (
            f"{self.verdict}: idle went from {self.idle_before:.0%} to {self.idle_after:.0%}, wall"
            f" time is {self.wall_ratio:.2f} times what it was,"
            f" a step {self.step_stretch:.2f} times as long"
        )


def contention(before: Watched, after: Watched) -> Contention:
    """Compare a loop with the same loop after a change, such as a prefetch thread.

    Raises:
        ValueError: one of the loops had no batch, or its steps took no time.
    """
    for watched in (before, after):
        if not watched.step_seconds:
            raise ValueError(
                f"contention compares steps; {watched.name} has {watched.batches} batches with"
                f" {watched.step_seconds} s of steps; watch a loop that trains"
            )
    batches = before.batches / after.batches
    return Contention(
        after.wall_seconds / before.wall_seconds * batches,
        before.idle_share,
        after.idle_share,
        after.step_seconds / before.step_seconds * batches,
    )


Intervals = list[tuple[float, float]]


@dataclasses.dataclass
class _Lanes:
    """One epoch: (start, stop) of each wait and of each step, and the loader's records."""

    waits: Intervals
    steps: Intervals
    loads: list[Load]


def _lanes(epoch: Epoch) -> _Lanes:
    """A loader without a thread of its own works during the wait; there, a batch that was not timed
    in detail took as long as its wait.
    """
    edges = [*epoch.marks, epoch.marks[-1] if epoch.stop is None else epoch.stop]
    pairs = list(itertools.pairwise(edges))
    waits, loads = pairs[0::2], list(epoch.loading.loads)
    if not epoch.loading.threaded:
        timed = {load.batch: load for load in loads}
        loads = [timed.get(number) or Load(number, *wait) for number, wait in enumerate(waits)]
    return _Lanes(waits, pairs[1::2], loads)


def summarize(name: str, epochs: list[Epoch], cost: Cost) -> Watched:
    """Add up the epochs of one loader."""
    lanes = [_lanes(epoch) for epoch in epochs]
    waits = [stop - start for epoch in lanes for start, stop in epoch.waits]
    steps = [stop - start for epoch in lanes for start, stop in epoch.steps]
    timed = [load for epoch in lanes for load in epoch.loads if load.seconds]
    seen = {stage for load in timed for stage in load.seconds} - {"other"}
    shares = _shares(lanes, cost) if seen else {}
    firsts = [_reads(load) for load in timed if load.calls and not load.batch]
    usual = [
        _reads(load)
        for epoch in lanes
        for load in epoch.loads
        if load.calls and load.batch < len(epoch.steps)
    ]
    wall = sum(waits) + sum(steps)
    clocks = len(epochs) * cost.epoch + len(steps) * cost.batch
    clocks += sum(cost.of(load) for epoch in epochs for load in epoch.loading.loads)
    return Watched(
        name=name,
        batches=len(steps),
        samples=sum(epoch.samples for epoch in epochs),
        wall_seconds=wall,
        wait_seconds=sum(waits),
        step_seconds=sum(steps),
        step_seconds_median=statistics.median(steps or [0.0]),
        stages=_stages(lanes, shares, cost, len(steps)) if seen else None,
        reads_per_batch=statistics.fmean(usual) if "fetch" in seen and usual else None,
        reads_of_first=max(firsts, default=None) if "fetch" in seen else None,
        overhead_share=clocks / wall if wall else 0.0,
        unseen=_unseen(name, epochs, seen, bool(steps)),
        waits=_single_waits(lanes),
        make_spans=functools.partial(_spans, epochs[0].marks[0], lanes, shares),
    )


def _single_waits(lanes: Sequence[_Lanes]) -> dict[str, float]:
    """The waits that ended with a batch; an epoch's last wait ends with none."""
    ended = [[stop - start for start, stop in epoch.waits[: len(epoch.steps)]] for epoch in lanes]
    others = [seconds for epoch in ended for seconds in epoch[1:]] or [0.0]
    return {
        "first": max((epoch[0] for epoch in ended if epoch), default=0.0),
        "median": statistics.median(others),
        "p95": float(np.percentile(others, 95)),
        "max": max(others),
    }


def _own_seconds(load: Load, cost: Cost) -> dict[str, float]:
    """The stages of a batch, without the time that the clocks added."""
    seconds = dict(load.seconds)
    for (before, during), calls in load.calls.items():
        seconds[before] -= calls * cost.outside
        seconds[during] -= calls * cost.inside
    return {stage: max(0.0, value) for stage, value in seconds.items()}


def _shares(lanes: Sequence[_Lanes], cost: Cost) -> dict[str, float]:
    """The shares of the stages in the batches that were timed in detail. The first batch of an
    epoch is not typical, so it counts only if there is no other.
    """
    timed = [(load, len(epoch.steps)) for epoch in lanes for load in epoch.loads if load.seconds]
    usual = [load for load, batches in timed if 0 < load.batch < batches]
    own = [_own_seconds(load, cost) for load in usual or [load for load, _ in timed]]
    sums = {stage: sum(seconds.get(stage, 0.0) for seconds in own) for stage in STAGES}
    total = sum(sums.values())
    return {stage: value / total if total else 0.0 for stage, value in sums.items()}


def _reads(load: Load) -> int:
    """Calls of the dataset from outside it."""
    return sum(n for (before, during), n in load.calls.items() if during == "fetch" != before)


def _stages(
    lanes: Sequence[_Lanes], shares: dict[str, float], cost: Cost, batches: int
) -> dict[str, float]:
    sums = dict.fromkeys(STAGES, 0.0)
    loads = [load for epoch in lanes for load in epoch.loads]
    for load in loads:
        for stage, value in (_own_seconds(load, cost) if load.seconds else shares).items():
            sums[stage] += value * (1 if load.seconds else load.stop - load.start)
    # workers note only the batches that they time in detail
    noted = sum(load.lane != "load" for load in loads)
    return {stage: value * batches / noted if noted else value for stage, value in sums.items()}


def _spans(zero: float, lanes: Sequence[_Lanes], shares: dict[str, float]) -> Iterator[Span]:
    first = 0
    for epoch in lanes:
        for stage, intervals in (("wait", epoch.waits), ("step", epoch.steps)):
            for number, (start, stop) in enumerate(intervals, first):
                yield Span("train", stage, number, start - zero, stop - zero)
        for load in epoch.loads if shares else ():
            start, batch, estimated = load.start - zero, first + load.batch, not load.seconds
            for stage, part in (load.seconds or shares).items():
                stop = start + (part * (load.stop - load.start) if estimated else part)
                yield Span(load.lane, stage, batch, start, stop, estimated)
                start = stop
        first += len(epoch.steps)


def _unseen(name: str, epochs: list[Epoch], seen: set[str], any_batch: bool) -> str:
    told = next((epoch.loading.unseen for epoch in epochs if epoch.loading.unseen), "")
    if not any_batch or (told and not seen):
        return told
    if not seen:
        return (
            f"{name} made no call of its .dataset or of a collate function:"
            " only wait and step are known"
        )
    return "" if "fetch" in seen else f"{name} made no call of its .dataset: fetch counts as other"
