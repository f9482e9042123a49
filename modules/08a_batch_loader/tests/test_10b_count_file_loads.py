"""Laws of exercise 10b, count_file_loads."""

from itertools import pairwise

import numpy as np

from tinytorch.laws import law

ONE_CACHE = "how many caches, of how many slots? One for all batches, made in the call"
BY_HAND = "list the files of each batch by hand: np.unique sorts them, a set does not"


class PlainCache:
    """Stands in for `FileCache`: the standard library's cache, which is LRU, too."""

    def __init__(self, load, slots=1):
        from functools import lru_cache

        self.get = lru_cache(slots)(load)

    loads = property(lambda self: self.get.cache_info().misses)
    hits = property(lambda self: self.get.cache_info().hits)


def counted(tt, table):
    """A case for each row: order, the other arguments, loads; as list and array."""
    for order, settings, want in table:
        order = [int(record) for record in order]
        shown = ", ".join(map(str, settings))
        for kind, given in (("{}", order), ("np.array({})", np.array(order, np.int64))):
            call = f"count_file_loads({kind.format(order)}, {shown})"
            yield call, lambda a=given, b=settings: tt.count_file_loads(a, *b), want


@law(1, "ascending order", look=BY_HAND)
def test_a_batch_asks_in_ascending_order(tt, draw, stand_in):
    stand_in(FileCache=PlainCache)
    # files that fall from batch to batch: none begins with the file that is held
    falling = pairwise(np.cumsum(draw.integers(1, 90, 5))[::-1])
    batches = [draw.permutation([a, b, a, b]) for a, b in falling]
    yield from counted(
        tt,
        [
            ([0, 3, 2, 1], (2, 4, 1), 2),
            ([5, 0, 1, 4], (2, 2, 1), 4),
            ([0, 30, 20, 10], (10, 4, 1), 4),
            ([80, 10, 10, 30], (10, 2, 1), 4),
            ([40, 50, 30, 41, 31, 20], (10, 2, 1), 6),
            (np.concatenate(batches), (1, 4, 1), 8),
        ],
    )


@law(2, "LRU cache", look=ONE_CACHE)
def test_one_cache_serves_the_epoch(tt, draw, stand_in):
    stand_in(FileCache=PlainCache)
    a, b, c, d = (10 * draw.permutation(30)[:4] + draw.integers(10, size=4)).tolist()
    yield from counted(
        tt,
        [
            ([0, 1], (2, 1, 1), 1),
            ([0, 2, 0, 4, 0, 2], (2, 1, 2), 4),
            ([a, b, a, c, a, d, a], (10, 1, 2), 4),
            ([a, b, c, a, b, c, a, b, c], (10, 1, 2), 9),
            ([a, b, c, a, b, c, a, b, c], (10, 1, 3), 3),
            ([a, b, c, d, a, b, c, d], (10, 2, 9), 4),
            ([0, 10, 1, 20, 11, 21], (10, 2, 2), 4),
            ([5, 10 * 2**32 + 5], (10, 1, 1), 2),
            ([3 * 10**17 - 1, 3 * 10**17], (3, 1, 1), 2),  # / makes floats of them
        ],
    )


@law(3, "last batch", look="which batches do you cut? The last has what is left over")
def test_the_short_last_batch_counts(tt, draw, stand_in):
    stand_in(FileCache=PlainCache)
    size, batches = (int(one) for one in draw.integers(3, 6, 2))
    by_turns = [batch % 2 for batch in range(batches + 1) for _ in range(size)]
    yield from counted(
        tt,
        [
            ([0, 1, 2, 3, 4], (2, 2, 1), 3),
            ([0, 2], (2, 5, 1), 2),
            ([0, 1, 10, 11, 2], (10, 4, 1), 3),
            (by_turns[: 1 - size], (1, size, 1), batches + 1),
        ],
    )


@law(4, "empty order", look="no batch, no file: is an order of no records an error?")
def test_an_empty_order_costs_nothing(tt, draw, stand_in):
    stand_in(FileCache=PlainCache)
    a, b, c, record = draw.integers(1, 1000, 4).tolist()
    table = [([], (2, 2, 1), 0), ([], (a, b, c), 0), ([record], (a, b, c), 1)]
    yield from counted(tt, table)


@law(5, "left out", look="batch_size=1 and cache_size=1 in the `def` line, as given")
def test_batches_and_cache_are_of_one_if_left_out(tt, draw, stand_in):
    stand_in(FileCache=PlainCache)
    a, b = sorted((5 * draw.choice(30, 2, replace=False)).tolist())
    table = [([b, a, b], (5,), 3), ([b, a, b], (5, 1), 3), ([2, 0, 3], (2,), 3)]
    yield from counted(tt, table)
