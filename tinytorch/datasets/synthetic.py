"""Noise at CIFAR-10's size, for measuring throughput without a network. Nothing can be learned from
it.

The same seed gives the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tinytorch.datasets.cifar10 import (
    BATCH_LABELS,
    IMAGE_SHAPE,
    NUM_CLASSES,
    TEST_FILES,
    TRAIN_FILES,
    batch,
    replaced,
    write_layout,
)

CLASSES = tuple(f"noise {n}" for n in range(NUM_CLASSES))
IMAGES_PER_CHUNK = 1024  # 3 MB: the images that `write_images_npy` holds in memory at a time


def synthetic_images(count: int, seed: int = 0, part: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return (images, labels): uint8 (count, 3, 32, 32) and int64 (count,) 0..9. Each `part` gives
    other samples from the same seed.

    Raises:
        ValueError: `count` or `seed` is negative.
    """
    if count < 0:
        raise ValueError(f"count must be 0 or more, got {count}")
    rng = np.random.default_rng([seed, part])
    size = count * int(np.prod(IMAGE_SHAPE))
    images = np.frombuffer(bytearray(rng.bytes(size)), np.uint8).reshape(count, *IMAGE_SHAPE)
    return images, rng.integers(0, NUM_CLASSES, count)


def write_synthetic_cifar10(
    root: str | os.PathLike, num_train: int = 50_000, num_test: int = 10_000, seed: int = 0
) -> Path:
    """Write noise in CIFAR-10's layout to `root/cifar-10-batches-py` and return that folder; 184 MB
    at the default size.

    The folder is written once and whole, with one file (31 MB) in memory at a time.

    Raises:
        FileExistsError: the folder holds another data set, or noise of another size or seed.
        ValueError: a count or the seed is negative.
    """
    for name, value in (("num_train", num_train), ("num_test", num_test), ("seed", seed)):
        if value < 0:
            raise ValueError(f"{name} must be 0 or more, got {value}")
    description = (
        "Noise in the layout of CIFAR-10:"
        f" {num_train} training and {num_test} test images, seed {seed}."
    )
    return write_layout(root, CLASSES, _batches(num_train, num_test, seed), description)


def _batches(num_train: int, num_test: int, seed: int) -> Iterator[tuple[str, dict]]:
    files = (*TRAIN_FILES, *TEST_FILES)
    per_file = [*map(len, np.array_split(np.arange(num_train), len(TRAIN_FILES))), num_test]
    start = 0
    for part, (name, count) in enumerate(zip(files, per_file, strict=True)):
        images, labels = synthetic_images(count, seed, part)
        names = [f"noise_s_{start + n:06d}.png" for n in range(count)]
        yield name, batch(images, labels, names, BATCH_LABELS[name])
        start += count


def write_images_npy(
    path: str | os.PathLike, count: int, seed: int = 0, labels_path: str | os.PathLike | None = None
) -> Path:
    """Write noise as one .npy file, uint8 (count, 3, 32, 32), for `np.load(path, mmap_mode="r")`,
    and return its path.

    At most IMAGES_PER_CHUNK images are in memory, whatever `count`. With `labels_path`, the labels
    go there: int64 (count,). Each file is replaced whole or not at all.

    Raises:
        ValueError: `count` or `seed` is negative.
    """
    if count < 0:
        raise ValueError(f"count must be 0 or more, got {count}")
    starts = range(0, count, IMAGES_PER_CHUNK)
    sizes = [min(IMAGES_PER_CHUNK, count - start) for start in starts]
    labels = []

    def chunks() -> Iterator[np.ndarray]:
        for part, size in enumerate(sizes):
            images, some = synthetic_images(size, seed, part)
            labels.append(some)
            yield images

    _write_npy(Path(path), (count, *IMAGE_SHAPE), np.dtype(np.uint8), chunks())
    if labels_path is not None:
        _write_npy(Path(labels_path), (count,), np.dtype(np.int64), iter(labels))
    return Path(path)


def _write_npy(
    path: Path, shape: tuple[int, ...], dtype: np.dtype, chunks: Iterator[np.ndarray]
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    descr = np.lib.format.dtype_to_descr(dtype)
    header = {"descr": descr, "fortran_order": False, "shape": shape}
    with replaced(path) as file:
        np.lib.format.write_array_header_1_0(file, header)
        for chunk in chunks:
            file.write(chunk.data)
