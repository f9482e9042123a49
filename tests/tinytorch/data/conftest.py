"""Fixtures for the tests of Deep Lake's page."""

from __future__ import annotations

import pytest
from pipeline_kit import fashion_dataset, use_fake_frameworks

from tinytorch.data.columns import ColumnDataset


@pytest.fixture
def frameworks(monkeypatch):
    """Stand-ins for PyTorch and TensorFlow."""
    use_fake_frameworks(monkeypatch)


@pytest.fixture(scope="module")
def fashion() -> ColumnDataset:
    return fashion_dataset()
