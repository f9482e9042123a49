"""A small data set in CIFAR-10's layout."""

from pathlib import Path

import pytest

from tinytorch.datasets import write_synthetic_cifar10


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    return write_synthetic_cifar10(tmp_path_factory.mktemp("original"), 25, 5)
