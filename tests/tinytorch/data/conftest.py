"""Fixtures for the tests of loaders: Deep Lake's page, and what peers' own tests ask."""

from __future__ import annotations

import pytest
from pipeline_kit import fashion_dataset, use_fake_frameworks

from tinytorch.data.columns import ColumnDataset

pytest.register_assert_rewrite("claims")


@pytest.fixture
def frameworks(monkeypatch):
    """Stand-ins for PyTorch and TensorFlow."""
    use_fake_frameworks(monkeypatch)


@pytest.fixture(scope="module")
def fashion() -> ColumnDataset:
    return fashion_dataset()


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
