"""Laws of exercise 3b, gradients of MaxPool2d."""

import numpy as np
from stand_ins_09 import images_of

from tinytorch.laws import law


def case(tt, words, parts, gradient, largest):
    """One case: `largest` is True at the entries that share the gradient."""
    count = largest.sum(axis=(4, 5), keepdims=True, dtype=np.float32)
    want = largest * (gradient[..., None, None] / count)
    size = parts.shape[-1]
    call = f"MaxPool2d({size}).gradients({words} {parts.shape}, gradient)"
    return call, lambda: tt.MaxPool2d(size).gradients(parts, gradient), want


@law(1, "the single largest entry", look="where is a window equal to its maximum?")
def test_the_largest_entry_gets_the_gradient(tt, draw):
    for size, places in ((2, (2, 1, 2, 3)), (3, (1, 2, 1, 2))):
        entries = size * size
        order = np.tile(np.arange(entries, dtype=np.float32), (*places, 1))
        order = draw.permuted(order, axis=-1).reshape(*places, size, size)
        parts = order + images_of(
            draw, *places, 1, 1
        )  # each window at a height of its own
        gradient = 1 + abs(images_of(draw, *places))
        yield case(tt, "parts", parts, gradient, order == entries - 1)


@law(
    2, "share the gradient", look="how many entries are largest? Divide by their number"
)
def test_ties_share_it(tt, draw):
    for size, places in ((2, (1, 2, 2, 2)), (3, (2, 1, 1, 2))):
        # one entry is drawn to be largest, and half of the others
        largest = draw.random((*places, size * size)) < 0.5
        chosen = draw.integers(size * size, size=places)
        np.put_along_axis(largest, chosen[..., None], True, axis=-1)
        largest = largest.reshape(*places, size, size)
        gradient = 12 * (1 + abs(images_of(draw, *places)))
        parts = np.where(largest, np.float32(5), np.float32(-1))
        yield case(tt, "parts with ties", parts, gradient, largest)
