"""Encoded images: jpeg or png bytes to arrays or PIL images. Pillow is imported when the first
image needs it.

The decoding methods have the names that Deep Lake uses: 'numpy' (an array), 'tobytes' (the bytes as
they are stored), 'pil' (a PIL image).
"""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np

METHODS = ("numpy", "tobytes", "pil")
_SIGNATURES = {b"\xff\xd8\xff": "jpeg", b"\x89PNG\r\n\x1a\n": "png"}
# modes that can be stored in an array; others are converted to one of these
_PLAIN_MODES = ("L", "RGB", "RGBA", "LA", "I;16", "I", "F")


class ImageError(ValueError):
    """An image that cannot be decoded; the message names the column, the row and what is wrong."""


def compression(data: bytes) -> str | None:
    """'jpeg' or 'png', judged by the first bytes of an encoded image; None for anything else."""
    return next(
        (name for signature, name in _SIGNATURES.items() if data.startswith(signature)), None
    )


def check_signature(data: bytes, place: str) -> None:
    """Raise an ImageError, which begins with `place`, for bytes that are neither jpeg nor png."""
    if compression(data) is None:
        raise ImageError(
            f"{place}: neither jpeg (starts ff d8 ff) nor png (starts 89 50 4e 47): {len(data)}"
            f" bytes that start with {bytes(data[:4]).hex(' ') or 'nothing'}"
        )


def decode(
    data: bytes, method: str = "numpy", *, column: str = "image", row: int | None = None
) -> Any:
    """Return an encoded image, decoded by `method`.

    Args:
        data: a whole jpeg or png file.
        method: 'numpy' gives an array of shape (H, W) for gray images, else (H, W, C), uint8
            (uint16 for a png of 16 bits); palettes become RGB, or RGBA where they have
            transparency, and CMYK becomes RGB. 'pil' gives a loaded PIL image, 'tobytes' gives
            `data`.
        column: for the error message.
        row: for the error message.

    Raises:
        ImageError: the data is neither jpeg nor png, is cut off or damaged, or the image is larger
            than Pillow's limit.
        ImportError: Pillow is missing ('numpy' and 'pil' need it).
    """
    place = f"column {column!r}" + ("" if row is None else f", row {row}")
    if method == "tobytes":
        return bytes(data)
    check_signature(data, place)
    image = _open(data, place)
    if method == "pil":
        return image
    return np.asarray(image if image.mode in _PLAIN_MODES else image.convert(_nearest_mode(image)))


def _open(data: bytes, place: str) -> Any:
    pillow = _pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            image = pillow.open(io.BytesIO(data), formats=("JPEG", "PNG"))
            image.load()  # Pillow reads lazily, so without this call damage would show later
    except (pillow.DecompressionBombError, pillow.DecompressionBombWarning) as error:
        raise ImageError(
            f"{place}: the image claims to be larger than Pillow's limit of"
            f" {pillow.MAX_IMAGE_PIXELS} pixels (PIL.Image.MAX_IMAGE_PIXELS): {error}"
        ) from error
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        # What Pillow raises for damaged files; a damaged png chunk gives SyntaxError.
        raise ImageError(
            f"{place}: the {compression(data)} of {len(data)} bytes is damaged or cut off: {error}"
        ) from error
    return image


def _nearest_mode(image: Any) -> str:
    if image.mode == "1":
        return "L"
    return "RGBA" if image.mode == "PA" or "transparency" in image.info else "RGB"


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(
            "decoding jpeg and png images needs Pillow: python -m pip install pillow"
        ) from error
    return Image
