"""Laws of exercise 11a, cache_bytes."""

from tinytorch.laws import law


def asked(tt, table):
    for files, records, shape, want in table:
        call = f"cache_bytes({files}, {records}, {shape})"
        yield call, lambda a=files, b=records, c=shape: tt.cache_bytes(a, b, c), want


@law(1, "memory of all images", look="how many images, of how many bytes? Not kB")
def test_all_images_count_in_bytes(tt, draw):
    k = int(draw.integers(3, 40))
    yield from asked(
        tt,
        [
            (2, 100, (1, 28, 28), 156_800),
            (1, 100, (1, 28, 28), 78_400),
            (1, 1, (1, 5, 8), 40),
            (5, 10_000, (1, 32, 32), 51_200_000),
            (k, 100, (1, 28, 28), 78_400 * k),
            (1, 100 * k, (1, 28, 28), 78_400 * k),
        ],
    )


@law(2, "Every dimension", look="how many numbers has an image of this shape?")
def test_every_dimension_counts(tt, draw):
    k = int(draw.integers(3, 30))
    yield from asked(
        tt,
        [
            (2, 100, (3, 28, 28), 470_400),
            (2, 100, (28, 28), 156_800),
            (2, 100, [7], 1_400),
            (2, 100, (2, 3, 4, 5), 24_000),
            (5, 10_000, (3, 32, 32), 153_600_000),
            (2, 100, (k, 5), 1_000 * k),
            (2, 100, (4, 5, k), 4_000 * k),
        ],
    )
