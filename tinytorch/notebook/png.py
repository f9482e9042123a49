"""Writes an array as a PNG file with only zlib (Portable Network Graphics, W3C 2003,
https://www.w3.org/TR/png/).
"""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np

GREY, RGB = 0, 2  # color types of the IHDR chunk


def png(pixels: np.ndarray) -> bytes:
    """Return the bytes of a PNG file of an image.

    Args:
        pixels: uint8, (H, W) for gray or (H, W, 3) for red, green, blue.

    Raises:
        ValueError: the array has another dtype or shape, or no pixels.
    """
    if (
        pixels.dtype != np.uint8
        or pixels.ndim not in (2, 3)
        or (pixels.ndim == 3 and pixels.shape[2] != 3)
        or not pixels.size
    ):
        raise ValueError(
            "a PNG is made of uint8 pixels, (H, W) or (H, W, 3);"
            f" got {pixels.dtype} of shape {pixels.shape}"
        )
    height, width = pixels.shape[:2]
    # each row begins with the number of its filter: 0 means none
    rows = np.zeros((height, 1 + pixels.size // height), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, GREY if pixels.ndim == 2 else RGB, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def data_url(file: bytes) -> str:
    """The file as a data URL, which needs no server."""
    return "data:image/png;base64," + base64.b64encode(file).decode("ascii")
