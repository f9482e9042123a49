"""Reduces the measurements of a report to the facts from which its verdict is derived."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from tinytorch.profiler.diagnosis.batch_contents import (
    BATCHES_COMPARED,
    padding,
    parts_in,
    pickled_bytes,
    times_each,
)
from tinytorch.profiler.diagnosis.bench import LEAST_BATCHES, Bench
from tinytorch.profiler.diagnosis.differential_runs import Rate, Rates, memory_maps
from tinytorch.profiler.diagnosis.facts import LARGE_SHARE, Facts
from tinytorch.profiler.diagnosis.hot_path import HotPath
from tinytorch.profiler.diagnosis.single_reads import Reading
from tinytorch.profiler.diagnosis.tried_settings import best
from tinytorch.profiler.diagnosis.yardsticks import call_seconds, stack_seconds
from tinytorch.profiler.recording.arrays_in_a_batch import largest_array, values_in
from tinytorch.profiler.recording.memory import arrays_behind, machine_bytes
from tinytorch.profiler.recording.unknown_loader import (
    is_stream,
    processes_of,
    with_workers,
    workers_stay,
)


def facts_of(
    bench: Bench,
    rates: Rates,
    hot: HotPath,
    readings: tuple[Reading | None, Reading | None],
    measured: Mapping[str, Any],
) -> Facts:
    """Reduce the measurements to shares, ratios, bytes and counts, for the verdict.

    Args:
        readings: single samples, before the first epoch and after others; None where the dataset is
            no sequence.
        measured: stalls, stages, sweep, workers, timelines, limit and memory, as the report has
            them.
    """
    early, reading = readings
    stages, memory, limit = (measured[name] for name in ("stages", "memory", "limit"))
    source, alone, batch_seconds = bench.source, rates.alone, rates.alone.seconds_per_batch
    dataset: Any = getattr(source.loader, "dataset", None)
    stored = max(arrays_behind(dataset), key=lambda array: array.nbytes, default=None)
    biggest = largest_array(bench.first_batch)
    call = call_seconds(bench.clock)
    # the rows of a stack come from memory, as those of a bare gather do
    stack = stack_seconds(bench.first_batch, bench.clock) + rates.gather.seconds_per_batch
    collate = getattr(source.loader, "collate_fn", None)
    per_batch = stages["seconds"] if stages else {}
    # threads of a library that are wanted after each step get their cores late on a busy machine
    late = rates.noisy and measured["stalls"]["compute"] < LARGE_SHARE
    by_step = bool(source.workers or hot.crew or late)
    reads = _reads_per_batch(bench, rates, stages)
    padded, padded_in_order = padding(bench.lengths)
    warm, cold = rates.warm.seconds_per_batch, rates.cold and rates.cold.seconds_per_batch
    best_size, size_gain = best("batch_size", measured["sweep"], bench.batch_size)
    best_workers, workers_gain = best("num_workers", measured["workers"], source.workers)
    return Facts(
        batch_size=bench.batch_size,
        loading_share=(
            1.0
            if bench.step_kind == "none"
            else _loading_share(by_step, measured["stalls"]["compute"], alone, warm, cold or warm)
        ),
        disk_share=max(0.0, 1 - warm / cold) if cold else 0.0,
        stages=stages and stages["shares"],
        copy_multiple=batch_seconds * limit["memcpy_bytes_per_second"] / bench.batch_bytes,
        share_of_limit=limit["share_of_limit"],
        start_share=min(start_share(alone, bench.epoch), bench.most_start),
        held_share=_held_share(bench, memory["peak_bytes"]),
        read_first=_read_first(bench, stages),
        epoch_known=bench.epoch_known,
        waiting_share=reading.waiting_share if reading else 0.0,
        reread_speedup=reading.reread_speedup if reading else 1.0,
        # what a transform draws is drawn again for samples that are kept
        random=bool(reading and reading.random and not (rates.kept and rates.kept.transforms)),
        kept_speedup=reading.seconds / reading.later_seconds if reading and reading.keeps else 1.0,
        first_slower=(
            early.seconds * bench.batch_size / batch_seconds if early and early.keeps else 1.0
        ),
        workers_stay=workers_stay(source.loader),
        times_each=_times_each(bench),
        stream=is_stream(type(dataset)),
        batch_parts=parts_in(bench.first_batch),
        pickled_bytes=pickled_bytes(bench.first_batch) if source.workers else 0,
        padding=padded,
        padding_sorted=padded_in_order,
        reads_per_batch=reads,
        calls_per_read=per_batch["fetch"] / reads / call if stages and reads else 0.0,
        calls_per_sample=batch_seconds / bench.batch_size / call,
        own_collate=not str(getattr(collate, "__module__", "")).startswith("torch."),
        stacks=per_batch["collate"] / max(stack, call) if stages else 1.0,
        cached_gain=warm / rates.cached.seconds_per_batch if rates.cached else 1.0,
        straggler_share=alone.straggler_share(max(source.workers, hot.crew)),
        growth=memory["growth_bytes_per_batch"] / bench.batch_bytes,
        growth_bytes=memory["growth_bytes_per_batch"],
        sample_ms=1e3 * (hot.hot_share or 1.0) * batch_seconds / bench.batch_size,
        values_per_sample=values_in(dataset[0]) if reading else 0,
        batch_dtype=str(biggest.dtype) if biggest is not None else None,
        stored_dtype=str(stored.dtype) if stored is not None else None,
        copies=(memory["copied_bytes_per_batch"] or bench.batch_bytes) / bench.batch_bytes,
        memory_map=bool(memory_maps(source.loader)),
        shuffled=bool(rates.kept and rates.kept.shuffled),
        dataset_bytes=memory["dataset_bytes"],
        memory_bytes=machine_bytes(),
        workers=source.workers,
        noisy=rates.noisy,
        best_batch_size=best_size,
        best_batch_speedup=size_gain,
        best_workers=best_workers,
        workers_gain=workers_gain,
        **_ahead(measured["timelines"]),
        **{name: value for name, value in vars(hot).items() if name not in ("crew", "foreign")},
    )


def _reads_per_batch(bench: Bench, rates: Rates, stages: dict[str, Any] | None) -> float | None:
    """Counted by the kept samples, else by the clocks."""
    if rates.kept and rates.cached:
        runs = bench.warmup + bench.repeats
        return rates.kept.reads / (rates.cached.runs[0].batches * runs)
    return stages["reads_per_batch"] if stages else None


def _held_share(bench: Bench, peak_bytes: int | None) -> float | None:
    if peak_bytes is None or (bench.epoch >= LEAST_BATCHES and peak_bytes < bench.batch_bytes / 2):
        return None  # less than a batch: the loader's memory is not Python's
    whole = bench.epoch * bench.batch_bytes
    return peak_bytes / whole if bench.epoch >= LEAST_BATCHES else 0.0


def _read_first(bench: Bench, stages: dict[str, Any] | None) -> float | None:
    """The share of an epoch's samples that are read before its first batch; None where reads are
    not seen, or are not those of single samples.
    """
    if not stages or not stages["reads_of_first"] or stages["reads_of_first"] < bench.batch_size:
        return None
    return stages["reads_of_first"] / (bench.epoch * bench.batch_size)


def _loading_share(by_step: bool, compute: float, alone: Rate, warm: float, total: float) -> float:
    """The share of the time per batch that the step itself does not need; unless it is told
    `by_step` alone, it is limited to what the time of the loader alone can explain.

    A difference of two times is as uncertain as both times: a step that sleeps 10 ms wakes up half
    a millisecond late. The limit is twice the time of the loader alone, because a step between two
    batches removes the loader's data from the processor's cache.
    """
    explained = (2 * alone.seconds_per_batch + total - warm) / total
    return 1 - compute if by_step else min(1 - compute, max(0.0, explained))


def start_share(alone: Rate, epoch: int) -> float:
    """The extra time before the first batch and after the last, over that of a typical batch, as a
    share of the epoch's loading time.
    """
    if alone.runs[0].batches < 2:
        return 0.0
    # what the loop queued for a core may have been before the first batch
    first = statistics.median(
        run.first_seconds + run.close_seconds - run.queued_seconds for run in alone.runs
    )
    usual = statistics.median(
        (run.seconds - run.first_seconds) / (run.batches - 1) for run in alone.runs
    )
    return max(0.0, first - usual) / (first + (epoch - 1) * usual)


def _times_each(bench: Bench) -> float:
    """How often each sample of a stream comes with the loader's own workers."""
    loader = bench.source.loader
    alone = with_workers(loader, 0) if processes_of(loader) else None
    if alone is None or not is_stream(type(getattr(loader, "dataset", None))):
        return 1.0
    return times_each(loader, alone, min(bench.epoch, BATCHES_COMPARED * processes_of(loader)))


def _ahead(timelines: list[dict[str, Any]] | None) -> dict[str, Any]:
    if not timelines:
        return {}
    serial, ahead = timelines[0], timelines[-1]
    return {
        "prefetch_gain": serial["wall_seconds"] / ahead["wall_seconds"],
        "idle_fell": max(0.0, serial["idle_share"] - ahead["idle_share"]),
        "stretch": ahead["stretch"] / serial["stretch"],
    }
