"""Samplers over samplers: what Determined's own tests expect of its `samplers`, with the same
numbers, and the laws behind them.
"""

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tinytorch.data.samplers import (
    BatchSampler,
    ChainedSampler,
    DistributedBatchSampler,
    DistributedSampler,
    RepeatBatchSampler,
    RepeatSampler,
    ReproducibleShuffleBatchSampler,
    ReproducibleShuffleSampler,
    SequentialSampler,
    SkipBatchSampler,
    SkipSampler,
    adapt_batch_sampler,
)


def in_order(count):
    return SequentialSampler(range(count))


def taken(sampler, count):
    return list(itertools.islice(sampler, count))


# What Determined's tests expect


@pytest.mark.parametrize(
    "sampler, skipped, length",
    [
        (in_order(15), SkipSampler(in_order(15), 2), 15),
        (BatchSampler(in_order(15), 2), SkipBatchSampler(BatchSampler(in_order(15), 2), 2), 8),
    ],
)
def test_skip_leaves_out_the_first_and_keeps_the_length(sampler, skipped, length):
    assert len(skipped) == length
    assert list(skipped) == list(sampler)[2:] == list(skipped)


@pytest.mark.parametrize(
    "sampler, kind, length",
    [
        (in_order(10), RepeatSampler, 10),
        (BatchSampler(in_order(10), 3), RepeatBatchSampler, 4),
    ],
)
def test_repeat_goes_through_its_sampler_again_and_again(sampler, kind, length):
    repeated = kind(sampler)
    assert len(repeated) == length
    assert taken(repeated, 3 * length) == list(sampler) * 3


def test_distributed_gives_every_rank_its_share():
    shares = [DistributedSampler(in_order(19), 4, rank) for rank in range(4)]
    assert list(map(list, shares)) == [
        [0, 4, 8, 12, 16],
        [1, 5, 9, 13, 17],
        [2, 6, 10, 14, 18],
        [3, 7, 11, 15],
    ]
    assert [len(share) for share in shares] == [5, 5, 5, 4]


def test_distributed_gives_every_rank_its_batches():
    batches = BatchSampler(in_order(19), batch_size=2)
    shares = [DistributedBatchSampler(batches, 4, rank) for rank in range(4)]
    assert list(map(list, shares)) == [
        [[0, 1], [8, 9], [16, 17]],
        [[2, 3], [10, 11], [18]],
        [[4, 5], [12, 13]],
        [[6, 7], [14, 15]],
    ]
    assert [len(share) for share in shares] == [3, 3, 2, 2]


def test_a_reproducible_shuffle_is_the_one_of_determined():
    shuffled = ReproducibleShuffleSampler(in_order(5), 777)
    assert len(shuffled) == 5
    assert list(shuffled) == [0, 4, 1, 2, 3]
    assert list(shuffled) == [2, 0, 1, 3, 4]
    batches = ReproducibleShuffleBatchSampler(BatchSampler(in_order(10), 2), 777)
    assert list(batches) == [[0, 1], [8, 9], [2, 3], [4, 5], [6, 7]]
    assert list(batches) == [[4, 5], [0, 1], [2, 3], [6, 7], [8, 9]]


def test_an_adapted_sampler_goes_on_after_what_was_skipped():
    assert taken(adapt_batch_sampler([[0], [1], [2], [3]], repeat=True, skip=2), 6) == [
        [2],
        [3],
        [0],
        [1],
        [2],
        [3],
    ]
    # the skipped batches are those of the rank, so the share is taken first
    assert (
        taken(adapt_batch_sampler("abcde", True, 1, num_replicas=2, rank=1), 4) == list("daceb")[:4]
    )
    assert adapt_batch_sampler("ab") == "ab"


@pytest.mark.parametrize(
    "num_workers, rank, says",
    [(3, 3, "rank must be 0 to 2"), (3, -1, "rank"), (0, 0, "num_workers"), (2, 0.5, "rank")],
)
def test_a_rank_that_does_not_exist_is_refused(num_workers, rank, says):
    with pytest.raises(ValueError, match=says):
        DistributedBatchSampler(in_order(10), num_workers, rank)


@pytest.mark.parametrize(
    "arguments, says",
    [
        ({"rank": 1}, "rank must be 0 to 0 with num_replicas=1, got 1"),
        ({"rank": 7, "num_replicas": 2}, "rank must be 0 to 1 with num_replicas=2, got 7"),
        ({"rank": "x"}, "rank must be an integer of 0 or more, got 'x'"),
        ({"num_replicas": 0}, "num_replicas must be an integer of 1 or more, got 0"),
        ({"repeat": "no"}, "repeat must be True or False, got 'no'"),
        ({"skip": None}, "skip must be an integer of 0 or more, got None"),
    ],
)
def test_an_adapted_sampler_is_never_everybodys_by_mistake(arguments, says):
    with pytest.raises(ValueError, match=says):
        adapt_batch_sampler([[0], [1]], **arguments)


def test_drop_last_is_a_flag():
    with pytest.raises(ValueError, match="drop_last must be True or False, got 'no'"):
        BatchSampler([0, 1], 2, "no")


@pytest.mark.parametrize("between", [lambda s: s, lambda s: BatchSampler(s, 2)])
def test_an_endless_order_cannot_be_shuffled(between):
    with pytest.raises(ValueError, match="shuffle first, then repeat"):
        ReproducibleShuffleSampler(between(RepeatSampler(in_order(3))), 1)
    assert taken(RepeatSampler(ReproducibleShuffleSampler(in_order(3), 1)), 6)


def test_a_seed_beyond_the_generator_is_refused():
    assert list(ReproducibleShuffleSampler([5], 2**32 - 1)) == [5]
    with pytest.raises(ValueError, match=r"seed must be an integer from 0 to 4294967295, got 429"):
        ReproducibleShuffleSampler([5], 2**32)


def test_a_number_is_no_dataset():
    with pytest.raises(TypeError, match=r"something with a length, .* got 5 \(int\)"):
        SequentialSampler(5)


# Laws

orders = st.lists(st.integers(0, 99), max_size=20)


@given(orders, st.integers(1, 5))
def test_the_shares_of_all_ranks_are_everything_once(order, ranks):
    shares = [list(DistributedSampler(order, ranks, rank)) for rank in range(ranks)]
    together = [index for row in itertools.zip_longest(*shares, fillvalue=None) for index in row]
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
def test_a_seed_decides_all_orders_of_a_shuffle(order, seed):
    one, other = (ReproducibleShuffleSampler(order, seed) for _ in range(2))
    for _ in range(3):
        drawn = list(one)
        assert drawn == list(other) and sorted(drawn) == sorted(order)


@given(orders, st.integers(0, 2**32 - 1))
def test_an_order_is_the_one_that_numpy_gives_a_list(order, seed):
    want = list(order)
    np.random.RandomState(seed).shuffle(want)
    got = list(ReproducibleShuffleSampler(order, seed))
    assert got == want and {type(index) for index in got} <= {int}


def test_a_shuffled_order_holds_8_bytes_an_index():
    count = 100_000
    sampler = ReproducibleShuffleSampler(in_order(count), 0)
    tracemalloc.start()
    try:
        for _ in sampler:
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 * count  # the array grows in steps; a list of ints holds 40 bytes an index


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


def test_an_empty_sampler_is_repeated_without_a_hang():
    assert list(RepeatSampler([])) == []


@pytest.mark.parametrize("wrong", [iter([1, 2]), 3, None])
def test_what_does_not_start_anew_is_refused(wrong):
    with pytest.raises(TypeError, match=r"starts anew with each iter\(\).* got"):
        RepeatSampler(wrong)


def test_a_chain_without_an_order_says_so():
    with pytest.raises(NotImplementedError, match="ChainedSampler must define __iter__"):
        iter(ChainedSampler([1]))


@pytest.mark.parametrize("argument", [True, -1, 2.5])
def test_sizes_are_whole_numbers(argument):
    for make in (BatchSampler, SkipSampler, ReproducibleShuffleSampler):
        with pytest.raises(ValueError, match=f"an integer (of|from) .*, got {argument!r}"):
            make([1], argument)


def test_the_samplers_feed_08b_and_the_adapter_of_08a(references):
    lab, loader = references("08a").module, references("08b").module
    numbers = lab.BatchLoaderDataset(lab.ArrayBatchLoader(list(range(19)), list(range(19))))
    batches = BatchSampler(ReproducibleShuffleSampler(in_order(19), 777), 4)
    wanted = list(
        DistributedBatchSampler(
            BatchSampler(ReproducibleShuffleSampler(in_order(19), 777), 4), 2, 1
        )
    )
    share = DistributedBatchSampler(batches, 2, 1)
    read = loader.DataLoader(numbers, batch_sampler=share)
    assert [labels.data.tolist() for _, labels in read] == wanted
    assert len(read) == len(wanted)
