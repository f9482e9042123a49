"""How to start Python from a test, and how long a test waits for something that always happens,
such as an event, the end of a process or an answer. This limit only ends tests that hang. It is so
generous that a busy machine never reaches it, and no test may use it to check speed: that is done
with CPU time, counts, or a fake clock.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

import psutil

PATIENCE_SECONDS = 600


def python(*arguments: object, encoding: str = "utf-8", **environment: str):
    """Run Python with these arguments and, besides the usual ones, these variables."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, "PYTHONIOENCODING": encoding, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding=encoding,
        timeout=PATIENCE_SECONDS,
    )


def until(holds: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> bool:
    """Wait until `holds()` is true; return whether it became true before the limit."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def runs(pid: int) -> bool:
    """Whether the process of this number has not ended."""
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False
