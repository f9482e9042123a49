"""Laws of exercise 2a, check_range."""

from tinytorch.laws import Case, law

EQUAL = (
    "is one of the three comparisons in 0 <= start <= end <= length a `<`? A range"
    " inside gives nothing back: no True, no False"
)
MISSING = (
    "0 <= start <= end <= length: which of the three comparisons is not made for this"
    " range? The error is an IndexError, and its message says all three numbers"
)


def checked(tt, *numbers):
    return f"check_range{numbers}", lambda: tt.check_range(*numbers)


@law(1, "gives None", look=EQUAL)
def test_a_range_inside_gives_none(tt, draw):
    n, far = int(draw.integers(5, 8)), int(draw.integers(400, 10**6))
    small = [(start, end, n) for end in range(1, n + 1) for start in range(end)]
    large = [(0, far, far), (far - 1, far, far), (far // 3, far // 2, far)]
    for numbers in ((2, 7, 10), (0, 10, 10), (9, 10, 10), (0, 1, 1), *small, *large):
        yield *checked(tt, *numbers), None


@law(2, "the very end", look=f"an empty range is no mistake; {EQUAL}")
def test_an_empty_range_inside_gives_none(tt, draw):
    n = int(draw.integers(400, 10**6))
    for place, length in ((3, 10), (10, 10), (0, 10), (0, 0), (n - 1, n), (n, n)):
        yield *checked(tt, place, place, length), None


@law(3, "Any other range", look=MISSING)
def test_any_other_range_is_refused_with_its_numbers(tt, draw):
    n, a, b = int(draw.integers(400, 500)), *draw.integers(101, 199, 2).tolist()
    too_far = [(n - a, n + b), (n, n + 1), (0, n + 1), (n + 1, n + 1), (n + a, n + 999)]
    below = [(-a, n - b), (-1, 0), (-1, n + 1), (-a, -a), (-1, -1), (-a - b, -b)]
    backwards = [(n - a, n - a - 1), (n, 0), (n - a, -b), (n + 1, n), (n + b, n - a)]
    for numbers in (*too_far, *below, *backwards):
        says = [*numbers, n]
        yield Case(*checked(tt, *numbers, n), says, raises=IndexError)
    for numbers in ((0, 1), (1, 1), (-1, 0), (-1, -1)):
        yield Case(*checked(tt, *numbers, 0), [*numbers, 0], raises=IndexError)
    yield *checked(tt, 0, n, n), None
