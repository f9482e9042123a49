"""Laws of exercise 11a, shuffle_quality."""

import numpy as np

from tinytorch.laws import Case, law


def close(want, within=1e-9):
    return lambda got: isinstance(got, float) and abs(got - want) <= within


@law(
    1,
    "Quality is the mean",
    look="a distance is never negative; divide by what the Contract says, and do not"
    " round",
)
def test_quality_is_relative_to_a_full_shuffle(tt, draw):
    for order, want in (
        ([2, 1, 0], 1.5),
        ([1, 0], 2.0),
        ([1, 2, 3, 0], 1.2),
        ((3, 7, 0, 5, 1, 6, 4, 2), 8 / 7),  # 24 places in all, 3 on average
        (range(9, -1, -1), 50 / 33),
        (np.array([1, 0, 3, 2], dtype=np.uint8), 0.8),
    ):
        call = f"shuffle_quality({order!r})"
        yield call, lambda order=order: tt.shuffle_quality(order), want, close(want)
    # the first rows go to the end: 2 * first * (count - first) places in all
    for count, first in ((99, 1), (100, 37), draw.integers((60, 2), (120, 50))):
        order = np.roll(np.arange(count), -first)
        want = 6 * first * (count - first) / (count * count - 1)
        call = f"shuffle_quality(np.roll(np.arange({count}), -{first}))"
        yield call, lambda order=order: tt.shuffle_quality(order), want, close(want)
    call, order = "shuffle_quality([1, 0, 2, 3, ..., 999])", [1, 0, *range(2, 1000)]
    yield call, lambda: tt.shuffle_quality(order), 6e-6, close(6e-6, 1e-9)


@law(
    2,
    "a full shuffle about 1",
    look="N is the number of rows, in the mean and in the divisor; which numbers has"
    " your dtype room for?",
)
def test_the_old_order_has_0_and_a_full_shuffle_1(tt, draw):
    for count in (2, 5, 100, 300, int(draw.integers(1500, 2500))):
        call = f"shuffle_quality(list(range({count})))"
        yield call, tt.shuffle_quality(list(range(count))), 0.0, close(0.0)
        if count >= 100:
            # the relative deviation is about 0.56 / N**0.5; this is six of them
            about = close(1, 3.4 / count**0.5)
            call = f"shuffle_quality(a full shuffle of {count} rows)"
            got = tt.shuffle_quality(draw.permutation(count))
            yield call, got, "a float of about 1", about


@law(
    3,
    "Fewer than 2",
    look="compare the number of rows with 2 before you divide; say it in the message",
)
def test_fewer_than_two_rows_are_refused(tt, draw):
    for order in ([], [0]):
        got = lambda order=order: tt.shuffle_quality(order)  # noqa: E731
        yield Case(f"shuffle_quality({order})", got, str(len(order)), raises=ValueError)
    for some in ([1, 0], draw.permutation(int(draw.integers(2, 99))).tolist()):
        got = lambda some=some: tt.shuffle_quality(some)  # noqa: E731
        yield f"shuffle_quality({some})", got, "no error", True


def afterwards(tt, order, kind):
    """An order after its quality was asked, and whether that was more than 0."""
    import numpy as np

    order = np.array(order, np.int64) if kind == "an array" else list(order)
    quality = tt.shuffle_quality(order)
    return [int(place) for place in order], bool(quality > 0)


@law(4, "not changed", look="does a line write into `order`? `order -= ...` does")
def test_an_order_stays_as_it_was(inside, draw):
    for order in ([3, 2, 1, 0], draw.permutation(20).tolist()):
        for kind in ("an array", "a list"):
            call = f"shuffle_quality(order), {kind} of {order}: order, quality > 0"
            yield call, inside(afterwards, order, kind), (order, True)
