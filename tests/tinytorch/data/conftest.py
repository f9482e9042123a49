"""Fixtures for the tests of loaders: Deep Lake's page, and what peers' own tests ask."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest
from pipeline_kit import encoded

from tinytorch.data.columns import ColumnDataset

pytest.register_assert_rewrite("claims")


class FakeTensor:
    """Knows the array that it was made of."""

    def __init__(self, array: np.ndarray, maker: str):
        self.array, self.maker, self.shape = array, maker, array.shape

    def tolist(self):
        return self.array.tolist()


@pytest.fixture
def frameworks(monkeypatch):
    """Stand-ins for PyTorch and TensorFlow, which show the calls that a pipeline makes even where
    the real packages are not installed.
    """
    torch, tensorflow = types.ModuleType("torch"), types.ModuleType("tensorflow")
    torch.from_numpy = lambda array: FakeTensor(array, "torch")
    tensorflow.convert_to_tensor = lambda array: FakeTensor(array, "tensorflow")
    for name, module in (("torch", torch), ("torch.distributed", None), ("tensorflow", tensorflow)):
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def fashion() -> ColumnDataset:
    """Forty pictures like those of fashion-mnist: png, 28 x 28 pixels, ten classes."""
    pictures = np.random.default_rng(0).integers(0, 256, (40, 28, 28), dtype=np.uint8)
    classes = "T-shirt Trouser Pullover Dress Coat Sandal Shirt Sneaker Bag Boot".split()
    return ColumnDataset(
        {"images": [encoded(picture) for picture in pictures], "labels": np.arange(40) % 10},
        class_names={"labels": classes},
    )


@pytest.fixture(scope="module")
def core(references):
    """Module 08."""
    return references("08").module


@pytest.fixture(scope="module")
def lab(references):
    """Lab 08b; files about another lab have a fixture of this name for theirs."""
    return references("08b").module


@pytest.fixture(scope="module")
def package(references):
    """Lab 08c."""
    return references("08c").module


@pytest.fixture
def make(lab):
    """Lab 08b's DataLoader; its workers end with the test."""
    loaders = []

    def made(*args, **kwargs):
        loaders.append(lab.DataLoader(*args, **kwargs))
        return loaders[-1]

    yield made
    for loader in loaders:
        loader.close()
