"""The state of a process that code under test shares with its tests. It is set anew before each
test, so that no test depends on what the package changed when it was imported, or left behind.
"""

import contextlib
import gc
import hashlib
import os
import random
import sys
import tracemalloc
import warnings
from typing import Any

import numpy as np

_KEPT = "PYTEST_CURRENT_TEST"  # pytest sets this variable, and takes it away


class State:
    """What this process looks like before it imports the package under test."""

    def __init__(self) -> None:
        self.variables = dict(os.environ)
        self.folder = os.getcwd()
        self.filters = list(warnings.filters)
        self.float_errors: Any = np.geterr()
        self.float_errors_call = np.geterrcall()
        self.print_options: Any = np.get_printoptions()
        self.recursion_limit = sys.getrecursionlimit()
        self.switch_interval = sys.getswitchinterval()
        self.collects, self.thresholds = gc.isenabled(), gc.get_threshold()

    def restore(self, seed: int) -> None:
        """Set the state again; the generators of NumPy and of Python begin at `seed`."""
        tracemalloc.stop()
        warnings.resetwarnings()  # it also tells Python that the filters have changed
        warnings.filters[:] = self.filters  # type: ignore[index]
        np.seterr(**self.float_errors)
        np.seterrcall(self.float_errors_call)
        np.set_printoptions(**self.print_options)
        sys.setrecursionlimit(self.recursion_limit)
        sys.setswitchinterval(self.switch_interval)
        (gc.enable if self.collects else gc.disable)()
        gc.set_threshold(*self.thresholds)
        with contextlib.suppress(OSError):  # somebody removed the folder
            os.chdir(self.folder)
        for name in os.environ.keys() - self.variables.keys() - {_KEPT}:
            del os.environ[name]
        os.environ.update({name: self.variables[name] for name in self.variables if name != _KEPT})
        random.seed(seed)
        np.random.seed(seed)


def seed_of(run_seed: int, test: str) -> int:
    """Where the global generators begin in a test: the same in each run with this seed. The code
    under test sees it, and learns neither the seed of the run nor which test it is.
    """
    digest = hashlib.sha256(f"{run_seed} {test}".encode()).digest()
    return int.from_bytes(digest[:4], "little")
