"""Finds what a program, or a part of it, leaves behind: processes, open files, names in
/dev/shm.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import psutil

from helpers.patience import PATIENCE_SECONDS, until

# the names that multiprocessing and loaders use in /dev/shm
_NAMED = ("psm_", "sem.mp", "tinytorch", "torch_")


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
    """The descendants of this process, without the resource tracker that multiprocessing keeps for
    spawn until the program ends.
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
        with contextlib.suppress(OSError):  # the descriptor that listed the folder is closed by now
            found.add(f"{name} {os.readlink(f'/proc/self/fd/{name}')}")
    return {line for line in found if "/proc/" not in line}


def named_memory() -> set[str]:
    """The names in /dev/shm that a loader may have put there."""
    return {path.name for path in Path("/dev/shm").glob("*") if path.name.startswith(_NAMED)}


@contextlib.contextmanager
def nothing_left() -> Iterator[None]:
    """Raise an AssertionError if, after the block, this process has children, open files or names
    in /dev/shm that it did not have before.
    """
    # Names of other programs may come and go meanwhile; names that this program left stay.
    finds = (children, open_files, named_memory)
    before = [set(find()) for find in finds]
    yield
    for find, there in zip(finds, before, strict=True):
        seconds = 5 if find is open_files else PATIENCE_SECONDS
        left = lambda find=find, there=there: set(find()) - there  # noqa: E731
        assert until(lambda left=left: not left(), seconds), f"{find.__name__}: {sorted(left())}"
