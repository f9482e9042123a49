"""Laws of exercise 1a, windows."""

import numpy as np
from stand_ins_09 import images_of

from tinytorch.laws import Case, law

CASES = ((1, 1, 3, 3, 2, 1), (2, 3, 5, 7, 3, 1), (1, 2, 7, 8, 2, 3), (2, 1, 6, 6, 3, 3))


def part_of(images, n, c, y, x, size):
    """A window, with zeros where it leaves the image."""
    part = np.zeros((size, size), images.dtype)
    there = images[n, c, y : y + size, x : x + size]
    part[: there.shape[0], : there.shape[1]] = there
    return part


@law(1, "whose first pixel is", look="sliding_window_view, then every stride-th one")
def test_each_window_is_where_it_begins(tt, draw):
    for *shape, size, stride in CASES:
        images = images_of(draw, *shape)
        strides = () if stride == 1 else (stride,)  # 1 is the default
        got = tt.windows(images, size, *strides)
        # whether all windows are there is the next promise
        places = np.ndindex(*shape[:2], *got.shape[2:4])
        parts = [
            part_of(images, n, c, i * stride, j * stride, size) for n, c, i, j in places
        ]
        want = np.reshape(parts, (*shape[:2], *got.shape[2:4], size, size))
        call = (
            f"windows(images {images.shape}, {', '.join(map(str, (size, *strides)))})"
        )
        yield call, got, want


@law(
    2, "as a whole is there", look="which axes hold the places? Is one cut, or missing?"
)
def test_every_whole_window_is_there(tt, draw):
    drawn = draw.integers(4, 9, 2).tolist()
    for *shape, size, stride in (*CASES, (1, 1, 4, 4, 4, 1), (1, 2, *drawn, 3, 2)):
        rows, columns = (len(range(0, side - size + 1, stride)) for side in shape[2:])
        images = np.ones(shape, np.uint8)
        call = f"windows(images {tuple(shape)}, {size}, {stride}).shape"
        want = (*shape[:2], rows, columns, size, size)
        yield call, lambda: np.shape(tt.windows(images, size, stride)), want


@law(3, "the size, the height", look="compare size with height and with width first")
def test_a_window_that_fits_nowhere_is_refused(tt, draw):
    extra = int(draw.integers(1, 9))
    for height, width, size in ((2, 5, 3), (6, 4, 5), (3, 3, 3 + extra)):
        images = np.ones((1, 1, height, width))
        call = f"windows(images {images.shape}, {size})"
        got = lambda: tt.windows(images, size)  # noqa: E731
        yield Case(call, got, [size, height, width], raises=ValueError)
    call = "windows(images (1, 1, 3, 3), 3).shape"
    yield (
        call,
        lambda: np.shape(tt.windows(np.ones((1, 1, 3, 3)), 3)),
        (1, 1, 1, 1, 3, 3),
    )
