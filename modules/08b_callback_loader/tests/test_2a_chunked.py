"""Laws of exercise 2a, chunked."""

from itertools import islice

import numpy as np

from tinytorch.law_tools import ERRORS, Tape, raised_by, shown
from tinytorch.laws import law

ODD = [0, None, "", False, [], np.zeros(2), (), ..., 0.0, None, np.ones(1), {}, 0]


def cut(tt, *given):
    """The lists as they come, also of a loop that never ends; promise 3 asks for empty
    ones.
    """
    lists = [chunk[:] for chunk in islice(tt.chunked(*given), 50)]
    return [chunk for chunk in lists if len(chunk)]


@law(
    1, "in the order of the stream", look="each one a list, of `size` items, in order?"
)
def test_a_stream_is_cut_into_lists(tt, draw):
    size, count = draw.integers(2, 7, 2).tolist()
    items = draw.integers(1, 100, size * count).tolist()
    for stream, n, want in (
        (list("abcdef"), 3, [["a", "b", "c"], ["d", "e", "f"]]),
        ("ab", 1, [["a"], ["b"]]),
        (range(5, 9), 4, [[5, 6, 7, 8]]),
        (items, size, [items[i * size : (i + 1) * size] for i in range(count)]),
    ):
        yield (
            f"list(chunked({stream!r}, {n}))",
            lambda x=stream, n=n: cut(tt, x, n),
            want,
        )
        got = lambda x=stream, n=n: cut(tt, iter(list(x)), n, False)  # noqa: E731
        yield f"list(chunked(iter({stream!r}), {n}, False))", got, want
        got = lambda x=stream, n=n: cut(tt, Tape(x), n)  # noqa: E731
        yield f"list(chunked(stream, {n})), a stream of {stream!r}", got, want


def of_a_deque(tt, items, size):
    """The lists of a Sequence that has no slices."""
    from collections import deque
    from itertools import islice

    chunks = [list(chunk) for chunk in islice(tt.chunked(deque(items), size), 50)]
    return [chunk for chunk in chunks if chunk]


@law(1, "in the order of the stream", look="a stream is read with next(), item by item")
def test_a_sequence_is_a_stream(inside, draw):
    items = draw.integers(1, 100, 6).tolist()
    call = f"list(chunked(collections.deque({items}), 3))"
    yield call, lambda: inside(of_a_deque, items, 3), [items[:3], items[3:]]


@law(
    2,
    "with drop_last",
    look="which items are left when the stream ends, and what becomes of them?"
    " drop_last leaves out a list with fewer than size items, and only that",
)
def test_the_rest_is_kept_or_left_out(tt, draw):
    size, count = draw.integers(2, 7, 2).tolist()
    drawn = [(size, size * count + more) for more in (0, 1, size - 1)]
    for n, last in ((3, 7), (3, 6), (3, 8), (3, 2), (3, 0), (1, 2), *drawn):
        items = [*range(1, last + 1)]
        lists = [items[i : i + n] for i in range(0, last, n)]
        full = [chunk for chunk in lists if len(chunk) == n]
        for drop_last, want in ((False, lists), (True, full)):
            call = f"list(chunked(iter({items}), {n}, drop_last={drop_last}))"
            got = lambda x=items, n=n, drop=drop_last: cut(tt, iter(x), n, drop)  # noqa: E731
            yield call, got, want


@law(3, "No list is empty", look="what is handed on when no item is left?")
def test_no_list_is_empty(tt, draw):
    size = int(draw.integers(2, 7))
    for last in (0, 1, size, 2 * size, 2 * size + 1):
        for drop_last in (False, True):
            full, rest = divmod(last, size)
            want = [size] * full + [rest] * (rest > 0 and not drop_last)
            chunks = tt.chunked(iter(range(1, last + 1)), size, drop_last)
            call = (
                f"chunked(stream, {size}, {drop_last}), a stream of {last} items: the"
            )
            got = lambda chunks=chunks: [len(chunk) for chunk in islice(chunks, 50)]  # noqa: E731
            yield f"{call} lengths of its lists", got, want


@law(4, "Any value", look="is an item tested for truth, or None taken for the end?")
def test_any_value_is_an_item(tt, draw):
    drawn = [ODD[k] for k in draw.permutation(len(ODD) - 1)]
    drawn += [int(draw.integers(1, 10**6)), 0]
    for items in (ODD, ODD[::-1], drawn, [None] * 3, [False, 0, None]):
        for size in (1, 2, len(items), 50):
            call = f"list(chunked(iter({items}), {size}))"
            got = lambda x=items, n=size: cut(tt, iter(x), n)  # noqa: E731
            yield call, got, [items[i : i + size] for i in range(0, len(items), size)]
    yield (
        f"list(chunked(iter({ODD[:5]}), 2, True))",
        lambda: cut(tt, iter(ODD[:5]), 2, True),
        [[0, None], ["", False]],
    )


@law(
    5,
    "Nothing is read",
    look="what takes an item before next()? A function with yield begins there",
)
def test_nothing_is_read_before_a_list_is_asked_for(tt, draw):
    for size in (1, int(draw.integers(2, 7))):
        for drop_last in (False, True):
            tape = Tape(range(1, 2 * size + 1))
            chunks = iter(tt.chunked(tape, size, drop_last))
            got = tape.reads, [chunk[:] for chunk in islice(chunks, 1)]
            call = f"chunked(stream, {size}, {drop_last}): items read before the first"
            want = 0, [[*range(1, size + 1)]]
            yield f"{call} next(), and what it gives", got, want


@law(6, "as soon as it is full", look="at its last item, or at the one after it?")
def test_a_full_list_comes_at_once(tt, draw):
    for size in (1, 2, int(draw.integers(3, 9))):
        for drop_last in (False, True):
            tape = Tape(range(1, 4 * size + 1))
            chunks = islice(tt.chunked(tape, size, drop_last), 3)
            got = [(len(chunk), tape.reads) for chunk in chunks]
            call = (
                f"chunked(stream, {size}, {drop_last}): items in each of three lists,"
            )
            call = f"{call} and items read by then"
            yield call, got, [(size, size), (size, 2 * size), (size, 3 * size)]


def kept(tt, items, size):
    """The lists, all kept; and the sizes of lists that are written into."""
    from itertools import islice

    lists, sizes = list(islice(tt.chunked(iter(items), size), 50)), []
    for chunk in islice(tt.chunked(iter(items), size), 50):
        sizes.append(len(chunk))
        chunk += ["more"] * size
    return [list(chunk) for chunk in lists], sizes


@law(7, "changes no earlier one", look="is a list cleared and used again?")
def test_each_list_is_a_list_of_its_own(inside, draw):
    size = int(draw.integers(2, 9))
    items = [*range(1, 2 * size + 2)]
    got, sizes = inside(kept, items, size)
    call = f"chunked(iter({items}), {size})"
    yield f"list({call})", got, [items[:size], items[size:-1], items[-1:]]
    text = f"{call}; the loop appends {size} items to each list: their sizes before"
    yield text, sizes, [size, size, 1]


@law(8, "without a retry", look="no `try`: only StopIteration ends a stream")
def test_an_error_of_the_stream_passes(tt, draw):
    size = int(draw.integers(2, 40))
    for error in ERRORS:
        for count in (0, size, 2 * size - 1):
            for drop_last in (False, True):
                tape, lists = Tape(range(1, count + 1), error), []
                chunks = tt.chunked(tape, size, drop_last)
                got = raised_by(lambda: lists.extend(c[:] for c in islice(chunks, 50)))
                call = f"list(chunked(stream, {size}, {drop_last})); it raises"
                call = f"{call} {shown(error)} after {count} items: the lists before,"
                want = [[*range(1, size + 1)]][: count // size], shown(error), count + 1
                yield f"{call} the error, the reads", (lists, got, tape.reads), want
