"""Derives from facts one diagnosis, the fix for it, and the speed-up that the fix could give.

`diagnose` is a pure function without clock or loader. It goes through `RULES` from top to bottom
and stops at the first rule that applies, so the order matters: a training step that hardly waits
needs no advice about its loader, and a cache that is too small should be fixed before copies are
counted. Each rule has a different fix.

The speed-up follows Amdahl (1967): when a share p of the time becomes s times faster, the whole
becomes 1 / ((1 - p) + p / s) times faster. It is an upper bound, because the fix itself takes some
time.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from tinytorch.profiler.diagnosis.facts import COMPUTES, COMPUTES_SAMPLE, LARGE_SHARE, Facts
from tinytorch.profiler.recording.measure import NOT_THE_BOTTLENECK

COLLATE_SHARE = 0.4  # of the loading time; from here on, a better collation is worth its work
# the second of two reads of a sample in a row is at least this many times faster
THRASHING = 5.0
MANY_VALUES = 16  # Python numbers in a sample; an array would hold them in one object
# if a batch takes as long as this many plain copies, its bytes are not the reason
BYTES_MATTER = 40.0
# a batch transform that takes as long as this many copies probably loops in Python; crop, flip and
# normalize together take about 50
PYTHON_LOOP = 300.0
STACKS = 3.0  # a collation that takes as long as this many plain ones does more than stack
NOTHING = 100.0  # calls of an empty Python function, some microseconds
GAIN = 1.1  # smaller differences are noise
STRETCHED = 1.1  # a step that takes this many times as long as alone shares cores with the loader
# a loader that keeps this part of each batch, and so many bytes, does not do so by chance
GROWS, GROWS_BYTES = 0.05, 2e5
NEAR_LIMIT = 0.4  # share of the speed of a bare gather; order, checks and the loop take the rest
SMALL_BATCH = 16  # samples


@dataclasses.dataclass(frozen=True)
class Diagnosis:
    """One diagnosis. `buys` is the largest possible speed-up of the whole (loading and step), 1 or
    more. `where` names a function, its file and line; "" when none was found.
    """

    kind: str
    sentence: str
    fix: str
    buys: float
    noisy: bool = False
    where: str = ""

    def as_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        doubt = " (the machine was busy: measure again before you believe it)" if self.noisy else ""
        where = f"\nmost time is spent in {self.where}" if self.where else ""
        buys = f" (buys up to {self.buys:.2f}x)" if self.buys > 1 else ""
        return f"{self.kind}: {self.sentence}{doubt}{where}\ntry next: {self.fix}{buys}"


def amdahl(share: float, speedup: float = math.inf) -> float:
    """How many times faster the whole becomes when a `share` of its time becomes `speedup` times
    faster (Amdahl 1967): 1 or more.

    Raises:
        ValueError: share is outside 0..1.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share is a fraction from 0 to 1, got {share}")
    rest = 1 - share + share / max(1.0, speedup)
    return 1 / rest if rest else math.inf


@dataclasses.dataclass(frozen=True)
class Rule:
    """One rule of the decision list: when it applies, its sentence, the fix, and the speed-up that
    the fix could give.
    """

    kind: str
    applies: Callable[[Facts], bool]
    sentence: Callable[[Facts], str]
    fix: Callable[[Facts], str]
    buys: Callable[[Facts], float]


def diagnose(facts: Facts) -> Diagnosis:
    """Return the verdict of the first rule that applies; the last one always does."""
    rule = next(rule for rule in RULES if rule.applies(facts))
    return Diagnosis(
        rule.kind,
        rule.sentence(facts),
        rule.fix(facts),
        max(1.0, rule.buys(facts)),
        facts.noisy,
        "" if rule.kind in ("step-bound", "stragglers") or facts.workers else facts.where,
    )


def _fetch_share(f: Facts) -> float:
    """The share of the time per batch that is spent waiting for data: in a cold batch, or in a warm
    batch whose reads wait each time.
    """
    return max(f.disk_share, f.loading_share * f.share("fetch"))


RULES = (
    Rule(
        "memory grows",
        lambda f: f.growth_bytes > GROWS_BYTES and f.growth > GROWS,
        lambda f: (
            f"memory grows by {f.growth_bytes / 1e6:.2g} MB with each batch, after every sample was"
            " read twice"
        ),
        lambda f: (
            "find what keeps something of every batch: a list that only grows, a log, a cache"
            " without a limit"
        ),
        lambda f: 1.0,
    ),
    Rule(
        "step-bound",
        lambda f: f.loading_share < NOT_THE_BOTTLENECK,
        lambda f: (
            f"loading adds {f.loading_share:.1%} to a training step; under {NOT_THE_BOTTLENECK:.0%}"
            " it is not your bottleneck"
        ),
        lambda f: "leave the loader alone and look at the step",
        lambda f: amdahl(f.loading_share),
    ),
    Rule(
        "nothing wrong",
        lambda f: 0 < f.calls_per_sample * f.batch_size < NOTHING,
        lambda f: "loading a batch takes less time than a hundred calls of an empty function",
        lambda f: "nothing here",
        lambda f: 1.0,
    ),
    Rule(
        "contention",
        lambda f: (
            f.workers > 0
            and f.loading_share < 1 - NOT_THE_BOTTLENECK  # there is a step to hinder
            and f.prefetch_gain is not None
            and f.prefetch_gain < 1.05
            and f.stretch > STRETCHED
        ),
        lambda f: (
            f"reading ahead makes a step {f.stretch:.1f} times as long, since both want the same"
            f" cores (or Python's lock): waiting fell by {f.idle_fell:.0%} of the time, yet the"
            f" whole runs at {f.prefetch_gain:.2f} times its speed without"
        ),
        lambda f: (
            "read ahead with fewer workers or none;"
            " to gain from them, first make the loader's own work small"
        ),
        lambda f: 1 / f.prefetch_gain,
    ),
    Rule(
        "contention",
        lambda f: f.threads > 1.8 and 0.7 < f.cores < 1.4 and f.hot_share > LARGE_SHARE,
        lambda f: (
            f"{f.threads:.1f} threads at a time are at work, and together they use"
            f" {f.cores:.1f} processors: in Python code only one of them can go on"
        ),
        lambda f: (
            "let processes read in place of threads, or make the work small: in NumPy calls on"
            " large arrays, threads do not hinder each other"
        ),
        lambda f: 1.0,
    ),
    Rule(
        "reads everything first",
        lambda f: f.start_share > LARGE_SHARE and f.all_first,
        lambda f: (
            f"the first batch waits for {f.start_share:.0%} of the epoch's loading, and until then"
            " most samples of the epoch have been read"
        ),
        lambda f: (
            "read a sample when its batch is asked for: a generator that yields one batch at a time"
        ),
        lambda f: 1.0,
    ),
    Rule(
        "slow start",
        lambda f: f.start_share > LARGE_SHARE,
        lambda f: (
            f"{f.start_share:.0%} of an epoch's loading comes before its first batch"
            + ("" if f.epoch_known else ", if an epoch has no more batches than were measured")
        ),
        lambda f: (
            "do once what every epoch repeats: "
            + (
                "keep the workers from one epoch to the next (persistent_workers=True)"
                if f.workers
                else "listing files, computing weights; shuffle an index array, not a list"
            )
            + (
                "; read a sample when its batch is asked for, not before"
                if f.all_first is None
                else ""
            )
        ),
        # what is only moved from the start to the batches gains nothing
        lambda f: (
            1.0
            if f.all_first is None or not f.epoch_known
            else amdahl(f.loading_share * f.start_share)
        ),
    ),
    Rule(
        "stragglers",
        lambda f: f.straggler_share > LARGE_SHARE,
        lambda f: (
            f"{f.straggler_share:.0%} of the loading time is a few batches that take many times as"
            " long as the others"
        ),
        lambda f: (
            "find the samples that take so long (retries, huge files); read ahead by some batches,"
            " so that nobody waits for one of them"
        ),
        lambda f: amdahl(f.loading_share * f.straggler_share),
    ),
    Rule(
        "costly workers",
        lambda f: (
            f.best_workers is not None and f.best_workers < f.workers and f.workers_gain >= GAIN
        ),
        lambda f: (
            f"{f.workers} worker processes cost more than they give: to start, and to send each"
            " batch from one process to another"
        ),
        lambda f: f"num_workers={f.best_workers}: tried, and {f.workers_gain:.2f} times as fast",
        lambda f: f.workers_gain,
    ),
    Rule(
        "cache too small",
        lambda f: (
            f.reread_speedup >= THRASHING
            and f.calls_per_sample > COMPUTES / 3
            and not f.memory_map
            and (f.stages is None or f.largest() == "fetch")
        ),
        lambda f: (
            f"reading a sample again at once is {f.reread_speedup:.0f} times faster, yet an epoch"
            " hardly ever finds it in the cache"
        ),
        lambda f: (
            "give the cache room for every file, or shuffle within one file before the next: LRU"
            " misses in a shuffled epoch"
        ),
        lambda f: amdahl(f.loading_share * (f.share("fetch") or 1.0), f.reread_speedup),
    ),
    Rule(
        "shuffled memory map",
        lambda f: f.memory_map and f.shuffled and f.disk_share > f.loading_share / 2,
        lambda f: (
            f"random rows of a memory map: {f.disk_share:.0%} of a cold batch is waiting for pages"
        ),
        lambda f: (
            "read the file once in order before the first epoch; it fits into memory"
            if f.fits
            else (
                "shuffle blocks of neighboring rows, and rows within a block,"
                " so that the file is read in order"
            )
        ),
        lambda f: amdahl(f.disk_share),
    ),
    Rule(
        "slow disk",
        lambda f: f.disk_share > f.loading_share / 2,
        lambda f: f"reading waits for its data: {_fetch_share(f):.0%} of the time per batch",
        lambda f: (
            "keep the samples in memory after the first read; they fit"
            if f.fits
            else (
                "pack the samples into one file that is read in order,"
                " and read one batch ahead (prefetch=1)"
            )
        ),
        lambda f: amdahl(_fetch_share(f)),
    ),
    Rule(
        "list of Python objects",
        lambda f: (
            f.values_per_sample >= MANY_VALUES and f.largest() != "transform" and not f.computes
        ),
        lambda f: (
            f"a sample is {f.values_per_sample} Python values, and every batch converts them again"
        ),
        lambda f: "store the data as one NumPy array, made once",
        lambda f: amdahl(f.loading_share, f.from_limit),
    ),
    Rule(
        "float64 blow-up",
        lambda f: f.batch_dtype == "float64" and f.copy_multiple < BYTES_MATTER,
        lambda f: (
            "a batch is float64, 8 bytes a value"
            + (f"; it is stored as {f.stored_dtype}" if f.stored_dtype else "")
        ),
        lambda f: (
            "compute in float32 (statistics and constants too),"
            " and keep bytes until the batch is made"
        ),
        lambda f: amdahl(f.loading_share, 2.0),
    ),
    Rule(
        "tiny batches",
        lambda f: f.batch_size <= SMALL_BATCH and f.best_batch_speedup >= 1.5,
        lambda f: (
            f"in batches of {f.batch_size} a sample costs {f.best_batch_speedup:.1f} times what it"
            f" does in {f.best_batch_size}"
        ),
        lambda f: f"batch_size={f.best_batch_size}, or several batches from one read",
        lambda f: amdahl(f.loading_share, f.best_batch_speedup),
    ),
    Rule(
        "slow transform",
        lambda f: f.largest() == "transform" and (f.one_by_one or f.copy_multiple > PYTHON_LOOP),
        lambda f: f"{f.share('transform'):.0%} of loading is the transform",
        lambda f: "transform the whole batch in a few NumPy calls (batch_transform)",
        lambda f: amdahl(f.loading_share * f.share("transform")),
    ),
    Rule(
        "slow collate",
        lambda f: f.share("collate") > COLLATE_SHARE and f.stacks > STACKS,
        lambda f: (
            f"{f.share('collate'):.0%} of loading is putting samples together,"
            f" {f.stacks:.0f} times as long as one np.stack of the same batch"
        ),
        lambda f: "fill one preallocated array, or np.stack; no Python loop over values, no copies",
        lambda f: amdahl(f.loading_share * f.share("collate"), f.stacks),
    ),
    Rule(
        "too few workers",
        lambda f: (
            f.best_workers is not None and f.best_workers > f.workers and f.workers_gain >= GAIN
        ),
        lambda f: (
            f"the loader computes in {f.workers or 'no'} worker processes, and this machine has"
            " cores for more"
        ),
        lambda f: (
            f"num_workers={f.best_workers}: tried, and {f.workers_gain:.2f} times as fast"
            + (
                f"; or keep the samples in memory as the dataset returns them: tried, and"
                f" {f.cached_gain:.3g} times as fast"
                if f.cached_gain > f.workers_gain
                else ""
            )
        ),
        lambda f: f.workers_gain,
    ),
    Rule(
        "samples that wait",
        lambda f: f.waits,
        lambda f: "reading waits for its data, and computes nothing meanwhile",
        lambda f: (
            "keep the samples in memory after the first read"
            + ("; they fit" if f.fits else ", or pack them into one file that is read in order")
            + f", or let {'more ' if f.workers else ''}workers or threads read ahead: waiting needs"
            " no processor"
        ),
        lambda f: f.cached_gain if f.fits else f.prefetch_gain or 1.0,
    ),
    Rule(
        "samples that compute",
        lambda f: f.computes,
        lambda f: (
            f"reading one sample takes as long as"
            f" {f.calls_per_read or f.calls_per_sample:,.0f} calls of an empty function,"
            f" {f.share('fetch') or f.hot_share:.0%} of loading: it computes (decodes, parses,"
            " unpacks)"
        ),
        lambda f: (
            "store the samples as what they are computed to"
            + (f": tried, and {f.cached_gain:.3g} times as fast" if f.cached_gain > GAIN else "")
            + "; or let worker processes compute them (num_workers)"
        ),
        lambda f: f.cached_gain,  # samples that are kept as they were computed: tried
    ),
    Rule(
        "per-sample Python",
        lambda f: (
            f.one_by_one
            and f.calls_per_read <= COMPUTES
            and f.calls_per_sample <= COMPUTES_SAMPLE
            and f.share_of_limit < LARGE_SHARE
            and f.share("fetch", "collate", "other") > LARGE_SHARE
        ),
        lambda f: (
            f"{f.reads_per_batch:.0f} reads a batch,"
            f" at {f.share_of_limit:.0%} of the speed of one gather"
        ),
        lambda f: "one gather a batch: give the dataset __getitems__(indices)",
        lambda f: amdahl(f.loading_share * f.share("fetch", "collate", "other"), f.from_limit),
    ),
    Rule(
        "copied twice",
        lambda f: (
            f.copies >= 1.8
            and not f.one_by_one
            and f.largest() != "transform"
            and f.copy_multiple < BYTES_MATTER
        ),
        lambda f: f"loading a batch allocates {f.copies:.1f} times its bytes",
        lambda f: (
            "copy each row once: gather into the batch itself, without a second copy,"
            " concatenate or astype"
        ),
        lambda f: amdahl(f.loading_share, f.from_limit),
    ),
    Rule(
        "nothing read ahead",
        lambda f: f.workers == 0 and f.prefetch_gain is not None and f.prefetch_gain >= GAIN,
        lambda f: (
            "the step waits for a loader without fault; reading one batch ahead was"
            f" {f.prefetch_gain:.2f} times as fast"
        ),
        lambda f: "prefetch=1",
        lambda f: f.prefetch_gain,
    ),
    Rule(
        "nothing wrong",
        lambda f: (
            f.share_of_limit >= NEAR_LIMIT
            or (
                f.reads_per_batch == 1
                and (f.copies < 1.8 or f.largest() == "transform")
                and f.copy_multiple <= PYTHON_LOOP
            )
        ),
        lambda f: (
            f"the loader runs at {f.share_of_limit:.0%} of a bare gather"
            + (
                f", and {f.share('transform'):.0%} of its time transforms whole batches"
                if f.largest() == "transform"
                else ""
            )
            + (
                f"; loading is {f.loading_share:.0%} of the time because the step is short"
                if f.loading_share < 1
                else ""
            )
        ),
        lambda f: "nothing here; a longer step or fewer bytes a sample would shift the balance",
        lambda f: 1.0,
    ),
    Rule(
        "one slow function",
        lambda f: f.hot_share > LARGE_SHARE and f.copy_multiple > BYTES_MATTER,
        lambda f: f"{f.hot_share:.0%} of loading is one function",
        lambda f: "make that function cheap, or do its work once and store the result",
        lambda f: 1.0,
    ),
    Rule(
        "slow loader",
        lambda f: True,
        lambda f: (
            f"loading takes {f.loading_share:.0%} of the time,"
            f" at {f.share_of_limit:.0%} of a bare gather"
            + (
                f", most of it {f.largest()}"
                if f.stages
                else "; its stages cannot be seen from here"
            )
        ),
        lambda f: (
            f"look at {f.largest()} first"
            if f.stages
            else "nothing is known to advise: what happens inside it cannot be seen from here"
        ),
        lambda f: 1.0,  # the cause is not known, so nothing is promised
    ),
)
