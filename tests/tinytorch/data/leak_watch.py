"""What a program leaves behind when it ends, or after a piece of it: processes, open files,
names in /dev/shm.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

GUARD_SECONDS = 600.0  # for what must not hang; ends a broken run, times nothing
# how multiprocessing and loaders call what they put in /dev/shm
_NAMED = ("psm_", "sem.mp", "tinytorch", "torch_")


def wait_until(holds: Callable[[], bool], seconds: float = GUARD_SECONDS) -> bool:
    """Whether `holds()` came true before the guard."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return psutil.Process(pid).status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return False


def session(leader: int) -> list[int]:
    """The processes of the session that `leader` began with start_new_session=True, zombies left
    out.
    """
    members = []
    for pid in psutil.pids():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getsid(pid) == leader and alive(pid):
                members.append(pid)
    return members


def children() -> list[int]:
    """The processes below this one, without the tracker that multiprocessing keeps for spawn
    until the program ends.
    """
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if process.status() != psutil.STATUS_ZOMBIE and "resource_tracker" not in " ".join(
                process.cmdline()
            ):
                found.append(process.pid)
    return found


def open_files() -> set[str]:
    """The descriptors of this process, with what each stands for."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the one that lists the folder is gone by now
            found.add(f"{name} {os.readlink(f'/proc/self/fd/{name}')}")
    return {line for line in found if "/proc/" not in line}


def named_memory() -> set[str]:
    """The names in /dev/shm that a loader may have put there."""
    return (
        {path.name for path in Path("/dev/shm").glob("*") if path.name.startswith(_NAMED)}
        if Path("/dev/shm").is_dir()
        else set()
    )


@contextlib.contextmanager
def nothing_left() -> Iterator[None]:
    """Raise AssertionError if, after the block, this process has children, files or names in
    /dev/shm that it had not before.
    """
    before, files, names = set(children()), open_files(), named_memory()
    yield
    assert wait_until(lambda: not set(children()) - before), (
        f"processes left: {sorted(set(children()) - before)}"
    )
    assert wait_until(lambda: not open_files() - files, 5), (
        f"open files left: {sorted(open_files() - files)}"
    )
    # Another program's may come and go meanwhile; what this one leaves stays.
    assert wait_until(lambda: not named_memory() - names), (
        f"left in /dev/shm: {sorted(named_memory() - names)}"
    )
