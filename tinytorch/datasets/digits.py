"""Real handwritten digits that need no network: 1,797 images of 8 x 8 pixels, part of the package
(46 kB). They can also be written in the layout of CIFAR-10.

Source and license: `data/DIGITS.md` (Alpaydin and Kaynak 1998, UCI Machine Learning Repository, CC
BY 4.0).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tinytorch.datasets.cifar10 import BATCH_LABELS, TEST_FILES, TRAIN_FILES, batch, write_layout

CLASSES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_FILE = Path(__file__).parent / "data" / "digits.npz"
_DESCRIPTION = (
    "Handwritten digits (E. Alpaydin, C. Kaynak 1998, https://doi.org/10.24432/C50P49, CC BY 4.0)"
    " in the layout of CIFAR-10: 8 x 8 pixels enlarged to 32 x 32, three equal planes, 1,437"
    " training and 360 test images."
)


def load_digits(split: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return (images, labels): uint8 (N, 8, 8) with values 0..16 and int64 (N,) with values 0..9.

    Args:
        split: None for all 1,797 samples, "train" for 1,437 of them, "test" for the other 360. The
            split is fixed and stratified: each class has the same share in both parts. The same
            people wrote both parts.

    Raises:
        ValueError: `split` is something else.
    """
    if split not in (None, "train", "test"):
        raise ValueError(f"split must be None, 'train' or 'test', got {split!r}")
    with np.load(_FILE, allow_pickle=False) as stored:
        images, labels, is_test = (stored[name] for name in ("images", "labels", "is_test"))
    keep = slice(None) if split is None else is_test if split == "test" else ~is_test
    return images[keep], labels[keep].astype(np.int64)


def as_cifar10_images(images: np.ndarray) -> np.ndarray:
    """Return uint8 (N, 3, 32, 32) from digits (N, 8, 8): each pixel becomes a 4 x 4 block, 0..16 is
    scaled to 0..255, and the three color planes are equal.
    """
    scaled = ((images.astype(np.int64) * 255 + 8) // 16).astype(np.uint8)
    return np.repeat(scaled.repeat(4, axis=1).repeat(4, axis=2)[:, None], 3, axis=1)


def write_digits_as_cifar10(root: str | os.PathLike) -> Path:
    """Write the digits to `root/cifar-10-batches-py` in CIFAR-10's layout and return that folder
    (5.6 MB).

    It is written once and whole: if the folder exists already, nothing happens, and an interruption
    leaves no partial folder.

    Raises:
        FileExistsError: the folder holds another data set.
    """
    return write_layout(root, CLASSES, _batches(), _DESCRIPTION)


def _batches() -> Iterator[tuple[str, dict]]:
    for split, files in (("train", TRAIN_FILES), ("test", TEST_FILES)):
        images, labels = load_digits(split)
        parts = np.array_split(np.arange(len(labels)), len(files))
        for name, part in zip(files, parts, strict=True):
            names = [f"{CLASSES[labels[n]]}_s_{n:06d}.png" for n in part]
            content = as_cifar10_images(images[part]), labels[part], names, BATCH_LABELS[name]
            yield name, batch(*content)
