"""Laws of exercise 12c, find_the_place."""

from tinytorch.law_tools import about
from tinytorch.laws import law


def asked(tt, key, table):
    """A case for each row: five arguments, then the seconds, which 1% may miss."""
    for *given, want in table:
        yield (
            f'find_the_place({", ".join(map(str, given))})["{key}"]',
            lambda given=given: tt.find_the_place(*given)[key],
            want,
            about(want),
        )


@law(1, "a dict with the keys", look="what does `return` give?")
def test_the_answer_has_two_numbers(tt, draw):
    k = int(draw.integers(2, 1000))
    got = tt.find_the_place(1, 1, 5e5, 1e6, k)
    holds = type(got) is dict and sorted(got) == ["plan", "read"]
    want = {"read": 0.5, "plan": k / 10**6}
    yield f"find_the_place(1, 1, 5e5, 1e6, {k})", got, want, holds


@law(
    2,
    "bytes of these files",
    look="how many files are in these batches, of how many"
    " bytes? Divide by what the disk delivers in a second",
)
def test_reading_again_takes_bytes_over_bandwidth(tt, draw):
    k = int(draw.integers(2, 40))
    yield from asked(
        tt,
        "read",
        [
            (10, 100, 1e6, 100e6, 2, 10.0),
            (20, 50, 2e6, 100e6, 3, 20.0),
            (2000, 128, 125e3, 200e6, 2, 160.0),
            (4000, 256, 110e3, 160e6, 2, 704.0),
            (3 * k, 100, 1e6, 100e6, 2, 3.0 * k),
            (10, 30 * k, 1e6, 100e6, 2, 3.0 * k),
            (10, 100, 3e5 * k, 100e6, 2, 3.0 * k),
            (10, 100, 1e6, 100e6 * k, 2, 10 / k),
            (10, 100, 1e6, 100e6, 9000 * k, 10.0),
            (1, k, 0.5, 1e6, 2, 5e-7 * k),
        ],
    )


@law(
    3,
    "takes microseconds_per_row",
    look="how many rows are in these batches? A microsecond is a millionth of a second",
)
def test_planning_again_takes_time_for_each_row(tt, draw):
    k = int(draw.integers(2, 40))
    yield from asked(
        tt,
        "plan",
        [
            (10, 100, 1e6, 100e6, 2, 0.002),
            (20, 50, 2e6, 100e6, 3, 0.003),
            (4000, 256, 110e3, 160e6, 2, 2.048),
            (3 * k, 100, 1e6, 100e6, 2, 0.0006 * k),
            (10, 30 * k, 1e6, 100e6, 2, 0.0006 * k),
            (10, 100, 1e6, 100e6, 7 * k, 0.007 * k),
            (10, 100, 3e5 * k, 100e6, 2, 0.002),
            (10, 100, 1e6, 100e6 * k, 2, 0.002),
            (1, 1, 1e6, 100e6, 0.4, 4e-7),
            (1, k, 1e6, 100e6, 0.4, 4e-7 * k),
        ],
    )
