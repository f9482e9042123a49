"""What a trusted process spends on one submission: it runs no code of a student, but how much it
has to read is a student's to choose.
"""

from __future__ import annotations

import contextlib
import math
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from tito.errors import WorkError

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

MiB = 2**20
READING_BYTES = 768 * MiB  # of memory, for one file that was handed in
READING_SECONDS = 20  # of CPU time
GRADING_BYTES = 4096 * MiB  # of memory, for all that grading one submission does in the grader


class TooMuch(WorkError):
    """A submission needs more memory or time than it is worth."""


class _TimeIsUp(BaseException):
    """Not an Exception: nothing on the way out takes it for a failure of its own."""


@contextlib.contextmanager
def bounded(
    what: str, *, seconds: int = READING_SECONDS, memory_bytes: int = READING_BYTES
) -> Iterator[None]:
    """Run the body with at most so much CPU time and so much more memory.

    Memory is limited where the system says how much a process has (Linux), time in the main thread
    of a process (not on Windows); elsewhere the body just runs.

    Raises:
        TooMuch: it needs more. `what` begins the sentence: "reading x.ipynb".
    """
    with contextlib.ExitStack() as limits:
        limits.enter_context(_less_memory(memory_bytes))
        limits.enter_context(_less_time(seconds))
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
    """Let this process take at most so much more address space; the limits before, None where
    nothing was changed.
    """
    used = Path("/proc/self/statm")
    if resource is None or not used.is_file():
        return None
    pages = int(used.read_text(encoding="ascii").split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = pages * resource.getpagesize() + more_bytes
    known = [limit for limit in (soft, hard, wanted) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(known), hard))
    return soft, hard


@contextlib.contextmanager
def _less_time(seconds: int) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise _TimeIsUp

    try:
        handler = signal.signal(signal.SIGXCPU, stop)
    except (AttributeError, ValueError):  # Windows; not the main thread
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = math.ceil(time.process_time()) + seconds
    known = [limit for limit in (*before, wanted) if limit != resource.RLIM_INFINITY]
    try:
        # The signal comes again with each second, in case the first is swallowed.
        resource.setrlimit(resource.RLIMIT_CPU, (min(known), before[1]))
        yield
    finally:
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_CPU, before)
        signal.signal(signal.SIGXCPU, handler)
