"""Hidden: laws of in_order and item_generator on orders that are drawn anew each run (`draw`)."""

import itertools
import weakref

import pytest

from tinytorch.testing import expect

# 5a in_order


@pytest.mark.contract("test_in_order")
def test_any_order_is_put_right(tt, draw):
    for _ in range(8):
        order = draw.permutation(int(draw.integers(0, 30))).tolist()
        got = list(tt.in_order(iter([(k, ["result", k]) for k in order])))
        expect(
            got == [["result", k] for k in range(len(order))],
            "Results come in the order of their numbers, each once.",
            call=f"in_order of {len(order)} results that came as {order[:8]}...",
            got=[r[1] for r in got],
            want=f"0..{len(order) - 1}",
            look="does each wait for all smaller numbers, and are all then handed on?",
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


@pytest.mark.contract("test_in_order")
def test_no_result_waits_without_need(tt, draw):
    coming = Coming(draw.permutation(12).tolist())
    results, k = iter(tt.in_order(coming)), -1
    expect(
        coming.read == 0,
        "Nothing is read before a result is asked for.",
        call="in_order of 12 results",
        got=f"{coming.read} read",
        want="0 read",
        look="what is read before next()? A function with yield begins there",
    )
    for k, result in enumerate(results):
        need = 1 + max(coming.order.index(number) for number in range(k + 1))
        expect(
            result == k and coming.read == need,
            "A result is handed on once all earlier results were; nothing more is read before.",
            call=f"result {k}; they came as {coming.order}",
            got=f"{result} after {coming.read} reads",
            want=f"{k} after {need} reads",
            look="is each whose turn it is handed on before another one is read?",
        )
    expect(
        k == 11,
        "Results come in the order of their numbers, each once.",
        call="in_order of 12 results",
        got=f"{k + 1} results",
        want="12 results",
        look="does each wait for all smaller numbers, and are all then handed on?",
    )


@pytest.mark.contract("test_in_order")
def test_an_endless_number_of_results(tt):
    def swapped():
        for k in range(500):
            yield k ^ 1, k ^ 1
        raise RuntimeError("500 results were read for 20")

    got = list(itertools.islice(iter(tt.in_order(swapped())), 20))
    expect(
        got == list(range(20)),
        "A result is handed on once all earlier results were; nothing more is read before.",
        call="20 of in_order(1, 0, 3, 2, 5, 4, ...)",
        got=got,
        want="0..19",
        look="is each whose turn it is handed on before another one is read?",
    )


class Result:
    """Can be watched: an int cannot."""


@pytest.mark.contract("test_in_order")
def test_what_was_handed_on_is_no_longer_kept(tt, draw):
    count = int(draw.integers(20, 30))
    alive = weakref.WeakSet()

    def coming():
        for turn in range(count):
            result = Result()
            alive.add(result)
            yield turn, result
            del result

    most = seen = 0
    for result in tt.in_order(coming()):
        seen += isinstance(result, Result)
        del result
        most = max(most, len(alive))
    expect(
        seen == count,
        "Results come in the order of their numbers, each once.",
        call=f"in_order of {count} results",
        got=f"{seen} results",
        want=f"{count} results",
        look="does each wait for all smaller numbers, and are all then handed on?",
    )
    expect(
        most <= 6,  # a few are still on their way between the processes
        "A result that was handed on is no longer kept.",
        call=f"in_order of {count} results that come in order",
        got=f"{most} of them in memory at once",
        want="a few",
        look="pop takes it out of the dict",
    )


# 5b item_generator


@pytest.mark.contract("test_item_generator")
def test_random_numbers_are_random(tt, draw):
    # 300 uniform numbers: their mean is within 0.1 of a half but for once in 10^8 (6 standard
    # deviations).
    seed = int(draw.integers(10_000))
    values = [
        tt.item_generator(seed, epoch, index).random() for epoch in range(5) for index in range(60)
    ]
    expect(
        len(set(values)) == 300,
        "If the seed, the epoch or the index differs, the numbers differ.",
        call=f"item_generator({seed}, epoch, index).random()",
        got=f"{len(set(values))} different",
        want="300 different",
        look="how do all three reach the Generator? A sum or a product can be equal",
    )
    mean = sum(values) / len(values)
    expect(
        abs(mean - 0.5) < 0.1,
        "If the seed, the epoch or the index differs, the numbers differ.",
        call="their mean",
        got=f"{mean:.3f}",
        want="about 0.5",
        look="how do all three reach the Generator? A sum or a product can be equal",
    )


@pytest.mark.contract("test_item_generator")
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
        "If the seed, the epoch or the index differs, the numbers differ.",
        call=f"item_generator({big}, 1, 2) and others",
        got=draws,
        want="four different numbers",
        look="how do all three reach the Generator? A sum or a product can be equal",
    )


@pytest.mark.contract("test_item_generator")
def test_what_was_drawn_before_does_not_matter(tt, draw):
    triples = [draw.integers(0, 50, 3).tolist() for _ in range(6)]
    first = [tt.item_generator(*three).random(3).tolist() for three in triples]
    order = draw.permutation(6).tolist()
    again = {k: tt.item_generator(*triples[k]).random(3).tolist() for k in order}
    expect(
        all(len(numbers) == 3 for numbers in first),
        "It returns an np.random.Generator.",
        call="item_generator(...).random(3)",
        got=first,
        want="three numbers for each item",
        look="key.generator(index) and np.random.default_rng(...) make Generators",
    )
    expect(
        [again[k] for k in range(6)] == first,
        "The same seed, epoch and index give the same numbers, whatever was drawn in between.",
        call=f"item_generator of six items, then again in the order {order}",
        got="other numbers",
        want="the same numbers",
        look="a new Generator for each call, made of the three alone?",
    )


@pytest.mark.contract("test_item_generator")
def test_item_generator_leaves_global_random_numbers_alone(tt, draw, global_random_state):
    three = draw.integers(0, 1000, 3).tolist()
    before = global_random_state()
    number = tt.item_generator(*three).random()
    expect(
        0 <= number < 1,
        "It returns an np.random.Generator.",
        call=f"item_generator{tuple(three)}.random()",
        got=number,
        want="a number from 0 to 1",
        look="key.generator(index) and np.random.default_rng(...) make Generators",
    )
    expect(
        global_random_state() == before,
        "It does not change the global generators of np.random and random.",
        call=f"item_generator{tuple(three)}.random()",
        got="np.random or random changed",
        want="unchanged",
        look="what of your code uses np.random or random themselves?",
    )
