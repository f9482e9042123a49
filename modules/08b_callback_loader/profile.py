"""What `tito profile 08b` measures: your own loader over images of CIFAR-10's size.
Given; change it as you like.

`tito profile 08b` measures `make_loader`, `tito profile 08b expensive` measures
`make_expensive`, and so on for any function `make_NAME` that you add. Each call makes a
new loader.
"""

import functools

import numpy as np

from tinytorch.data.callback_loader import DataLoader

NUM_IMAGES = 2048  # 6 MB


@functools.cache
def images() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (NUM_IMAGES, 3, 32, 32), np.uint8)


def checksum(image):
    """Some Python for each pixel, as decoding a file would need."""
    total = 0
    for byte in image.reshape(-1).tolist():
        total = (31 * total + byte) % 65_521
    return image, total


def make_loader(batch_size=32, num_workers=0):
    """Rows of an array: what the loader itself costs."""
    return DataLoader(
        images(),
        bs=batch_size,
        shuffle=True,
        seed=0,
        num_workers=num_workers,
        persistent_workers=num_workers > 0,
    )


def make_expensive(batch_size=32, num_workers=0):
    """Items that cost a lot of Python."""
    return DataLoader(
        images()[:256],
        bs=batch_size,
        shuffle=True,
        seed=0,
        after_item=checksum,
        num_workers=num_workers,
        persistent_workers=num_workers > 0,
    )


def make_workers(batch_size=32):
    """The same items, made by two processes."""
    return make_expensive(batch_size, num_workers=2)
