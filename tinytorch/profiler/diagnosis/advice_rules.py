"""Derives from facts one diagnosis, with the fix for it.

`diagnose` is a pure function without clock or loader. It stops at the first rule that applies, so
their order matters: a training step that hardly waits needs no advice about its loader, and a cache
that is too small should be fixed before copies are counted. Each rule has a different fix.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from tinytorch.profiler.diagnosis.diagnosis_record import Diagnosis, amdahl
from tinytorch.profiler.diagnosis.facts import COMPUTES, COMPUTES_SAMPLE, LARGE_SHARE, Facts
from tinytorch.profiler.recording.thresholds import NOT_THE_BOTTLENECK

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
UNSURE = 0.2  # a smaller share of loading may be that of other programs, on a busy machine
NOTHING = 100.0  # calls of an empty Python function, some microseconds
GAIN = 1.1  # smaller differences are noise
STRETCHED = 1.1  # a step that takes this many times as long as alone shares cores with the loader
# a loader that keeps this part of each batch, and so many bytes, does not do so by chance
GROWS, GROWS_BYTES = 0.05, 2e5
FIRST_SLOWER = 3.0  # the first epoch takes so many times as long as those that find samples kept
MANY_PARTS = 256  # values and arrays in a batch; each is pickled by itself
# the share of padding from which on it is named, and by how many times fewer tokens there must be
PADDED, MUCH_LESS = 0.3, 1.3
NEAR_LIMIT = 0.4  # share of the speed of a bare gather; order, checks and the loop take the rest
SMALL_BATCH = 16  # samples


def diagnose(facts: Facts) -> Diagnosis:
    """Return the verdict of the first rule that applies; the last one always does."""
    first = next(first for rules in RULES for first in rules(facts))
    hidden = first.kind in ("step-bound", "stragglers") or facts.workers
    where = "" if hidden else facts.where
    # no fix of the loader saves more than the loader's share of the time
    buys = min(max(1.0, first.buys), amdahl(facts.loading_share))
    return dataclasses.replace(first, buys=buys, noisy=facts.noisy, where=where)


def _where(condition: Any, text: str) -> str:
    return text if condition else ""


def _of_the_whole(f: Facts) -> Iterator[Diagnosis]:
    """Is loading worth a change at all?"""
    if f.growth_bytes > GROWS_BYTES and f.growth > GROWS:
        yield Diagnosis(
            "memory grows",
            f"memory grows by {f.growth_bytes / 1e6:.2g} MB with each batch, after every sample was"
            " read twice",
            "find what keeps something of every batch: a list that only grows, a log, a cache"
            " without a limit",
        )
    if f.workers and f.times_each > 1 + 1 / f.workers:
        yield Diagnosis(
            "repeated samples",
            f"with {f.workers} workers each sample comes {f.times_each:.2g} times in an epoch:"
            " every worker reads the whole stream",
            "let each worker skip what belongs to the others: info = get_worker_info(), then"
            " islice(source, info.id, None, info.num_workers) in the dataset's __iter__",
        )
    if f.loading_share < NOT_THE_BOTTLENECK:
        yield from _padding(f)
        yield Diagnosis(
            "step-bound",
            f"loading adds {f.loading_share:.1%} to a training step; under {NOT_THE_BOTTLENECK:.0%}"
            " it is not your bottleneck"
            + _where(
                f.first_slower >= FIRST_SLOWER,
                f"; in the first epoch a batch takes {f.first_slower:,.0f} times as long, until its"
                " samples are kept in memory",
            ),
            "leave the loader alone and look at the step"
            + _where(
                f.batch_size <= SMALL_BATCH,
                f": in batches of {f.batch_size}, what a step costs for each batch counts most;"
                " try larger ones",
            ),
            amdahl(f.loading_share),
        )
    if f.noisy and f.loading_share < UNSURE:
        yield Diagnosis(
            "step-bound",
            f"loading adds {f.loading_share:.0%} to a training step; while other programs want the"
            f" processor, less than {UNSURE:.0%} is no sign of a slow loader",
            "measure again on a machine that does nothing else, before you change the loader",
        )
    if 0 < f.calls_per_sample * f.batch_size < NOTHING:
        yield Diagnosis(
            "nothing wrong",
            "loading a batch takes some microseconds",
            "nothing here",
        )
    if f.workers and f.batch_parts >= MANY_PARTS:
        yield Diagnosis(
            "list of Python objects",
            f"a batch comes from its worker in {f.batch_parts:,} parts, Python values or small"
            f" arrays, which are {f.pickled_bytes / 1e3:,.0f} kB on their way",
            "return one array for a sample, such as np.asarray(row, np.float32), so that a batch is"
            " a few arrays",
        )
    if f.batch_size <= SMALL_BATCH and f.best_batch_speedup >= 1.5:
        yield Diagnosis(
            "tiny batches",
            f"in batches of {f.batch_size} a sample costs {f.best_batch_speedup:.1f} times what it"
            f" does in {f.best_batch_size}",
            f"batch_size={f.best_batch_size}, or several batches from one read",
            amdahl(f.loading_share, f.best_batch_speedup),
        )
    if (
        f.workers > 0
        and not f.noisy
        and f.loading_share < 1 - NOT_THE_BOTTLENECK  # there is a step to hinder
        and f.prefetch_gain is not None
        and f.prefetch_gain < 1.05
        and f.stretch > STRETCHED
    ):
        yield Diagnosis(
            "contention",
            f"reading ahead makes a step {f.stretch:.1f} times as long, since both want the same"
            f" cores (or Python's lock): waiting fell by {f.idle_fell:.0%} of the time, yet the"
            f" whole runs at {f.prefetch_gain:.2f} times its speed without",
            "read ahead with fewer workers or none;"
            " to gain from them, first make the loader's own work small",
            1 / f.prefetch_gain,
        )
    if f.locked:
        yield Diagnosis(
            "contention",
            "at any time one thread or more queues for a lock that another one holds: only one of"
            " them can go on",
            "more threads would wait as well: give each thread a file, a connection or a generator"
            " of its own, and hold the lock only to take the next number",
        )
    if f.threads > 1.8 and 0.7 < f.cores < 1.4 and f.hot_share > LARGE_SHARE:
        yield Diagnosis(
            "contention",
            f"{f.threads:.1f} threads at a time are at work, and together they use"
            f" {f.cores:.1f} processors: in Python code only one of them can go on",
            "let processes read in place of threads, or make the work small: in NumPy calls on"
            " large arrays, threads do not hinder each other",
        )


def _of_an_epoch(f: Facts) -> Iterator[Diagnosis]:
    """What costs time once in an epoch, or in a few batches."""
    if f.start_share > LARGE_SHARE and f.read_first is not None and f.all_first:
        yield Diagnosis(
            "reads everything first",
            f"the first batch waits for {f.start_share:.0%} of the epoch's loading, and until then"
            " most samples of the epoch have been read",
            "read a sample when its batch is asked for: a generator that yields one batch at a"
            " time",
        )
    if f.start_share > LARGE_SHARE:
        # memory that is held from the start on may be that of an index
        once, unknown = "listing files, computing weights", f.all_first is not False
        once += "; shuffle an index array, not a list"
        if f.workers:
            once = "keep the workers from one epoch to the next (persistent_workers=True)"
        # what is only moved from the start to the batches gains nothing
        yield Diagnosis(
            "slow start",
            f"{f.start_share:.0%} of an epoch's loading comes before its first batch"
            + _where(not f.epoch_known, ", if an epoch has no more batches than were measured"),
            f"do once what every epoch repeats: {once}"
            + _where(unknown, "; read a sample when its batch is asked for, not before"),
            1.0 if unknown or not f.epoch_known else amdahl(f.loading_share * f.start_share),
        )
    if f.straggler_share > LARGE_SHARE:
        yield Diagnosis(
            "stragglers",
            f"{f.straggler_share:.0%} of the loading time is a few batches that take many times as"
            " long as the others",
            "find the samples that take so long (retries, huge files); read ahead by some batches,"
            " so that nobody waits for one of them",
            amdahl(f.loading_share * f.straggler_share),
        )
    # other programs that want the cores make workers look costly
    fewer = f.best_workers is not None and f.best_workers < f.workers and not f.noisy
    if fewer and f.stages and f.waits:  # without stages, who waits is not known
        yield Diagnosis(
            "contention",
            f"reading waits, which needs no core, yet {f.workers} worker processes read no faster"
            f" than num_workers={f.best_workers}: they wait for something that only one of them can"
            " hold",
            "find the lock, file or connection for which a read waits: share it (fcntl.LOCK_SH),"
            " hold it only to take what is next, or give each process its own",
        )
    if fewer and f.workers_gain >= GAIN:
        yield Diagnosis(
            "costly workers",
            f"{f.workers} worker processes cost more than they give: to start, and to send each"
            " batch from one process to another",
            f"num_workers={f.best_workers}",
            f.workers_gain,
            tried=_tried(f, f.workers_gain),
        )


def _of_the_disk(f: Facts) -> Iterator[Diagnosis]:
    """What is read again, or from a disk."""
    if f.workers and not f.workers_stay and f.kept_speedup >= THRASHING:
        yield Diagnosis(
            "cache thrown away",
            f"the dataset keeps what it has read, {f.kept_speedup:.0f} times faster to read again;"
            " but the workers end with each epoch, and their samples with them",
            "persistent_workers=True: the workers live on and keep their samples; or read the"
            " samples into memory before the workers start",
            amdahl(f.loading_share, f.kept_speedup),
        )
    if (
        f.reread_speedup >= THRASHING
        and f.calls_per_sample > COMPUTES / 3
        and not f.noisy  # the first of two reads may have waited for a core
        and f.first_slower < FIRST_SLOWER
        and not f.memory_map
        and (f.stages is None or f.largest() == "fetch")
    ):
        yield Diagnosis(
            "cache too small",
            f"reading a sample again at once is {f.reread_speedup:.0f} times faster, yet an epoch"
            " hardly ever finds it in the cache",
            "give the cache room for every file, or shuffle within one file before the next: LRU"
            " misses in a shuffled epoch",
            amdahl(f.loading_share * (f.share("fetch") or 1.0), f.reread_speedup),
        )
    if f.memory_map and f.shuffled and f.disk_share > f.loading_share / 2:
        yield Diagnosis(
            "shuffled memory map",
            f"random rows of a memory map: {f.disk_share:.0%} of a cold batch is waiting for pages",
            "read the file once in order before the first epoch; it fits into memory"
            if f.fits
            else "shuffle blocks of neighboring rows, and rows within a block, so that the file is"
            " read in order",
            amdahl(f.disk_share),
        )
    if f.disk_share > f.loading_share / 2:
        # in a cold batch, or in a warm batch whose reads wait each time
        waiting = max(f.disk_share, f.loading_share * f.share("fetch"))
        yield Diagnosis(
            "slow disk",
            f"reading waits for its data: {waiting:.0%} of the time per batch",
            "keep the samples in memory after the first read; they fit"
            if f.fits
            else "pack the samples into one file that is read in order, and read one batch ahead"
            " (prefetch=1)",
            amdahl(waiting),
        )


def _of_values(f: Facts) -> Iterator[Diagnosis]:
    """What samples and batches are made of, and how they are made."""
    if f.values_per_sample >= MANY_VALUES and f.largest() != "transform" and not f.computes:
        yield Diagnosis(
            "list of Python objects",
            f"a sample is {f.values_per_sample} Python values, and every batch converts them again",
            f.action or "store the data as one NumPy array, made once",
            amdahl(f.loading_share, f.from_limit),
        )
    if f.batch_dtype == "float64" and f.copy_multiple < BYTES_MATTER:
        yield Diagnosis(
            "float64 blow-up",
            "a batch is float64, 8 bytes a value"
            + _where(f.stored_dtype, f"; it is stored as {f.stored_dtype}"),
            "compute in float32 (statistics and constants too),"
            " and keep bytes until the batch is made",
        )
    if f.largest() == "transform" and (f.one_by_one or f.copy_multiple > PYTHON_LOOP):
        yield Diagnosis(
            "slow transform",
            f"{f.share('transform'):.0%} of loading is the transform",
            "transform the whole batch in a few calls on one array, after it is put together",
            amdahl(f.loading_share * f.share("transform")),
        )
    if f.copy_multiple < BYTES_MATTER:  # what takes the time is in proportion to the tokens
        yield from _padding(f)
    # the threads in which PyTorch's own function stacks get no core on a busy machine
    seen = f.own_collate or not f.noisy
    if f.share("collate") > COLLATE_SHARE and f.stacks > STACKS and seen:
        yield Diagnosis(
            "slow collate",
            f"{f.share('collate'):.0%} of loading is putting samples together,"
            f" {f.stacks:.0f} times as long as one np.stack of the same batch",
            f.action
            or "fill one preallocated array, or np.stack; no Python loop over values, no copies"
            + _where(f.stacks > PYTHON_LOOP, ", nothing that could be done once for all epochs"),
            amdahl(f.loading_share * f.share("collate"), f.stacks),
        )


def _padding(f: Facts) -> Iterator[Diagnosis]:
    """Tokens that are there only to fill rows up."""
    if f.padding > PADDED and (1 - f.padding_sorted) > MUCH_LESS * (1 - f.padding):
        yield Diagnosis(
            "padding",
            f"{f.padding:.0%} of the tokens in a batch are padding; in batches of rows of similar"
            f" length, {f.padding_sorted:.0%} would be",
            "sort the rows of some hundred batches by length, cut them into batches, and shuffle"
            " these batches: loading and step then work on fewer tokens",
        )


def _of_samples(f: Facts) -> Iterator[Diagnosis]:
    """Reading single samples. What waits comes before what computes: it needs no core."""
    more = f.best_workers is not None and f.best_workers > f.workers
    more_workers = more and f.workers_gain >= GAIN and not f.noisy
    # workers that compute cannot be faster than there are of them, and this process
    gain = f.workers_gain if f.waits else min(f.workers_gain, 1.0 + (f.best_workers or 0))
    by_workers = _tried(f, gain)
    # samples that are partly random must not be stored: every epoch would see the same ones
    stored = 1.0 if f.random else f.cached_gain
    kept = _where(stored > GAIN, f"tried: stored samples are {stored:.3g} times as fast")
    if f.first_slower >= FIRST_SLOWER:
        yield Diagnosis(
            "slow first epoch",
            f"the first epoch takes {f.first_slower:,.0f} times as long as the later ones, which"
            " find their samples kept in memory",
            "nothing for many epochs; for few, let workers fill the cache once and keep them"
            " (persistent_workers=True), or store the samples as they are kept",
        )
    if f.waits:
        ahead = f"let {_where(f.workers, 'more ')}workers or threads read ahead"
        yield Diagnosis(
            "samples that wait",
            "reading waits for its data, and computes nothing meanwhile",
            (f"num_workers={f.best_workers}" if more_workers else ahead)
            + ": waiting needs no processor; or "
            + (f.action or f"keep the samples in memory after the first read{_room(f)}"),
            gain if more_workers else f.cached_gain if f.fits else f.prefetch_gain or 1.0,
            tried=_where(more_workers, by_workers),
        )
    if f.computes and f.action:
        # not what is advised, but what could be tried
        yield _computes(f, f.action, _where(more_workers, by_workers.replace(":", " instead:", 1)))
    if f.computes and more_workers and stored > GAIN * gain:
        yield _computes(
            f,
            "store the samples as what they are computed to; or, with less gain,"
            f" num_workers={f.best_workers}",
            kept,
        )
    if more_workers:
        yield Diagnosis(
            "too few workers",
            f"the loader computes in {f.workers or 'no'} worker processes, and this machine has"
            " cores for more",
            f"num_workers={f.best_workers}"
            + _where(stored > GAIN * gain, "; or keep the samples in memory"),
            gain,
            tried=by_workers
            + _where(
                stored > GAIN * gain, f" (samples kept in memory: {stored:.3g} times as fast)"
            ),
        )
    if f.computes:
        store = "store the samples as what they are computed to, or "
        yield _computes(
            f,
            _where(not f.random, store)
            + "let worker processes compute them (num_workers"
            + _where(f.stream, ", each its own part of the stream: get_worker_info()")
            + ")"
            + _where(f.random, "; store what is not random in them"),
            kept,
        )
    if (
        f.one_by_one
        and f.calls_per_read <= COMPUTES
        and f.calls_per_sample <= COMPUTES_SAMPLE
        and f.share_of_limit < LARGE_SHARE
        and f.share("fetch", "collate", "other") > LARGE_SHARE
    ):
        yield Diagnosis(
            "per-sample Python",
            f"{f.reads_per_batch:.0f} reads a batch,"
            f" at {f.share_of_limit:.0%} of the speed of one copy of its rows",
            "read all rows of a batch in one call: give the dataset __getitems__(indices)",
            amdahl(f.loading_share * f.share("fetch", "collate", "other"), f.from_limit),
        )


def _computes(f: Facts, fix: str, tried: str) -> Diagnosis:
    return Diagnosis(
        "samples that compute",
        f"reading one sample takes {f.sample_ms:.3g} ms, {f.share('fetch') or f.hot_share:.0%} of"
        " loading: it computes (decodes, parses, unpacks)",
        fix,
        # what was measured is storing the samples
        1.0 if f.random or (f.action and not f.stores) else f.cached_gain,
        tried=tried,
    )


def _tried(f: Facts, gain: float) -> str:
    """What a trial gave; "" for more than the whole of loading is worth, which is noise."""
    if gain > GAIN * amdahl(f.loading_share):
        return ""
    return f"tried: num_workers={f.best_workers} is {gain:.2f} times as fast"


def _calls(f: Facts) -> str:
    """How often a batch calls the function, in three digits; "" where it was not counted."""
    calls = float(f"{f.hot_calls or 0:.3g}")
    return f", {calls:,g} call{'s' if calls != 1 else ''} for a batch" if calls else ""


def _room(f: Facts) -> str:
    """What keeping the samples in memory needs."""
    if not f.dataset_bytes:
        return ", if they fit"
    size = f"{f.dataset_bytes / 1e9:.2g} GB"
    return f"; they take {size}, and fit" if f.fits else f", if they fit: they take {size}"


def _of_the_rest(f: Facts) -> Iterator[Diagnosis]:
    """What remains; the last one always applies."""
    yield from _padding(f)
    if (
        f.copies >= 1.8
        and not f.one_by_one
        and f.largest() != "transform"
        and f.copy_multiple < BYTES_MATTER
    ):
        yield Diagnosis(
            "copied twice",
            f"loading a batch allocates {f.copies:.1f} times its bytes",
            "copy each row once: gather into the batch itself, without a second copy,"
            " concatenate or astype",
            amdahl(f.loading_share, f.from_limit),
        )
    if f.workers == 0 and f.prefetch_gain is not None and f.prefetch_gain >= GAIN:
        yield Diagnosis(
            "nothing read ahead",
            "the step waits for a loader without fault; reading one batch ahead was"
            f" {f.prefetch_gain:.2f} times as fast",
            "prefetch=1",
            f.prefetch_gain,
        )
    if f.share_of_limit >= NEAR_LIMIT or (
        f.reads_per_batch == 1
        and (f.copies < 1.8 or f.largest() == "transform")
        and f.copy_multiple <= PYTHON_LOOP
    ):
        yield Diagnosis(
            "nothing wrong",
            f"the loader runs at {f.share_of_limit:.0%} of the speed of one copy of its rows"
            + _where(
                f.largest() == "transform",
                f", and {f.share('transform'):.0%} of its time transforms whole batches",
            )
            + _where(
                f.loading_share < 1,
                f"; loading is {f.loading_share:.0%} of the time because the step is short",
            ),
            "nothing here; a longer step or fewer bytes a sample would shift the balance",
        )
    if f.hot_share > LARGE_SHARE and f.copy_multiple > BYTES_MATTER:
        yield Diagnosis(
            "one slow function",
            f"{f.hot_share:.0%} of loading is one function: {f.sample_ms:.3g} ms for a sample"
            + _calls(f)
            + f"; without it, {1 - f.hot_share:.0%} of the loading is left",
            f.action or "look at that line: do its work once for all epochs, or for a whole batch",
        )
    yield Diagnosis(
        "slow loader",
        f"loading takes {f.loading_share:.0%} of the time,"
        f" at {f.share_of_limit:.0%} of the speed of one copy of its rows"
        + (f", most of it {f.largest()}" if f.stages else "; its stages cannot be seen from here"),
        f"look at {f.largest()} first"
        if f.stages
        else "nothing is known to advise: what happens inside it cannot be seen from here",
    )


RULES = (_of_the_whole, _of_an_epoch, _of_the_disk, _of_values, _of_samples, _of_the_rest)
