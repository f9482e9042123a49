"""Hidden: laws of the samplers on sizes that are drawn anew each run (`draw`)."""

import itertools
from collections import Counter

import numpy as np
import pytest

from tinytorch.testing import expect

# 6a WeightedRandomSampler


@pytest.mark.contract("test_weighted_sampler")
def test_shares_of_weights(tt, draw):
    weights = draw.uniform(0, 5, 6)
    weights[int(draw.integers(6))] = 0
    count = 1500
    drawn = Counter(
        tt.WeightedRandomSampler(weights.tolist(), count, seed=int(draw.integers(1000)))
    )
    # Six counts, each within 7 standard deviations of what its weight says: false alarm below
    # 10^-10.
    share = weights / weights.sum()
    off = [
        abs(drawn.get(k, 0) - count * p) / max(1.0, np.sqrt(count * p * (1 - p)))
        for k, p in enumerate(share)
    ]
    expect(
        max(off) < 7,
        "With replacement, index i is drawn with probability weights[i] / (sum of weights).",
        call=f"weights {np.round(weights, 2).tolist()}, {count} draws",
        got=[drawn.get(k, 0) for k in range(6)],
        want=np.round(count * share).tolist(),
        look="what is p? The weights / their sum",
    )


@pytest.mark.contract("test_weighted_sampler")
def test_draws_with_replacement_are_independent(tt, draw):
    # Two equal weights, 1200 draws: equal neighbors are 600 +- 17, and 120 away is 7 standard
    # deviations, once in 10^11.
    drawn = list(tt.WeightedRandomSampler([1, 1], 1200, seed=int(draw.integers(1000))))
    equal = sum(a == b for a, b in itertools.pairwise(drawn))
    expect(
        abs(equal - 600) < 120,
        "With replacement, each draw is independent of the others.",
        call="WeightedRandomSampler([1, 1], 1200)",
        got=f"{equal} equal neighbors",
        want="about 600",
        look="does a draw depend on the one before? rng.choice(..., p=...) does not",
    )


@pytest.mark.contract("test_weighted_sampler")
def test_heavy_samples_come_first_without_replacement(tt, draw):
    # Weight 1000 against 1: the heavy index is first but for once in 500; 40 of 40 samplers agree
    # that at least 30 are.
    seed = int(draw.integers(1000))
    first = [
        next(iter(tt.WeightedRandomSampler([1, 1000, 1], 3, replacement=False, seed=seed + k)))
        for k in range(40)
    ]
    expect(
        first.count(1) >= 30,
        "Without replacement no index comes twice, and larger weights tend to come first.",
        call="40 samplers of weights 1, 1000, 1",
        got=Counter(first),
        want="index 1 nearly always",
        look="does rng.choice get replace=self.replacement and p?",
    )


@pytest.mark.contract("test_weighted_sampler")
def test_only_what_has_a_weight_is_drawn(tt, draw):
    weights = np.zeros(8)
    heavy = sorted(draw.choice(8, 3, replace=False).tolist())
    weights[heavy] = draw.uniform(1, 5, 3)
    for replacement, count in ((True, 60), (False, 3)):
        drawn = list(
            tt.WeightedRandomSampler(weights.tolist(), count, replacement=replacement, seed=1)
        )
        expect(
            len(drawn) == count
            and set(drawn) <= set(heavy)
            and (replacement or len(set(drawn)) == count),
            "An index with weight 0 is never drawn.",
            call=f"{count} draws, weights only at {heavy}, replacement={replacement}",
            got=drawn,
            want=f"{count} of {heavy}",
            look="how do the weights reach rng.choice? p = weights / their sum",
        )


@pytest.mark.contract("test_weighted_sampler")
def test_drawn_indices_are_python_integers(tt, draw):
    count = int(draw.integers(3, 9))
    for replacement in (True, False):
        drawn = list(tt.WeightedRandomSampler([1] * 9, count, replacement=replacement))
        expect(
            len(drawn) == count and all(type(index) is int for index in drawn),
            "One iter gives num_samples Python integers from 0 to len(weights) - 1.",
            call=f"list(WeightedRandomSampler(nine weights, {count}, replacement={replacement}))",
            got=f"{len(drawn)} of {sorted({type(index).__name__ for index in drawn})}",
            want=f"{count} of int",
            look="how many are drawn, and of what type? .tolist() makes Python's integers",
        )


@pytest.mark.contract("test_weighted_sampler")
def test_a_weighted_sampler_leaves_global_random_numbers_alone(tt, draw, global_random_state):
    weights = draw.uniform(1, 5, 4).tolist()
    before = global_random_state()
    drawn = list(tt.WeightedRandomSampler(weights, 7))
    expect(
        len(drawn) == 7 and set(drawn) <= {0, 1, 2, 3},
        "One iter gives num_samples Python integers from 0 to len(weights) - 1.",
        call=f"list(WeightedRandomSampler({weights}, 7))",
        got=drawn,
        want="7 indices from 0 to 3",
        look="how many are drawn, and of what type? .tolist() makes Python's integers",
    )
    expect(
        global_random_state() == before,
        "Each iter draws anew, from self.next_rng() and from nothing else.",
        call="list(WeightedRandomSampler(four weights, 7))",
        got="np.random or random changed",
        want="unchanged",
        look="self.next_rng()",
    )


# 6b DistributedSampler


@pytest.mark.contract("test_distributed_sampler")
def test_the_law_of_shares(tt, draw):
    for _ in range(4):
        count, ranks, seed, epoch = (
            int(draw.integers(*limits)) for limits in ((1, 25), (1, 6), (0, 99), (0, 9))
        )
        for drop_last, shuffle in ((False, True), (True, True), (False, False)):
            shares = []
            for rank in range(ranks):
                sampler = tt.DistributedSampler(
                    list(range(count)),
                    num_replicas=ranks,
                    rank=rank,
                    shuffle=shuffle,
                    seed=seed,
                    drop_last=drop_last,
                )
                sampler.set_epoch(epoch)
                shares.append(list(sampler))
                expect(
                    len(sampler) == len(shares[-1]),
                    "The order is cut, or continued from its beginning, to the length R"
                    " x len(sampler).",
                    call=f"{count} samples, {ranks} ranks",
                    got=f"len {len(sampler)}, {len(shares[-1])} indices",
                    want="equal",
                    look="cut at R x len(sampler), or begun again as often as needed",
                )
            call = (
                f"{count} samples, {ranks} ranks, epoch {epoch}, shuffle={shuffle},"
                f" drop_last={drop_last}"
            )
            length = count // ranks if drop_last else -(-count // ranks)
            expect(
                {len(share) for share in shares} == {length},
                "The order is cut, or continued from its beginning, to the length R x"
                " len(sampler).",
                call=call,
                got=[len(share) for share in shares],
                want=length,
                look="cut at R x len(sampler), or begun again as often as needed",
            )
            seen = Counter(sum(shares, []))
            if drop_last:
                expect(
                    all(times == 1 for times in seen.values()),
                    "The order is cut, or continued from its beginning, to the length R"
                    " x len(sampler).",
                    call=call,
                    got=dict(seen),
                    want="each once at most",
                    look="cut at R x len(sampler), or begun again as often as needed",
                )
            else:
                times = length * ranks // count
                expect(
                    set(seen) == set(range(count)) and set(seen.values()) <= {times, times + 1},
                    "Shuffled, it is a permutation of 0..N-1, the same on every rank.",
                    call=call,
                    got=dict(seen),
                    want=f"0..{count - 1}",
                    look="is each order a permutation of all indices, the same on every rank?",
                )


@pytest.mark.contract("test_distributed_sampler")
def test_every_order_of_the_ranks_is_possible(tt, draw):
    # 6 orders of 3, each missed by 120 epochs with probability (5/6)^120: false alarm 2e-9 in all.
    sampler = tt.DistributedSampler(
        [0, 1, 2], num_replicas=1, rank=0, seed=int(draw.integers(1000))
    )
    seen = set()
    for epoch in range(120):
        sampler.set_epoch(epoch)
        seen.add(tuple(sampler))
    expect(
        len(seen) == 6,
        "Shuffled, it is a permutation of 0..N-1, the same on every rank.",
        call="120 epochs of DistributedSampler([0, 1, 2], 1, 0)",
        got=f"{len(seen)} orders",
        want="all 6",
        look="is each order a permutation of all indices, the same on every rank?",
    )


@pytest.mark.contract("test_distributed_sampler")
def test_seeds_of_distributed_samplers(tt, draw):
    seed = int(draw.integers(1000))
    one, same, other = (
        list(tt.DistributedSampler(range(40), num_replicas=2, rank=1, seed=s))
        for s in (seed, seed, seed + 1)
    )
    expect(
        len(one) == len(other) == 20,
        "The order is cut, or continued from its beginning, to the length R x len(sampler).",
        call="list(DistributedSampler(range(40), num_replicas=2, rank=1))",
        got=[len(one), len(other)],
        want=[20, 20],
        look="cut at R x len(sampler), or begun again as often as needed",
    )
    expect(
        one == same and one != other,
        "The order depends on (seed, epoch) alone: without set_epoch it does not change.",
        call=f"seed={seed} twice, then seed={seed + 1}",
        got=[one[:5], same[:5], other[:5]],
        want="equal, equal, another",
        look="what is the order drawn from? self.seed and self.epoch, nothing else",
    )
    expect(
        all(type(i) is int for i in one),
        "Rank r takes positions r, r + R, r + 2 R, ... as Python integers.",
        call="list(sampler)",
        got=type(one[0]).__name__,
        want="int",
        look="every R-th position from self.rank on, as Python integers",
    )


@pytest.mark.contract("test_distributed_sampler")
def test_few_samples_for_many_ranks(tt, draw):
    count, ranks = int(draw.integers(2, 4)), int(draw.integers(7, 12))
    got = [
        list(
            tt.DistributedSampler(list(range(count)), num_replicas=ranks, rank=rank, shuffle=False)
        )
        for rank in range(ranks)
    ]
    want = [[rank % count] for rank in range(ranks)]
    expect(
        got == want,
        "The order is cut, or continued from its beginning, to the length R x len(sampler).",
        call=f"{count} samples, {ranks} ranks, shuffle=False",
        got=got,
        want=want,
        look="np.resize repeats as often as it must",
    )


@pytest.mark.contract("test_distributed_sampler")
def test_a_distributed_sampler_leaves_global_random_numbers_alone(tt, draw, global_random_state):
    count = int(draw.integers(9, 30))
    before = global_random_state()
    share = list(tt.DistributedSampler(range(count), num_replicas=3, rank=1))
    expect(
        len(share) == -(-count // 3),
        "The order is cut, or continued from its beginning, to the length R x len(sampler).",
        call=f"list(DistributedSampler(range({count}), num_replicas=3, rank=1))",
        got=len(share),
        want=-(-count // 3),
        look="cut at R x len(sampler), or begun again as often as needed",
    )
    expect(
        global_random_state() == before,
        "The order depends on (seed, epoch) alone: without set_epoch it does not change.",
        call=f"list(DistributedSampler(range({count}), num_replicas=3, rank=1))",
        got="np.random or random changed",
        want="unchanged",
        look="np.random.default_rng([seed, epoch])",
    )
