"""Laws of exercise 11a, batch_bytes."""

from tinytorch.law_tools import worked
from tinytorch.laws import law


@law(
    1,
    "bytes of a batch",
    look="how many numbers has one image of this shape, how many images are there, and"
    " how many bytes has one number of this dtype?",
)
def test_a_batch_has_the_bytes_of_its_numbers(tt, draw):
    k = int(draw.integers(3, 40))
    table = [
        (4, (3, 2, 2), "float32", 192),
        (4, (3, 2, 2), "uint8", 48),
        (4, (3, 2, 2), "float16", 96),
        (4, (5,), "int64", 160),
        (4, (3, 2, 2), "bool", 48),
        (4, (3, 2, 2), "f4", 192),
        (100, (28, 28), "float64", 627_200),
        (2, (3, 4, 5, 6), "int16", 1_440),
        (k, (3, 10, 10), "float32", 1_200 * k),
        (5, (k, 8), "float64", 320 * k),
        (10, (3, 7, k), "uint8", 210 * k),
        (2, (4, k, 5, 5), "int32", 800 * k),
    ]
    yield from worked(tt, "batch_bytes", table)
