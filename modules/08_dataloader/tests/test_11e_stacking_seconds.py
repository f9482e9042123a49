"""Laws of exercise 11e, stacking_seconds."""

from tinytorch.law_tools import worked
from tinytorch.laws import law


@law(
    1,
    "bytes written",
    look="how many float32 numbers are written, how many bytes are they, and how many"
    " bytes does the memory take in a second? A GB is 1e9 bytes",
)
def test_stacking_takes_the_time_of_its_bytes(tt, draw):
    k = int(draw.integers(3, 40))
    table = [
        (10, (1, 50, 50), 1.0, 0.0001),
        (20, (1, 50, 50), 1.0, 0.0002),
        (10, (3, 50, 50), 1.0, 0.0003),
        (10, (1, 50, 50), 4.0, 0.000025),
        (10, (1, 50, 50), 0.5, 0.0002),
        (64, (3, 100, 100), 25.6, 0.0003),
        (100, (25, 40), 2.0, 0.0002),
        (5, (2, 5, 50, 40), 10, 0.00004),
        (10**12, (1, 50, 50), 10.0, 1_000_000.0),
        (k, (1, 50, 50), 1.0, 0.00001 * k),
        (8, (k, 25, 25), 2, 0.00001 * k),
        (10, (1, k, 25), 0.1, 0.00001 * k),
        (10 * k, (1, 50, 50), float(k), 0.0001),
    ]
    yield from worked(tt, "stacking_seconds", table)
