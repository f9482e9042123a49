"""Measure several things in turns in one process, and say when the results cannot be trusted: when
repeated measurements differ too much, or when a number breaks a law.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tinytorch.profiler.recording.measure import busy_seconds, spread_of
from tinytorch.profiler.recording.thresholds import BUSY, NOISY_SPREAD

Key = TypeVar("Key")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Turns:
    """What `in_turns` measured.

    Attributes:
        values: name -> what each round measured, in the unit of the measurement.
        limit: the name whose median no other can exceed; None where there is no such limit.
        queued: the share of the time in which other programs had this one's core (Linux only).
    """

    values: dict[str, tuple[float, ...]]
    limit: str | None = None
    queued: float = 0.0

    def __getitem__(self, name: str) -> float:
        """The median of one measurement."""
        return statistics.median(self.values[name])

    @property
    def medians(self) -> dict[str, float]:
        return {name: self[name] for name in self.values}

    @property
    def spreads(self) -> dict[str, float]:
        """Name -> interquartile range of the rounds, divided by their median."""
        return {name: spread_of(values) for name, values in self.values.items()}

    @property
    def spread(self) -> float:
        """The largest of the spreads."""
        return max(self.spreads.values())

    @property
    def broken(self) -> str:
        """A sentence about the first measurement above the limit; empty when there is none."""
        for name in self.values:
            if self.limit and self[name] > self[self.limit]:
                share = self[name] / self[self.limit]
                return f"{name} measured {share:.1%} of {self.limit}, and 100% is the most"
        return ""

    @property
    def noisy(self) -> bool:
        """Whether a spread is above NOISY_SPREAD, a number breaks the law of the limit, or other
        programs had the core.
        """
        return self.spread > NOISY_SPREAD or bool(self.broken) or self.queued > BUSY

    def __str__(self) -> str:
        rounds = len(next(iter(self.values.values())))
        words = f"measured in turns, {rounds} rounds, largest spread {self.spread:.0%}"
        if self.broken:
            return f"{words}. Noise: {self.broken}. Measure again"
        if self.queued > BUSY:
            had = f"other programs had this one's core for {self.queued:.0%} of the time"
            return f"{words}. The machine was busy, {had}: measure again"
        return f"{words}. Above {NOISY_SPREAD:.0%}: measure again" if self.noisy else words


@dataclass(frozen=True)
class Law:
    """A sentence that holds on every machine, and whether the numbers just measured agree."""

    says: str
    holds: bool

    @property
    def noisy(self) -> bool:
        return not self.holds

    @property
    def broken(self) -> str:
        return "" if self.holds else f"the numbers disagree with a law: {self.says}"

    def __str__(self) -> str:
        return self.says if self.holds else f"Noise: {self.broken}. Measure again"


def rounds_of(
    measures: Mapping[Key, Callable[[], Result]],
    repeats: int,
    warmup: int,
    over: Callable[[], bool] = lambda: False,
) -> dict[Key, list[Result]]:
    """Call each measurement once a round, so that a period in which the machine is slow affects all
    of them alike; keep what `repeats` rounds after `warmup` others gave. When time is `over`, the
    rounds end, and the warm-up is kept if there is nothing else.
    """
    results: dict[Key, list[Result]] = {}
    for number in range(warmup + repeats):
        if number in (0, warmup):
            results = {name: [] for name in measures}
        for name, measure in measures.items():
            results[name].append(measure())
        if over():
            break
    return results


def in_turns(
    measures: Mapping[str, Callable[[], float]],
    *,
    rounds: int = 5,
    warmup: int = 1,
    limit: str | None = None,
) -> Turns:
    """Measure in rounds, so that a busy moment touches all measurements alike.

    Args:
        measures: name -> a function that measures once and returns a number.
        rounds: that count, 1 or more.
        warmup: rounds that come first and do not count.
        limit: the name of the measurement that no other can exceed.

    Raises:
        ValueError: there is nothing to measure, rounds or warmup is too small, or `limit` names no
            measurement.
    """
    if not measures or rounds < 1 or warmup < 0:
        raise ValueError(
            "in_turns needs a measurement, rounds of 1 or more and warmup of 0 or more, got"
            f" {len(measures)} measurements, rounds={rounds}, warmup={warmup}"
        )
    if limit is not None and limit not in measures:
        raise ValueError(f"limit is the name of a measurement, got {limit!r}")
    began, before = time.perf_counter(), busy_seconds()[1]
    results = rounds_of(measures, rounds, warmup)
    queued = (busy_seconds()[1] - before) / max(time.perf_counter() - began, 1e-9)
    return Turns(
        {name: tuple(map(float, values)) for name, values in results.items()}, limit, queued
    )
