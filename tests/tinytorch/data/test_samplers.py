"""Samplers over samplers: what Determined's own tests expect of its `samplers`, with the same
numbers, and the laws behind them.
"""

import itertools

import numpy as np
import pytest
from claims import prove, refused
from hypothesis import given
from hypothesis import strategies as st

from tinytorch.data import samplers
from tinytorch.data.samplers import (
    BatchSampler,
    DistributedBatchSampler,
    DistributedSampler,
    RepeatSampler,
    ReproducibleShuffleSampler,
    SequentialSampler,
    SkipSampler,
    adapt_batch_sampler,
)


def in_order(count):
    return SequentialSampler(range(count))


def taken(sampler, count):
    return list(itertools.islice(sampler, count))


def shares(kind, sampler, ranks=4):
    """The length of each rank's share, and the share."""
    parts = [kind(sampler, ranks, rank) for rank in range(ranks)]
    return list(map(len, parts)), list(map(list, parts))


def epochs(sampler, count=2):
    return len(sampler), [list(sampler) for _ in range(count)]


PAIRS = [[start, start + 1] for start in range(4, 14, 2)]
THREES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]
NAMES = {**vars(samplers), **globals()}
# What Determined's tests expect: code, and its value
RIGHT = {
    "epochs(SkipSampler(in_order(15), 2))": (15, [list(range(2, 15))] * 2),
    "epochs(SkipBatchSampler(BatchSampler(in_order(15), 2), 2))": (8, [[*PAIRS, [14]]] * 2),
    "len(RepeatSampler(in_order(10)))": 10,
    "taken(RepeatSampler(in_order(10)), 30)": [*range(10)] * 3,
    "len(RepeatBatchSampler(BatchSampler(in_order(10), 3)))": 4,
    "taken(RepeatBatchSampler(BatchSampler(in_order(10), 3)), 12)": THREES * 3,
    "list(RepeatSampler([]))": [],
    "shares(DistributedSampler, in_order(19))": (
        [5, 5, 5, 4],
        [[0, 4, 8, 12, 16], [1, 5, 9, 13, 17], [2, 6, 10, 14, 18], [3, 7, 11, 15]],
    ),
    "shares(DistributedBatchSampler, BatchSampler(in_order(19), batch_size=2))": (
        [3, 3, 2, 2],
        [
            [[0, 1], [8, 9], [16, 17]],
            [[2, 3], [10, 11], [18]],
            [[4, 5], [12, 13]],
            [[6, 7], [14, 15]],
        ],
    ),
    "epochs(ReproducibleShuffleSampler(in_order(5), 777))": (5, [[0, 4, 1, 2, 3], [2, 0, 1, 3, 4]]),
    "epochs(ReproducibleShuffleBatchSampler(BatchSampler(in_order(10), 2), 777))": (
        5,
        [[[0, 1], [8, 9], [2, 3], [4, 5], [6, 7]], [[4, 5], [0, 1], [2, 3], [6, 7], [8, 9]]],
    ),
    "list(ReproducibleShuffleSampler([5], 2**32 - 1))": [5],
    "taken(adapt_batch_sampler([[0], [1], [2]], repeat=True, skip=2), 4)": [[2], [0], [1], [2]],
    # the skipped batches are those of the rank, so the share is taken first
    "taken(adapt_batch_sampler('abcde', True, 1, num_replicas=2, rank=1), 4)": list("dace"),
    "adapt_batch_sampler('ab')": "ab",
}
RANK = "rank must be 0 to"
WHOLE = "must be an integer of"
LATE = "shuffle first, then repeat"
ANEW = "starts anew with each iter()"
# code, and what its error says
REFUSED = {
    "DistributedBatchSampler(in_order(10), 3, 3)": f"{RANK} 2",
    "DistributedBatchSampler(in_order(10), 3, -1)": "rank",
    "DistributedBatchSampler(in_order(10), 0, 0)": "num_workers",
    "DistributedBatchSampler(in_order(10), 2, 0.5)": "rank",
    "adapt_batch_sampler([[0]], rank=1)": f"{RANK} 0 with num_replicas=1, got 1",
    "adapt_batch_sampler([[0]], rank=7, num_replicas=2)": f"{RANK} 1 with num_replicas=2, got 7",
    "adapt_batch_sampler([[0]], rank='x')": f"rank {WHOLE} 0 or more, got 'x'",
    "adapt_batch_sampler([[0]], num_replicas=0)": f"num_replicas {WHOLE} 1 or more, got 0",
    "adapt_batch_sampler([[0]], repeat='no')": "repeat must be True or False, got 'no'",
    "adapt_batch_sampler([[0]], skip=None)": f"skip {WHOLE} 0 or more, got None",
    "BatchSampler([1], 0)": ", got 0",
    "BatchSampler([0, 1], 2, 'no')": "drop_last must be True or False, got 'no'",
    "ReproducibleShuffleSampler(RepeatSampler(in_order(3)), 1)": LATE,
    "ReproducibleShuffleSampler(BatchSampler(RepeatSampler(in_order(3)), 2), 1)": LATE,
    "ReproducibleShuffleSampler([5], 2**32)": "seed must be an integer from 0 to 4294967295",
    "SequentialSampler(5)": "something with a length",
    "RepeatSampler(iter([1, 2]))": ANEW,
    "RepeatSampler(3)": ANEW,
    "RepeatSampler(None)": ANEW,
    "iter(ChainedSampler([1]))": "ChainedSampler must define __iter__",
    **{
        f"{kind}([1], {value})": f", got {value}"
        for kind in ("BatchSampler", "SkipSampler", "ReproducibleShuffleSampler")
        for value in (True, -1, 2.5)
    },
}


@pytest.mark.parametrize("code", RIGHT)
def test_samplers_give_what_determined_s_tests_expect(code):
    prove(code, RIGHT[code], NAMES)


@pytest.mark.parametrize("code", REFUSED)
def test_what_makes_no_sampler_is_refused(code):
    prove(code, refused((ValueError, TypeError, NotImplementedError), REFUSED[code]), NAMES)


# Laws

orders = st.lists(st.integers(0, 99), max_size=20)


@given(orders, st.integers(1, 5))
def test_the_shares_of_all_ranks_are_everything_once(order, ranks):
    _, parts = shares(DistributedSampler, order, ranks)
    together = [index for row in itertools.zip_longest(*parts) for index in row]
    assert [index for index in together if index is not None] == order


@given(orders, st.integers(1, 7), st.booleans())
def test_batches_joined_are_the_order(order, batch_size, drop_last):
    sampler = BatchSampler(order, batch_size, drop_last)
    batches = list(sampler)
    assert len(sampler) == len(batches)
    joined = [index for batch in batches for index in batch]
    assert joined == order[: len(order) // batch_size * batch_size if drop_last else None]
    assert all(len(batch) == batch_size for batch in (batches if drop_last else batches[:-1]))


@given(orders, st.integers(0, 2**32 - 1))
def test_an_order_is_the_one_that_numpy_gives_a_list(order, seed):
    one, other = (ReproducibleShuffleSampler(order, seed) for _ in range(2))
    want = list(order)
    np.random.RandomState(seed).shuffle(want)
    got = list(one)
    assert got == want == list(other) and {type(index) for index in got} <= {int}
    assert list(one) == list(other), "the next epoch"


@given(st.integers(1, 20), st.integers(1, 4), st.integers(1, 3), st.integers(0, 30))
def test_a_run_that_stopped_goes_on_as_if_it_had_not(count, batch_size, ranks, skip):
    def run(rank, skip):
        shuffled = ReproducibleShuffleSampler(in_order(count), 3)
        return adapt_batch_sampler(BatchSampler(shuffled, batch_size), True, skip, ranks, rank)

    for rank in range(ranks):
        assert taken(run(rank, skip), 10) == taken(run(rank, 0), skip + 10)[skip:]


# Beside other samplers


def test_an_epoch_that_is_set_reaches_the_sampler_inside():
    class Counts(SequentialSampler):
        def set_epoch(self, epoch):
            self.epoch = epoch

    inner = Counts(range(3))
    SkipSampler(RepeatSampler(BatchSampler(inner, 2)), 1).set_epoch(7)
    assert inner.epoch == 7
    RepeatSampler([1]).set_epoch(7)


def test_the_samplers_feed_08b_and_the_adapter_of_08a(references):
    files, loader = references("08a").module, references("08b").module
    records = files.BatchLoaderDataset(files.ArrayBatchLoader(list(range(19)), list(range(19))))

    def share():
        batches = BatchSampler(ReproducibleShuffleSampler(in_order(19), 777), 4)
        return DistributedBatchSampler(batches, 2, 1)

    read, wanted = loader.DataLoader(records, batch_sampler=share()), list(share())
    assert [labels.data.tolist() for _, labels in read] == wanted
    assert len(read) == len(wanted)
