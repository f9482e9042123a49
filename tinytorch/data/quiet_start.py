"""Starting worker processes without surprises: no Ctrl-C half-way, one thread of linear algebra
in each, no misplaced warning.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
import warnings
from collections.abc import Iterator

# Each worker is busy on one core by itself. Were each to open as many threads as there are cores,
# they would fight for them.
_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
_OPENBLAS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
)

# the environment is the process's; and a worker must not inherit half of another pool's pipe
_one_at_a_time = threading.Lock()


@contextlib.contextmanager
def quiet_start() -> Iterator[None]:
    """While this is entered, new processes start with SIGINT blocked and with one thread for linear
    algebra.

    A worker unblocks SIGINT when it ignores it (`in_a_worker`): a Ctrl-C between its first
    instruction and that moment would print a traceback of its own. To the main process the signal
    comes when this ends; blocked or not, another thread may take it, hence `_later`.
    """
    with _one_at_a_time, warnings.catch_warnings():
        # Python 3.12 warns of every fork beside threads, those of OpenBLAS too, which are stopped
        # for the fork. What a worker runs first takes no lock that another thread may hold.
        warnings.filterwarnings(
            "ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning
        )
        before = {name: os.environ.get(name) for name in _ONE_THREAD}
        # what the user set stays
        os.environ.update({name: value or "1" for name, value in before.items()})
        masked = (
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            if hasattr(signal, "pthread_sigmask")
            else None
        )
        try:
            with _later():
                yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
            if masked is not None:  # last, for a Ctrl-C that waited raises KeyboardInterrupt here
                signal.pthread_sigmask(signal.SIG_SETMASK, masked)


@contextlib.contextmanager
def _later() -> Iterator[None]:
    """Call Python's handler of SIGINT, mostly the one that raises KeyboardInterrupt, only when
    this ends.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    came: list[tuple] = []
    signal.signal(signal.SIGINT, lambda *signal_and_frame: came.append(signal_and_frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if came:
            handler(*came[0])


def in_a_worker() -> None:
    """What a worker does first: Ctrl-C is the main process's business, a request to end
    (SIGTERM) ends it, one thread computes.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a forked worker has the handlers of its parent
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if not any(os.environ.get(name, "1") != "1" for name in _ONE_THREAD):
        _one_blas_thread()


def _one_blas_thread() -> None:
    """A forked worker has its linear algebra loaded already, and the environment comes too late:
    OpenBLAS, where it is found, is told.
    """
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            libraries = {line.split(maxsplit=5)[5].strip() for line in file if "openblas" in line}
        for path in libraries:
            library = ctypes.CDLL(path)
            for name in _OPENBLAS:
                if hasattr(library, name):
                    getattr(library, name)(1)
                    break
    except OSError:  # no such file: not Linux, and spawn is the way to start there
        pass


def _new_lock() -> None:
    global _one_at_a_time
    # a process forked by another thread in the middle of a start would wait for ever
    _one_at_a_time = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
