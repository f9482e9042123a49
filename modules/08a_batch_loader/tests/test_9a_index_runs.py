"""Laws of exercise 9a, index_runs."""

from itertools import islice

import numpy as np

from tinytorch.laws import Case, law

EXAMPLES = (
    [(3, 6), (9, 11), (20, 21)],
    [(0, 4)],
    [(0, 1)],
    [(0, 1), (2, 4)],
    [(1, 2), (3, 4), (5, 6)],
    [(7, 8)],
)


def numbers(ranges):
    """The indices that ranges hold, one by one: the first hundred."""
    return [*islice((i for start, end in ranges for i in range(start, end)), 100)]


def cases(draw):
    """(call, indices, their ranges): lists and arrays, fixed ones and drawn ones."""
    drawn = []
    for count in draw.integers(4, 9, 3):
        # a gap of 1 or more before each range, whose length is 1 to 4
        steps = np.cumsum(draw.integers(1, 5, 2 * int(count))).tolist()
        drawn.append([*zip(steps[::2], steps[1::2], strict=True)])
    for number, ranges in enumerate((*EXAMPLES, *drawn)):
        indices = numbers(ranges)
        yield f"index_runs({indices})", indices, ranges
        if number % 2:
            yield f"index_runs(np.array({indices}))", np.array(indices), ranges


def plain(ranges):
    return [tuple(map(int, one)) for one in ranges]


@law(
    1,
    "hold exactly",
    look="compare the first range that differs: `end` is the last index + 1, a `start`"
    " of 0 is a start, and the last run ends with the indices",
)
def test_the_ranges_hold_the_indices(tt, draw):
    for call, indices, ranges in cases(draw):
        want = numbers(ranges)
        got = lambda: plain(tt.index_runs(indices.copy()))  # noqa: E731
        yield call, got, ranges, lambda runs: numbers(runs) == want
    far = 2**31 - 1
    indices = [5, far, far + 1, 2**40]
    got = lambda: plain(tt.index_runs(np.array(indices)))  # noqa: E731
    ranges = [(5, 6), (far, far + 2), (2**40, 2**40 + 1)]
    held = lambda runs: numbers(runs) == indices  # noqa: E731
    yield f"index_runs(np.array({indices}))", got, ranges, held
    for dtype in ("uint8", "int8", "uint16", "int16", "int32", "uint32"):
        last = int(np.iinfo(dtype).max)
        indices, ranges = [0, last - 1, last], [(0, 1), (last - 1, last + 1)]
        got = lambda: plain(tt.index_runs(np.array(indices, dtype)))  # noqa: E731
        call, look = f"index_runs(np.array({indices}, np.{dtype}))", "int(index) + 1"
        look += f": {last} + 1 is too large for {dtype}"
        yield Case(call, got, ranges, held, look)


@law(
    2,
    "Neighbors share",
    look="when does a run end? Where the next index is not 1 more, not before",
)
def test_neighbors_share_a_range(tt, draw):
    for call, indices, ranges in cases(draw):
        got = lambda: plain(tt.index_runs(indices.copy()))  # noqa: E731
        yield call, got, ranges, lambda runs: len(runs) == len(ranges)


@law(
    3,
    "result is a list",
    look="collect the ranges in a list; and without indices there is no first run",
)
def test_the_result_is_a_list(tt, draw):
    for text, none in (
        ("[]", []),
        ("np.array([])", np.array([])),
        ("np.array([], dtype=np.int64)", np.array([], dtype=np.int64)),
    ):
        yield f"index_runs({text})", lambda: tt.index_runs(none), []
    pair = int(draw.integers(3, 10**6)) + np.arange(2)
    for text, some in ((f"{pair.tolist()}", pair.tolist()), ("an array of it", pair)):
        call, runs = f"index_runs({text}): its type and length", tt.index_runs(some)
        yield call, (type(runs).__name__, len(list(runs))), ("list", 1)


def afterwards(tt, indices):
    """The indices after index_runs, and how many are in its ranges."""
    before = len(set(map(int, indices)))
    ranges = list(tt.index_runs(indices))
    return [indices, sum(end - start for start, end in ranges) >= before > 0]


@law(
    4, "given are not", look="a line changes `indices` (sort, pop, +=)? Only read them"
)
def test_the_indices_stay(inside, draw):
    for call, indices, _ in cases(draw):
        given, want = indices.copy(), [indices, True]
        text = f"x = {call[11:-1]}; index_runs(x): x, and whether all came"
        yield text, lambda: inside(afterwards, given), want
