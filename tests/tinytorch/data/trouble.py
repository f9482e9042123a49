"""The work of the workers in the tests of faults: make batches, until something goes wrong."""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import sys
import time
from collections.abc import Callable

import numpy as np


def batch(task: int) -> tuple[np.ndarray, int]:
    return np.full((64, 1024), task % 256, np.uint8), task


def batch_or(trouble: Callable[[], None], at: int = 5) -> Callable[[int], object]:
    return _Trouble(trouble, at)


class _Trouble:
    """Makes a batch, but calls the trouble at one task. It is a class, because spawn cannot pickle
    a function inside a function.
    """

    def __init__(self, trouble: Callable[[], None], at: int):
        self.trouble, self.at = trouble, at

    def __call__(self, task: int) -> object:
        return (task == self.at and self.trouble()) or batch(task)


def key_error() -> None:
    raise KeyError("sample 5 is missing")


def system_exit() -> None:
    sys.exit(7)


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def segfault() -> None:
    import faulthandler

    faulthandler.disable()
    ctypes.string_at(0)


def sleep_for_ever() -> None:
    time.sleep(10_000)


def hold_the_interpreter() -> None:
    """Stop all other threads of this process, even the one that notices that the main process has
    ended.
    """
    sum(itertools.repeat(0))


def stopped() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def held_by_a_child_of_its_own() -> None:
    """The worker is killed, but a process that it had forked keeps all its pipes open."""
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.closerange(0, 3)
        time.sleep(10_000)
        os._exit(0)
    killed()


def failing_init(info):
    raise KeyError("no data here")
