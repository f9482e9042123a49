"""What the tests of loaders and of their workers share."""

from __future__ import annotations

import os
import pickle
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from tinytorch.data import shared_memory

METHODS = ["spawn"] if sys.platform == "win32" else ["fork", "spawn"]
each_method = pytest.mark.parametrize("method", METHODS)
needs_fork = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="what is tested is in memory only, which spawn cannot pickle"
)
needs_slots = pytest.mark.skipif(
    not shared_memory.available, reason="arrays go through the pipe on this system"
)
needs_proc = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(),
    reason="what a process holds is read from /proc, which this system does not have",
)


def same(task):
    return task


def global_generators():
    """The states of the global generators of `random` and `numpy.random`."""
    return pickle.dumps([random.getstate(), np.random.get_state()])


def numbers(loader):
    return [np.asarray(batch.data).tolist() for batch in loader]
