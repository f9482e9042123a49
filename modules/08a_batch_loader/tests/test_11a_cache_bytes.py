"""Laws of exercise 11a, cache_bytes."""

from tinytorch.law_tools import worked
from tinytorch.laws import law


@law(1, "memory of all images", look="how many images, of how many bytes? Not kB")
def test_all_images_count_in_bytes(tt, draw):
    k = int(draw.integers(3, 40))
    yield from worked(
        tt,
        "cache_bytes",
        [
            (2, 100, (1, 28, 28), 156_800),
            (1, 100, (1, 28, 28), 78_400),
            (1, 1, (1, 5, 8), 40),
            (5, 10_000, (1, 32, 32), 51_200_000),
            (k, 100, (1, 28, 28), 78_400 * k),
            (1, 100 * k, (1, 28, 28), 78_400 * k),
        ],
        within=0,
    )


@law(2, "Every dimension", look="how many numbers has an image of this shape?")
def test_every_dimension_counts(tt, draw):
    k = int(draw.integers(3, 30))
    yield from worked(
        tt,
        "cache_bytes",
        [
            (2, 100, (3, 28, 28), 470_400),
            (2, 100, (28, 28), 156_800),
            (2, 100, [7], 1_400),
            (2, 100, (2, 3, 4, 5), 24_000),
            (5, 10_000, (3, 32, 32), 153_600_000),
            (2, 100, (k, 5), 1_000 * k),
            (2, 100, (4, 5, k), 4_000 * k),
        ],
        within=0,
    )
