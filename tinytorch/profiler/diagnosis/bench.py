"""What all measurements of one report share: the source of loaders, the number of batches in a run,
and the training step.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tinytorch.profiler.diagnosis.batch_contents import Lengths, token_lengths
from tinytorch.profiler.diagnosis.differential_runs import Run, timed_run
from tinytorch.profiler.recording.arrays_in_a_batch import (
    as_array,
    batch_bytes,
    count_samples,
    leaves,
)
from tinytorch.profiler.recording.stopwatch import Clock
from tinytorch.profiler.recording.unknown_loader import (
    READS_AHEAD,
    one_loader,
    processes_of,
    with_workers,
    workers_of,
)

STEP_SECONDS = 0.002  # a stand-in that is shorter than this only waits
# a run takes about this long, unless its number of batches is given
RUN_SECONDS, QUICK_SECONDS = 0.1, 0.05
LEAST_BATCHES, MOST_BATCHES = 8, 512
# where the seconds of a report are limited, about as many runs of the loader share them; a batch
# that takes this part of them is a run
RUNS_IN_LIMIT, FIRST_IN_LIMIT = 45, 1 / 8
FILL_SECONDS = 10.0  # for an epoch that fills a cache
COUNT_SECONDS = 1.0  # for counting the batches of a loader without a length
PRODUCTS = 64  # of 64 x 64 matrices in one call of the default step
CALIBRATIONS = 10  # calls; the shortest counts


class Source:
    """Where loaders come from: one loader that starts again at every `iter`, or a function that
    makes a new generator each time.
    """

    def __init__(self, make_loader: Callable[..., Iterable]):
        if not callable(make_loader):
            raise TypeError(
                "profile_loader takes a function that returns a loader, got a"
                f" {type(make_loader).__name__}; try profile_loader(lambda: loader)"
            )
        self.make = make_loader
        try:
            self.parameters = set(inspect.signature(make_loader).parameters)
        except ValueError:  # a built-in function without a signature
            self.parameters = set()
        self.loader = one_loader(make_loader(), "a function that returns loaders[{which}]")
        if not hasattr(self.loader, "__iter__") and not hasattr(self.loader, "__getitem__"):
            raise TypeError(
                "the function must return a loader, which a for loop can iterate over; it returned"
                f" {type(self.loader).__name__}"
            )
        self.reusable = (
            iter(self.loader) is not self.loader if hasattr(self.loader, "__next__") else True
        )
        self.ahead = next((name for name in READS_AHEAD if name in self.parameters), None)
        self.workers = workers_of(self.loader)
        self.to_the_end = False  # whether epochs that are left early are read to their end

    def fresh(self) -> Iterable:
        loader = self.loader if self.reusable else self.make()
        return ReadToTheEnd(loader) if self.to_the_end else loader

    def with_workers(self, processes: int) -> Iterable | None:
        """The loader with so many worker processes; None where their number cannot be set."""
        if self.ahead == "num_workers":
            return self.make(num_workers=processes)
        return with_workers(self.loader, processes) if self.reusable else None


class ReadToTheEnd:
    """A loader whose epochs end although they are left early: threads that it started may wait for
    ever otherwise, or poll.
    """

    def __init__(self, loader: Iterable):
        self.loader = loader

    def __iter__(self) -> Iterator[Any]:
        batches = iter(self.loader)
        try:
            for batch in batches:  # noqa: UP028 (`yield from` would close the batches)
                yield batch
        finally:
            for _ in batches:
                pass


def some(loader: Iterable, batches: int) -> Iterator[Any]:
    """The first batches of a loader, which starts when the first is asked for."""
    yield from itertools.islice(iter(loader), batches)


@dataclasses.dataclass
class Bench:
    """The settings and the first results that all measurements of one report share."""

    source: Source
    clock: Clock
    repeats: int
    warmup: int
    quick: bool
    busy_clock: Callable[[], tuple[float, float]]
    sleep: Callable[[float], Any]
    synchronize: Callable[[], Any]
    limit_seconds: float | None = None  # of the whole report
    only_verdict: bool = False  # what no verdict needs is not measured
    may_trace: bool = True  # whether memory may be traced beside the loader's threads
    step_seconds: float = 0.0
    epoch_known: bool = True  # whether the batches of an epoch are known
    most_start: float = 1.0  # the share of an epoch before its first batch, where one was read

    def __post_init__(self) -> None:
        self.began, self.loaded = self.clock(), 0  # batches of all runs

    def over(self, share: float = 1.0) -> bool:
        """Whether this share of the report's limited seconds has passed."""
        if self.limit_seconds is None:
            return False
        return self.clock() - self.began > share * self.limit_seconds

    @property
    def seconds(self) -> float:
        """How long a run should take, unless its number of batches is given."""
        return QUICK_SECONDS if self.quick else RUN_SECONDS

    def prepare(self, step: Callable[[Any], Any] | float | None, batches: int | None) -> None:
        """Read the first batch, calibrate the step, and find out how many batches with their steps
        make a run.
        """
        most, least = batches or MOST_BATCHES, batches or LEAST_BATCHES
        start, self.batches = 0.0, 0
        steps: list[float] = []
        self.lengths: list[Lengths] = []
        before = threading.active_count()
        iterator = iter(self.source.fresh())
        for batch in itertools.islice(iterator, most):
            if not self.batches:  # what comes before the first batch happens once in an epoch
                self._look_at(batch, step)
                start = self.clock()
            began = self.clock()
            self.step(batch)
            self.synchronize()
            steps.append(self.clock() - began)
            self.batches += 1
            self.lengths += filter(None, [token_lengths(batch)])
            taken = self.clock() - start
            # with limited seconds, a run may have few batches
            enough = (self.limit_seconds or math.inf) / RUNS_IN_LIMIT
            if (self.batches >= least and taken >= self.seconds) or (
                self.batches > 1 and taken >= enough
            ):
                break
        if not self.batches:
            raise ValueError("the loader gave no batch; profile_loader needs at least one")
        if self.limit_seconds is not None and taken >= self.limit_seconds * FIRST_IN_LIMIT:
            self.batches = 1
        # a run of short steps beside a slow loader must not be too short to be timed
        enough = self.seconds / max(min(steps), 1e-9)
        self.steps = int(max(self.batches, min(MOST_BATCHES, enough)))
        if threading.active_count() > before and not hasattr(self.source.loader, "dataset"):
            # read on for a while: is it an epoch that can be read to its end each time?
            end = self.clock() + COUNT_SECONDS
            self.source.to_the_end = all(self.clock() < end for _ in iterator)
        try:
            self.epoch = max(self.batches, len(self.source.loader))
        except TypeError:  # a stream, a generator
            count, self.epoch_known = self._counted()
            self.epoch = max(self.batches, count)

    def fill(self) -> None:
        """Read one epoch, so that a cache which keeps every sample has them all; not for long."""
        end = self.clock() + FILL_SECONDS
        for _ in self.source.fresh():
            if self.clock() > end or self.over(0.2):
                break

    def _counted(self) -> tuple[int, bool]:
        """The batches of an epoch whose length is not known, or those of `COUNT_SECONDS` after the
        first; and whether these are all.
        """
        began, count = self.clock(), 0
        for _ in self.source.fresh():
            now = self.clock()
            if not count:
                first = now
            count += 1
            if now >= first + COUNT_SECONDS:
                break
        taken = now - began
        self.most_start = (first - began) / taken if taken > 0 else 1.0
        return count, now < first + COUNT_SECONDS

    def _look_at(self, batch: Any, step: Callable[[Any], Any] | float | None) -> None:
        self.first_batch = batch
        self.batch_size = max(1, count_samples(batch))
        self.batch_bytes = max(1, batch_bytes(batch))
        if step is None:
            self.step_kind, self.step = "none", lambda batch: None
        elif callable(step):
            self.step_kind, self.step = "given", step
        else:
            self.step_kind, self.step = "stand-in", stand_in_step(batch, step, self.clock)

    def run(
        self,
        loader: Iterable,
        step: Callable[[Any], Any] | None,
        batches: int | None = None,
        epoch: int | None = None,
    ) -> Run:
        began, queued, processes = self.clock(), self.busy_clock()[1], processes_of(loader)
        run = timed_run(
            loader,
            step,
            batches or self.batches,
            self.clock,
            epoch or self.epoch,
            self.synchronize,
            timed_close=processes > 0,
        )
        self.loaded += run.batches
        queued = self.busy_clock()[1] - queued
        # over a run of microseconds, what was queued beside it would be more than the whole
        whole = max(self.clock() - began, run.seconds)
        own = 1.0 if processes else max(0.01, 1 - queued / whole)
        return dataclasses.replace(run, queued_seconds=queued, whole_seconds=whole, own_share=own)


def stand_in_step(
    batch: Any, seconds: float, clock: Clock = time.perf_counter
) -> Callable[[Any], None]:
    """A step that takes about `seconds`: matrix products, or, as no product takes so little time, a
    loop that waits.

    Raises:
        ValueError: `seconds` is not above 0.
    """
    if not seconds > 0:
        raise ValueError(f"a stand-in for a step takes more than 0 seconds, got {seconds}")
    if seconds >= STEP_SECONDS:
        return matmul_step(batch, seconds, clock)

    def spin(batch: Any) -> None:
        end = clock() + seconds
        while clock() < end:
            pass

    return spin


def matmul_step(
    batch: Any, seconds: float, clock: Clock = time.perf_counter
) -> Callable[[Any], None]:
    """Return a training step that multiplies part of a batch's first array by matrices for about
    `seconds`.

    Each product is so small that the BLAS library does not split it among cores; its threads would
    wait for each other when another program uses a core. Many products are one NumPy call, during
    which other Python threads can run.
    """

    def features(batch: Any) -> np.ndarray:
        array = as_array(next(leaves(batch)))
        if array is None or array.dtype.kind not in "fiub" or not array.size:
            return np.ones((64, 64), np.float32)
        return array.reshape(len(array) if array.ndim else 1, -1)[:64, :64].astype(np.float32)

    weights = np.ones((PRODUCTS, features(batch).shape[1], 64), np.float32)
    result = np.matmul(features(batch), weights)

    def once_seconds() -> float:
        start = clock()
        np.matmul(features(batch), weights, out=result)
        return clock() - start

    # the shortest time: other programs can only make a call longer
    once = min(once_seconds() for _ in range(CALIBRATIONS))
    times = min(1000, max(1, round(seconds / once))) if once > 0 else 1

    def step(batch: Any) -> None:
        x = features(batch)
        for _ in range(times):
            np.matmul(x, weights, out=result[:, : len(x)])

    return step
