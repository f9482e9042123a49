"""Finds what a program, or a part of it, leaves behind: processes, open files, names in
/dev/shm.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import psutil

from helpers.patience import PATIENCE_SECONDS, runs, until

# the names that multiprocessing and loaders use in /dev/shm
_NAMED = ("psm_", "sem.mp", "tinytorch", "torch_")


def session(leader: int) -> set[int]:
    """The processes of the session that `leader` began with start_new_session=True, zombies left
    out.
    """
    members = set()
    for pid in psutil.pids():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.getsid(pid) == leader and runs(pid):
                members.add(pid)
    return members


def children() -> set[int]:
    """The descendants of this process, without the resource tracker that multiprocessing keeps for
    spawn until the program ends.
    """
    found = set()
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            tracks = "resource_tracker" in " ".join(process.cmdline())
            if process.status() != psutil.STATUS_ZOMBIE and not tracks:
                found.add(process.pid)
    return found


def open_files() -> set[str]:
    """The descriptors of this process, with what each stands for."""
    found = set()
    for path in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the descriptor that listed the folder is closed by now
            found.add(f"{path.name} {path.readlink()}")
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
    before = [find() for find in finds]
    yield
    for find, there in zip(finds, before, strict=True):
        patience = 5 if find is open_files else PATIENCE_SECONDS
        until(lambda find=find, there=there: not find() - there, patience)
        assert not find() - there, f"{find.__name__}: {sorted(find() - there)}"
