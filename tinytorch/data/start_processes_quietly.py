"""Starts worker processes so that Ctrl-C cannot interrupt the start, each worker uses one thread
for linear algebra, and Python does not warn about forking.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import warnings
from collections.abc import Iterator

from tinytorch.linear_algebra import ONE_THREAD, one_thread

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
        # Each worker keeps one core busy. If each opened as many threads as there are cores, the
        # threads would compete for the cores.
        before = {name: os.environ.get(name) for name in ONE_THREAD}
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


def _new_lock() -> None:
    global _one_at_a_time
    # a process that another thread forks during a start would otherwise wait for this lock for ever
    _one_at_a_time = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
