"""`profile_loader`: all that the profiler can measure of one loader, in one report.

    from tinytorch.profiler import profile_loader

    def make(batch_size=128, prefetch=0):
        return DataLoader(dataset, batch_size, shuffle=True, prefetch=prefetch)

    report = profile_loader(make)
    print(report.verdict)

The variants of a run are interleaved. Each is warmed up and repeated, and its median and spread are
reported. What cannot be measured is None, and `reasons` says why in a sentence.
"""

from __future__ import annotations

import dataclasses
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tinytorch.profiler.diagnosis.advice_rules import diagnose
from tinytorch.profiler.diagnosis.bench import Bench, Source, some
from tinytorch.profiler.diagnosis.diagnosis_record import Diagnosis
from tinytorch.profiler.diagnosis.differential_runs import (
    KEPT_SECONDS,
    Cold,
    Rate,
    Rates,
    interleaved,
    with_kept_samples,
)
from tinytorch.profiler.diagnosis.facts import LARGE_SHARE, Facts
from tinytorch.profiler.diagnosis.hot_path import HotPath, hot_path
from tinytorch.profiler.diagnosis.reduce_to_facts import facts_of
from tinytorch.profiler.diagnosis.single_reads import read_samples
from tinytorch.profiler.diagnosis.tried_settings import (
    NO_TIME,
    batch_sizes,
    cores,
    worker_counts,
)
from tinytorch.profiler.diagnosis.yardsticks import BareCopy, BareGather
from tinytorch.profiler.recording.alternating_runs import rounds_of
from tinytorch.profiler.recording.device import synchronize_torch
from tinytorch.profiler.recording.measure import Clock, busy_seconds, peak_memory, spread_of
from tinytorch.profiler.recording.memory import (
    allocated_for_a_batch,
    arrays_behind,
    growth,
)
from tinytorch.profiler.recording.recorder import Profiler, Watched
from tinytorch.profiler.recording.stopwatch import STAGES
from tinytorch.profiler.recording.thresholds import BUSY, NOT_THE_BOTTLENECK
from tinytorch.profiler.recording.unknown_loader import with_workers

# Python 3.11 can crash when tracing begins or ends beside a thread that a library started
NO_TRACE = "threads that Python did not start run Python code, and tracing memory is not safe there"
WATCHED_BATCHES, SHOWN_BATCHES = 32, 8
# of a report with limited seconds; fewer repeats, or fewer batches in each, are called a guess
SURE_REPEATS, SURE_BATCHES = 3, 3
SURE_TRIALS = 2  # runs of another setting, without which its gain is not promised
QUICK_REPORT_SECONDS = 10.0
LOOK_SECONDS = 0.8  # a look every few milliseconds
FIRST_SAMPLES = 8
TRACED_BATCHES = 16  # tracemalloc makes a loader several times slower


@dataclasses.dataclass(frozen=True)
class LoaderReport:
    """The results of `profile_loader`. `rates` are measured with the training step, in samples per
    second; `loading` is measured without it.

    Attributes:
        rates: synthetic, cached, warm, cold -> samples_per_second, spread, seconds_per_batch; None
            where `reasons` says why.
        stalls: shares of the time per batch: compute, prep, fetch; they sum to 1 (Mohan et al.,
            VLDB 2021).
        timelines: loading and then training; prefetch with the step elsewhere; prefetch with the
            step on the same cores.
        step: kind ("given", "stand-in" or "none") and seconds.
        stages: shares, and seconds per batch, of fetch, transform, collate, other.
        sweep: batch_size, the rate and peak_bytes of the loader alone.
        workers: num_workers and the rate of the loader with its step.
        limit: the bandwidths of a bare gather and a bare copy of such rows.
        memory: sizes in bytes.
        break_even: seconds of a step that hides the loading of a batch, and the sentence that says
            so.
        facts: all values from which the verdict was derived.
    """

    name: str
    batch_size: int
    batches: int
    repeats: int
    machine: dict[str, Any]
    rates: dict[str, dict[str, float] | None]
    reasons: dict[str, str]
    stalls: dict[str, float]
    step: dict[str, Any]
    loading: dict[str, Any]
    timelines: list[dict[str, Any]] | None
    stages: dict[str, Any] | None
    sweep: list[dict[str, float]] | None
    workers: list[dict[str, float]] | None
    limit: dict[str, float]
    memory: dict[str, Any]
    facts: Facts
    verdict: Diagnosis
    overhead_share: float
    break_even: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        return {"schema": 1, **dataclasses.asdict(self)}


def profile_loader(
    make_loader: Callable[..., Iterable],
    step: Callable[[Any], Any] | float | None = None,
    *,
    name: str = "loader",
    batches: int | None = None,
    repeats: int = 5,
    warmup: int = 1,
    quick: bool = False,
    seconds: float | None = None,
    evict: Any = (),
    synchronize: Callable[[], Any] = synchronize_torch,
    clock: Clock = time.perf_counter,
    busy_clock: Callable[[], tuple[float, float]] = busy_seconds,
    sleep: Callable[[float], Any] = time.sleep,
) -> LoaderReport:
    """Measure a loader with a training step, without it, and with parts of its work left out.
    Return the report.

    Args:
        make_loader: returns the loader; called without arguments. If it has a parameter
            `batch_size`, batch sizes are compared; if it has `prefetch` (or `num_workers`), loading
            with and without reading ahead is compared.
        step: a training step, called with each batch; or the seconds of a stand-in for it, made of
            matrix products. Without a step, the report says how long a step hides the loading, in
            place of how much of the time loading takes.
        name: the loader's name in the report.
        batches: batches in a run; default: about 0.1 s of batches, at least 8 (or the whole epoch
            if that is shorter).
        repeats, warmup: runs of every variant that count, and runs before them that do not.
        quick: shorter runs, three repeats, fewer batch sizes, about 10 seconds in all.
        seconds: measure only what the verdict needs, in about this time: with a slow loader the
            runs are shorter and fewer, and `reasons["doubt"]` says when they are too few.
        evict: files that the loader reads (memory maps are found automatically), or a function that
            empties its caches.
        synchronize: waits until the step is done, where a step returns before it is; default
            PyTorch's for the accelerator that is in use.
        clock, busy_clock, sleep: for tests. `clock` returns seconds; `busy_clock` returns the
            seconds that this thread computed and queued for a core; `sleep` waits.

    Raises:
        ValueError: the loader gives no batch.
    """
    bench = Bench(
        Source(make_loader),
        clock,
        min(repeats, 3) if quick else repeats,
        warmup,
        quick,
        busy_clock,
        sleep,
        synchronize,
        QUICK_REPORT_SECONDS if quick and seconds is None else seconds,
        only_verdict=seconds is not None,
    )
    dataset = getattr(bench.source.loader, "dataset", None)
    clocks: dict[str, Any] = {"clock": clock, "busy_clock": busy_clock}
    early = None
    if not bench.source.workers:  # before the loader reads its first epoch
        early = read_samples(dataset, **clocks, samples=FIRST_SAMPLES, limit_seconds=0.3)
    bench.prepare(step, batches)
    if early and early.keeps:
        bench.fill()
    reasons: dict[str, str] = {}

    def or_reason(name: str, measured: Any) -> Any:
        """What was found, or None and the reason why not."""
        if isinstance(measured, str):
            reasons[name] = measured
        return None if isinstance(measured, str) else measured

    rates = _rates(bench, evict, reasons)
    alone = rates.alone
    stages = or_reason("stages", _stages(bench))
    reading = read_samples(dataset, **clocks)
    waiting = reading is not None and reading.waiting_share > LARGE_SHARE
    workers = or_reason("workers", worker_counts(bench, rates.warm.seconds_per_batch, waiting))
    hot, grows = _hot(bench, alone, reasons)
    # looks may miss a short call; TensorFlow's threads run Python code for map and numpy_function
    bench.may_trace = not hot.foreign and "tensorflow" not in sys.modules
    timelines = or_reason("timelines", _timelines(bench))
    measured = {
        "stalls": rates.stalls(),
        "timelines": timelines,
        "stages": stages,
        "sweep": or_reason("sweep", batch_sizes(bench, alone.seconds_per_batch)),
        "workers": workers,
        "limit": _limit(bench.batch_bytes / bench.batch_size, rates),
        "memory": {**_memory(bench, evict, reasons), "growth_bytes_per_batch": grows},
    }
    shown = {kind: rate.as_dict() if rate else None for kind, rate in rates.with_step().items()}
    if bench.step_kind == "none":  # a run of nothing has no rate
        shown["synthetic"], reasons["synthetic"] = None, "no step was given"
    facts = facts_of(bench, rates, hot, (early, reading), measured)
    untried = reasons.get("timelines") == NO_TIME and not workers
    if doubt := _doubt(bench, rates, untried):
        reasons["doubt"] = doubt
    verdict = diagnose(facts)
    settings = [*(measured["sweep"] or ()), *(measured["workers"] or ())]
    runs = [row["runs"] for row in settings] if verdict.by_trial else [len(alone.runs)]
    once = bool(verdict.tried or verdict.by_trial) and min(runs) < SURE_TRIALS
    if doubt or once:
        verdict = verdict.without_promise()
    return LoaderReport(
        name=name,
        batch_size=bench.batch_size,
        batches=bench.batches,
        repeats=len(alone.runs),
        machine=_machine(),
        rates=shown,
        reasons=reasons,
        step={"kind": bench.step_kind, "seconds": bench.step_seconds},
        loading={
            **alone.as_dict(),
            "between_batches": alone.between_batches(),
            "batches": alone.runs[0].batches,
            "samples": alone.runs[0].samples,
        },
        facts=facts,
        verdict=verdict,
        overhead_share=stages["overhead_share"] if stages else 0.0,
        break_even=_break_even(alone.seconds_per_batch, bench.source.workers),
        **measured,
    )


def _doubt(bench: Bench, rates: Rates, untried: bool) -> str:
    """Why the verdict may be wrong; "" where there is no reason to doubt it."""
    doubts, runs = [], len(rates.alone.runs)
    if rates.noisy:
        waited = f"other programs had this one's core for {rates.queued:.0%} of the time"
        varied = f"speeds varied by {rates.spread:.0%}"
        doubts.append(f"the machine was busy, {waited if rates.queued > BUSY else varied}")
    least = min(SURE_BATCHES, bench.epoch)
    if runs < min(SURE_REPEATS, bench.repeats) or bench.batches < least or untried:
        taken = bench.clock() - bench.began
        sure = taken * max(1, SURE_REPEATS / runs) * max(1, least / bench.batches)
        doubts.append(
            f"in {taken:.0f} s this slow loader could be measured {_times(runs, 'time')} over"
            f" {_times(bench.batches, 'batch', 'es')}; a sure answer takes about {sure:.0f} s"
        )
    return "; ".join(doubts)


def _limit(bytes_per_sample: float, rates: Rates) -> dict[str, float]:
    """The two bandwidths that no loader can exceed, and the loader's share of that of a gather (a
    roofline, Williams et al. 2009).
    """
    gathered = rates.gather.samples_per_second
    return {
        "memcpy_bytes_per_second": rates.copy.samples_per_second * bytes_per_sample,
        "gather_bytes_per_second": gathered * bytes_per_sample,
        "bytes_per_sample": bytes_per_sample,
        "limit_samples_per_second": gathered,
        "share_of_limit": rates.alone.samples_per_second / gathered,
    }


def _break_even(seconds: float, workers: int) -> dict[str, Any]:
    """How long a training step must take so that nobody waits for `seconds` of loading."""
    takes, unnoticed = _duration(seconds), _duration(seconds / NOT_THE_BOTTLENECK - seconds)
    if workers:
        sentence = f"loading a batch takes {takes}: a step that takes longer hides it"
    else:
        sentence = (
            f"loading a batch takes {takes}: read ahead, a step of {takes} hides it; in line with"
            f" the step, it is {NOT_THE_BOTTLENECK:.0%} of the time beside a step of {unnoticed}"
        )
    return {"seconds": seconds, "sentence": sentence}


def _times(number: int, word: str, ending: str = "s") -> str:
    return f"{number} {word}{ending if number != 1 else ''}"


def _duration(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


def _rates(bench: Bench, evict: Any, reasons: dict[str, str]) -> Rates:
    """Time the four variants and the loader alone, interleaved."""
    source, kept = bench.source, None
    again = [bench.first_batch] * bench.steps
    variants = {"synthetic": lambda: bench.run(again, bench.step, bench.steps)}
    try:
        twin, kept = with_kept_samples(source.loader)
        kept.fill(KEPT_SECONDS, bench.batch_size, bench.clock)
        variants["cached"] = lambda: bench.run(twin, bench.step)
    except ValueError as problem:
        reasons["cached"] = str(problem)
    variants["warm"] = lambda: bench.run(source.fresh(), bench.step)
    if bench.step_kind != "none":  # without a step, the warm run is the loader alone
        variants["alone"] = lambda: bench.run(source.fresh(), None)
    bytes_per_row = max(1, round(bench.batch_bytes / bench.batch_size))
    rows = bench.epoch * bench.batch_size
    gather = BareGather(bytes_per_row, rows, bench.batch_size, bench.batches)
    variants["gather"] = lambda: bench.run(gather, None)
    variants["copy"] = lambda: bench.run(BareCopy(gather), None)
    cold = Cold(source.loader, evict)
    if cold.why_not:
        reasons["cold"] = cold.why_not
    else:
        variants["cold"] = lambda: cold.run(lambda: bench.run(source.fresh(), bench.step))
        cold.fill()
    rates: dict[str, Any] = {"cached": None, "cold": None}
    rates |= interleaved(variants, bench.repeats, bench.warmup, lambda: bench.over(0.4))
    if not cold.why_not and not cold.was_cold:
        rates["cold"] = None
        reasons["cold"] = (
            "the files could not be evicted: nothing was read from a disk. Perhaps the file system"
            " is in memory, or other processes map the pages"
        )
    if kept is not None and not kept.reads:
        rates["cached"] = kept = None
        reasons["cached"] = (
            f"{type(source.loader).__name__} goes on reading its own dataset: its samples cannot be"
            " kept in memory"
        )
    bench.step_seconds = rates["synthetic"].seconds_per_batch
    return Rates(**{"alone": rates["warm"], **rates}, kept=kept, has_workers=source.workers > 0)


def _stages(bench: Bench) -> dict[str, Any] | str:
    """Watch the loader alone, `repeats` times. The medians are kept: a collection of garbage takes
    as long as many batches.
    """
    enough = bench.repeats if bench.limit_seconds is None else min(SURE_REPEATS, bench.repeats)

    def watch() -> Watched:
        return _watch(bench, bench.source.fresh(), lambda _: None, bench.batches, detail=True)

    turns = rounds_of({"": watch}, enough, 0, lambda: bench.over(0.5))[""]
    # workers that live on are seen once
    seen = [(watched, watched.stages) for watched in turns if watched.stages]
    if not seen:
        return turns[0].unseen
    seconds = {
        stage: statistics.median(stages[stage] / watched.batches for watched, stages in seen)
        for stage in STAGES
    }
    total, first = sum(seconds.values()) or 1.0, seen[0][0]
    return {
        "reads_per_batch": first.reads_per_batch,
        "reads_of_first": first.reads_of_first,
        "shares": {stage: value / total for stage, value in seconds.items()},
        "seconds": seconds,
        "overhead_share": statistics.median(watched.overhead_share for watched, _ in seen),
    }


def _hot(bench: Bench, alone: Rate, reasons: dict[str, str]) -> tuple[HotPath, float]:
    """Where the loader's time goes, and the bytes by which memory grows with a batch."""
    if bench.clock is not time.perf_counter:
        reasons["where"] = "the clock is not the real one"
        return HotPath(), 0.0
    # what worker processes do cannot be seen from here
    twin = with_workers(bench.source.loader, 0) if bench.source.workers else None
    loader = bench.source.fresh if twin is None else lambda: twin
    counted = min(4, round(LOOK_SECONDS / 2 / alone.seconds_per_batch))  # none, if they are slow
    hot, held = hot_path(loader, LOOK_SECONDS, counted)
    # a cache has met every sample by then; what still grows is no cache
    if bench.loaded + len(held) < 2 * bench.epoch:
        return hot, 0.0
    return hot, growth(held)


def _timelines(bench: Bench) -> list[dict[str, Any]] | str:
    """Three ways to combine loading and step, watched in turn, or why they were not.

    "Elsewhere" means that the step is a sleep of the same length, as if an accelerator computed it.
    On the same cores, loading and step may slow each other down: then the step waits less, and yet
    the whole does not get faster.
    """
    source, batches = bench.source, min(bench.batches, WATCHED_BATCHES)
    if bench.step_kind == "none":
        return "reading ahead hides loading behind a step, and none was given"
    if source.ahead is None:
        return "make_loader has no parameter prefetch (or num_workers)"
    if bench.over(0.75):
        return NO_TIME
    in_line, ahead = (source.make(**{source.ahead: depth}) for depth in (0, source.workers or 1))
    rows = {
        "Load, then train": lambda: _watch(bench, in_line, bench.step, batches),
        "Prefetch, step elsewhere": lambda: _watch(
            bench, ahead, lambda batch: bench.sleep(bench.step_seconds), batches
        ),
        "Prefetch, step on the same cores": lambda: _watch(bench, ahead, bench.step, batches),
    }
    if bench.only_verdict:  # the verdict does not read it
        del rows["Prefetch, step elsewhere"]
    runs = rounds_of(rows, bench.repeats, bench.warmup, lambda: bench.over(0.85))
    return [_timeline(name, watched, bench.step_seconds) for name, watched in runs.items()]


def _watch(
    bench: Bench,
    loader: Iterable,
    step: Callable[[Any], Any],
    batches: int,
    detail: bool = False,
) -> Watched:
    with Profiler(bench.clock, detail=detail, synchronize=bench.synchronize) as profiler:
        for _, batch in zip(range(batches), profiler.wrap(loader, "loader"), strict=False):
            step(batch)
    return profiler.report()


def _timeline(name: str, runs: list[Watched], step_alone_seconds: float) -> dict[str, Any]:
    """Medians of the runs, and the first spans of the run in the middle."""
    middle = sorted(runs, key=lambda run: run.wall_seconds)[len(runs) // 2]
    step = statistics.median(run.step_seconds_median for run in runs)
    return {
        "name": name,
        "batches": middle.batches,
        "wall_seconds": middle.wall_seconds,
        "idle_share": statistics.median(run.idle_share for run in runs),
        "step_seconds": step,
        "stretch": step / step_alone_seconds if step_alone_seconds else 1.0,
        "spread": spread_of([run.wall_seconds for run in runs]),
        "spans": [
            dataclasses.asdict(span)
            for span in middle.spans
            if span.batch < SHOWN_BATCHES and span.lane in ("train", "load")
        ],
    }


def _memory(bench: Bench, evict: Any, reasons: dict[str, str]) -> dict[str, Any]:
    source, copied, peak = bench.source, None, None
    if bench.may_trace and not source.workers:
        copied = allocated_for_a_batch(iter(source.fresh()))
    elif bench.may_trace and source.ahead:
        copied = allocated_for_a_batch(iter(source.make(**{source.ahead: 0})))
    if copied is None:
        needs = "it needs two batches of a loader that reads nothing ahead"
        reasons["copied_bytes_per_batch"] = needs if bench.may_trace else NO_TRACE
    held = sum(array.nbytes for array in arrays_behind(getattr(source.loader, "dataset", None)))
    held += sum(os.path.getsize(path) for path in (() if callable(evict) else evict))
    if bench.over() or not bench.may_trace:
        reasons["peak_bytes"] = NO_TIME if bench.may_trace else NO_TRACE
    else:
        peak = peak_memory(some(source.fresh(), min(bench.batches, TRACED_BATCHES)))
    return {
        "peak_bytes": peak,
        "batch_bytes": bench.batch_bytes,
        "dataset_bytes": held or None,
        "copied_bytes_per_batch": copied,
    }


def _machine() -> dict[str, Any]:
    return {
        "cpus": cores(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "platform": platform.platform(),
    }
