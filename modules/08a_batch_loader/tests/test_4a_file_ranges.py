"""Laws of exercise 4a, file_ranges."""

import itertools
import sys

from tinytorch.laws import law

# start, end, file_length, and what file_ranges returns for them
WORKED = (
    (8, 21, 10, [(0, 8, 10), (1, 0, 10), (2, 0, 1)]),
    (3, 7, 10, [(0, 3, 7)]),
    (10, 20, 10, [(1, 0, 10)]),
    (15, 20, 10, [(1, 5, 10)]),
    (20, 21, 10, [(2, 0, 1)]),
    (2, 18, 6, [(0, 2, 6), (1, 0, 6), (2, 0, 6)]),
    (2, 5, 1, [(2, 0, 1), (3, 0, 1), (4, 0, 1)]),
)
WITHIN = (
    "first and last count from the start of their file; no piece is empty, also where"
    " `end` is the end of a file"
)


EXACT = "a / b is a float, which counts to 2**53; start at the file of `start`, not at 0"


def triples(pieces):
    """The pieces as triples; none if they are anything else."""
    try:
        return [(file, first, last) for file, first, last in pieces]
    except (TypeError, ValueError):
        return []


def filled(pieces):
    """The triples that hold a record."""
    return [(file, first, last) for file, first, last in triples(pieces) if first < last]


def within_lines(function, *args):
    """Calls the function, but ends it after so many lines of Python that it can only
    be on its way through all files from 0 on, which takes months.
    """
    lines = itertools.count()

    def trace(*_event):
        if next(lines) > 100_000:
            raise TimeoutError("no end after 100,000 lines of Python")
        return trace

    def call():
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            return function(*args)
        finally:
            sys.settrace(before)

    return lambda: call()


def judged(tt, draw, holds, wanted):
    """A case for each worked range, and for some that are drawn.

    Args:
        holds: called with the pieces, start, end, file_length and the files wanted.
        wanted: what a drawn range should give, in words.
    """
    ranges = [(*asked, [piece[0] for piece in want], want) for *asked, want in WORKED]
    for longest in (1, 2, 3, 6, 6, 6, 30, 30, 900):
        length, file = int(draw.integers(1, longest + 1)), int(draw.integers(0, 6))
        more = int(draw.integers(0, 4))
        first, last = draw.integers(0, length, 2).tolist()
        start, end = file * length + first, (file + more) * length + last + 1
        if start < end:
            files = list(range(file, file + more + 1))
            ranges.append((start, end, length, files, wanted))
    for start, end, length, files, want in ranges:
        yield (
            f"file_ranges({start}, {end}, {length})",
            lambda a=start, b=end, n=length: tt.file_ranges(a, b, n),
            want,
            lambda got, a=start, b=end, n=length, f=files: holds(
                triples(got), a, b, n, f
            ),
        )


@law(1, "every record of", look="where does each piece end, and the next one begin?")
def test_the_pieces_hold_every_record_once(tt, draw):
    def holds(pieces, start, end, length, files):
        held = [length * file + k for file, i, j in pieces for k in range(i, j)]
        return held == list(range(start, end))

    yield from judged(tt, draw, holds, "every record from start to end - 1")


@law(2, "count within", look=WITHIN)
def test_the_pieces_count_within_their_file(tt, draw):
    def holds(pieces, start, end, length, files):
        return pieces and all(0 <= i < j <= length for _, i, j in pieces)

    yield from judged(tt, draw, holds, "0 <= first < last <= file_length, each time")


@law(3, "has one piece", look="a piece reaches to the end of its file in one step")
def test_each_file_has_one_piece(tt, draw):
    def holds(pieces, start, end, length, files):
        return [file for file, _, _ in filled(pieces)] == files

    yield from judged(tt, draw, holds, "one piece for each file")


@law(4, "The result is", look="collect the pieces in a list; return it at the end")
def test_the_result_is_a_list(tt, draw):
    for start, end, length in ((8, 21, 10), (3, 7, 10), (1, 6, 2)):
        call = f"type(file_ranges({start}, {end}, {length}))"
        result = tt.file_ranges(start, end, length)
        shown = "list" if isinstance(result, list) else type(result).__name__
        yield call, shown, "list"


@law(4, "empty range gives", look="no record, so no piece; where does the loop begin?")
def test_an_empty_range_has_no_pieces(tt, draw):
    n = int(draw.integers(2, 9))
    for place, length in ((12, 10), (0, 10), (30, 10), (29, 10), (5 * n, n), (3, 1)):
        call = f"file_ranges({place}, {place}, {length})"
        yield call, lambda a=place, n=length: tt.file_ranges(a, a, n), []


@law(5, "thousands of files", look="does each file cost another call of a function?")
def test_thousands_of_files(tt, draw):
    first = int(draw.integers(0, 1000))
    want = [(file, 0, 1) for file in range(first, first + 5000)]
    yield (
        f"file_ranges({first}, {first + 5000}, 1)",
        lambda: tt.file_ranges(first, first + 5000, 1),
        f"5,000 pieces, from {want[0]} to {want[-1]}",
        lambda got: filled(got) == want,
    )


@law(5, "up to 10**18", look=EXACT)
def test_large_numbers_are_exact(tt, draw):
    for length in (3, 10, int(draw.integers(4, 10_000)), 10**15 - 3):
        file = 10**18 // length - 2 - int(draw.integers(0, 2**6))
        border = (file + 1) * length
        left, right = (file, length - 1, length), (file + 1, 0, 1)
        for start, want in ((border - 1, [left, right]), (border, [right])):
            yield (
                f"file_ranges({start}, {border + 1}, {length})",
                within_lines(tt.file_ranges, start, border + 1, length),
                want,
                lambda got, want=want: filled(got) == want,
            )
