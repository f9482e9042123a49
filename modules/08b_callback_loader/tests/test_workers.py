"""Promises of what makes workers right: order and random numbers. No process is
started here. `tt` is your exported package.
"""

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
            call=f"list(in_order([(k, f'batch {{k}}') for k in {order}]))",
            got=got,
            want=["batch 0", "batch 1", "batch 2", "batch 3"],
            look="does each wait for all smaller numbers, and are all then handed on?",
        )


@pytest.mark.contract("test_in_order")
def test_a_result_may_be_nothing(tt):
    got = list(tt.in_order([(1, None), (2, 0), (0, "")]))
    expect(
        got == ["", None, 0],
        "A result may be anything, even None, 0 or False.",
        call="in_order([(1, None), (2, 0), (0, '')])",
        got=got,
        want=["", None, 0],
        look="is a result tested for truth, or for None? Ask whether its number is"
        " there",
    )


@pytest.mark.contract("test_in_order")
def test_results_are_handed_on_as_soon_as_they_can(tt):
    coming = iter([(1, "b"), (0, "a"), (2, "c"), (3, "d")])
    results = iter(tt.in_order(coming))
    got = [next(results), next(results)]
    left = [*coming]
    expect(
        got == ["a", "b"] and left == [(2, "c"), (3, "d")],
        "A result is handed on once all earlier results were; nothing more is read"
        " before.",
        call="two of in_order(1, 0, 2, 3)",
        got=f"{got}, {len(left)} left unread",
        want="['a', 'b'], 2 left unread",
        look="is each whose turn it is handed on before another one is read?",
    )


class Coming:
    """Numbered results in a given order, then an error; counts what was read."""

    def __init__(self, order, error=None):
        self.order, self.error, self.reads = order, error, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.reads += 1
        if self.reads <= len(self.order):
            return self.order[self.reads - 1], f"r{self.order[self.reads - 1]}"
        raise self.error or StopIteration


@pytest.mark.contract("test_in_order")
def test_nothing_is_read_before_a_result_is_asked_for(tt):
    coming = Coming([0, 1])
    results = iter(tt.in_order(coming))
    expect(
        coming.reads == 0,
        "Nothing is read before a result is asked for.",
        call="in_order(results)",
        got=f"{coming.reads} results read",
        want="0 results read",
        look="what is read before next()? A function with yield begins there",
    )
    got = list(results)
    expect(
        got == ["r0", "r1"],
        "Results come in the order of their numbers, each once.",
        call="list(in_order([(0, 'r0'), (1, 'r1')]))",
        got=got,
        want=["r0", "r1"],
        look="does each wait for all smaller numbers, and are all then handed on?",
    )


@pytest.mark.contract("test_in_order")
def test_an_error_of_a_worker_passes(tt):
    coming = Coming([0, 2], OSError("a worker was lost"))
    results = iter(tt.in_order(coming))
    got = [next(results)]
    try:
        got.append(next(results))
    except OSError as problem:
        got.append(f"OSError: {problem} (reads: {coming.reads})")
    want = ["r0", "OSError: a worker was lost (reads: 3)"]
    expect(
        got == want,
        "An error of reading the results reaches the caller unchanged, without a"
        " retry.",
        call="next(in_order(results)), twice; results raise OSError after 0 and 2",
        got=got,
        want=want,
        look="does a try of yours catch it? Only StopIteration means that no more come",
    )


def most_alive(tt, count):
    class Result:
        alive = 0

        def __init__(self):
            Result.alive += 1

        def __del__(self):
            Result.alive -= 1

    most = seen = 0
    for result in tt.in_order((k, Result()) for k in range(count)):
        seen += isinstance(result, Result)
        del result
        most = max(most, Result.alive)
    return seen, most


@pytest.mark.contract("test_in_order")
def test_what_was_handed_on_is_given_up(inside):
    seen, got = inside(most_alive, 20)
    expect(
        seen == 20,
        "Results come in the order of their numbers, each once.",
        call="list(in_order(20 results that come in order))",
        got=f"{seen} results",
        want="20 results",
        look="does each wait for all smaller numbers, and are all then handed on?",
    )
    expect(
        got <= 2,
        "A result that was handed on is no longer kept.",
        call="20 results that come in order",
        got=f"{got} alive at once",
        want="2 at most",
        look="what still holds a result after its yield? dict.pop takes it out",
    )


# 5b item_generator


@pytest.mark.contract("test_item_generator")
def test_an_items_random_numbers_depend_on_three_integers(tt):
    def draw(*three):
        return tt.item_generator(*three).random(2).tolist()

    for three in ((0, 2, 3), (0, 0, 0), (1, 2, 3)):
        first, _, again = draw(*three), draw(1, 2, 4), draw(*three)
        expect(
            first == again,
            "The same seed, epoch and index give the same numbers, whatever was drawn"
            " in between.",
            call=f"item_generator{three}.random(2), twice",
            got=again,
            want=first,
            look="a new Generator, of the three alone? Is a 0 tested for truth?",
        )
    one, other = tt.item_generator(1, 2, 3), tt.item_generator(1, 2, 3)
    got = [float(one.random()), float(other.random())]
    expect(
        got == [first[0]] * 2,
        "The same seed, epoch and index give the same numbers, whatever was drawn in"
        " between.",
        call="the first number of two Generators of (1, 2, 3), both made before",
        got=got,
        want=[first[0]] * 2,
        look="is one Generator handed out twice?",
    )


def numbers_of_a_grid(tt, grid):
    return [
        [(seed, epoch, index), tt.item_generator(seed, epoch, index).random(2).tolist()]
        for seed in grid
        for epoch in grid
        for index in grid
    ]


@pytest.mark.contract("test_item_generator")
def test_no_two_items_share_their_numbers(inside):
    # 512 generators with two 53-bit numbers: two agree once in 10^26 runs.
    places = {}
    for three, numbers in inside(numbers_of_a_grid, (0, 1, 2, 3, 4, 11, 100, 1000)):
        places.setdefault(tuple(numbers), []).append(three)
    same = [threes[:2] for threes in places.values() if len(threes) > 1]
    expect(
        not same,
        "If the seed, the epoch or the index differs, the numbers differ.",
        call="item_generator(seed, epoch, index), each 0 to 4, 11, 100 or 1000",
        got=f"the same numbers for {same[0] if same else ''}",
        want="512 times other numbers",
        look="how do all three reach the Generator? A sum or a product can be equal",
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
        look="key.generator(index) and np.random.default_rng(...) make Generators",
    )
    for other in ((4, 1, 4), (3, 2, 4), (3, 1, 5)):
        got = draw(*other)
        expect(
            got != first,
            "If the seed, the epoch or the index differs, the numbers differ.",
            call=f"item_generator{other}.random(2)",
            got=f"{got}, as for (3, 1, 4)",
            want="others than for (3, 1, 4)",
            look="how do all three reach the Generator? A sum or a product can be"
            " equal",
        )


@pytest.mark.contract("test_item_generator")
def test_other_random_numbers_stay(tt, global_random_state):
    before = global_random_state()
    got = tt.item_generator(3, 1, 4).random()
    expect(
        0 <= got < 1,
        "It returns an np.random.Generator.",
        call="item_generator(3, 1, 4).random()",
        got=got,
        want="a number from 0 to 1",
        look="key.generator(index) and np.random.default_rng(...) make Generators",
    )
    expect(
        global_random_state() == before,
        "It does not change the global generators of np.random and random.",
        call="item_generator(3, 1, 4)",
        got="np.random or random was seeded, or has drawn numbers",
        want="both as they were before",
        look="what of your code uses np.random or random themselves?",
    )
