"""Promises of epoch_order. `tt` is your exported package."""

import itertools

import numpy as np
import pytest

from tinytorch.testing import expect, expect_raises

pytestmark = pytest.mark.contract("test_every_sample_once")


def numbers(order):
    """The indices as a list; that the order is an array has a test of its own."""
    return np.asarray(order).tolist()


def orders_of(tt, n, settings):
    """The shuffled order of n samples for each of the settings, in one request."""
    import numpy as np

    return [
        np.asarray(tt.epoch_order(n, shuffle=True, **one)).tolist() for one in settings
    ]


def test_without_shuffle_an_epoch_goes_from_0_to_n_minus_1(tt):
    for seed, epoch in ((None, 0), (0, 0), (7, 3)):
        got = numbers(tt.epoch_order(5, shuffle=False, seed=seed, epoch=epoch))
        expect(
            got == [0, 1, 2, 3, 4],
            "Not shuffled, it is 0, 1, ..., N-1, whatever the seed and the epoch.",
            call=f"epoch_order(5, shuffle=False, seed={seed}, epoch={epoch})",
            got=got,
            want=[0, 1, 2, 3, 4],
            look="where is `shuffle` asked?",
        )


def test_an_epoch_visits_every_sample_once(tt):
    for shuffle, n in itertools.product((False, True), (0, 1, 2, 100)):
        order = tt.epoch_order(n, shuffle=shuffle, seed=0)
        kind = getattr(order, "dtype", type(order).__name__)
        call = f"epoch_order({n}, shuffle={shuffle}, seed=0)"
        expect(
            isinstance(order, np.ndarray) and kind == np.int64,
            "An order is an int64 array that holds every index 0..N-1 once.",
            call=call,
            got=f"{type(order).__name__} of {kind}",
            want="ndarray of int64",
            look="np.arange(..., dtype=np.int64); what does each case return?",
        )
        expect(
            order.shape == (n,) and sorted(order.tolist()) == list(range(n)),
            "An order is an int64 array that holds every index 0..N-1 once.",
            call=call,
            got=f"shape {order.shape}, {len(np.unique(order))} different indices",
            want=f"shape ({n},), {n} different indices",
            look="a draw puts an index back; a permutation does not",
        )


def test_every_order_can_come(inside):
    # The orders of 3 samples: each of the 6 is missed by 120 draws with probability
    # (5/6)^120, so a right solution fails once in 250 million runs.
    for what, settings in (
        (
            "seed, epoch), for 120 pairs",
            [{"seed": k, "epoch": k // 2} for k in range(120)],
        ),
        ("seed=None), 120 times", [{}] * 120),
    ):
        orders = set(map(tuple, inside(orders_of, 3, settings)))
        expect(
            len(orders) == 6,
            "Shuffled, all N! orders are possible.",
            call=f"epoch_order(3, shuffle=True, {what}",
            got=f"{len(orders)} different orders",
            want="all 6 orders",
            look="is the shuffled array the one that you return? a rotation or a"
            " reversal is no shuffle",
        )


def test_the_same_seed_and_epoch_have_the_same_order(tt):
    for seed, epoch in ((7, 1), (0, 0), (0, 1), (7, None)):
        settings = {"seed": seed} if epoch is None else {"seed": seed, "epoch": epoch}
        first, second = (
            numbers(tt.epoch_order(50, shuffle=True, **one))
            for one in (settings, {"seed": seed, "epoch": epoch or 0})
        )
        expect(
            len(first) == 50 and first == second,
            "The same (seed, epoch) gives the same order each time, for seed 0 too;"
            " the default epoch is 0.",
            call=f"epoch_order(50, True,"
            f" {', '.join(f'{k}={v}' for k, v in settings.items())})"
            f" and epoch_order(50, True, seed={seed}, epoch={epoch or 0})",
            got=f"{len(first)} samples,"
            f" {'one order' if first == second else 'two orders'}",
            want="50 samples, one order",
            look="is the generator made from seed and epoch? 0 is a seed like any"
            " other",
        )


def test_seed_and_epoch_decide_the_order_together(inside):
    # Two orders of 50 are equal by chance once in 50!, about 3e64.
    grid = (0, 1, 2, 11, 100, 1000)
    pairs = list(itertools.product(grid, grid))
    orders = inside(orders_of, 50, [{"seed": s, "epoch": e} for s, e in pairs])
    met = {}  # order -> the pair that it belongs to
    for pair, order in zip(pairs, orders, strict=True):
        before = met.setdefault(tuple(order), pair)
        expect(
            before == pair,
            "Another (seed, epoch) gives another order: epoch 1 of seed 0 differs"
            " from epoch 0 of seed 1.",
            call=f"epoch_order(50, True, seed, epoch) for (seed, epoch) {before} and"
            f" {pair}",
            got="the same order",
            want="two orders",
            look="do both reach the generator, each by itself? default_rng takes a"
            " list; a"
            " sum or a string mixes the two up",
        )


def test_no_mix_of_seed_and_epoch_makes_two_pairs_meet(inside):
    # A sum such as seed + m * epoch or m * seed + epoch meets itself at one of these.
    factors = (3, 7, 10, 13, 17, 31, 37, 42, 97, 101, 997, 1009, 1337, 9973, 10_000)
    large = (65_536, 99_991, 100_000, 1_000_000, 1_000_003, 1_000_007, 2**31 - 1)
    twos = [
        *(((m, 0), (0, 1)) for m in factors + large),
        *(((0, m), (1, 0)) for m in factors),
    ]
    orders = iter(
        inside(orders_of, 20, [{"seed": s, "epoch": e} for two in twos for s, e in two])
    )
    for (one, other), first, second in zip(twos, orders, orders, strict=True):
        expect(
            sorted(first) == list(range(20)) and first != second,
            "Another (seed, epoch) gives another order: epoch 1 of seed 0 differs"
            " from epoch 0 of seed 1.",
            call=f"epoch_order(20, True, seed, epoch) for {one} and {other}",
            got="the same order" if first == second else f"{first} and {second}",
            want="two orders of 0..19",
            look="default_rng takes a list; a sum of the two mixes them up",
        )


def test_without_a_seed_each_call_has_its_own_order(tt):
    # Two orders of 50 are equal by chance once in 50!, about 3e64.
    for epoch in (0, 1):
        first, second = (
            numbers(tt.epoch_order(50, True, epoch=epoch)) for _ in range(2)
        )
        expect(
            sorted(first) == list(range(50)) and first != second,
            "Shuffled without a seed, each call gives another order.",
            call=f"epoch_order(50, shuffle=True, epoch={epoch}), twice",
            got="the same order" if first == second else f"{first} and {second}",
            want="two orders of 0..49",
            look="default_rng(None) draws fresh entropy; is a fixed seed used instead?",
        )


def test_an_order_belongs_to_its_caller(tt):
    for shuffle in (False, True):
        first = tt.epoch_order(20, shuffle=shuffle, seed=5)
        kept = numbers(first)
        first[:] = [0] * 20
        again = numbers(tt.epoch_order(20, shuffle=shuffle, seed=5))
        expect(
            again == kept,
            "Each call returns an array of its own: writing into it changes no later"
            " order.",
            call=f"epoch_order(20, {shuffle}, seed=5), twice; the first was set to 0",
            got=again,
            want=kept,
            look="is an array kept from an earlier call?",
        )


def test_a_negative_number_of_samples_is_refused(tt):
    got = numbers(tt.epoch_order(1, shuffle=False))
    expect(
        got == [0],
        "Not shuffled, it is 0, 1, ..., N-1, whatever the seed and the epoch.",
        call="epoch_order(1, shuffle=False)",
        got=got,
        want=[0],
        look="one sample has one order",
    )
    for shuffle in (False, True):
        expect_raises(
            ValueError,
            lambda: tt.epoch_order(-1, shuffle=shuffle),
            "An N below 0 raises `ValueError` with the value.",
            says="-1",
            call=f"epoch_order(-1, shuffle={shuffle})",
            look="check N before anything else: raise ValueError with the value",
        )


def test_shuffling_leaves_the_global_generators_alone(tt, global_random_state):
    before = global_random_state()
    for shuffle, seed in ((True, 1), (True, None), (False, 1)):
        got = sorted(numbers(tt.epoch_order(20, shuffle=shuffle, seed=seed)))
        expect(
            got == list(range(20)),
            "An order is an int64 array that holds every index 0..N-1 once.",
            call=f"epoch_order(20, shuffle={shuffle}, seed={seed}), sorted",
            got=got,
            want=list(range(20)),
            look="is every index there, once?",
        )
        expect(
            global_random_state() == before,
            "The global generators are left alone: no number is drawn from them, and"
            " no seed is set.",
            call=f"epoch_order(20, shuffle={shuffle}, seed={seed})",
            got="np.random or random changed",
            want="unchanged",
            look="where is np.random or random asked itself? use a default_rng of your"
            " own",
        )
