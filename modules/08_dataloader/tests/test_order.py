"""Promises of epoch_order. `tt` is your exported package."""

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("test_every_sample_once")


def numbers(order):
    """The indices as a list; that the order is an array has a test of its own."""
    return np.asarray(order).tolist()


def test_without_shuffle_an_epoch_goes_from_0_to_n_minus_1(tt):
    order = tt.epoch_order(5, shuffle=False)
    kind = getattr(order, "dtype", type(order).__name__)
    expect(
        list(order) == [0, 1, 2, 3, 4] and kind == np.int64,
        "Without shuffle an epoch visits 0, 1, ..., N-1, as int64.",
        call="epoch_order(5, shuffle=False)",
        got=f"{list(order)}, {kind}",
        want="[0, 1, 2, 3, 4], int64",
    )


def test_a_shuffled_epoch_visits_every_sample_once(tt):
    order = numbers(tt.epoch_order(100, shuffle=True, seed=0))
    expect(
        sorted(order) == list(range(100)),
        "A shuffled epoch visits every sample exactly once.",
        call="epoch_order(100, shuffle=True, seed=0)",
        got=f"{len(set(order))} different indices of {len(order)}",
        want="100 different indices of 100",
        look="a draw puts an index back; a permutation does not",
    )
    expect(
        order != list(range(100)),
        "A shuffled epoch is not in the order 0 to N-1.",
        call="epoch_order(100, shuffle=True, seed=0)",
        got="0, 1, ..., 99",
        want="another order",
        look="is the shuffled array the one that you return?",
    )


def test_seed_and_epoch_decide_the_order_together(tt):
    # Two orders of 50 are equal by chance once in 50!, about 3e64.
    def order(seed, epoch):
        return numbers(tt.epoch_order(50, shuffle=True, seed=seed, epoch=epoch))

    expect(
        len(order(7, 1)) == 50 and order(7, 1) == order(7, 1),
        "The same seed and epoch give the same order.",
        call="epoch_order(50, True, seed=7, epoch=1), twice",
        got="two orders",
        want="one order",
        look="is the generator made from seed and epoch?",
    )
    for pair, other in (((7, 0), (7, 1)), ((7, 0), (8, 0)), ((0, 1), (1, 0))):
        expect(
            order(*pair) != order(*other),
            "Each pair of seed and epoch has an order of its own.",
            call=f"epoch_order(50, True, seed, epoch) for {pair} and {other}",
            got="the same order",
            want="two orders",
            look="default_rng takes a list; seed + epoch mixes them up",
        )


def test_without_a_seed_each_call_has_its_own_order(tt):
    # Two orders of 50 are equal by chance once in 50!, about 3e64.
    first, second = (numbers(tt.epoch_order(50, shuffle=True)) for _ in range(2))
    expect(
        len(first) == 50 and first != second,
        "Without a seed every call has its own order.",
        call="epoch_order(50, shuffle=True), twice",
        got="the same order twice",
        want="two orders",
        look="seed=None draws fresh entropy",
    )


def test_a_negative_number_of_samples_is_refused(tt):
    got = numbers(tt.epoch_order(1, shuffle=False))
    expect(got == [0], "One sample is an epoch.", got=got, want=[0])
    expect_raises(
        ValueError,
        lambda: tt.epoch_order(-1, shuffle=False),
        "A negative number of samples is refused, with the value.",
        says="-1",
        call="epoch_order(-1, shuffle=False)",
    )


def test_shuffling_leaves_the_global_generators_alone(tt, global_random_state):
    before = global_random_state()
    got = sorted(numbers(tt.epoch_order(20, shuffle=True, seed=1)))
    expect(
        got == list(range(20)),
        "A shuffled epoch has every sample once.",
        call="epoch_order(20, shuffle=True, seed=1)",
        got=got,
        want="0..19",
    )
    expect(
        global_random_state() == before,
        "Shuffling neither draws from the global generators nor seeds them.",
        call="epoch_order(20, shuffle=True, seed=1)",
        got="np.random or random changed",
        want="unchanged",
        look="np.random.default_rng gives you a generator of your own",
    )
