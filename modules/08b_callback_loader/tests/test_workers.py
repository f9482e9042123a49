"""Promises of what makes workers right: order and random numbers. No process is
started here. `tt` is your exported package.
"""

import itertools

import pytest

from tinytorch.testing import expect

pytestmark = pytest.mark.contract("contract_workers")


def test_results_come_in_order(tt):
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        got = list(tt.in_order([(number, f"batch {number}") for number in order]))
        expect(
            got == [f"batch {k}" for k in range(4)],
            "Results come in the order of their numbers.",
            call=f"in_order(results that came as {order})",
            got=got,
            want=["batch 0", "batch 1", "batch 2", "batch 3"],
        )


def test_a_result_may_be_nothing(tt):
    got = list(tt.in_order([(1, None), (2, 0), (0, "")]))
    expect(
        got == ["", None, 0],
        "A result may be None, 0 or empty.",
        call="in_order([(1, None), (2, 0), (0, '')])",
        got=got,
        want=["", None, 0],
    )


def test_results_are_handed_on_as_soon_as_they_can(tt):
    coming = iter([(1, "b"), (0, "a"), (2, "c"), (3, "d")])
    results = iter(tt.in_order(coming))
    got = [next(results), next(results)]
    left = list(coming)
    expect(
        got == ["a", "b"] and left == [(2, "c"), (3, "d")],
        "No more is read than the next result needs.",
        call="two of in_order(1, 0, 2, 3)",
        got=f"{got}, {len(left)} left unread",
        want="['a', 'b'], 2 left unread",
    )


def test_an_items_random_numbers_depend_on_three_integers(tt):
    def draw(*three):
        return tt.item_generator(*three).random(2).tolist()

    first = draw(1, 2, 3)
    draw(1, 2, 4)
    expect(
        draw(1, 2, 3) == first,
        "The same seed, epoch and index give the same numbers.",
        call="item_generator(1, 2, 3).random(2), twice",
        got=draw(1, 2, 3),
        want=first,
    )
    # 64 generators, 53-bit numbers: two agree by chance about once in 10^12 runs.
    seen = {tuple(draw(*three)) for three in itertools.product(range(4), repeat=3)}
    expect(
        len(seen) == 64,
        "No two of (seed, epoch, index) share their numbers.",
        call="item_generator(a, b, c), a, b, c in 0..3",
        got=f"{len(seen)} different",
        want="64 different",
        look="(0, 1, 2) and (2, 1, 0) have one sum",
    )


def test_augmentation_belongs_to_the_item(tt):
    def epochs(bs, shuffle, seed=7):
        loader = tt.DataLoader(
            list(range(6)),
            bs=bs,
            shuffle=shuffle,
            seed=seed,
            after_item=lambda item, rng: (item, rng.random()),
        )
        return [
            {
                int(i): float(x)
                for items, draws in loader
                for i, x in zip(items.data, draws.data, strict=True)
            }
            for _ in range(2)
        ]

    first = epochs(2, False)
    expect(
        len(set(first[0].values()) | set(first[1].values())) == 12,
        "Every item has random numbers of its own in every epoch.",
        call="two epochs of 6 items, after_item(item, rng)",
        got=first,
        want="12 different numbers",
    )
    expect(
        epochs(3, True) == first,
        "They depend neither on the batch size nor on the order.",
        call="bs=3, shuffle=True against bs=2",
        got="other numbers",
        want="the same for each item",
    )
    expect(
        epochs(2, False, seed=8) != first,
        "Another seed gives others.",
        call="seed=8 against seed=7",
        got="the same",
        want="others",
    )
