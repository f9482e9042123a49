"""Hidden: laws of epoch_order on lengths, seeds and epochs that are drawn anew each run
(`draw`).
"""

import itertools

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("test_every_sample_once")


def numbers(order):
    """The indices as a list; that the order is an array has a test of its own."""
    return np.asarray(order).tolist()


def orders_of(tt, n, pairs):
    """The shuffled order of n samples for each (seed, epoch), in one request."""
    import numpy as np

    return [
        np.asarray(tt.epoch_order(n, shuffle=True, seed=seed, epoch=epoch)).tolist()
        for seed, epoch in pairs
    ]


def test_an_order_is_a_permutation_for_every_length(tt, draw):
    for n in (0, 1, *draw.integers(2, 300, 6).tolist()):
        order = tt.epoch_order(
            n, shuffle=True, seed=int(draw.integers(1000)), epoch=int(draw.integers(50))
        )
        expect(
            isinstance(order, np.ndarray)
            and order.dtype == np.int64
            and sorted(order.tolist()) == list(range(n)),
            "An order is an int64 array that holds every index 0..N-1 once.",
            call=f"epoch_order({n}, shuffle=True, ...)",
            got=order,
            want=f"int64 ({n},), {n} different",
            look="an array, not a list; a draw puts an index back",
        )


def test_an_order_that_is_not_shuffled_is_the_same_for_every_seed_and_epoch(tt, draw):
    for _ in range(3):
        n, seed, epoch = (int(number) for number in draw.integers(1, 300, 3))
        got = numbers(tt.epoch_order(n, shuffle=False, seed=seed, epoch=epoch))
        expect(
            got == list(range(n)),
            "Not shuffled, it is 0, 1, ..., N-1, whatever the seed and the epoch.",
            call=f"epoch_order({n}, shuffle=False, seed={seed}, epoch={epoch})",
            got=got,
            want=f"0..{n - 1}",
            look="where is `shuffle` asked?",
        )


def test_every_order_is_possible(inside, draw):
    # 6 orders of 3, each missed by 120 epochs with probability (5/6)^120: false alarm 2e-9 in all.
    seed = int(draw.integers(10_000))
    seen = set(map(tuple, inside(orders_of, 3, [(seed, epoch) for epoch in range(120)])))
    expect(
        seen == set(itertools.permutations(range(3))),
        "Shuffled, all N! orders are possible.",
        call=f"epoch_order(3, shuffle=True, seed={seed}, epoch=0..119)",
        got=f"{len(seen)} orders",
        want="all 6",
        look="a rotation or a reversal is not a shuffle",
    )


def test_an_order_belongs_to_its_seed_and_epoch_alone(inside, draw):
    # 20! orders: two of the pairs below agree by chance about once in 10^16.
    n, seed = int(draw.integers(20, 40)), int(draw.integers(1, 1000))
    pairs = [(seed, epoch) for epoch in range(5)] + [(seed + 1, 0), (seed + 2, 1), (0, seed)]
    # a sum, a product or a mix such as 31 * seed + epoch would make two pairs meet
    pairs = list(dict.fromkeys(pairs + [(s, epoch) for s in (0, 1, 2) for epoch in range(130)]))
    first = inside(orders_of, n, pairs)
    different = len(set(map(tuple, first)))
    expect(
        different == len(pairs) and all(len(order) == n for order in first),
        "Another (seed, epoch) gives another order: epoch 1 of seed 0 differs from epoch 0 of"
        " seed 1.",
        call=f"epoch_order({n}, True, seed, epoch) for {len(pairs)} pairs",
        got=f"{different} different orders",
        want=f"{len(pairs)} different orders",
        look="default_rng takes a list; seed + epoch mixes them up",
    )
    expect(
        inside(orders_of, n, pairs) == first,
        "The same (seed, epoch) gives the same order each time, for seed 0 too; the default"
        " epoch is 0.",
        call=f"the same calls again, {len(pairs)} pairs",
        got="other orders",
        want="the same orders",
        look="what, besides (seed, epoch), does the order depend on?",
    )


def test_no_setting_touches_the_global_generators(tt, draw, global_random_state):
    before = global_random_state()
    for shuffle, seed in ((False, None), (True, None), (True, int(draw.integers(100)))):
        order = numbers(tt.epoch_order(9, shuffle=shuffle, seed=seed))
        expect(
            sorted(order) == list(range(9)),
            "An order is an int64 array that holds every index 0..N-1 once.",
            call=f"epoch_order(9, shuffle={shuffle}, seed={seed})",
            got=order,
            want="0..8",
        )
        expect(
            global_random_state() == before,
            "The global generators are left alone: no number is drawn from them, and no seed is"
            " set.",
            call=f"epoch_order(9, shuffle={shuffle}, seed={seed})",
            got="np.random or random changed",
            want="unchanged",
            look="np.random.default_rng",
        )


def test_every_negative_number_of_samples_is_refused(tt, draw):
    got = numbers(tt.epoch_order(2, shuffle=False))
    expect(
        sorted(got) == [0, 1],
        "An order is an int64 array that holds every index 0..N-1 once.",
        call="epoch_order(2, shuffle=False)",
        got=got,
        want=[0, 1],
    )
    for n in (-1, -int(draw.integers(2, 999))):
        for shuffle in (False, True):
            expect_raises(
                ValueError,
                lambda: tt.epoch_order(n, shuffle=shuffle),
                "An N below 0 raises `ValueError` with the value.",
                says=str(n),
                call=f"epoch_order({n}, shuffle={shuffle})",
                look="the first line of the function",
            )
