"""Hidden: laws of in_order and item_generator on orders that are drawn anew each run (`draw`)."""

import itertools

import pytest

from tinytorch.testing import expect

pytestmark = pytest.mark.contract("contract_workers")


def test_any_order_is_put_right(tt, draw):
    for _ in range(8):
        order = draw.permutation(int(draw.integers(0, 30))).tolist()
        got = list(tt.in_order(iter([(k, ["result", k]) for k in order])))
        expect(
            got == [["result", k] for k in range(len(order))],
            "Results come in the order of their numbers, none lost, none twice.",
            call=f"in_order of {len(order)} results that came as {order[:8]}...",
            got=[r[1] for r in got],
            want=f"0..{len(order) - 1}",
        )


class Coming:
    """Results that come in a given order, and how many were read."""

    def __init__(self, order):
        self.order, self.read = order, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.read == len(self.order):
            raise StopIteration
        self.read += 1
        return self.order[self.read - 1], self.order[self.read - 1]


def test_no_result_waits_without_need(tt, draw):
    coming = Coming(draw.permutation(12).tolist())
    k = -1
    for k, result in enumerate(tt.in_order(coming)):
        need = 1 + max(coming.order.index(number) for number in range(k + 1))
        expect(
            result == k and coming.read == need,
            "A result is handed on as soon as all before it were.",
            call=f"result {k}; they came as {coming.order}",
            got=f"{result} after {coming.read} reads",
            want=f"{k} after {need} reads",
        )
    expect(
        k == 11,
        "Every result is handed on.",
        call="in_order of 12 results",
        got=f"{k + 1} results",
        want="12 results",
    )


def test_an_endless_number_of_results(tt):
    def swapped():
        for k in range(500):
            yield k ^ 1, k ^ 1
        raise RuntimeError("500 results were read for 20")

    got = list(itertools.islice(iter(tt.in_order(swapped())), 20))
    expect(
        got == list(range(20)),
        "in_order works on results without end.",
        call="20 of in_order(1, 0, 3, 2, 5, 4, ...)",
        got=got,
        want="0..19",
    )


def test_random_numbers_are_random(tt, draw):
    # 300 uniform numbers: their mean is within 0.1 of a half but for once in 10^8 (6 standard
    # deviations).
    seed = int(draw.integers(10_000))
    values = [
        tt.item_generator(seed, epoch, index).random() for epoch in range(5) for index in range(60)
    ]
    expect(
        len(set(values)) == 300,
        "60 items of five epochs have 300 different numbers.",
        call=f"item_generator({seed}, epoch, index).random()",
        got=f"{len(set(values))} different",
        want="300 different",
    )
    mean = sum(values) / len(values)
    expect(
        abs(mean - 0.5) < 0.1,
        "They are spread evenly.",
        call="their mean",
        got=f"{mean:.3f}",
        want="about 0.5",
    )


def test_large_numbers_do_not_wrap(tt, draw):
    big = 2**40 + int(draw.integers(1000))
    draws = {
        name: tt.item_generator(*three).random()
        for name, three in {
            "a": (big, 1, 2),
            "b": (big % 2**32, 1, 2),
            "c": (1, 2, big),
            "d": (1, 2, big % 2**32),
        }.items()
    }
    expect(
        len(set(draws.values())) == 4 and all(0 <= value < 1 for value in draws.values()),
        "Large seeds and indices have numbers of their own.",
        call=f"item_generator({big}, 1, 2) and others",
        got=draws,
        want="four different numbers",
    )


def test_workers_and_the_main_process_agree(tt, draw):
    """A task done by `work`, as a worker does it, gives what the loader gives."""
    count, bs, seed = int(draw.integers(6, 14)), int(draw.integers(2, 4)), int(draw.integers(100))
    loader = tt.DataLoader(
        list(range(count)), bs=bs, seed=seed, after_item=lambda item, rng: item + rng.random()
    )
    batches = [batch.data.tolist() for batch in loader]
    expect(
        len(sum(batches, [])) == count,
        "The main process makes a batch of every item.",
        call=f"an epoch of {count} items, bs={bs}",
        got=len(sum(batches, [])),
        want=count,
    )
    first = batches[0]
    kind, batch, *_ = loader.work((seed, 0, 0, list(range(bs)), False))
    expect(
        kind == "batch" and batch.data.tolist() == first,
        "A worker makes the batch that the main process makes.",
        call="loader.work(first task)",
        got=batch,
        want=first,
    )
