"""Laws of exercise 8a, bytes_on_their_way."""

from tinytorch.law_tools import worked
from tinytorch.laws import law


@law(
    1,
    "batches are prepared ahead",
    look="how many batches wait, of how many images? An image here has one number of"
    " 4 bytes",
)
def test_each_worker_prepares_batches_of_images(tt, draw):
    k = int(draw.integers(3, 40))
    image = (1,), "float32"
    yield from worked(
        tt,
        "bytes_on_their_way",
        [
            (2, 3, 10, *image, 240),
            (1, 1, 1, *image, 4),
            (8, 2, 1, *image, 64),
            (16, 4, 256, *image, 65_536),
            (k, 3, 10, *image, 120 * k),
            (3, k, 5, *image, 60 * k),
            (1, 2, k, *image, 8 * k),
        ],
    )


@law(
    2,
    "as many numbers",
    look="how many numbers has one image of this shape, and how many bytes has one"
    " number of this dtype?",
)
def test_an_image_has_the_bytes_of_its_numbers(tt, draw):
    k = int(draw.integers(6, 30))
    yield from worked(
        tt,
        "bytes_on_their_way",
        [
            (2, 3, 10, (3, 10, 10), "uint8", 18_000),
            (2, 3, 10, (20,), "float64", 9_600),
            (2, 3, 10, (20,), "bool", 1_200),
            (2, 3, 10, (4, 5), "int16", 2_400),
            (2, 3, 10, (2, 3, 4, 5), "float32", 28_800),
            (1, 1, 1, (3, 28, 28), "float16", 4_704),
            (8, 2, 32, (3, 224, 224), "float32", 308_281_344),
            (2, 3, 10, (k, 5), "int64", 2_400 * k),
            (2, 3, 10, (3, 4, k), "float64", 5_760 * k),
            (2, 3, 10, (k, 7, 2), "int8", 840 * k),
        ],
    )
