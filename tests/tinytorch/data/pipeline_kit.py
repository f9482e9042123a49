"""Helpers for the tests of pipelines: small datasets, the values of batches, and stand-ins of a few
lines for PyTorch and TensorFlow.
"""

import sys
import types

import numpy as np
import pytest

from tinytorch.data import images
from tinytorch.data.columns import ColumnDataset

CLASSES = "T-shirt Trouser Pullover Dress Coat Sandal Shirt Sneaker Bag Boot".split()


def fashion_dataset() -> ColumnDataset:
    """Forty pictures like those of fashion-mnist: png, 28 x 28 pixels, ten classes."""
    pictures = np.random.default_rng(0).integers(0, 256, (40, 28, 28), dtype=np.uint8)
    return ColumnDataset(
        {"images": [images.encode(picture) for picture in pictures], "labels": np.arange(40) % 10},
        class_names={"labels": CLASSES},
    )


def coco_dataset() -> ColumnDataset:
    """Sixty rows like those of coco: each has a list of categories."""
    names = ["person", "car", "motorcycle", "dog"]
    return ColumnDataset(
        {
            "pixels": np.arange(60 * 4).reshape(60, 2, 2),
            "categories": [[names[n % 4], names[n // 4 % 4]] for n in range(60)],
        }
    )


def numbers(count: int = 10) -> ColumnDataset:
    return ColumnDataset({"x": np.arange(count), "y": np.arange(count) * 10.0})


class CountingDataset(ColumnDataset):
    """Counts the rows that are read."""

    reads = 0

    def read(self, index, names=None):
        self.reads += 1
        return super().read(index, names)


def column(batches, name="x") -> list:
    return [batch[name].tolist() for batch in batches]


def flat(batches, name="x") -> list:
    return [value for batch in batches for value in batch[name].tolist()]


class FakeTensor:
    """Knows the array that it was made of."""

    def __init__(self, array: np.ndarray, maker: str):
        self.array, self.maker, self.shape = array, maker, array.shape

    def tolist(self):
        return self.array.tolist()


def use_fake_frameworks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace PyTorch and TensorFlow by stand-ins that show which calls a pipeline makes, even
    where the real packages are not installed.
    """
    torch, tensorflow = types.ModuleType("torch"), types.ModuleType("tensorflow")
    torch.from_numpy = lambda array: FakeTensor(array, "torch")
    tensorflow.convert_to_tensor = lambda array: FakeTensor(array, "tensorflow")
    for name, module in (("torch", torch), ("torch.distributed", None), ("tensorflow", tensorflow)):
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
