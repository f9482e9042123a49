"""Where a stream ends in module 08b: `n` is of all workers together, a length that a stream states
limits nothing, and a StopIteration of the dataset's own code is an error.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tinytorch.data.workers import worker_info

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="the streams are classes made here, which spawn cannot pickle"
)


class Cut:
    """The numbers below cuts[-1]; worker k of W gives those from cuts[k-1] to cuts[k]."""

    def __init__(self, cuts: list[int]):
        self.cuts = [0, *cuts]

    def __iter__(self):
        worker = worker_info()
        if worker is None:
            return iter(range(self.cuts[-1]))
        return iter(range(*self.cuts[worker.id : worker.id + 2]))


class Plain:
    """Ten numbers; asks for its part where it is told to."""

    def __init__(self, asks: bool = False):
        self.asks = asks

    def __iter__(self):
        worker = worker_info() if self.asks else None
        return iter(range(worker.id, 10, worker.num_workers) if worker else range(10))


def items(loader):
    return [item for batch in loader for item in batch.data.tolist()]


# n


@settings(max_examples=30)
@given(
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=3),
    n=st.integers(0, 30),
    size=st.integers(1, 4),
    prefetch=st.integers(1, 3),
)
def test_n_items_come_whatever_the_parts_are(lab, sizes, n, size, prefetch):
    loader = lab.DataLoader(
        Cut(np.cumsum(sizes).tolist()), bs=size, n=n, num_workers=len(sizes), prefetch=prefetch
    )
    got = items(loader)
    assert len(got) == len(set(got)) == min(n, sum(sizes))


@settings(max_examples=10)
@given(n=st.integers(0, 12), num_workers=st.integers(1, 3), size=st.integers(1, 4))
def test_the_first_n_items_come_of_a_stream_whose_parts_take_turns(lab, n, num_workers, size):
    loader = lab.DataLoader(Plain(asks=True), bs=size, n=n, num_workers=num_workers)
    assert sorted(items(loader)) == list(range(min(n, 10)))


@pytest.mark.parametrize("persistent_workers", [False, True])
def test_each_epoch_gives_n_items_again_and_skipped_ones_count(lab, persistent_workers):
    loader = lab.DataLoader(
        Cut([2, 12]),
        bs=2,
        n=9,
        num_workers=2,
        persistent_workers=persistent_workers,
        after_item=lab.skip_where(lambda item: item == 4),
    )
    epochs = [items(loader) for _ in range(2)]
    loader.close()
    assert epochs[0] == epochs[1] and sorted(epochs[0]) == [0, 1, 2, 3, 5, 6, 7, 8]


def test_numbers_of_the_global_generator_do_not_come_again_in_the_next_round(lab):
    loader = lab.DataLoader(
        Cut([0, 12]), bs=2, n=12, num_workers=2, seed=0, after_item=lambda item: np.random.random()
    )
    first = items(loader)
    assert len(set(first)) == 12
    loader.set_epoch(0)
    assert items(loader) == first


# The length that a stream states


class Short(Plain):
    def __len__(self):
        return 4


def unknown(error):
    class Unknown(Plain):
        def __len__(self):
            raise error

        def __getitem__(self, index):
            return list(range(10))[index]

    return Unknown


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("asks", [False, True])
def test_a_stream_is_read_to_its_end_whatever_length_it_states(lab, asks, num_workers):
    loader = lab.DataLoader(Short(asks), bs=2, num_workers=num_workers, indexed=False)
    assert sorted(items(loader)) == list(range(10))
    assert len(loader) == 2


def test_items_of_another_create_item_are_as_many_as_the_dataset_has(lab):
    loader = lab.DataLoader(Short(), bs=2, indexed=False, create_item=lambda s: 7)
    assert items(loader) == [7] * 4


@pytest.mark.parametrize("error", [TypeError("not known"), NotImplementedError()])
@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("asks", [False, True])
def test_a_length_that_is_not_known_is_none(lab, asks, num_workers, error):
    loader = lab.DataLoader(unknown(error)(asks), bs=3, num_workers=num_workers, indexed=False)
    assert sorted(items(loader)) == list(range(10))
    with pytest.raises(TypeError, match="the length of a stream is not known"):
        len(loader)
    indexed = lab.DataLoader(unknown(error)(asks), bs=3, n=4, num_workers=num_workers)
    assert items(indexed) == [0, 1, 2, 3]


# What is a stream


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("of", ["lab", "core"])
def test_an_iterable_dataset_is_a_stream_also_if_it_has_an_index(lab, core, of, num_workers):
    class Both({"lab": lab, "core": core}[of].IterableDataset):
        def __getitem__(self, index):
            return 100 + index

        def __len__(self):
            return 4

        def __iter__(self):
            return iter(range(3))

    assert items(lab.DataLoader(Both(), bs=2, num_workers=num_workers)) == [0, 1, 2]
    with pytest.raises(ValueError, match="this one is a stream"):
        lab.DataLoader(Both(), bs=2, shuffle=True)


# StopIteration


class StopsAtOnce(Plain):
    def __iter__(self):
        super().__iter__()
        raise StopIteration


class StopsAtFive:
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return index if index < 5 else next(iter([]))


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize(
    "dataset, words",
    [
        (StopsAtOnce(), "StopsAtOnce: __iter__ raised StopIteration"),
        (StopsAtOnce(asks=True), "StopsAtOnce: __iter__ raised StopIteration"),
        (StopsAtFive(), "StopsAtFive: reading an item raised StopIteration"),
    ],
)
def test_a_stop_iteration_of_the_dataset_does_not_end_the_epoch(lab, dataset, words, num_workers):
    with pytest.raises(RuntimeError, match=words):
        list(lab.DataLoader(dataset, bs=2, num_workers=num_workers))


# worker_init


@pytest.mark.parametrize(
    "init, words",
    [
        (lambda info: np.random.seed(100 + info), "its number is info.id"),
        (lambda info: info.id + "1", "unsupported operand type.*'int' and 'str'$"),
    ],
)
def test_a_worker_init_that_takes_its_argument_for_a_number_is_told_what_it_is(lab, init, words):
    with pytest.raises(TypeError, match=words):
        list(lab.DataLoader([1, 2], bs=1, num_workers=1, worker_init=init))
