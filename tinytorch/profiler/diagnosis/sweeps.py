"""Tries other settings of a loader: batch sizes, and numbers of worker processes. What was tried is
what a verdict may promise.
"""

from __future__ import annotations

import math
import os
from typing import Any

from tinytorch.profiler.diagnosis import differential_runs
from tinytorch.profiler.diagnosis.bench import Bench, Some
from tinytorch.profiler.diagnosis.verdict import SMALL_BATCH
from tinytorch.profiler.recording.measure import NOT_THE_BOTTLENECK, peak_memory

SWEEP, QUICK_SWEEP = (1, 4, 16, 64, 256, 1024), (4, 32, 256)
WORKERS = (0, 1, 2, 4)
NO_TIME = "no time was left"
# Python 3.11 can crash when tracing begins or ends beside a thread that a library started
NO_TRACE = "threads that Python did not start run Python code, and tracing memory is not safe there"
LEAST_BATCHES_OF_WORKERS = 16  # in fewer, workers have hardly begun
LONGEST_RUN_OF_WORKERS = 0.5  # seconds; slow batches need not be so many
# the setting to advise: the smallest with this share of the best rate
KNEE = 0.9


def batch_sizes(
    bench: Bench, seconds_per_batch: float, reasons: dict[str, str]
) -> list[dict[str, float]] | None:
    """The loader alone at several batch sizes, interleaved. Each size loads as many samples as fit
    into the time of a run.
    """
    if "batch_size" not in bench.source.parameters:
        reasons["sweep"] = "make_loader has no parameter batch_size"
        return None
    if bench.only_verdict and bench.batch_size > SMALL_BATCH:
        reasons["sweep"] = "no verdict on a batch of this size needs it"
        return None
    if bench.over(0.85):
        reasons["sweep"] = NO_TIME
        return None
    enough = bench.seconds
    samples = max(2, min(bench.epoch, round(enough / seconds_per_batch))) * bench.batch_size
    sizes = sorted(
        {size for size in (QUICK_SWEEP if bench.quick else SWEEP) if size <= samples / 2}
        | {bench.batch_size}
    )
    loaders = {size: bench.source.make(batch_size=size) for size in sizes}
    whole = bench.epoch * bench.batch_size
    variants = {
        size: lambda size=size: bench.run(
            loaders[size], None, max(2, math.ceil(samples / size)), math.ceil(whole / size)
        )
        for size in sizes
    }
    rates = differential_runs.interleaved(
        variants, repeats=min(3, bench.repeats), warmup=1, over=lambda: bench.over(0.9)
    )
    return [
        {
            "batch_size": size,
            **rates[size].as_dict(),
            "peak_bytes": peak_memory(Some(loaders[size], 3)) if bench.may_trace else None,
        }
        for size in sizes
    ]


def best_batch(sweep: list[dict[str, float]] | None, batch_size: int) -> dict[str, Any]:
    if not sweep:
        return {}
    rates = {row["batch_size"]: row["samples_per_second"] for row in sweep}
    best = next(size for size, rate in rates.items() if rate >= KNEE * max(rates.values()))
    return {"best_batch_size": best, "best_batch_speedup": rates[best] / rates[batch_size]}


def worker_counts(
    bench: Bench, seconds_per_batch: float, reasons: dict[str, str]
) -> list[dict[str, float]] | None:
    """The loader with its step at several numbers of worker processes, up to the cores of this
    machine, interleaved. The start of the workers counts once in an epoch.

    Args:
        seconds_per_batch: of the loader with its step, as it is.
    """
    source = bench.source
    if source.with_workers(1) is None:
        reasons["workers"] = (
            "make_loader has no parameter num_workers, and its loader is not one of PyTorch's"
            " that reads samples by their number"
        )
        return None
    if seconds_per_batch * (1 - NOT_THE_BOTTLENECK) < bench.step_seconds:
        reasons["workers"] = "the step takes nearly all of the time: workers have nothing to gain"
        return None
    if bench.over(0.6):
        reasons["workers"] = NO_TIME
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    counts = sorted({count for count in WORKERS if count <= (cores or 1)} | {source.workers})
    loaders = {
        count: source.loader if count == source.workers else source.with_workers(count)
        for count in counts
    }
    enough = min(LEAST_BATCHES_OF_WORKERS, round(LONGEST_RUN_OF_WORKERS / seconds_per_batch))
    batches = min(bench.epoch, max(bench.batches, enough))
    variants = {
        count: lambda count=count: bench.run(loaders[count], bench.step, batches)
        for count in counts
    }
    rates = differential_runs.interleaved(
        variants, repeats=min(3, bench.repeats), warmup=1, over=lambda: bench.over(0.7)
    )
    return [{"num_workers": count, **rates[count].as_dict()} for count in counts]


def best_workers(tried: list[dict[str, float]] | None, workers: int) -> dict[str, Any]:
    """The facts `best_workers` and `workers_gain`; none where nothing was tried."""
    if not tried:
        return {}
    rates = {row["num_workers"]: row["samples_per_second"] for row in tried}
    best = next(count for count, rate in rates.items() if rate >= KNEE * max(rates.values()))
    return {"best_workers": best, "workers_gain": rates[best] / rates[workers]}
