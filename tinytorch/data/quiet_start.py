"""Starts worker processes so that Ctrl-C cannot interrupt the start, each worker uses one thread
for linear algebra, and Python does not warn about forking.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
import warnings
from collections.abc import Iterator

# Each worker keeps one core busy. If each opened as many threads as there are cores, the threads
# would compete for the cores.
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

# The environment belongs to the whole process, and a worker must not inherit a pipe that another
# pool is still setting up. So only one start at a time.
_one_at_a_time = threading.Lock()


@contextlib.contextmanager
def quiet_start() -> Iterator[None]:
    """Inside this `with` block, new processes start with SIGINT blocked and with one thread for
    linear algebra.

    A worker unblocks SIGINT once it ignores it (`in_a_worker`). A Ctrl-C before that moment would
    print a traceback from the worker. The main process receives the signal when the block ends.
    Even while it is blocked, another thread may receive it; therefore `_later`.
    """
    with _one_at_a_time, warnings.catch_warnings():
        # Python 3.12 warns about every fork while other threads run, even those of OpenBLAS, which
        # are stopped for the fork. It is safe here: the first code in a worker takes no lock that
        # another thread may hold.
        warnings.filterwarnings(
            "ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning
        )
        before = {name: os.environ.get(name) for name in _ONE_THREAD}
        # values that the user has set are kept
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
            # last: a Ctrl-C that was held back raises KeyboardInterrupt here
            if masked is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, masked)


@contextlib.contextmanager
def _later() -> Iterator[None]:
    """Delay Python's handler of SIGINT, usually the one that raises KeyboardInterrupt, until this
    `with` block ends.
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
    """What a worker does first: ignore Ctrl-C, which the main process handles; let SIGTERM end the
    worker; compute with one thread.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a forked worker has the handlers of its parent
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    one_thread()


def one_thread() -> None:
    """Let linear algebra compute with one thread from now on, in this process and in those that it
    starts. A user who has set another number of threads in the environment keeps it.
    """
    if any(os.environ.get(name, "1") != "1" for name in _ONE_THREAD):
        return
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    _one_blas_thread()


def _one_blas_thread() -> None:
    """Set OpenBLAS to one thread, where it is found. A forked worker has already loaded its linear
    algebra library, which no longer reads the environment variables.
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
    # a process that another thread forks during a start would otherwise wait for this lock for ever
    _one_at_a_time = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
