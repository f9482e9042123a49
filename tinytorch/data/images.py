"""Encoded images: jpeg or png bytes to arrays or PIL images, and back. Pillow is imported when the
first image needs it.

The methods have Deep Lake's names: 'numpy' (an array), 'tobytes' (the bytes as they are stored),
    'pil' (a PIL image).
"""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np

METHODS = ("numpy", "tobytes", "pil")
_SIGNATURES = {b"\xff\xd8\xff": "jpeg", b"\x89PNG\r\n\x1a\n": "png"}
# what an array can show; others are turned into one of them
_PLAIN_MODES = ("L", "RGB", "RGBA", "LA", "I;16", "I", "F")


class ImageError(ValueError):
    """An image that cannot be decoded; the message names the column, the row and what is wrong."""


def compression(data: bytes) -> str | None:
    """'jpeg' or 'png' by the first bytes of an encoded image; None for anything else."""
    return next(
        (name for signature, name in _SIGNATURES.items() if data.startswith(signature)), None
    )


def decode(
    data: bytes, method: str = "numpy", *, column: str = "image", row: int | None = None
) -> Any:
    """Return an encoded image as `method` says.

    Args:
        data: a whole jpeg or png file.
        method: 'numpy' gives an array of shape (H, W) for grey or (H, W, C), uint8 (uint16 for png
            of 16 bits); palettes become RGB, or RGBA where they know transparency, and CMYK becomes
            RGB. 'pil' gives a loaded PIL image, 'tobytes' gives `data`.
        column: for the error message.
        row: for the error message.

    Raises:
        ImageError: neither jpeg nor png, cut off or damaged, or larger than Pillow's limit for an
            image.
        ImportError: Pillow is missing ('numpy' and 'pil' need it).
    """
    place = f"column {column!r}" + ("" if row is None else f", row {row}")
    if method == "tobytes":
        return bytes(data)
    if compression(data) is None:
        start = bytes(data[:4]).hex(" ") or "nothing"
        raise ImageError(
            f"{place}: neither jpeg (starts ff d8 ff) nor png (starts 89 50 4e 47): {len(data)}"
            f" bytes that start with {start}"
        )
    image = _open(data, place)
    return (
        image
        if method == "pil"
        else np.asarray(
            image if image.mode in _PLAIN_MODES else image.convert(_nearest_mode(image))
        )
    )


def encode(image: np.ndarray, compression: str = "png", quality: int = 90) -> bytes:
    """Return `image`, uint8 of shape (H, W), (H, W, 3) or (for png) (H, W, 4), as the bytes of a
    jpeg or png file.

    Raises:
        ValueError: another shape or dtype, or another compression.
    """
    image = np.asarray(image)
    if compression not in _SIGNATURES.values():
        raise ValueError(f"compression must be 'jpeg' or 'png', got {compression!r}")
    channels = (3,) if compression == "jpeg" else (3, 4)
    if image.dtype != np.uint8 or not (
        image.ndim == 2 or (image.ndim == 3 and image.shape[2] in channels)
    ):
        raise ValueError(
            f"an image for {compression} is uint8 of shape (H, W) or (H, W,"
            f" {' or '.join(map(str, channels))}), got {image.dtype} of shape {image.shape}"
        )
    file = io.BytesIO()
    _pillow().fromarray(image).save(
        file, format=compression.upper(), **({"quality": quality} if compression == "jpeg" else {})
    )
    return file.getvalue()


def _open(data: bytes, place: str):
    pillow = _pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pillow.DecompressionBombWarning)
            image = pillow.open(io.BytesIO(data), formats=("JPEG", "PNG"))
            image.load()  # Pillow reads lazily: damage would show later, far from here
    except (pillow.DecompressionBombError, pillow.DecompressionBombWarning) as error:
        raise ImageError(
            f"{place}: the image claims to be larger than Pillow's limit of"
            f" {pillow.MAX_IMAGE_PIXELS} pixels (PIL.Image.MAX_IMAGE_PIXELS): {error}"
        ) from error
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        # Pillow's answers to damage; png chunks give SyntaxError
        raise ImageError(
            f"{place}: the {compression(data)} of {len(data)} bytes is damaged or cut off: {error}"
        ) from error
    return image


def _nearest_mode(image) -> str:
    if image.mode == "1":
        return "L"
    return "RGBA" if image.mode == "PA" or "transparency" in image.info else "RGB"


def _pillow():
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(
            "decoding jpeg and png images needs Pillow: python -m pip install pillow"
        ) from error
    return Image
