"""Fixtures for the tests of loaders: Deep Lake's page, and what peers' own tests ask."""

from __future__ import annotations

import sys
import types
from types import SimpleNamespace

import pytest

pytest.register_assert_rewrite("claims")


@pytest.fixture
def frameworks(monkeypatch):
    """Stand-ins for PyTorch and TensorFlow, which show the calls that a pipeline makes even where
    the real packages are not installed.
    """
    torch, tensorflow = types.ModuleType("torch"), types.ModuleType("tensorflow")
    torch.from_numpy = lambda array: SimpleNamespace(maker="torch", tolist=array.tolist)
    tensorflow.convert_to_tensor = lambda array: SimpleNamespace(
        maker="tensorflow", tolist=array.tolist
    )
    torch.distributed = SimpleNamespace(is_available=lambda: True, is_initialized=lambda: False)
    for module in (torch, tensorflow):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sys.modules, "torch.distributed", torch.distributed)
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)


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
