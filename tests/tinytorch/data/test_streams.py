"""Streams and workers in module 08b: a stream that asks which part is its worker's is read in the
workers, any other in the main process; every item comes once, `n` is of all workers together, and
a length that a stream states limits nothing.
"""

from __future__ import annotations

import itertools
import os

import pytest
from claims import prove, refusals, rows
from hypothesis import given, settings
from hypothesis import strategies as st
from peers_kit import needs_fork, numbers

from tinytorch.data.workers import WorkerPool, worker_info  # noqa: F401 - a row names WorkerPool

pytestmark = needs_fork


class Plain:
    def __init__(self, size: int = 10):
        self.size = size

    def __iter__(self):
        return iter(range(self.size))


class Asks(Plain):
    """PyTorch's usual way to divide a stream, which needs workers."""

    def __iter__(self):
        worker = worker_info()
        yield from range(worker.id, self.size, worker.num_workers)


class AsksCarefully(Asks):
    """Can also be read without workers."""

    def __iter__(self):
        return super().__iter__() if worker_info() else iter(range(self.size))


def changed(kind, **methods):
    """A kind of stream with other methods."""
    return type("Changed", (kind,), methods)


# states a length that is too small
Short = changed(AsksCarefully, __len__=lambda self: 4)


def stops(*_):
    raise StopIteration


Stops = changed(Plain, __iter__=stops)
StopsAtFive = changed(list, __getitem__=lambda self, index: index if index < 5 else stops())


def with_noise(item, rng):
    return item, rng.random()


def items_of(part):
    return part.data.tolist()


def items(loader):
    return sum(numbers(loader), [])


# code, and what its error says; `of` makes a loader with two workers
REFUSED = {
    **{
        f"list(of(Stops(), {workers}, bs=2))": "Changed: __iter__ raised StopIteration"
        for workers in (0, 2)
    },
    "list(of(StopsAtFive(range(10)), bs=2))": "Changed: reading an item raised StopIteration",
    "type('Own', (DataLoader,), {'scale': property(lambda self: self.no_such)})([1], bs=1).scale": (
        "no attribute 'no_such'"
    ),
    "list(of(Asks(), bs=2, before_batch=lambda items: stop()))": (
        "call it in create_item or after_item, not in <lambda>"
    ),
    "of(iter('ab'), bs=2, stream_in_workers=True)": "stream_in_workers=True needs a stream",
    "list(of(Asks(), bs=1, start_method='spawn', after_item=lambda item: item))": [
        "workers that start with spawn get the loader",
        "functions and classes from a module (no lambda, nothing from inside a function)",
    ],
    "list(of([1, 2], bs=1, worker_init=lambda info: np.random.seed(100 + info)))": (
        "its number is info.id"
    ),
    # of the pool itself; the loader refuses them earlier
    "WorkerPool(list, 1, timeout=float('nan'))": "timeout is seconds, 0 or more",
    "WorkerPool(list, 1, prefetch=0)": "prefetch must be an integer of 1 or more",
}


@rows(refusals(Exception, REFUSED))
def test_an_error_of_a_stream_is_shown_or_said(lab, code, want):
    def of(stream, num_workers=2, **given):
        return lab.DataLoader(stream, num_workers=num_workers, **given)

    prove(code, want, {**vars(lab), **globals(), "of": of})


# Every item once


@settings(max_examples=40)
@given(
    # a kind of stream, and the value of stream_in_workers
    read=st.sampled_from(
        [(Asks, None), *itertools.product([AsksCarefully, Plain], [None, True, False])]
    ),
    count=st.integers(0, 30),
    size=st.integers(1, 7),
    num_workers=st.integers(1, 3),
    prefetch=st.integers(1, 3),
    drop_last=st.booleans(),
)
def test_every_item_comes_once_and_the_parts_take_turns(
    lab, read, count, size, num_workers, prefetch, drop_last
):
    kind, told = read
    given = {"bs": size, "num_workers": num_workers, "prefetch": prefetch, "drop_last": drop_last}
    loader = lab.DataLoader(kind(count), stream_in_workers=told, **given)
    readers = num_workers if told or (told is None and kind is not Plain) else 1
    # a stream that does not ask is read by each worker from front to back
    step = 1 if kind is Plain else readers
    parts = [list(range(k % step, count, step)) for k in range(readers)]
    cut = [
        [part[k : k + size] for k in range(0, len(part), size) if len(part) - k >= size * drop_last]
        for part in parts
    ]
    # of each part its first batch, then of each its second
    turns = [batches[turn] for turn in range(count) for batches in cut if turn < len(batches)]
    assert numbers(loader) == turns


class OnePart(AsksCarefully):
    """All items are in the part of the last worker."""

    def __iter__(self):
        worker = worker_info()
        mine = worker is None or worker.id + 1 == worker.num_workers
        return iter(range(self.size if mine else 0))


@settings(max_examples=20)
@given(
    kind=st.sampled_from([AsksCarefully, OnePart]),
    count=st.integers(0, 20),
    n=st.integers(0, 30),
    size=st.integers(1, 4),
    num_workers=st.integers(1, 3),
)
def test_the_first_n_items_come_and_their_random_numbers_are_those_of_one_process(
    lab, kind, count, n, size, num_workers
):
    def drawn(workers):
        """The number drawn for each item of the second epoch."""
        loader = lab.DataLoader(
            kind(count), n=n, bs=size, seed=3, num_workers=workers, after_item=with_noise
        )
        list(loader)
        parts = [map(items_of, batch) for batch in loader]
        return {item: noise for part in parts for item, noise in zip(*part, strict=True)}

    alone, together = drawn(0), drawn(num_workers)
    assert alone.keys() == together.keys() == set(range(min(n, count)))
    assert kind is OnePart or alone == together


# The length that a stream states


class Unknown(AsksCarefully):
    def __len__(self):
        raise TypeError("not known")

    def __getitem__(self, index):
        return range(self.size)[index]


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_stream_is_read_to_its_end_whatever_length_it_states(lab, num_workers):
    short, unknown = (
        lab.DataLoader(kind(), bs=2, num_workers=num_workers, indexed=False)
        for kind in (Short, Unknown)
    )
    assert sorted(items(short)) == sorted(items(unknown)) == list(range(10))
    assert len(short) == 2
    with pytest.raises(TypeError, match="the length of a stream is not known"):
        len(unknown)
    made = lab.DataLoader(Short(), bs=2, indexed=False, create_item=lambda s: 7)
    assert items(made) == [7] * 4, "create_item makes as many as the dataset has"


def test_a_worker_knows_its_number_its_seed_and_its_copy_of_the_dataset(lab):
    class Tells:
        def __iter__(self):
            worker = worker_info()
            own = worker.dataset is self and worker.pid == os.getpid()
            yield worker.id, worker.num_workers, own, worker.seed

    def told(epoch):
        loader = lab.DataLoader(Tells(), num_workers=3, seed=0)
        loader.set_epoch(epoch)
        return [tuple(map(int, row)) for row in loader]

    first = told(0)
    assert [row[:3] for row in first] == [(k, 3, True) for k in range(3)]
    assert len({seed for *_, seed in [*first, *told(1)]}) == 6 and told(0) == first


# Several epochs and errors


def test_an_error_in_a_part_is_raised_as_it_is_and_each_epoch_begins_anew(lab):
    class Breaks(Asks):
        def __iter__(self):
            for item in super().__iter__():
                if item == 7:
                    raise KeyError("sample 7 is missing")
                yield item

    loader = lab.DataLoader(Breaks(12), bs=2, num_workers=2, persistent_workers=True)
    next(iter(loader))  # an epoch that is left
    for _ in range(2):
        got = []
        with pytest.raises(KeyError, match="sample 7 is missing") as raised:
            for batch in loader:
                got.append(batch.data.tolist())
        assert got == [[0, 2], [1, 3], [4, 6]] and "__iter__" in str(raised.value.__cause__)
    loader.close()
