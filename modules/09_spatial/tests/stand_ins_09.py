"""What several laws of this module need."""

import numpy as np


def near(want):
    """Whether an array has the shape and the dtype of `want`, and its numbers but for
    rounding.
    """

    def holds(got):
        got = np.asarray(got)
        alike = got.shape == want.shape and got.dtype == want.dtype
        return alike and np.allclose(got, want, rtol=1e-4, atol=1e-4)

    return holds


def images_of(draw, *shape):
    """Whole numbers in float32, whose sums are exact."""
    return draw.integers(-9, 10, shape).astype(np.float32)


SHAPES = ((1, 1, 2, 3, 2, 1), (2, 3, 4, 2, 3, 4), (3, 2, 1, 1, 1, 5))


def layers_and_windows(tt, draw):
    """A layer, windows for it, and both as a student would type them."""
    for n, channels, rows, columns, size, kernels in SHAPES:
        seed = int(draw.integers(1000))
        conv = tt.Conv2d(channels, kernels, size, seed=seed)
        parts = images_of(draw, n, channels, rows, columns, size, size)
        call = f"Conv2d({channels}, {kernels}, {size}, seed={seed}).outputs(parts"
        yield conv, parts, f"{call} {parts.shape})"
