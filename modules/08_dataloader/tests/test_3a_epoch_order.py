"""Laws of exercise 3a, epoch_order."""

from itertools import permutations

import numpy as np

from tinytorch.laws import Case, law

# a seed and an epoch that are mixed to one number meet at one of these
NUMBERS = (2, 3, 7, 10, 11, 13, 17, 31, 37, 42, 97, 100, 101, 128, 256, 997, 1000)
NUMBERS += (1009, 1024, 1337, 9973, 10_000, 65_536, 99_991, 100_000, 10**6)
NUMBERS += (1_000_003, 1_000_007, 2**31 - 1, 2**31, 2**32 - 1)
ALL_ORDERS = sorted(map(list, permutations(range(3))))


def numbers(order):
    """The indices as a list: promise 1 asks for an array."""
    return np.asarray(order).tolist()


def in_order(order):
    """An array sorted, anything else as it is."""
    return np.sort(order) if isinstance(order, np.ndarray) else order


@law(
    1,
    "every index",
    look="np.arange(..., dtype=np.int64), also for N = 0. Can an index come twice?",
)
def test_every_index_comes_once(tt, draw):
    for n in (0, 1, 2, 100, *draw.integers(3, 300, 2).tolist()):
        for shuffle in (False, True):
            for seed, epoch in ((None, 0), (0, 0), (int(draw.integers(1000)), 3)):
                got = lambda: in_order(tt.epoch_order(n, shuffle, seed, epoch))  # noqa: E731
                call = f"epoch_order({n}, {shuffle}, {seed}, {epoch}), sorted"
                yield call, got, np.arange(n, dtype=np.int64)


@law(2, "Not shuffled", look="what do you return where `shuffle` is False?")
def test_an_order_that_is_not_shuffled(tt, draw):
    for n in (5, *draw.integers(1, 300, 2).tolist()):
        for seed, epoch in ((None, 0), (None, 1), (0, 0), (3, 2), (2**32 - 1, 99)):
            call = f"epoch_order({n}, False, {seed}, {epoch})"
            got = lambda: numbers(tt.epoch_order(n, False, seed, epoch))  # noqa: E731
            yield call, got, list(range(n))


@law(
    3,
    "are possible",
    look="is the shuffled array the one that you return? A rotation is no shuffle",
)
def test_every_order_is_possible(tt, draw):
    # 130 orders miss one of the six with probability 3e-10; there are two such runs
    drawn = draw.permutation(10_000)[:130].tolist()
    for text, seeds in (("", drawn), (", seed None", [None] * 130)):
        orders = [
            numbers(tt.epoch_order(3, True, seed, epoch))
            for epoch, seed in enumerate(seeds)
        ]
        call = f"epoch_order(3, True, seed, epoch), 130 times{text}: different orders"
        yield call, [one for one in ALL_ORDERS if one in orders], ALL_ORDERS
    seed = int(draw.integers(1000))
    for n in (60, 600):
        # all of one half stay there, or all leave it, with probability 2e-17
        order = numbers(tt.epoch_order(n, True, seed))
        moved = sum(index >= n // 2 for index in order[: n // 2])
        call = f"epoch_order({n}, True, {seed})[:{n // 2}]: indices from {n // 2} on"
        yield call, moved, f"about {n // 4}", 0 < moved < n // 2


@law(
    4,
    "The same",
    look="is the generator made in each call, from seed and epoch alone? 0 is a seed",
)
def test_seed_and_epoch_repeat_the_order(tt, draw, stand_in):
    drawn = draw.integers(1, 2**32, 2).tolist()
    pairs = ([7, 1], [0, 0], [0, 1], drawn, [7, None])
    first = [
        numbers(tt.epoch_order(12, True, seed, 0 if epoch is None else epoch))
        for seed, epoch in pairs
    ]
    for process in ("", "in another process"):
        for pair, want in zip(reversed(pairs), reversed(first), strict=True):
            pair = [number for number in pair if number is not None]
            call = f"epoch_order(12, True, {', '.join(map(str, pair))})"
            yield f"len({call})", len(want), 12
            got = lambda: numbers(tt.epoch_order(12, True, *pair))  # noqa: E731
            look = "hash(text) is another number in each process" if process else None
            again = f"{call}, again {process}".strip()
            yield Case(again, got, want, look=look)
        stand_in(hash=lambda value: hash(value) + isinstance(value, str))


@law(
    5,
    "gives another order; (0, 1)",
    look="do both reach the generator, each by itself? default_rng takes a list; a sum"
    " or a text mixes the two up",
)
def test_seed_and_epoch_decide_together(tt, draw):
    pairs = [(0, 0), (0, 1), (1, 0), (1, 1)]
    # two of these pairs have one order of 20 by chance with probability 4e-15
    for other in (*NUMBERS, 20, int(draw.integers(200, 2**32))):
        pairs += (0, other), (other, 0), (1, other), (other, 1)
    met = {}  # order -> the first pair that has it
    for seed, epoch in pairs:
        call = f"epoch_order(20, True, {seed}, {epoch}): (seed, epoch) of this order"

        def first(pair=(seed, epoch)):
            return met.setdefault(tuple(numbers(tt.epoch_order(20, True, *pair))), pair)

        yield call, lambda: first(), (seed, epoch)


@law(
    6,
    "without a seed",
    look="default_rng(None) draws fresh entropy. Is 0 or the epoch in its place?",
)
def test_without_a_seed_each_call_differs(tt, draw):
    n, later = draw.integers(50, 1000, 2).tolist()
    # two orders of 50 are equal by chance once in 50!, about 3e64
    for more in ((), (None, 0), (None, 1), (None, later)):
        given = ", ".join(map(str, (n, True, *more)))
        call = f"epoch_order({given}), three times: different orders"
        orders = [tuple(numbers(tt.epoch_order(n, True, *more))) for _ in "123"]
        yield call, [*map(len, set(orders))], [n, n, n]


def after_writing(tt, shuffle, seed):
    """An order before and after a second call, then a second and a third order after
    the first was set to 0."""
    first = tt.epoch_order(20, shuffle, seed)
    before = [int(index) for index in first]
    second = tt.epoch_order(20, shuffle, seed)
    after = [int(index) for index in first]
    first[:] = [0] * len(before)
    third = tt.epoch_order(20, shuffle, seed)
    return before, after, [int(index) for index in second], [int(i) for i in third]


@law(7, "array of its own", look="is an array kept from an earlier call?")
def test_an_order_belongs_to_its_caller(inside, draw):
    for shuffle, seed in ((False, 5), (True, int(draw.integers(1000))), (True, None)):
        before, after, *later = inside(after_writing, shuffle, seed)
        call = f"a = epoch_order(20, {shuffle}, {seed}); b = the same call"
        yield f"{call}: a", after, before
        for name, order in zip("bc", later, strict=True):
            text = f"{call}; a[:] = 0; c = the same call: sorted({name})"
            yield text, sorted(order), list(range(20))


@law(8, "N below 0", look="check N before anything else, and put it into the message")
def test_a_negative_number_is_refused(tt, draw):
    for shuffle in (False, True):
        yield f"epoch_order(1, {shuffle})", numbers(tt.epoch_order(1, shuffle)), [0]
        for n in (-1, -int(draw.integers(2, 1000))):
            call = f"epoch_order({n}, {shuffle})"
            got = lambda: tt.epoch_order(n, shuffle)  # noqa: E731
            yield Case(call, got, str(n), raises=ValueError)


@law(
    9,
    "global generators",
    look="np.random and random are everybody's; use a default_rng of your own",
)
def test_the_global_generators_stay(tt, draw, global_random_state):
    before = global_random_state()
    for seed in (None, 0, int(draw.integers(1, 100))):
        orders = [
            numbers(tt.epoch_order(9, shuffle, seed)) for shuffle in (True, False)
        ]
        call = (
            f"epoch_order(9, True, {seed}), epoch_order(9, False, {seed}), each sorted"
        )
        got = [sorted(order) for order in orders], global_random_state() == before
        text = f"{call}; are the global generators as before?"
        yield text, got, ([list(range(9))] * 2, True)
