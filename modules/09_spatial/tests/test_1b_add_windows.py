"""Laws of exercise 1b, add_windows."""

import numpy as np
from stand_ins_09 import images_of

from tinytorch.laws import law


def added(parts, shape, stride):
    """The sum, one window at a time."""
    total, size = np.zeros(shape, parts.dtype), parts.shape[-1]
    for n, c, i, j in np.ndindex(*parts.shape[:4]):
        total[n, c, i * stride :, j * stride :][:size, :size] += parts[n, c, i, j]
    return total


@law(1, "the sum of its entries", look="+= adds, = puts the last one; mind the stride")
def test_overlapping_windows_add_up(tt, draw):
    for *shape, size, stride in (
        (1, 1, 3, 3, 2, 1),
        (2, 3, 4, 6, 3, 1),
        (1, 2, 7, 5, 3, 2),
    ):
        rows, columns = ((side - size) // stride + 1 for side in shape[2:])
        parts = images_of(draw, *shape[:2], rows, columns, size, size)
        strides = () if stride == 1 else (stride,)  # 1 is the default
        arguments = ", ".join(map(str, (tuple(shape), *strides)))
        call = f"add_windows(parts {parts.shape}, {arguments})"
        want = added(parts, shape, stride)
        yield call, lambda: tt.add_windows(parts, tuple(shape), *strides), want


@law(2, "no window holds", look="begin with zeros of the shape that is passed")
def test_what_is_between_the_windows_is_0(tt, draw):
    for *shape, size, stride in ((1, 1, 5, 6, 2, 3), (2, 1, 7, 4, 1, 2)):
        rows, columns = ((side - size) // stride + 1 for side in shape[2:])
        parts = 1 + abs(images_of(draw, *shape[:2], rows, columns, size, size))
        call = f"add_windows(parts {parts.shape}, {tuple(shape)}, {stride}) != 0"
        got = lambda: tt.add_windows(parts, tuple(shape), stride) != 0  # noqa: E731
        yield call, got, added(parts, shape, stride) != 0
