"""Where a training step's time goes, found by leaving work out: the differential method of
DS-Analyzer (Mohan, Phanishayee, Raniwala, Chidambaram, VLDB 2021, arXiv 2007.06775).

    synthetic   the same batch again and again, no fetch, no preparation: the time of the step
    cached      raw samples from memory, transformed and collated as usual: + preparation (prep
                stall)
    warm        the loader as it is, files in the system's page cache: + reading from memory
    cold        its files evicted before each run: + waiting for the disk (fetch stall)

When loading and step overlap or share cores, a stopwatch inside the loader would blame the wrong
part. The difference between two runs does not: it is the time that the part adds to the whole. Runs
are interleaved, so that other programs on the machine slow all of them alike.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import functools
import itertools
import math
import mmap
import operator
import os
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tinytorch.profiler.recording.alternating_runs import rounds_of
from tinytorch.profiler.recording.device import synchronize_torch
from tinytorch.profiler.recording.measure import Clock, count_samples, spread_of
from tinytorch.profiler.recording.memory import arrays_behind, memory_map_of
from tinytorch.profiler.recording.thresholds import BUSY, NOISY_SPREAD
from tinytorch.profiler.recording.unknown_loader import processes_of

try:
    from resource import RUSAGE_SELF, getrusage  # not on Windows
except ImportError:
    getrusage = None  # type: ignore[assignment]  # for `blocks_read`

# raw samples that the cached run reads from memory again and again: a subset, as in DS-Analyzer;
# and the time for reading them
KEPT_SAMPLES, KEPT_SECONDS = 256, 0.3
# A batch that takes so many times what the others take, and so long, is a straggler; a program that
# has its core taken away for a moment waits for less.
LATE, LATE_SECONDS = 5, 0.02


@dataclasses.dataclass(frozen=True)
class Run:
    """One run over some batches: its total time, the time before the first batch, and the number of
    batches and samples.

    Attributes:
        steady_seconds: from the arrival of the first batch to the arrival of the last.
        epoch: batches of a whole epoch, where more than in the run.
        gaps: seconds between the arrivals of batches.
        close_seconds: closing the epoch, where that was timed.
        queued_seconds, whole_seconds: how long the loop's thread waited for a core (Linux only), in
            how many seconds: those of the run, and of what surrounds it.
        own_share: the share of the time in which no other program had its core; 1 beside worker
            processes, which queue with it.
    """

    seconds: float
    first_seconds: float
    batches: int
    samples: int
    steady_seconds: float = 0.0
    epoch: int = 0
    gaps: tuple[float, ...] = ()
    close_seconds: float = 0.0
    queued_seconds: float = 0.0
    whole_seconds: float = 0.0
    own_share: float = 1.0

    @property
    def seconds_per_batch(self) -> float:
        """Seconds per batch of a whole epoch, without those of other programs. What comes before
        the first batch and after the last, such as the start and the end of workers, happens once
        in an epoch: it is spread over all its batches, and the batches that were not run take as
        long as those after the first.
        """
        more = max(0, self.epoch - self.batches)
        if not more or self.batches < 2:
            return self.own_share * (self.seconds + self.close_seconds) / self.batches
        # A loader that is faster than an accelerator has its batches there before they are used:
        # then the whole run tells how long a batch takes.
        usual = max(
            self.steady_seconds / (self.batches - 1),
            (self.seconds - self.first_seconds) / self.batches,
        )
        return self.own_share * (self.seconds + self.close_seconds + more * usual) / self.epoch


@dataclasses.dataclass(frozen=True)
class Rate:
    """Several runs of one variant: medians, and the spread (interquartile range over median) of
    the samples per second.
    """

    runs: tuple[Run, ...]

    @functools.cached_property
    def _rates(self) -> list[float]:
        return [run.samples / run.batches / run.seconds_per_batch for run in self.runs]

    @property
    def samples_per_second(self) -> float:
        return statistics.median(self._rates)

    @property
    def spread(self) -> float:
        return spread_of(self._rates)

    @property
    def seconds_per_batch(self) -> float:
        return statistics.median(run.seconds_per_batch for run in self.runs)

    @property
    def noisy(self) -> bool:
        """Whether the median of these runs may well be wrong: it varies less than single runs."""
        return self.spread / math.sqrt(len(self.runs)) > NOISY_SPREAD

    def between_batches(self) -> dict[str, float]:
        """Seconds between the arrivals of two batches, over all runs: median, p95 (95% are no
        longer), max; 0 where no run had two batches.
        """
        gaps = [gap for run in self.runs for gap in run.gaps] or [0.0]
        return {
            "median": statistics.median(gaps),
            "p95": float(np.percentile(gaps, 95)),
            "max": max(gaps),
        }

    def straggler_share(self, together: int) -> float:
        """The share of the time between batches that a few batches take, which need many times as
        long as most do; 0 where there are none. What the runs queued for a core is no part of it.

        Args:
            together: so many batches may arrive together, as they are read at the same time; they
                are counted as one.
        """
        gaps = np.zeros(0)
        for run in self.runs:
            starts = np.arange(0, len(run.gaps), max(1, together))
            gaps = np.append(gaps, np.add.reduceat(run.gaps, starts) if run.gaps else [])
        if not gaps.sum():
            return 0.0
        usual = float(np.mean(np.sort(gaps)[: max(1, round(0.8 * len(gaps)))]))
        late = gaps[gaps > max(LATE * usual, LATE_SECONDS)]
        queued = sum(run.queued_seconds for run in self.runs)
        return max(0.0, float(late.sum()) - queued) / float(gaps.sum())

    def as_dict(self) -> dict[str, float]:
        return {
            "samples_per_second": self.samples_per_second,
            "spread": self.spread,
            "seconds_per_batch": self.seconds_per_batch,
            "runs": len(self.runs),
        }


def timed_run(
    loader: Iterable,
    step: Callable[[Any], Any] | None,
    batches: int,
    clock: Clock,
    epoch: int = 0,
    synchronize: Callable[[], Any] = synchronize_torch,
    timed_close: bool = False,
) -> Run:
    """Time up to `batches` batches of an `epoch` from before `iter(loader)` until the last step is
    done, also on an accelerator (`synchronize`). Closing the iterator is timed if `timed_close`:
    worker processes end then.

    Raises:
        ValueError: the loader gave no batch, or the clock did not move.
    """
    start = clock()
    iterator, arrivals, sizes = iter(loader), [], []
    for batch in itertools.islice(iterator, batches):
        arrivals.append(clock() - start)
        sizes.append(count_samples(batch))
        if step is not None:
            step(batch)
    synchronize()
    taken = clock() - start
    if not sizes:
        raise ValueError(
            "the loader gave no batch; make_loader must return a loader that starts anew, or a"
            " fresh generator each time"
        )
    if taken <= 0:
        raise ValueError(
            f"the clock did not move during {len(sizes)} batches; use a finer clock or more batches"
        )
    batch = None
    start = clock()
    del iterator
    closing = clock() - start if timed_close else 0.0
    gaps = tuple(later - earlier for earlier, later in itertools.pairwise(arrivals))
    steady = arrivals[-1] - arrivals[0]
    return Run(taken, arrivals[0], len(sizes), sum(sizes), steady, epoch, gaps, closing)


def interleaved(
    variants: Mapping[Any, Callable[[], Run]],
    repeats: int,
    warmup: int,
    over: Callable[[], bool] = lambda: False,
) -> dict[Any, Rate]:
    """The rates of variants that ran in turn: see `rounds_of`."""
    results = rounds_of(variants, repeats, warmup, over)
    return {name: Rate(tuple(runs)) for name, runs in results.items()}


@dataclasses.dataclass(frozen=True)
class Rates:
    """The rates of one report: of the loader with its step, by variant; of the loader without a
    step; and of a bare gather and a bare copy of its rows. None where a variant could not be run.
    `kept` is the dataset of the cached variant.
    """

    synthetic: Rate
    cached: Rate | None
    warm: Rate
    cold: Rate | None
    alone: Rate
    gather: Rate
    copy: Rate
    kept: Kept | None = None
    has_workers: bool = False

    @property
    def noisy(self) -> bool:
        return self.warm.noisy or self.alone.noisy or self.queued > BUSY

    @functools.cached_property
    def queued(self) -> float:
        """The share of the time in which other programs had the core of this one. Beside worker
        processes, which queue with the loop, it is that of the other runs.
        """
        rates = [self.synthetic, self.gather, self.copy]
        rates += [] if self.has_workers else [self.warm, self.alone]
        runs = [run for rate in rates for run in rate.runs]
        whole = sum(run.whole_seconds or run.seconds for run in runs)
        return sum(run.queued_seconds for run in runs) / whole

    @property
    def spread(self) -> float:
        """The largest spread of the loader's rates."""
        return max(self.warm.spread, self.alone.spread)

    def with_step(self) -> dict[str, Rate | None]:
        names = ("synthetic", "cached", "warm", "cold")
        return {name: getattr(self, name) for name in names}

    def stalls(self) -> dict[str, float]:
        """Shares of the time per batch: compute (the time of the step), prep stall and fetch stall.
        They sum to 1.

        The whole is the time of a cold batch if there is one, else of a warm one. Without a cached
        run, the time that the warm loader adds to the step counts as prep, and only the time that
        the disk adds counts as fetch. A run that was faster than a run with less work, because of
        noise, counts as equally fast.
        """
        compute = self.synthetic.seconds_per_batch
        warm = prepared = max(compute, self.warm.seconds_per_batch)
        if self.cached:
            prepared = min(warm, max(compute, self.cached.seconds_per_batch))
        whole = max(warm, self.cold.seconds_per_batch) if self.cold else warm
        return {
            "compute": compute / whole,
            "prep": (prepared - compute) / whole,
            "fetch": (whole - prepared) / whole,
        }


# Cached: the loader with a dataset that holds raw samples in memory


def with_kept_samples(loader: Any) -> tuple[Any, Kept]:
    """A copy of the loader that reads raw samples from memory. The loader's own code for order,
    transforms and collation runs as usual.

    Raises:
        ValueError: the samples cannot be kept in memory; the message says why.
    """
    if not hasattr(loader, "dataset"):
        raise ValueError(
            f"{type(loader).__name__} has no .dataset: its samples cannot be kept in memory"
        )
    if not hasattr(loader.dataset, "__getitem__") or not hasattr(loader.dataset, "__len__"):
        raise ValueError(
            f"{type(loader.dataset).__name__} is a stream, without [] and len:"
            " its samples cannot be kept in memory"
        )
    if processes_of(loader):
        raise ValueError(
            f"samples are read in {processes_of(loader)} other processes:"
            " measure with num_workers=0 to see them"
        )
    if not len(loader.dataset):
        raise ValueError("the dataset is empty")
    kept, twin = Kept(loader.dataset), copy.copy(loader)
    # PyTorch's DataLoader refuses a plain assignment after __init__
    object.__setattr__(twin, "dataset", kept)
    return twin, kept


class Kept:
    """A dataset that reads samples from memory; `reads` counts the reads. The dataset's transform
    runs again each time, on the raw input of its first call.

    The first samples are kept (`fill`), and index i returns sample i modulo their number. The
    result of the repeated transform is dropped, and the sample from the first time is returned:
    only the time matters here. Where the dataset reads whole batches (`__getitems__`, or a list as
    the index), the first batch of each length is kept. `shuffled` tells whether most reads did not
    ask for the sample after the previous one.
    """

    def __init__(self, dataset: Any):
        self._dataset, self.reads, self._jumps, self._last = dataset, 0, 0, -1
        self._inputs: list[Any] = []
        self._source = _noting(dataset, self._inputs)
        self._kept: dict[Any, tuple[Any, list]] = {}
        self._count = min(KEPT_SAMPLES, len(dataset))

    def fill(self, seconds: float, least: int, clock: Clock) -> None:
        """Read the samples that are kept: `KEPT_SAMPLES`, or as many as can be read in so many
        seconds, but at least `least`. A run that reads some for the first time would be too slow.
        """
        if hasattr(self._dataset, "__getitems__") or hasattr(self._dataset, "sample_with"):
            return  # these keep what the first run reads
        end = clock() + seconds
        for number in range(self._count):
            if number >= least and clock() >= end:
                self._count = number
                break
            try:
                self[number]
            except Exception:
                if number:
                    raise
                break  # a sampler gives it other keys: then, too, what the first run reads is kept
        self.reads, self._jumps = 0, 0

    def __len__(self) -> int:
        return len(self._dataset)

    @property
    def shuffled(self) -> bool:
        return self._jumps > self.reads / 2

    @property
    def transforms(self) -> bool:
        """Whether the dataset has a transform, which runs again on what is kept."""
        return any(inputs for _, inputs in self._kept.values())

    def __getitem__(self, index: Any) -> Any:
        return self._one(index, self._source.__getitem__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and name != "__getitems__":
            raise AttributeError(name)
        attribute = getattr(self._dataset, name)
        if name == "sample_with":
            return lambda index, rng: self._one(index, lambda i: self._source.sample_with(i, rng))
        return self._many if name == "__getitems__" else attribute

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def _one(self, index: Any, read: Callable[[Any], Any]) -> Any:
        try:
            number = operator.index(index)
        except TypeError:  # the numbers of a batch, a slice, or a key of the dataset's own
            size = len(index) if hasattr(index, "__len__") else 0
            return self._look_up((type(index), size), lambda _: read(index))
        self._jumps += number != self._last + 1
        self._last = number
        return self._look_up(number % self._count, read)

    def _many(self, indices: Any) -> Any:
        self._jumps += int(indices[-1]) - int(indices[0]) != len(indices) - 1
        return self._look_up(("batch", len(indices)), lambda _: self._source.__getitems__(indices))

    def _look_up(self, key: Any, read: Callable[[Any], Any]) -> Any:
        self.reads += 1
        if key in self._kept:
            sample, inputs = self._kept[key]
            for transform, args, kwargs in inputs:
                transform(*args, **kwargs)
            return sample
        self._inputs.clear()
        sample = read(key)
        self._kept[key] = sample, list(self._inputs)
        return sample


def _noting(dataset: Any, inputs: list) -> Any:
    """A copy of the dataset whose transforms (also below a Subset) note their arguments."""
    changes: dict[str, Any] = {}
    transform = getattr(dataset, "transform", None)
    if callable(transform):

        def noting(*args: Any, **kwargs: Any) -> Any:
            inputs.append((transform, args, kwargs))
            return transform(*args, **kwargs)

        vars(noting)["__wrapped__"] = transform  # its signature still shows the parameter `rng`
        changes["transform"] = noting
    if hasattr(dataset, "dataset"):
        changes["dataset"] = _noting(dataset.dataset, inputs)
    parts = getattr(dataset, "datasets", None)
    if isinstance(parts, (list, tuple)):
        changes["datasets"] = type(parts)(_noting(part, inputs) for part in parts)
    twin = copy.copy(dataset) if changes else dataset
    for name, value in changes.items():
        object.__setattr__(twin, name, value)
    return twin


# Cold: files out of the page cache


def memory_maps(loader: Any) -> list[np.memmap]:
    """The memory maps in the loader's dataset, each once."""
    maps = [memory_map_of(array) for array in arrays_behind(getattr(loader, "dataset", None))]
    return list({id(array._mmap): array for array in maps if array is not None}.values())


class Cold:
    """Runs with empty caches. `why_not` says why such runs are not possible; `was_cold` tells
    afterwards whether a disk was read.
    """

    def __init__(self, loader: Any, evict: Sequence[Any] | Callable[[], Any]):
        self.loader, self.maps, self.why_not = loader, memory_maps(loader), None
        self.was_cold = callable(evict)
        self.evict_function = evict if callable(evict) else None
        self.paths = () if callable(evict) else tuple(evict)
        if self.evict_function:
            return
        if not self.maps and not self.paths:
            self.why_not = (
                "no file of this loader is known:"
                " no memory map in its dataset, and evict= names none"
            )
        elif not hasattr(os, "posix_fadvise"):
            self.why_not = (
                "this system has no posix_fadvise: one file cannot be evicted; restart the machine"
                " for a cold first epoch"
            )

    def run(self, run: Callable[[], Run]) -> Run:
        """Empty the caches, run, and fill the caches again, so that the next run is warm."""
        if self.evict_function:
            self.evict_function()
        else:
            evict(self.maps, self.paths)
        before = blocks_read()
        result = run()
        self.was_cold = self.was_cold or blocks_read() != before
        self.fill()
        return result

    def fill(self) -> None:
        """Read the files once, in order, into the page cache. If a function empties the caches, one
        epoch fills them.
        """
        if self.evict_function:
            collections.deque(self.loader, maxlen=0)
            return
        for path in files_of(self.maps, self.paths):
            with open(path, "rb") as file:
                while file.read(2**24):
                    pass


def evict(maps: Sequence[np.memmap], paths: Sequence[Any]) -> None:
    """Ask Linux to drop the files from its page cache.

    A mapped page is never dropped. So a memory map first releases its pages (madvise,
    MADV_DONTNEED; they are read again when used). Memory maps with mode "c" are left out, because
    their changed pages would be lost. A changed page must be written to disk first (fsync). A file
    system in memory (tmpfs) keeps its pages.
    """
    for array in maps:
        if array.mode != "c" and hasattr(mmap, "MADV_DONTNEED"):
            array._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]  # not in NumPy's types
    for path in files_of(maps, paths):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def files_of(maps: Sequence[np.memmap], paths: Sequence[Any]) -> list[Path]:
    """The files behind memory maps and paths, each once."""
    mapped = (array.filename for array in maps if array.filename)
    return sorted({Path(path) for path in (*paths, *mapped)})


def blocks_read() -> int | None:
    """Blocks that this process has read from a disk so far; None where the system does not report
    it (Windows).
    """
    return None if getrusage is None else getrusage(RUSAGE_SELF).ru_inblock
