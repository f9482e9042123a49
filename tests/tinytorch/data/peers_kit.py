"""What the tests of peers' behavior share: ways to load, and datasets of a few lines."""

from __future__ import annotations

import contextlib
import os
import pickle
import random
import signal
import subprocess
import sys

import numpy as np
import pytest
from leak_watch import session, wait_until
from patience import PATIENCE_SECONDS

# with spawn, workers could not import the classes of this file
SETTINGS = [
    {},
    *(
        {"num_workers": 3, "start_method": "fork", **more}
        for more in ({}, {"persistent_workers": True}, {"prefetch": 3})
        if sys.platform != "win32"
    ),
]
every_way = pytest.mark.parametrize(
    "settings",
    SETTINGS,
    ids=["here", "workers", "workers that stay", "more ahead"][: len(SETTINGS)],
)


class Counting(list):
    """Item i is i."""

    def __init__(self, count):
        super().__init__(range(count))


def global_generators():
    """The states of the global generators of `random` and `numpy.random`."""
    return pickle.dumps([random.getstate(), np.random.get_state()])


def numbers(loader):
    return [np.asarray(batch.data).tolist() for batch in loader]


class Program:
    """A program of its own that loads with lab 08b; `left` is what it left running."""

    def __init__(self, package, code):
        environment = {**os.environ, "PYTHONPATH": str(package.path), "PYTHONUTF8": "1"}
        started = subprocess.Popen(
            [sys.executable, "-c", PRELUDE + code],
            cwd=package.path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        try:
            self.out, self.err = started.communicate(timeout=PATIENCE_SECONDS)
            self.code = started.returncode
            ended = wait_until(lambda: not session(started.pid), PATIENCE_SECONDS)
            self.left = [] if ended else session(started.pid)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)
            started.kill()
            started.communicate()


PRELUDE = """
import os, signal, time
import numpy as np
from tinytorch.data.callback_loader import DataLoader, IterableDataset
from tinytorch.data.workers import worker_info

class Rows(list):
    def __init__(self, count):
        super().__init__(range(count))
    def __getitem__(self, index):
        return np.full((28, 28), index)

class Batches(Rows):
    def __getitems__(self, indices):
        return np.stack([self[index] for index in indices])

class Stream(IterableDataset):
    def __init__(self, count):
        self.count = count
    def __iter__(self):
        for index in range(self.count):
            yield np.full((28, 28), index)

class Divided(Stream):
    def __iter__(self):
        for index in range(worker_info().id, self.count, worker_info().num_workers):
            yield np.full((28, 28), index)
"""
