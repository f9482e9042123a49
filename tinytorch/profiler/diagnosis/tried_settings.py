"""Tries other settings of a loader: batch sizes, and numbers of worker processes. What was tried is
what a verdict may promise.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from typing import Any

from tinytorch.profiler.diagnosis.advice_rules import SMALL_BATCH
from tinytorch.profiler.diagnosis.batch_contents import BATCHES_COMPARED, times_each
from tinytorch.profiler.diagnosis.bench import Bench
from tinytorch.profiler.diagnosis.differential_runs import Run, interleaved
from tinytorch.profiler.recording.thresholds import NOT_THE_BOTTLENECK
from tinytorch.profiler.recording.unknown_loader import is_stream

SWEEP, QUICK_SWEEP = (1, 4, 16, 64, 256, 1024), (4, 32, 256)
WORKERS, WORKERS_THAT_WAIT = (0, 1, 2, 4), (4, 8, 16)
NO_TIME = "no time was left"
LEAST_BATCHES_OF_WORKERS = 16  # in fewer, workers have hardly begun
LONGEST_RUN_OF_WORKERS = 0.5  # seconds; slow batches need not be so many
# the setting to advise: the smallest with this share of the best rate
KNEE = 0.9

Tried = list[dict[str, Any]]


def batch_sizes(bench: Bench, seconds_per_batch: float) -> Tried | str:
    """The loader alone at several batch sizes, or why they were not tried. Each size loads as many
    samples as fit into the time of a run; where batches are small, enough for two larger ones.
    """
    if "batch_size" not in bench.source.parameters:
        return "make_loader has no parameter batch_size"
    if bench.only_verdict and bench.batch_size > SMALL_BATCH:
        return "no verdict on a batch of this size needs it"
    if bench.over(0.85):
        return NO_TIME
    whole = bench.epoch * bench.batch_size
    samples = max(2, min(bench.epoch, round(bench.seconds / seconds_per_batch))) * bench.batch_size
    if bench.batch_size <= SMALL_BATCH:
        samples = max(samples, min(whole, 4 * SMALL_BATCH))
    usual = QUICK_SWEEP if bench.quick else SWEEP
    sizes = sorted({size for size in usual if size <= samples / 2} | {bench.batch_size})
    loaders = {size: bench.source.make(batch_size=size) for size in sizes}
    variants = {
        size: lambda size=size: bench.run(
            loaders[size], None, max(2, math.ceil(samples / size)), math.ceil(whole / size)
        )
        for size in sizes
    }
    return _tried("batch_size", variants, bench, 0.9)


def worker_counts(bench: Bench, seconds_per_batch: float, waiting: bool) -> Tried | str:
    """The loader with its step at several numbers of worker processes, or why they were not tried:
    up to the cores of this machine, and more where samples wait, because waiting needs no core. The
    start of the workers counts once in an epoch.

    Args:
        seconds_per_batch: of the loader with its step, as it is.
        waiting: whether reading a sample mostly waits.
    """
    source = bench.source
    if source.with_workers(1) is None:
        return (
            "make_loader has no parameter num_workers, and its loader is not one of PyTorch's"
            " that reads samples by their number"
        )
    if seconds_per_batch * (1 - NOT_THE_BOTTLENECK) < bench.step_seconds:
        return "the step takes nearly all of the time: workers have nothing to gain"
    if bench.over(0.6):
        return NO_TIME
    counts = sorted(
        {count for count in WORKERS if count <= cores()}
        | {source.workers, *(WORKERS_THAT_WAIT if waiting else ())}
    )
    loaders: dict[int, Any] = {
        count: source.loader if count == source.workers else source.with_workers(count)
        for count in counts
    }
    if is_stream(type(getattr(source.loader, "dataset", None))) and counts[-1]:
        each = times_each(loaders[counts[-1]], loaders[0], BATCHES_COMPARED * counts[-1])
        if each > 1 + 1 / counts[-1]:
            return (
                f"with {counts[-1]} workers each sample comes {each:.2g} times: every worker reads"
                " the whole stream"
            )
    enough = min(LEAST_BATCHES_OF_WORKERS, round(LONGEST_RUN_OF_WORKERS / seconds_per_batch))
    batches = min(bench.epoch, max(bench.batches, enough))
    variants = {
        count: lambda count=count: bench.run(loaders[count], bench.step, batches)
        for count in counts
    }
    return _tried("num_workers", variants, bench, 0.7)


def _tried(
    key: str, variants: Mapping[int, Callable[[], Run]], bench: Bench, until: float
) -> Tried:
    rates = interleaved(variants, min(3, bench.repeats), 1, lambda: bench.over(until))
    return [{key: setting, **rate.as_dict()} for setting, rate in rates.items()]


def best(key: str, tried: Tried | None, usual: int) -> tuple[int | None, float]:
    """The best setting of those tried, and how many times faster it is than the usual one."""
    if not tried:
        return None, 1.0
    rates = {row[key]: row["samples_per_second"] for row in tried}
    chosen = next(setting for setting, rate in rates.items() if rate >= KNEE * max(rates.values()))
    return chosen, rates[chosen] / rates[usual]


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
