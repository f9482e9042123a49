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
    machine is. None, 0 or 1 where something was not measured.
    """

    batch_size: int  # samples in a batch
    # shares of the time per batch: what the training step itself does not need (prep stall + fetch
    # stall; 1 without a step); what is not needed when the files are in the page cache
    loading_share: float
    disk_share: float = 0.0
    stages: Mapping[str, float] | None = None  # shares of the loading time
    copy_multiple: float = 1.0  # seconds to load a batch over seconds to copy its bytes once
    share_of_limit: float = 1.0  # the loader alone over a bare gather of the same rows
    # extra time before the first batch, as a share of the epoch's loading time
    start_share: float = 0.0
    held_share: float | None = 0.0  # peak memory of the loader over the bytes of an epoch
    read_first: float | None = None  # the share of an epoch's samples read before its first batch
    epoch_known: bool = True  # whether the number of batches in an epoch is known
    # of the time to read a sample: neither computing nor waiting for a core
    waiting_share: float = 0.0
    reread_speedup: float = 1.0  # time to read a sample over the time to read it again at once
    reads_per_batch: float | None = None  # calls of the dataset for one batch
    # seconds to load a sample, and of one call of the dataset, over those of a call of an empty
    # Python function
    calls_per_sample: float = 0.0
    calls_per_read: float = 0.0
    own_collate: bool = True  # whether the loader does not collate by PyTorch's own function
    stacks: float = 1.0  # seconds to collate a batch over a plain `np.stack` and a bare gather
    cached_gain: float = 1.0  # how many times faster with samples kept in memory as they were read
    straggler_share: float = 0.0  # of the loading time: a few batches that take many times as long
    # by how much memory grows with each batch, over the bytes of a batch and in bytes
    growth: float = 0.0
    growth_bytes: float = 0.0
    # the innermost function of the user's code that most looks have in common, with file and line;
    # the share of the looks in which it was at work, in any thread; how often a batch calls it
    # (None where that was not counted); in how many threads at a time it was at work; processors
    # that this process used or queued for
    where: str = ""
    hot_share: float = 0.0
    # what to call instead of the slow call in it, where that is known; and whether samples are then
    # stored as they are read
    action: str = ""
    stores: bool = False
    sample_ms: float = 0.0  # milliseconds of the function for one sample; without one, of all
    hot_calls: float | None = None
    threads: float = 0.0
    cores: float = 0.0
    locked: bool = False  # whether one thread or more queues for a lock at any time
    # how often each sample of a stream comes with the loader's workers; whether it is a stream
    times_each: float = 1.0
    stream: bool = False
    # a sample that was read before, some others ago, over the time of its first read: as `reread`
    kept_speedup: float = 1.0
    # whether a sample has other values each time it is read, without a transform that draws them
    random: bool = False
    first_slower: float = 1.0  # a batch of the first epoch over a batch of later ones, in time
    workers_stay: bool = True  # whether worker processes live on from one epoch to the next
    # Python values and arrays of which a batch is made, and its bytes on the way from a worker
    batch_parts: int = 0
    pickled_bytes: int = 0
    padding: float = 0.0  # the share of a batch's tokens; and that in batches sorted by length
    padding_sorted: float = 0.0
    values_per_sample: int = 0  # Python numbers and strings (not arrays) in one sample
    batch_dtype: str | None = None  # of the largest array in a batch, and in the dataset
    stored_dtype: str | None = None
    copies: float = 1.0  # peak of bytes allocated to load a batch over the bytes of the batch
    memory_map: bool = False  # whether the dataset reads one
    shuffled: bool = False
    dataset_bytes: int | None = None  # of the dataset's arrays and files
    memory_bytes: int | None = None  # of this machine
    best_batch_size: int | None = None
    best_batch_speedup: float = 1.0  # how many times faster a sample is loaded with it
    workers: int = 0  # prefetch depth or worker processes of the loader as it is
    # the best number of worker processes of those tried, and how many times faster it was
    best_workers: int | None = None
    workers_gain: float = 1.0
    # wall time without reading ahead over that with it, with the step on the same cores; the share
    # of the wall time by which waiting fell; seconds of a step meanwhile over those of it alone
    prefetch_gain: float | None = None
    idle_fell: float = 0.0
    stretch: float = 1.0
    noisy: bool = False  # whether the spread of a rate was too large to trust

    def share(self, *stages: str) -> float:
        """Share of the loading time that these stages take together; 0 when the stages cannot be
        measured.
        """
        return sum(self.stages[stage] for stage in stages) if self.stages else 0.0

    def largest(self) -> str | None:
        return max(self.stages, key=self.stages.__getitem__) if self.stages else None

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
