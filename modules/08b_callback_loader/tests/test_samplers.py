"""Promises of the samplers. `tt` is your exported package."""

import pytest

from tinytorch.testing import expect

# 6a WeightedRandomSampler


@pytest.mark.contract("test_weighted_sampler")
def test_weights_decide_how_often(tt):
    drawn = list(tt.WeightedRandomSampler([0, 1, 4], 1500, seed=2))
    counts = [drawn.count(k) for k in range(3)]
    expect(
        len(drawn) == sum(counts) == 1500 and all(type(k) is int for k in drawn),
        "One iter gives num_samples Python integers from 0 to len(weights) - 1.",
        call="list(WeightedRandomSampler([0, 1, 4], 1500))",
        got=f"{len(drawn)} draws, counts {counts}, {type(drawn[0]).__name__}",
        want="1500 draws of 0, 1 and 2, int",
        look="how many are drawn, and of what type? .tolist() makes Python's integers",
    )
    expect(
        counts[0] == 0,
        "An index with weight 0 is never drawn.",
        call="list(WeightedRandomSampler([0, 1, 4], 1500))",
        got=f"index 0 drawn {counts[0]} times",
        want="index 0 drawn 0 times",
        look="how do the weights reach rng.choice? p = weights / their sum",
    )
    # 1200 expected, standard deviation 15.5: 110 away is 7 deviations, and the seed is
    # fixed.
    expect(
        abs(counts[2] - 1200) < 110,
        "With replacement, index i is drawn with probability weights[i] / (sum of"
        " weights).",
        call="list(WeightedRandomSampler([0, 1, 4], 1500))",
        got=f"counts {counts}",
        want="counts of about [0, 300, 1200]",
        look="what is p? The weights / their sum",
    )


@pytest.mark.contract("test_weighted_sampler")
def test_without_replacement_no_index_twice(tt):
    got = list(tt.WeightedRandomSampler([1, 2, 3, 4], 4, replacement=False, seed=1))
    expect(
        sorted(got) == [0, 1, 2, 3],
        "Without replacement no index comes twice, and larger weights tend to come"
        " first.",
        call="WeightedRandomSampler([1, 2, 3, 4], 4, replacement=False)",
        got=got,
        want="0, 1, 2, 3 in some order",
        look="replace=self.replacement: does rng.choice get it?",
    )


@pytest.mark.contract("test_weighted_sampler")
def test_each_epoch_of_a_weighted_sampler_is_drawn_anew(tt):
    sampler, again = (tt.WeightedRandomSampler([1] * 50, 50, seed=9) for _ in range(2))
    first, second = list(sampler), list(sampler)
    expect(
        len(first) == len(second) == 50,
        "One iter gives num_samples Python integers from 0 to len(weights) - 1.",
        call="list(WeightedRandomSampler([1] * 50, 50)), twice",
        got=[len(first), len(second)],
        want=[50, 50],
        look="how many are drawn, and of what type? .tolist() makes Python's integers",
    )
    expect(
        first != second,
        "Each iter draws anew, from self.next_rng() and from nothing else.",
        call="list(sampler), twice",
        got="the same draws twice",
        want="other draws the second time",
        look="which Generator draws? A new one from self.next_rng() in each __iter__",
    )
    expect(
        [list(again), list(again)] == [first, second],
        "Each iter draws anew, from self.next_rng() and from nothing else.",
        call="a second sampler with seed=9",
        got="other draws than the first sampler with seed=9",
        want="the same two lists",
        look="which Generator draws? self.next_rng() knows the seed; np.random does"
        " not",
    )


def weights_after_drawing(tt):
    import numpy as np

    weights = np.array([1.0, 3.0])
    drawn = list(tt.WeightedRandomSampler(weights, 5))
    return len(drawn), weights.tolist()


@pytest.mark.contract("test_weighted_sampler")
def test_the_callers_weights_stay(inside):
    count, got = inside(weights_after_drawing)
    expect(
        count == 5,
        "One iter gives num_samples Python integers from 0 to len(weights) - 1.",
        call="list(WeightedRandomSampler(weights, 5)), weights = array([1., 3.])",
        got=f"{count} integers",
        want="5 integers",
        look="how many are drawn, and of what type? .tolist() makes Python's integers",
    )
    expect(
        got == [1, 3],
        "The weights that were given are not changed.",
        call="list(WeightedRandomSampler(weights, 5)), weights = array([1., 3.])",
        got=got,
        want=[1.0, 3.0],
        look="what changes self.weights in place? It may be the caller's array",
    )


def without_random_numbers(tt):
    class Empty(tt.WeightedRandomSampler):
        calls = 0

        def next_rng(self):
            self.calls += 1
            raise OSError("no random numbers left")

    sampler = Empty([1, 3], 5)
    try:
        list(sampler)
    except OSError as problem:
        return f"OSError: {problem} (calls: {sampler.calls})"
    return "no error"


@pytest.mark.contract("test_weighted_sampler")
def test_an_error_of_next_rng_passes(inside):
    got = inside(without_random_numbers)
    expect(
        got == "OSError: no random numbers left (calls: 1)",
        "An error of self.next_rng reaches the caller unchanged, without a retry.",
        call="list(sampler), next_rng raises OSError",
        got=got,
        want="OSError: no random numbers left (calls: 1)",
        look="does a try of yours catch it? The error is for the caller",
    )


# 6b DistributedSampler


@pytest.mark.contract("test_distributed_sampler")
def test_the_length_of_a_share(tt):
    for count, ranks, drop_last, want in (
        (6, 2, False, 3),
        (5, 2, False, 3),
        (5, 2, True, 2),
        (2, 5, False, 1),
        (2, 5, True, 0),
        (0, 2, False, 0),
    ):
        got = [
            len(tt.DistributedSampler(range(count), ranks, rank, drop_last=drop_last))
            for rank in range(ranks)
        ]
        expect(
            got == [want] * ranks,
            "len(sampler) is N / R rounded up, or rounded down with drop_last.",
            call=f"len(sampler), N = {count}, R = {ranks}, drop_last={drop_last}",
            got=got,
            want=[want] * ranks,
            look="N // R rounds down, with drop_last; -(-N // R) rounds up",
        )


def length_of_many(tt, count):
    return [
        len(tt.DistributedSampler(range(count), 1, 0, drop_last=drop_last))
        for drop_last in (False, True)
    ]


@pytest.mark.contract("test_distributed_sampler")
def test_a_large_dataset_loses_no_sample(inside):
    got = inside(length_of_many, 2**53 + 1)
    expect(
        got == [2**53 + 1] * 2,
        "len(sampler) is N / R rounded up, or rounded down with drop_last.",
        call="len(sampler), N = 2**53 + 1, R = 1, without and with drop_last",
        got=got,
        want=[2**53 + 1] * 2,
        look="// divides integers; / makes floats, which round large numbers",
    )


@pytest.mark.contract("test_distributed_sampler")
def test_the_order_of_a_sampler_that_does_not_shuffle(tt):
    got = list(tt.DistributedSampler(range(4), 1, 0, shuffle=False))
    expect(
        got == [0, 1, 2, 3],
        "Not shuffled, the order is 0, 1, ..., N-1.",
        call="list(sampler), N = 4, R = 1, shuffle=False",
        got=got,
        want=[0, 1, 2, 3],
        look="what is the order where self.shuffle is False? np.arange(N)",
    )
    got = list(tt.DistributedSampler(range(6), 2, 1, shuffle=False))
    expect(
        got == [1, 3, 5] and all(type(k) is int for k in got),
        "Rank r takes positions r, r + R, r + 2 R, ... as Python integers.",
        call="list(sampler), N = 6, R = 2, rank 1, shuffle=False",
        got=f"{got} of {type(got[0]).__name__}",
        want="[1, 3, 5] of int",
        look="every R-th position from self.rank on; .tolist() makes Python's integers",
    )


@pytest.mark.contract("test_distributed_sampler")
def test_an_order_is_continued_as_often_as_needed(tt):
    for count, ranks, drop_last, want in (
        (2, 5, False, [[0], [1], [0], [1], [0]]),
        (2, 3, True, [[], [], []]),
        (0, 2, False, [[], []]),
    ):
        got = [
            list(
                tt.DistributedSampler(
                    range(count), ranks, rank, shuffle=False, drop_last=drop_last
                )
            )
            for rank in range(ranks)
        ]
        expect(
            got == want,
            "The order is cut, or continued from its beginning, to the length R x"
            " len(sampler).",
            call=f"N = {count}, R = {ranks}, shuffle=False, drop_last={drop_last}",
            got=got,
            want=want,
            look="cut at R x len(sampler), or begin again at the first index, as"
            " often as needed",
        )


def orders_of_a_grid(tt, grid):
    orders = []
    for seed in grid:
        sampler = tt.DistributedSampler(range(40), 1, 0, seed=seed)
        for epoch in grid:
            sampler.set_epoch(epoch)
            orders.append([seed, epoch, [int(k) for k in sampler]])
    return orders


@pytest.mark.contract("test_distributed_sampler")
def test_each_seed_and_epoch_has_an_order(inside):
    places = {tuple(range(40)): ["not shuffled"]}
    for seed, epoch, order in inside(orders_of_a_grid, (0, 1, 2, 3, 4, 11, 100, 1000)):
        places.setdefault(tuple(order), []).append((seed, epoch))
    same = [pairs for pairs in places.values() if len(pairs) > 1]
    expect(
        not same,
        "Each (seed, epoch) has its own order: seed 0 in epoch 1 is not seed 1 in epoch"
        " 0.",
        call="list(sampler) for seeds and epochs 0 to 4, 11, 100, 1000, N = 40",
        got=f"one order for (seed, epoch) = {same[0][:3] if same else ''}",
        want="another order for each, and none of them 0, 1, 2, ...",
        look="what is the order drawn from? [self.seed, self.epoch], both",
    )


class NoLength:
    """A dataset whose length cannot be read."""

    def __init__(self):
        self.calls = 0

    def __len__(self):
        self.calls += 1
        raise OSError("the index file is gone")


@pytest.mark.contract("test_distributed_sampler")
def test_an_error_of_the_dataset_reaches_the_caller(tt):
    got = len(tt.DistributedSampler(range(6), 2, 0))
    expect(
        got == 3,
        "len(sampler) is N / R rounded up, or rounded down with drop_last.",
        call="len(sampler), N = 6, R = 2",
        got=got,
        want=3,
        look="N // R rounds down, with drop_last; -(-N // R) rounds up",
    )
    for what in (len, list):
        dataset = NoLength()
        try:
            got = what(tt.DistributedSampler(dataset, 2, 0))
        except OSError as problem:
            got = f"OSError: {problem} (calls: {dataset.calls})"
        expect(
            got == "OSError: the index file is gone (calls: 1)",
            "An error of the dataset reaches the caller unchanged, without a retry.",
            call=f"{what.__name__}(sampler), len(dataset) raises OSError",
            got=got,
            want="OSError: the index file is gone (calls: 1)",
            look="does a try of yours catch it? The error is for the caller",
        )


@pytest.mark.contract("test_distributed_sampler")
def test_shares_of_two_ranks_by_hand(tt):
    for drop_last, want in ((False, [[0, 2, 4], [1, 3, 0]]), (True, [[0, 2], [1, 3]])):
        samplers = [
            tt.DistributedSampler(
                range(5), num_replicas=2, rank=rank, shuffle=False, drop_last=drop_last
            )
            for rank in (0, 1)
        ]
        got = [list(sampler) for sampler in samplers]
        expect(
            got == want,
            "The order is cut, or continued from its beginning, to the length R x"
            " len(sampler).",
            call=(
                "DistributedSampler(range(5), 2, rank, shuffle=False,"
                f" drop_last={drop_last})"
            ),
            got=got,
            want=want,
            look="cut at R x len(sampler), or begin again at the first index, as"
            " often as needed",
        )
        expect(
            [len(sampler) for sampler in samplers] == [len(share) for share in want],
            "len(sampler) is N / R rounded up, or rounded down with drop_last.",
            call=f"len(sampler) of both ranks, N = 5, R = 2, drop_last={drop_last}",
            got=[len(sampler) for sampler in samplers],
            want=[len(share) for share in want],
            look="N // R rounds down, with drop_last; -(-N // R) rounds up",
        )


@pytest.mark.contract("test_distributed_sampler")
def test_every_sample_is_on_exactly_one_rank(tt):
    for epoch in (0, 1, 5):
        seen = []
        for rank in range(4):
            sampler = tt.DistributedSampler(
                range(24), num_replicas=4, rank=rank, seed=3
            )
            sampler.set_epoch(epoch)
            seen += list(sampler)
        expect(
            sorted(seen) == list(range(24)),
            "Shuffled, it is a permutation of 0..N-1, the same on every rank.",
            call=f"24 samples, 4 ranks, epoch {epoch}",
            got=sorted(seen),
            want="0..23, each once",
            look="do all ranks draw the same permutation, with each index once?",
        )


@pytest.mark.contract("test_distributed_sampler")
def test_set_epoch_changes_the_order_and_nothing_else_does(tt):
    sampler = tt.DistributedSampler(range(30), num_replicas=2, rank=0, seed=0)
    first, again = list(sampler), list(sampler)
    sampler.set_epoch(1)
    other = list(sampler)
    sampler.set_epoch(0)
    back = list(sampler)
    expect(
        len(first) == len(other) == 15,
        "The order is cut, or continued from its beginning, to the length R x"
        " len(sampler).",
        call="list(DistributedSampler(range(30), num_replicas=2, rank=0))",
        got=f"{len(first)} and {len(other)} in two epochs",
        want="15 in each",
        look="cut at R x len(sampler), or begin again at the first index, as often as"
        " needed",
    )
    expect(
        first == again == back,
        "The order depends on (seed, epoch) alone: without set_epoch it does not"
        " change.",
        call="list(sampler), twice; again after set_epoch(1) and set_epoch(0)",
        got=f"{first[:5]} ..., {again[:5]} ...; at the end {back[:5]} ...",
        want="three times the same",
        look="what changes from one iter to the next? self.epoch does not",
    )
    expect(
        other != first,
        "Each (seed, epoch) has its own order: seed 0 in epoch 1 is not seed 1 in epoch"
        " 0.",
        call="list(sampler) in epoch 0; set_epoch(1); list(sampler)",
        got=f"the same order: {other[:5]} ...",
        want="another order",
        look="is the order drawn from self.epoch, too?",
    )
