"""Laws of exercise 3a, outputs of MaxPool2d."""

import numpy as np
from stand_ins_09 import images_of

from tinytorch.laws import law


@law(
    1, "whatever its sign", look="the largest over both axes of a window, and no other"
)
def test_the_largest_entry_is_kept(tt, draw):
    for shape in ((1, 1, 2, 3, 2, 2), (2, 3, 1, 4, 3, 3)):
        parts = images_of(draw, *shape)
        for call, values in (("", parts), (" - 20", parts - 20)):
            want = np.max(np.reshape(values, (*shape[:4], -1)), -1)
            got = lambda values=values: tt.MaxPool2d(shape[-1]).outputs(values)  # noqa: E731
            yield f"MaxPool2d({shape[-1]}).outputs(parts {shape}{call})", got, want
    counts = draw.integers(0, 200, (1, 1, 2, 2, 2, 2)).astype(np.uint8)
    want = np.max(np.reshape(counts, (1, 1, 2, 2, 4)), -1)
    yield "MaxPool2d(2).outputs(parts of uint8)", tt.MaxPool2d(2).outputs(counts), want
