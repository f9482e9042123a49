"""Holds a trusted process to the memory and the time that it may spend on one submission. Such a
process runs no student code, but a student decides how much it has to read.
"""

import contextlib
import math
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from grading.engine.submission_size_and_time import READING_BYTES, READING_SECONDS
from tito.errors import WorkError

MiB = 2**20


class TooMuch(WorkError):
    """A submission needs more memory or time than the limit for one submission."""


class _TimeIsUp(BaseException):
    """Not an Exception, so that no `except Exception` on the way out catches it."""


@contextlib.contextmanager
def bounded(
    what: str, *, seconds: int = READING_SECONDS, memory_bytes: int = READING_BYTES
) -> Iterator[None]:
    """Run the body with at most `seconds` more CPU time and `memory_bytes` more memory.

    Memory is limited where the system reports how much a process uses (Linux), time in the main
    thread of a process. Elsewhere the body runs without limits.

    Raises:
        TooMuch: the body needs more. The message begins with `what`, such as "reading x.ipynb".
    """
    with _less_memory(memory_bytes), _less_time(seconds):
        try:
            yield
        except MemoryError:
            problem = f"{memory_bytes // MiB} MiB of memory"
        except _TimeIsUp:
            problem = f"{seconds} s of computing time"
        else:
            return
    raise TooMuch(f"{what} takes more than {problem}, the limit for one submission")


@contextlib.contextmanager
def _less_memory(more_bytes: int) -> Iterator[None]:
    before = limit_memory(more_bytes)
    try:
        yield
    finally:
        if before is not None:
            resource.setrlimit(resource.RLIMIT_AS, before)


def limit_memory(more_bytes: int) -> tuple[int, int] | None:
    """Let this process use at most `more_bytes` more address space. Returns the limits before, or
    None if nothing was changed.
    """
    used = Path("/proc/self/statm")
    if not used.is_file():
        return None
    pages = int(used.read_text(encoding="ascii").split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + more_bytes
    known = [limit for limit in (soft, hard, wanted) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(known), hard))
    return soft, hard


def limit_child(more_bytes: int) -> None:
    """`limit_memory` for a fork; on Linux it also ends with its parent."""
    limit_memory(more_bytes)
    if sys.platform == "linux":  # macOS does not have this call
        from grading.engine.sandbox.kernelcalls import die_with_parent

        die_with_parent()


@contextlib.contextmanager
def _less_time(seconds: int) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise _TimeIsUp

    try:
        handler = signal.signal(signal.SIGXCPU, stop)
    except ValueError:  # not the main thread
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = math.ceil(time.process_time()) + seconds
    known = [limit for limit in (*before, wanted) if limit != resource.RLIM_INFINITY]
    try:
        # The signal is sent again each second, in case code swallows the first one.
        resource.setrlimit(resource.RLIMIT_CPU, (min(known), before[1]))
        yield
    finally:
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_CPU, before)
        signal.signal(signal.SIGXCPU, handler)
