"""Promises of what makes workers right: order and random numbers. No process is
started here. `tt` is your exported package.
"""

import itertools

import pytest

from tinytorch.testing import expect

# 5a in_order


@pytest.mark.contract("test_in_order")
def test_results_come_in_order(tt):
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        got = list(tt.in_order([(number, f"batch {number}") for number in order]))
        expect(
            got == [f"batch {k}" for k in range(4)],
            "Results come in the order of their numbers, each once.",
            call=f"in_order(results that came as {order})",
            got=got,
            want=["batch 0", "batch 1", "batch 2", "batch 3"],
        )


@pytest.mark.contract("test_in_order")
def test_a_result_may_be_nothing(tt):
    got = list(tt.in_order([(1, None), (2, 0), (0, "")]))
    expect(
        got == ["", None, 0],
        "A result may be anything, also None, 0 or False.",
        call="in_order([(1, None), (2, 0), (0, '')])",
        got=got,
        want=["", None, 0],
    )


@pytest.mark.contract("test_in_order")
def test_results_are_handed_on_as_soon_as_they_can(tt):
    coming = iter([(1, "b"), (0, "a"), (2, "c"), (3, "d")])
    results = iter(tt.in_order(coming))
    got = [next(results), next(results)]
    left = list(coming)
    expect(
        got == ["a", "b"] and left == [(2, "c"), (3, "d")],
        "A result is handed on as soon as all before it were: nothing more is read.",
        call="two of in_order(1, 0, 2, 3)",
        got=f"{got}, {len(left)} left unread",
        want="['a', 'b'], 2 left unread",
    )


# 5b item_generator


@pytest.mark.contract("test_item_generator")
def test_an_items_random_numbers_depend_on_three_integers(tt):
    def draw(*three):
        return tt.item_generator(*three).random(2).tolist()

    first = draw(1, 2, 3)
    draw(1, 2, 4)
    expect(
        draw(1, 2, 3) == first,
        "The same seed, epoch and index give the same numbers, whatever was drawn in"
        " between.",
        call="item_generator(1, 2, 3).random(2), twice",
        got=draw(1, 2, 3),
        want=first,
    )
    # 64 generators, 53-bit numbers: two agree by chance about once in 10^12 runs.
    seen = {tuple(draw(*three)) for three in itertools.product(range(4), repeat=3)}
    expect(
        len(seen) == 64,
        "If the seed, the epoch or the index differs, the numbers differ.",
        call="item_generator(a, b, c), a, b, c in 0..3",
        got=f"{len(seen)} different",
        want="64 different",
        look="(0, 1, 2) and (2, 1, 0) have one sum",
    )


@pytest.mark.contract("test_item_generator")
def test_another_seed_epoch_or_index_gives_other_numbers(tt):
    def draw(*three):
        return tt.item_generator(*three).random(2).tolist()

    kind, first = type(tt.item_generator(3, 1, 4)).__name__, draw(3, 1, 4)
    expect(
        kind == "Generator" and len(first) == 2 and all(0 <= x < 1 for x in first),
        "It returns an np.random.Generator.",
        call="item_generator(3, 1, 4).random(2)",
        got=f"{first} of a {kind}",
        want="two numbers from 0 to 1 of a Generator",
    )
    for other, name in (
        ((4, 1, 4), "seed"),
        ((3, 2, 4), "epoch"),
        ((3, 1, 5), "index"),
    ):
        got = draw(*other)
        expect(
            got != first,
            "If the seed, the epoch or the index differs, the numbers differ.",
            call=f"item_generator{other}.random(2)",
            got=got,
            want=f"others than {first}",
        )
