"""Promises of the samplers. `tt` is your exported package."""

import pytest

from tinytorch.testing import expect

# 6a WeightedRandomSampler


@pytest.mark.contract("test_weighted_sampler")
def test_weights_decide_how_often(tt):
    drawn = list(tt.WeightedRandomSampler([0, 1, 4], 1500, seed=2))
    counts = [drawn.count(k) for k in range(3)]
    # 1200 expected, standard deviation 15.5: 110 away is 7 deviations, and the seed is
    # fixed.
    expect(
        counts[0] == 0 and abs(counts[2] - 1200) < 110 and sum(counts) == 1500,
        "With replacement, index i is drawn with probability weights[i] / (sum of"
        " weights).",
        call="WeightedRandomSampler([0, 1, 4], 1500)",
        got=counts,
        want="about [0, 300, 1200]",
    )


@pytest.mark.contract("test_weighted_sampler")
def test_without_replacement_no_index_twice(tt):
    got = list(tt.WeightedRandomSampler([1, 2, 3, 4], 4, replacement=False, seed=1))
    expect(
        sorted(got) == [0, 1, 2, 3],
        "Without replacement no index comes twice, and heavy ones tend to come first.",
        call="WeightedRandomSampler([1, 2, 3, 4], 4, replacement=False)",
        got=got,
        want="0, 1, 2, 3 in some order",
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
    )
    expect(
        first != second,
        "Each iter draws anew, from self.next_rng() and from nothing else.",
        call="list(sampler), twice",
        got="the same draws",
        want="others",
    )
    expect(
        [list(again), list(again)] == [first, second],
        "Each iter draws anew, from self.next_rng() and from nothing else.",
        call="a second sampler with seed=9",
        got="other draws",
        want="the same",
    )


# 6b DistributedSampler


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
            "The order is cut at its end to R x len(sampler), or continued from its"
            " beginning.",
            call=(
                "DistributedSampler(range(5), 2, rank, shuffle=False,"
                f" drop_last={drop_last})"
            ),
            got=got,
            want=want,
        )
        expect(
            [len(sampler) for sampler in samplers] == [len(share) for share in want],
            "len(sampler) is N / R rounded up, with drop_last down.",
            call="len(sampler)",
            got=[len(sampler) for sampler in samplers],
            want=[len(share) for share in want],
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
            look="do all ranks draw the same permutation?",
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
        "The order is cut at its end to R x len(sampler), or continued from its"
        " beginning.",
        call="list(DistributedSampler(range(30), num_replicas=2, rank=0))",
        got=f"{len(first)} and {len(other)} in two epochs",
        want="15 in each",
    )
    expect(
        first == again == back,
        "The order depends on (seed, epoch) alone: without set_epoch it stays.",
        call="list(sampler), twice",
        got=again,
        want=first,
    )
    expect(
        other != first,
        "Another (seed, epoch) has another order: seed 0 in epoch 1 is not seed 1 in"
        " epoch 0.",
        call="set_epoch(1)",
        got="the same order",
        want="another",
    )
