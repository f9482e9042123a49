"""Laws of exercise 12a, fill_time."""

from tinytorch.law_tools import worked
from tinytorch.laws import law


@law(
    1, "bytes of the buffer", look="how many bytes are 3 MB? How many come in a second?"
)
def test_filling_a_buffer_takes_bytes_over_bandwidth(tt, draw):
    k = int(draw.integers(2, 40))
    table = [
        (2000, 100e6, 20.0),
        (3000, 150e6, 20.0),
        (3, 4_000_000, 0.75),
        (2048, 160e6, 12.8),
        (0.5, 1e9, 0.0005),
        (1000 * k, 250e6, 4.0 * k),
        (7, 1e6 * k, 7 / k),
    ]
    yield from worked(tt, "fill_time", table)
