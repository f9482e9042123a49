"""What `tito profile 08` measures: your own loader over images of CIFAR-10's size.
Given; change it as you like.

`tito profile 08` measures `make_loader`, `tito profile 08 streaming` measures
`make_streaming`, and so on for any function `make_NAME` that you add. Each call makes a
new loader; a function may also return (loader, step), where step(batch) is one training
step.
"""

import functools
import tempfile
from pathlib import Path

import numpy as np

from tinytorch.core.dataloader import (
    Compose,
    DataLoader,
    MemmapDataset,
    RandomCrop,
    RandomHorizontalFlip,
    TensorDataset,
)
from tinytorch.core.tensor import Tensor
from tinytorch.datasets import write_images_npy

NUM_IMAGES = 8192  # 25 MB


@functools.cache
def files() -> tuple[Path, Path]:
    """Write the images and their labels once, in a folder that goes when the
    measurement is over.
    """
    folder = Path(tempfile.mkdtemp())
    write_images_npy(
        folder / "images.npy", NUM_IMAGES, labels_path=folder / "labels.npy"
    )
    return folder / "images.npy", folder / "labels.npy"


def make_loader(batch_size=128, prefetch=0):
    """All images in memory, shuffled, no transform: what loading itself costs."""
    images, labels = (Tensor(np.load(path)) for path in files())
    return DataLoader(
        TensorDataset(images, labels),
        batch_size=batch_size,
        shuffle=True,
        seed=0,
        prefetch=prefetch,
    )


def make_streaming(batch_size=128, prefetch=0):
    """The same images, read from their file when a batch needs them."""
    return DataLoader(
        MemmapDataset(*files()),
        batch_size=batch_size,
        shuffle=True,
        seed=0,
        prefetch=prefetch,
    )


def make_augmented(batch_size=128, prefetch=0):
    """The streaming loader that flips and crops each image."""
    dataset = MemmapDataset(
        *files(), transform=Compose([RandomHorizontalFlip(), RandomCrop(32, padding=4)])
    )
    return DataLoader(
        dataset, batch_size=batch_size, shuffle=True, seed=0, prefetch=prefetch
    )
