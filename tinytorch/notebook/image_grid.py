"""Which arrays are images, and the pixels that are shown of them.

The rule is fixed: images are (N, C, H, W) with C = 1 or 3, or uint8 (N, H, W, C); H and W are 8 or
more.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

LEAST_PIXELS = 8  # of a side; smaller arrays are more likely to be plain numbers
MOST_IMAGES = 16  # in one grid
MOST_PIXELS = 96  # of a side; of larger images only every k-th pixel is shown
SHOWN_PIXELS = 64  # small images are enlarged by a whole number, to at most this size


@dataclasses.dataclass(frozen=True)
class Pictures:
    """The first images of a batch, uint8 (n, H, W) or (n, H, W, 3), and what was done to them."""

    pixels: np.ndarray
    size: str  # of the whole image, in words
    note: str  # how values became colors; empty for bytes, which are shown as they are

    @property
    def width(self) -> int:
        """The width on screen, in pixels of the page."""
        height, width = self.pixels.shape[1:3]
        return width * max(1, SHOWN_PIXELS // max(height, width))


def is_image(array: np.ndarray) -> bool:
    """Whether an array is one image, (C, H, W) or uint8 (H, W, C)."""
    return array.ndim == 3 and pictures_shape((1, *array.shape), array.dtype) is not None


def pictures_shape(shape: tuple[int, ...], dtype: np.dtype) -> str | None:
    """Where the channels of an array of images are: "first" or "last". None for any other array."""
    if len(shape) != 4 or dtype.kind not in "fiub":
        return None
    if shape[1] in (1, 3) and min(shape[2:]) >= LEAST_PIXELS:
        return "first"
    if dtype == np.uint8 and shape[3] in (1, 3) and min(shape[1:3]) >= LEAST_PIXELS:
        return "last"
    return None


def pictures_of(array: np.ndarray) -> Pictures | None:
    """The images in a batch; None when it holds no images or no samples."""
    place = pictures_shape(array.shape, array.dtype)
    if place is None or not len(array):
        return None
    few = np.asarray(array[:MOST_IMAGES])
    few = np.moveaxis(few, 1, 3) if place == "first" else few
    height, width, channels = few.shape[1:]
    step = math.ceil(max(height, width) / MOST_PIXELS)
    pixels, note = _bytes(few[:, ::step, ::step])
    thinned = f", every {_ordinal(step)} pixel shown" if step > 1 else ""
    size = f"{width} x {height} pixels, {'color' if channels == 3 else 'gray'}{thinned}"
    return Pictures(np.ascontiguousarray(pixels[..., 0] if channels == 1 else pixels), size, note)


def _bytes(values: np.ndarray) -> tuple[np.ndarray, str]:
    """Values as bytes, and a note on how: bytes stay as they are, values in 0..1 go from black to
    white, and other values are scaled from their lowest (black) to their highest (white).
    """
    if values.dtype == np.uint8:
        return values, ""
    if values.dtype == bool:
        return values.astype(np.uint8) * np.uint8(255), "False is black, True is white"
    values = values.astype(np.float64)
    finite = np.isfinite(values)
    if not finite.any():
        return np.zeros(values.shape, np.uint8), "no finite value: all black"
    low, high = float(values[finite].min()), float(values[finite].max())
    if 0 <= low and high <= 1:
        note, low, high = "0 is black, 1 is white", 0.0, 1.0
    else:
        note = f"{low:.3g} is black, {high:.3g} is white"
    missing = int(values.size - np.count_nonzero(finite))
    note += f"; {missing:,} values that are not finite are black" if missing else ""
    scaled = (np.where(finite, values, low) - low) / ((high - low) or 1.0)
    return np.rint(255 * scaled).astype(np.uint8), note


def _ordinal(number: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")
