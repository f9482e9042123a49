"""Laws of exercise 2a, check_range."""

from tinytorch.laws import law

RETURNS = "what does your function return? It ends or raises, and returns nothing"
EQUAL = "is one of the three comparisons in 0 <= start <= end <= length a `<`?"
MISSING = (
    "0 <= start <= end <= length: which of the three comparisons is not made for this"
    " range? The message says all three numbers, and the error is an IndexError"
)


@law(1, "gives None", look=f"{EQUAL} {RETURNS}")
def test_a_range_inside_gives_none(tt, draw):
    n = int(draw.integers(5, 8))
    small = [(start, end, n) for end in range(1, n + 1) for start in range(end)]
    for start, end, length in ((2, 7, 10), (0, 10, 10), (9, 10, 10), (0, 1, 1), *small):
        call = f"check_range({start}, {end}, {length})"
        yield call, lambda a=start, b=end, n=length: tt.check_range(a, b, n), None


@law(2, "the very end", look=f"{EQUAL} An empty range is no mistake. {RETURNS}")
def test_an_empty_range_inside_gives_none(tt, draw):
    n = int(draw.integers(5, 8))
    for place, length in ((3, 10), (10, 10), (0, 10), (0, 0), (n - 1, n), (n, n)):
        call = f"check_range({place}, {place}, {length})"
        yield call, lambda a=place, n=length: tt.check_range(a, a, n), None


@law(3, "Any other range", look=MISSING, raises=IndexError)
def test_any_other_range_is_refused_with_its_numbers(tt, draw):
    n, a, b = int(draw.integers(400, 500)), *draw.integers(101, 199, 2).tolist()
    for start, end, length in (
        (n - a, n + b, n),  # the end is too far
        (n, n + 1, n),
        (0, 1, 0),
        (-a, n - b, n),  # the start is below 0
        (-1, 0, n),
        (-1, n + 1, n),
        (n - a, n - a - 1, n),  # the end comes before the start
        (n, 0, n),
        (n - a, -b, n),
        (n + 1, n, n),
        (n + a, n + a + 1, n),  # both are too far
        (n + 1, n + 1, n),
        (1, 1, 0),
        (-a, -a, n),  # both are below 0
        (-1, -1, n),
        (-a - b, -b, n),
        (-1, -1, 0),
    ):
        call = f"check_range({start}, {end}, {length})"
        says = [start, end, length]
        yield call, lambda a=start, b=end, n=length: tt.check_range(a, b, n), says
