"""What a verdict is derived from: measurements as shares, ratios, bytes and counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

LARGE_SHARE = 0.5  # more than half
# A read that takes as long as this many calls of an empty Python function computes something: it is
# not the number of reads that costs. Fetching a row takes about 10, a few small NumPy calls 100.
COMPUTES = 300.0
# seen from outside, reading, wrapping and stacking a sample together
COMPUTES_SAMPLE = 500.0


@dataclasses.dataclass(frozen=True)
class Facts:
    """The measurements as shares, ratios, bytes and counts, which do not depend on how fast the
    machine is.

    Attributes:
        batch_size: samples in a batch.
        loading_share: the share of the time per batch that the training step itself does not need
            (prep stall + fetch stall); 1 where no step was given.
        disk_share: with evicted files, the share of the time per batch that is not needed when the
            files are in the page cache.
        stages: share of the loading time by stage (fetch, transform, collate, other); None when
            the stages cannot be measured.
        copy_multiple: seconds to load a batch over seconds to copy its bytes once.
        share_of_limit: samples per second of the loader alone over those of a bare gather of the
            same rows.
        start_share: extra time before the first batch, over that of a typical batch, as a share of
            the epoch's loading time.
        held_share: peak memory of the loader over the bytes of all batches of an epoch; None when
            it was not measured.
        read_first: the share of an epoch's samples that are read before its first batch; None when
            reads are not seen.
        epoch_known: whether the number of batches in an epoch is known; what starts an epoch counts
            once in it.
        waiting_share: the share of the time to read a sample that is neither computing nor waiting
            for a core, but waiting for disk, network or a sleep.
        reread_speedup: median time to read a sample over the time to read it again at once.
        reads_per_batch: calls of the dataset for one batch; None when they cannot be counted.
        calls_per_sample: seconds to load a sample over seconds of a call of an empty Python
            function.
        calls_per_read: seconds of one call of the dataset over those of an empty Python function; 0
            when it was not seen.
        stacks: seconds of the collate stage of a batch over those of a plain `np.stack`
            and a bare gather of its rows.
        cached_gain: time per batch over that with samples that are kept in memory as they were
            read; 1 when that was not measured.
        straggler_share: the share of the loading time that few batches take, which need many times
            as long as the others.
        growth, growth_bytes: by how much memory grows with each batch, over the bytes of a batch
            and in bytes; 0 when it does not.
        where: the function in which most of the loading time is spent, with file and line; "" when
            none was found.
        hot_share, hot_calls: its share of the loading time, and how often a batch calls it (None
            when that is not known).
        threads, cores: threads at work in it at a time; processors that the process used.
        values_per_sample: Python numbers and strings (not arrays) in one sample.
        batch_dtype, stored_dtype: dtype of the largest array in a batch and in the dataset; None
            when there is no array.
        copies: peak of bytes allocated to load a batch over the bytes of the batch.
        memory_map, shuffled: whether the dataset reads a memory map; whether the order is random.
        dataset_bytes, memory_bytes: size of the dataset's arrays and files; memory of this machine;
            None when unknown.
        best_batch_size, best_batch_speedup: the best size in the sweep, and how many times faster a
            sample is loaded with it than with `batch_size`.
        workers: prefetch depth or worker processes of the loader as it is.
        best_workers, workers_gain: the number of worker processes that was best of those tried, and
            how many times faster loader and step ran with it than as they are; None and 1 where
            none was tried.
        prefetch_gain: wall time without reading ahead over wall time with it, with the step on the
            same cores; None if it was not measured.
        idle_fell: the share of the wall time by which reading ahead reduced the step's waiting.
        stretch: seconds of a step while reading ahead over seconds of the step alone.
        noisy: whether the spread of a rate was too large to trust.
    """

    batch_size: int
    loading_share: float
    disk_share: float = 0.0
    stages: Mapping[str, float] | None = None
    copy_multiple: float = 1.0
    share_of_limit: float = 1.0
    start_share: float = 0.0
    held_share: float | None = 0.0
    read_first: float | None = None
    epoch_known: bool = True
    waiting_share: float = 0.0
    reread_speedup: float = 1.0
    reads_per_batch: float | None = None
    calls_per_sample: float = 0.0
    calls_per_read: float = 0.0
    stacks: float = 1.0
    cached_gain: float = 1.0
    straggler_share: float = 0.0
    growth: float = 0.0
    growth_bytes: float = 0.0
    where: str = ""
    hot_share: float = 0.0
    hot_calls: float | None = None
    threads: float = 0.0
    cores: float = 0.0
    values_per_sample: int = 0
    batch_dtype: str | None = None
    stored_dtype: str | None = None
    copies: float = 1.0
    memory_map: bool = False
    shuffled: bool = False
    dataset_bytes: int | None = None
    memory_bytes: int | None = None
    best_batch_size: int | None = None
    best_batch_speedup: float = 1.0
    workers: int = 0
    best_workers: int | None = None
    workers_gain: float = 1.0
    prefetch_gain: float | None = None
    idle_fell: float = 0.0
    stretch: float = 1.0
    noisy: bool = False

    def share(self, *stages: str) -> float:
        """Share of the loading time that these stages take together; 0 when the stages cannot be
        measured.
        """
        return sum(self.stages[stage] for stage in stages) if self.stages else 0.0

    def largest(self) -> str | None:
        return max(self.stages, key=self.stages.get) if self.stages else None

    @property
    def fits(self) -> bool:
        """Whether the dataset takes at most half of this machine's memory."""
        return bool(
            self.dataset_bytes and self.memory_bytes and self.dataset_bytes <= self.memory_bytes / 2
        )

    @property
    def from_limit(self) -> float:
        """How many times faster than now the loader would be at its limit."""
        return 1 / max(self.share_of_limit, 1e-9)

    @property
    def all_first(self) -> bool | None:
        """Whether most samples are read before the first batch; None when it is not known."""
        if self.read_first is not None:
            return self.read_first > LARGE_SHARE
        return None if self.held_share is None else self.held_share > LARGE_SHARE

    @property
    def waits(self) -> bool:
        """Whether the loader neither computes nor queues for a core while it reads."""
        if self.stages:
            return self.waiting_share > LARGE_SHARE and self.share("fetch") > LARGE_SHARE
        return self.hot_share > LARGE_SHARE and self.cores < LARGE_SHARE

    @property
    def computes(self) -> bool:
        """Whether the time of a batch is spent in a function that reads one sample."""
        if self.stages:
            return self.one_by_one and self.largest() == "fetch" and self.calls_per_read > COMPUTES
        per_sample = self.hot_calls is not None and self.hot_calls > self.batch_size / 2
        return per_sample and self.batch_size > 1 and self.calls_per_sample > COMPUTES_SAMPLE

    @property
    def one_by_one(self) -> bool:
        """Whether the loader asks the dataset for single samples, not for whole batches."""
        return (
            self.reads_per_batch is not None
            and self.batch_size > 1
            and self.reads_per_batch > self.batch_size / 2
        )
