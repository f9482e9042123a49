"""Samplers that take another sampler and change its order, as in Determined's
`determined.pytorch.samplers`: one that goes on, one that skips, one that shuffles, one that keeps a
share. A sampler is any iterable that starts anew with each `iter`, of indices or of lists of
indices (batches); it may be given to a loader as `sampler=` or `batch_sampler=`.

A training run shuffles first, then cuts batches, then repeats, then takes its share, and skips
last: what was skipped once must not be skipped in each epoch, and an endless order cannot be
shuffled.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Sized
from typing import Any

import numpy as np

from tinytorch.core.checks import SEEDS, flag, whole


class SequentialSampler:
    """The indices 0, 1, ... of a dataset or anything else with a length."""

    def __init__(self, data_source: Sized):
        if not hasattr(data_source, "__len__"):
            raise TypeError(
                "a SequentialSampler is made of something with a length, such as a dataset or"
                f" range(5), got {data_source!r} ({type(data_source).__name__})"
            )
        self.data_source = data_source

    def __len__(self) -> int:
        return len(self.data_source)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))


class ChainedSampler:
    """A sampler over another one. Its length is the other's, and `set_epoch` goes on to it."""

    def __init__(self, sampler: Iterable):
        if not hasattr(sampler, "__iter__") or isinstance(sampler, Iterator):
            raise TypeError(
                "a sampler starts anew with each iter(), such as SequentialSampler(dataset) or a"
                f" list, got {type(sampler).__name__}"
            )
        self.sampler = sampler

    def __len__(self) -> int:
        return len(self.sampler)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__")

    def set_epoch(self, epoch: int) -> None:
        if hasattr(self.sampler, "set_epoch"):
            self.sampler.set_epoch(epoch)


class BatchSampler(ChainedSampler):
    """Lists of `batch_size` indices; the last one may be shorter, or is left out."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool = False):
        super().__init__(sampler)
        self.batch_size = whole("batch_size", batch_size, 1)
        self.drop_last = flag("drop_last", drop_last)

    def __len__(self) -> int:
        full, rest = divmod(super().__len__(), self.batch_size)
        return full + bool(rest and not self.drop_last)

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch


class RepeatSampler(ChainedSampler):
    """The sampler's epochs one after the other, without end. The length is that of one epoch. An
    epoch without indices ends it.
    """

    def __iter__(self) -> Iterator:
        while True:
            empty = True
            for index in self.sampler:
                empty = False
                yield index
            if empty:
                return


class SkipSampler(ChainedSampler):
    """All but the first `skip`: how a run goes on where it stopped. The length stays that of the
    whole, since an endless sampler is what is skipped.
    """

    def __init__(self, sampler: Iterable, skip: int):
        super().__init__(sampler)
        self.skip = whole("skip", skip, 0)

    def __iter__(self) -> Iterator:
        return itertools.islice(self.sampler, self.skip, None)


class ReproducibleShuffleSampler(ChainedSampler):
    """The sampler's indices in an order that `seed` decides; each `iter` draws the next order.

    The generator is NumPy's older one, on purpose: an experiment that comes from Determined sees
    its records in the same order here.
    """

    def __init__(self, sampler: Iterable, seed: int):
        super().__init__(sampler)
        inner = sampler
        while isinstance(inner, ChainedSampler):
            if isinstance(inner, RepeatSampler):
                raise ValueError(
                    "an endless order cannot be shuffled: shuffle first, then repeat, as in"
                    f" RepeatSampler({type(self).__name__}(sampler, seed))"
                )
            inner = inner.sampler
        self._generator = np.random.RandomState(whole("seed", seed, 0, SEEDS))

    def __iter__(self) -> Iterator:
        items = iter(self.sampler)
        first = list(itertools.islice(items, 1))
        if first and isinstance(first[0], (int, np.integer)):
            # 8 bytes an index, and iterating makes one int at a time; a list of ints holds 40
            order: Any = array("q", itertools.chain(first, items))
            self._generator.shuffle(np.asarray(order))
        else:  # batches, which are lists
            order = [*first, *items]
            self._generator.shuffle(order)
        return iter(order)


class DistributedSampler(ChainedSampler):
    """The share of one rank of `num_workers`: every `num_workers`-th, from the rank's number on.

    Unlike PyTorch's sampler of that name (lab 08b builds it) it neither shuffles nor evens out:
    where the shares are unequal, the first ranks have one more.
    """

    def __init__(self, sampler: Iterable, num_workers: int, rank: int):
        super().__init__(sampler)
        self.num_workers, self.rank = _share("num_workers", num_workers, rank)

    def __len__(self) -> int:
        return len(range(self.rank, super().__len__(), self.num_workers))

    def __iter__(self) -> Iterator:
        return itertools.islice(self.sampler, self.rank, None, self.num_workers)


# These do the same with batches. The names are Determined's.
RepeatBatchSampler = RepeatSampler
SkipBatchSampler = SkipSampler
ReproducibleShuffleBatchSampler = ReproducibleShuffleSampler
DistributedBatchSampler = DistributedSampler


def adapt_batch_sampler(
    batch_sampler: Iterable,
    repeat: bool = False,
    skip: int = 0,
    num_replicas: int = 1,
    rank: int = 0,
) -> Iterable:
    """Return a batch sampler for one rank of a training run: repeated, shared, and from batch
    `skip` of this rank on.

    Raises:
        ValueError: rank is not 0 to num_replicas - 1, or an argument has another type.
    """
    skip = whole("skip", skip, 0)
    num_replicas, rank = _share("num_replicas", num_replicas, rank)
    if flag("repeat", repeat):
        batch_sampler = RepeatBatchSampler(batch_sampler)
    if num_replicas > 1:
        batch_sampler = DistributedBatchSampler(batch_sampler, num_replicas, rank)
    return SkipBatchSampler(batch_sampler, skip) if skip else batch_sampler


def _share(name: str, count: Any, rank: Any) -> tuple[int, int]:
    count, rank = whole(name, count, 1), whole("rank", rank, 0)
    if rank >= count:
        raise ValueError(f"rank must be 0 to {count - 1} with {name}={count}, got {rank}")
    return count, rank
