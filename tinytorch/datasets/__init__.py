"""Data for the course: real digits that need no network, CIFAR-10's file layout and download, and
noise at CIFAR-10's size.
"""

from tinytorch.datasets.cifar10 import (
    ALL_FILES,
    CLASSES,
    FOLDER,
    IMAGE_SHAPE,
    META_FILE,
    TEST_FILES,
    TRAIN_FILES,
    DamagedFile,
    MissingData,
    is_complete,
    locate,
    read_batch,
    read_meta,
    write_batch,
)
from tinytorch.datasets.digits import load_digits, write_digits_as_cifar10
from tinytorch.datasets.fetch import FetchError, fetch_cifar10
from tinytorch.datasets.synthetic import synthetic_images, write_images_npy, write_synthetic_cifar10

__all__ = [
    "ALL_FILES",
    "CLASSES",
    "FOLDER",
    "IMAGE_SHAPE",
    "META_FILE",
    "TEST_FILES",
    "TRAIN_FILES",
    "DamagedFile",
    "FetchError",
    "MissingData",
    "fetch_cifar10",
    "is_complete",
    "load_digits",
    "locate",
    "read_batch",
    "read_meta",
    "synthetic_images",
    "write_batch",
    "write_digits_as_cifar10",
    "write_images_npy",
    "write_synthetic_cifar10",
]
