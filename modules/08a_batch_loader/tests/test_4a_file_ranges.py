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
EXACT = "a / b is a float, exact to 2**53; begin at the file of `start`, not at file 0"


def triples(pieces):
    """The pieces as triples; none if they are anything else."""
    try:
        return [(file, first, last) for file, first, last in pieces]
    except (TypeError, ValueError):
        return []


def filled(pieces):
    """The triples that hold a record."""
    return [piece for piece in triples(pieces) if piece[1] < piece[2]]


def drawn(draw, longest):
    """Pieces of files, as a range has them: the range follows from its pieces."""
    length, low = int(draw.integers(1, longest + 1)), int(draw.integers(0, 6))
    pieces = [(low + k, 0, length) for k in range(int(draw.integers(1, 5)))]
    first = int(draw.integers(0, length))
    last = int(draw.integers(first if len(pieces) == 1 else 0, length)) + 1
    pieces[0] = (low, first, length)
    pieces[-1] = (*pieces[-1][:2], last)
    return low * length + first, pieces[-1][0] * length + last, length, pieces


def judged(tt, draw, view):
    """A case for each worked range, and for some that are drawn: `view` shows the side
    of the pieces that one promise is about, given them and the length of a file.
    """
    some = [drawn(draw, longest) for longest in (1, 2, 3, 6, 6, 6, 30, 30, 900)]
    for *numbers, length, want in (*WORKED, *some):
        yield (
            f"file_ranges{(*numbers, length)}",
            lambda asked=(*numbers, length): tt.file_ranges(*asked),
            want,
            lambda got, n=length, want=want: view(got, n) == view(want, n),
        )


@law(1, "every record of", look="where does each piece end, and the next one begin?")
def test_the_pieces_hold_every_record_once(tt, draw):
    def records(pieces, length):
        return [
            length * file + k for file, i, j in triples(pieces) for k in range(i, j)
        ]

    yield from judged(tt, draw, records)


@law(2, "count within", look=WITHIN)
def test_the_pieces_count_within_their_file(tt, draw):
    def within(pieces, length):
        borders = [(first, last) for _, first, last in triples(pieces)]
        inside = all(0 <= i < j <= length for i, j in borders)
        return inside and len({file for file, _, _ in triples(pieces)})

    yield from judged(tt, draw, within)


@law(3, "has one piece", look="a piece reaches to the end of its file in one step")
def test_each_file_has_one_piece(tt, draw):
    def files(pieces, length):
        return sorted(file for file, _, _ in filled(pieces))

    yield from judged(tt, draw, files)


@law(4, "The result is", look="collect the pieces in a list; return it at the end")
def test_the_result_is_a_list(tt, draw):
    n, file = draw.integers(10, 10**6, 2).tolist()
    some = n * file + 3, n * file + n + 5, n, 2
    for *numbers, count in ((8, 21, 10, 3), (3, 7, 10, 1), (1, 6, 2, 3), some):
        pieces = tt.file_ranges(*numbers)
        kind = "list" if isinstance(pieces, list) else type(pieces).__name__
        call = f"file_ranges{tuple(numbers)}: its type and its length"
        yield call, (kind, len(list(pieces))), ("list", count)


@law(4, "empty range gives", look="no record, so no piece; where does the loop begin?")
def test_an_empty_range_has_no_pieces(tt, draw):
    n = int(draw.integers(2, 10**6))
    for place, length in ((12, 10), (0, 10), (30, 10), (29, 10), (5 * n, n), (3, 1)):
        numbers = place, place, length
        yield f"file_ranges{numbers}", lambda asked=numbers: tt.file_ranges(*asked), []


@law(5, "thousands of files", look="does each file cost another call of a function?")
def test_thousands_of_files(tt, draw):
    low = int(draw.integers(0, 1000))
    want = [(file, 0, 1) for file in range(low, low + 5000)]
    yield (
        f"file_ranges{(low, low + 5000, 1)}",
        lambda: tt.file_ranges(low, low + 5000, 1),
        f"5,000 pieces, from {want[0]} to {want[-1]}",
        lambda got: filled(got) == want,
    )


def within_lines(function, *args):
    """What the function returns; it is ended after so many lines of Python that it can
    only be on its way through all files from 0 on, which would take months.
    """
    lines = itertools.count()

    def trace(*_event):
        if next(lines) > 100_000:
            raise TimeoutError("no end after 100,000 lines of Python")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return function(*args)
    finally:
        sys.settrace(before)


@law(5, "up to 10**18", look=EXACT)
def test_large_numbers_are_exact(tt, draw):
    for length in (3, 10, int(draw.integers(4, 10_000)), 10**15 - 3):
        file = 10**18 // length - 2 - int(draw.integers(0, 64))
        border = (file + 1) * length
        left, right = (file, length - 1, length), (file + 1, 0, 1)
        for start, want in ((border - 1, [left, right]), (border, [right])):
            asked = start, border + 1, length
            yield (
                f"file_ranges{asked}",
                lambda asked=asked: within_lines(tt.file_ranges, *asked),
                want,
                lambda got, want=want: filled(got) == want,
            )
