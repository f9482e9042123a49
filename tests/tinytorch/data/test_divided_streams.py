"""Streams and workers in module 08b: a stream that asks which part is its worker's is read in the
workers, any other in the main process; every item comes once.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peers_kit import numbers

from tinytorch.data.workers import worker_info

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="the streams are classes made here, which spawn cannot pickle"
)


class Asks:
    """PyTorch's usual way to divide a stream."""

    def __init__(self, size: int):
        self.size = size

    def __iter__(self):
        worker = worker_info()
        yield from range(worker.id, self.size, worker.num_workers)


class AsksCarefully(Asks):
    """Can also be read without workers."""

    def __iter__(self):
        worker = worker_info()
        if worker is None:
            return iter(range(self.size))
        return iter(range(worker.id, self.size, worker.num_workers))


class HasLength(Asks):
    def __len__(self):
        return self.size


class NeverAsks(Asks):
    def __iter__(self):
        return iter(range(self.size))


class ToldItsPart(NeverAsks):
    """PyTorch's other way: `worker_init` changes the worker's copy of the dataset."""

    step = 1
    first = 0

    def __iter__(self):
        return iter(range(self.first, self.size, self.step))


def tell_its_part(info):
    info.dataset.first, info.dataset.step = info.id, info.num_workers


def process_of(item):
    return item, os.getpid()


# The user's own error


@pytest.mark.parametrize("num_workers", [0, 2])
def test_an_attribute_error_of_a_stream_is_shown_as_it_is(lab, num_workers):
    class Broken:
        opened = 0

        def __iter__(self):
            self.opened += 1
            return iter(self.no_such_list)

    stream = Broken()
    with pytest.raises(AttributeError, match="'Broken' object has no attribute 'no_such_list'"):
        list(lab.DataLoader(stream, bs=2, num_workers=num_workers))
    assert stream.opened == 1


def test_without_workers_there_is_no_worker_info_as_in_pytorch(lab):
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'id'"):
        list(lab.DataLoader(Asks(5), bs=2))


def test_an_attribute_error_inside_a_property_of_a_loader_is_shown_as_it_is(lab):
    class Loader(lab.DataLoader):
        @property
        def scale(self):
            return self.dataset.no_such_scale

    loader = Loader([1, 2], bs=1)
    with pytest.raises(AttributeError, match="no attribute 'no_such_scale'"):
        _ = loader.scale


# Every item once


@settings(max_examples=25)
@given(
    kind=st.sampled_from([Asks, AsksCarefully, HasLength, NeverAsks]),
    count=st.integers(0, 30),
    size=st.integers(1, 7),
    num_workers=st.integers(1, 3),
    prefetch=st.integers(1, 3),
    drop_last=st.booleans(),
)
def test_every_item_comes_once_and_the_parts_take_turns(
    lab, kind, count, size, num_workers, prefetch, drop_last
):
    loader = lab.DataLoader(
        kind(count), bs=size, num_workers=num_workers, prefetch=prefetch, drop_last=drop_last
    )
    parts = [list(range(k, count, num_workers)) for k in range(num_workers)]
    if kind is NeverAsks:
        parts = [list(range(count))]
    cut = [
        [part[k : k + size] for k in range(0, len(part), size) if len(part) - k >= size * drop_last]
        for part in parts
    ]
    turns = [
        batches[turn] for turn in range(count) for batches in cut if turn < len(batches)
    ]  # of each part its first batch, then of each its second
    assert numbers(loader) == turns


@settings(max_examples=10)
@given(count=st.integers(0, 30), num_workers=st.integers(1, 3), epoch=st.integers(0, 9))
def test_the_random_numbers_of_divided_items_are_those_of_one_process(
    lab, count, num_workers, epoch
):
    def drawn(workers):
        loader = lab.DataLoader(
            AsksCarefully(count),
            bs=4,
            num_workers=workers,
            seed=3,
            after_item=lambda item, rng: (item, rng.random()),
        )
        loader.set_epoch(epoch)
        return {
            item: number
            for items, values in loader
            for item, number in zip(items.data.tolist(), values.data.tolist(), strict=True)
        }

    assert drawn(num_workers) == drawn(0)


@pytest.mark.parametrize("num_workers", [1, 3])
def test_n_is_how_many_items_come_from_all_workers_together(lab, num_workers):
    class Endless:
        def __iter__(self):
            worker, item = worker_info(), -1
            while True:
                item += 1
                yield 100 * worker.id + item

    loader = lab.DataLoader(Endless(), bs=3, n=10, num_workers=num_workers)
    assert sum(map(len, numbers(loader))) == 10


def test_the_length_of_a_stream_cuts_no_part_of_it(lab):
    class Pieces(HasLength):
        """PyTorch's example: each part is a piece of the whole, rounded up."""

        def __iter__(self):
            piece = -(-self.size // worker_info().num_workers)
            first = worker_info().id * piece
            return iter(range(first, min(first + piece, self.size)))

    loader = lab.DataLoader(Pieces(10), bs=2, num_workers=3)
    assert numbers(loader) == [[0, 1], [4, 5], [8, 9], [2, 3], [6, 7]]


def test_a_part_may_be_longer_than_the_others_and_an_item_may_be_skipped(lab):
    class Uneven:
        def __iter__(self):
            return iter(range(20)) if worker_info().id else iter([])

    loader = lab.DataLoader(
        Uneven(), bs=4, num_workers=2, after_item=lab.skip_where(lambda item: item % 5 == 0)
    )
    assert numbers(loader) == [[1, 2, 3, 4], [6, 7, 8, 9], [11, 12, 13, 14], [16, 17, 18, 19]]


# Who reads it


@pytest.mark.parametrize(
    "stream, asked_for, in_workers",
    [
        (AsksCarefully(8), None, True),
        (AsksCarefully(8), True, True),
        (AsksCarefully(8), False, False),
        (NeverAsks(8), None, False),
        (NeverAsks(8), True, True),
        (iter(range(8)), None, False),
    ],
)
def test_the_workers_read_a_stream_that_asks_or_where_they_are_told_to(
    lab, stream, asked_for, in_workers
):
    class Loader(lab.DataLoader):
        def create_item(self, s):
            return super().create_item(s), os.getpid()

    loader = Loader(stream, bs=2, num_workers=2, stream_in_workers=asked_for)
    pids = {pid for _, pids in loader for pid in pids.data.tolist()}
    assert (os.getpid() not in pids) is in_workers


def test_nothing_is_read_of_a_stream_before_it_asks(lab):
    class Notes(AsksCarefully):
        opened, read = 0, 0

        def __iter__(self):
            self.opened += 1
            for item in super().__iter__():
                self.read += 1
                yield item

    stream = Notes(6)
    assert sorted(sum(numbers(lab.DataLoader(stream, bs=2, num_workers=2)), [])) == list(range(6))
    assert (stream.opened, stream.read) == (1, 0)  # of the copy in the main process


def test_a_worker_knows_its_number_its_seed_and_its_copy_of_the_dataset(lab):
    class Tells:
        name = "mine"

        def __iter__(self):
            worker = worker_info()
            yield worker.id, worker.num_workers, worker.seed, worker.dataset is self, self.name

    def told(epoch):
        loader = lab.DataLoader(Tells(), bs=1, num_workers=3, seed=0)
        loader.set_epoch(epoch)
        return [tuple(part[0] for part in batch) for batch in loader]

    first = told(0)
    assert [(int(k), int(n), bool(own), name) for k, n, _, own, name in first] == [
        (k, 3, True, "mine") for k in range(3)
    ]
    seeds = {int(seed.data) for _, _, seed, _, _ in [*first, *told(1)]}
    assert len(seeds) == 6 and [str(row) for row in told(0)] == [str(row) for row in first]


def test_worker_init_may_tell_each_copy_of_the_dataset_its_part(lab):
    loader = lab.DataLoader(
        ToldItsPart(11), bs=2, num_workers=2, stream_in_workers=True, worker_init=tell_its_part
    )
    assert sorted(sum(numbers(loader), [])) == list(range(11))


@pytest.mark.parametrize("order", [{}, {"sample": lambda: iter([None] * 4)}])
def test_a_stream_that_cannot_be_divided_is_refused_where_the_workers_should_read_it(lab, order):
    stream = NeverAsks(4) if order else iter(range(4))
    with pytest.raises(ValueError, match="stream_in_workers=True needs a stream"):
        lab.DataLoader(stream, bs=2, num_workers=2, stream_in_workers=True, **order)
    loader = lab.DataLoader(AsksCarefully(4) if order else stream, bs=2, num_workers=2, **order)
    assert numbers(loader) == [[0, 1], [2, 3]]


def test_a_stream_that_asks_but_cannot_be_sent_to_spawned_workers_is_refused(lab):
    stream = Asks(4)
    stream.kept = lambda: None
    with pytest.raises(Exception, match="workers that start with spawn get the loader"):
        list(lab.DataLoader(stream, bs=2, num_workers=1, start_method="spawn"))


# Several epochs and errors


def test_each_epoch_reads_the_parts_from_their_beginning_and_a_left_one_is_closed(lab, tmp_path):
    class Notes(Asks):
        def __iter__(self):
            try:
                yield from super().__iter__()
            finally:
                (tmp_path / f"{worker_info().id} {os.urandom(4).hex()}").touch()

    loader = lab.DataLoader(Notes(40), bs=2, num_workers=2, persistent_workers=True)
    whole = numbers(loader)
    assert len(list(tmp_path.iterdir())) == 2
    next(iter(loader))
    assert numbers(loader) == whole == numbers(loader)
    loader.close()
    assert len(list(tmp_path.iterdir())) == 2 + 2 + 2 * 2


def test_two_loops_over_one_loader_read_their_own_parts(lab):
    loader = lab.DataLoader(AsksCarefully(20), bs=2, num_workers=2, persistent_workers=True)
    pairs = [
        (first.data.tolist(), second.data.tolist())
        for first, second in zip(loader, loader, strict=True)
    ]
    loader.close()
    assert len(pairs) == 10 and all(first == second for first, second in pairs)


def test_an_error_in_a_part_is_raised_as_it_is_after_the_batches_before_it(lab):
    class Breaks(Asks):
        def __iter__(self):
            for item in super().__iter__():
                if item == 7:
                    raise KeyError("sample 7 is missing")
                yield item

    got, batches = [], iter(lab.DataLoader(Breaks(12), bs=2, num_workers=2))
    with pytest.raises(KeyError, match="sample 7 is missing") as raised:
        for batch in batches:
            got.append(batch.data.tolist())
    assert got == [[0, 2], [1, 3], [4, 6]] and "__iter__" in str(raised.value.__cause__)


def test_batches_of_a_stream_that_hands_out_batches(lab):
    class Pairs(Asks):
        def __iter__(self):
            for item in super().__iter__():
                yield np.array([item, item])

    assert numbers(lab.DataLoader(Pairs(4), num_workers=2)) == [[k, k] for k in range(4)]
