"""Laws of exercise 6a, to_images."""

import numpy as np

from tinytorch.laws import law


def rows_of(draw, count):
    return draw.integers(0, 256, (count, 3072), dtype=np.uint8)


def kind(images):
    return f"{images.dtype} {images.shape}"


def values_in(image):
    return [np.unique(channel).tolist() for channel in image]


@law(
    1,
    "Images are",
    look="reshape the rows to four axes, also one row or none; reshape keeps the dtype",
)
def test_four_axes_of_bytes(tt, draw):
    for count in (0, 1, 2, 3, 32, int(draw.integers(4, 12))):
        rows = rows_of(draw, count)
        want = f"uint8 ({count}, 3, 32, 32)"
        yield (
            f"to_images(uint8 ({count}, 3072))",
            lambda: kind(tt.to_images(rows)),
            want,
        )


@law(
    2,
    "the red plane",
    look="a row is 1,024 red, then 1,024 green, then 1,024 blue bytes: which axis is"
    " the color?",
)
def test_a_channel_is_a_plane(tt, draw):
    for planes in ([[10, 20, 30]], draw.permutation(256)[:6].reshape(2, 3).tolist()):
        rows = np.repeat(np.array(planes, np.uint8), 1024, axis=1)
        call = f"to_images(rows): values in each channel; rows of 1,024 x {planes}"
        got = lambda: [values_in(image) for image in tt.to_images(rows)]  # noqa: E731
        yield call, got, [[[value] for value in row] for row in planes]


def first_bytes_by_column(tt):
    """The first pixels of rows that lie in memory column by column."""
    import numpy as np

    rows = np.asfortranarray(np.stack([np.arange(3072) % 256] * 2).astype(np.uint8))
    return tt.to_images(rows)[0, 0, 0, :3].tolist()


@law(
    3,
    "row by row",
    look="x is the last axis: is there a transpose, or a reshape in another order?",
)
def test_a_pixel_is_a_byte(tt, inside, draw):
    byte = lambda: inside(first_bytes_by_column)  # noqa: E731
    call = "to_images(np.asfortranarray(rows))[0, 0, 0, :3]; bytes of a row: 0, 1, ..."
    yield call, byte, [0, 1, 2]
    drawn = draw.integers(0, 32, (6, 2)).tolist()
    for y, x in ((0, 0), (0, 1), (1, 0), (1, 5), (31, 30), *drawn):
        count = int(draw.integers(1, 5))
        rows = rows_of(draw, count)
        byte = 32 * y + x
        call = f"images[:, c, {y}, {x}] of {count} rows; c = 0, 1, 2: bytes {byte},"
        call = f"{call} {byte + 1024}, {byte + 2048} of each row"
        want = rows[:, [byte, byte + 1024, byte + 2048]]
        yield call, lambda: np.array(tt.to_images(rows)[:, :, y, x]), want
