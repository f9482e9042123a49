"""Folders for what only lasts as long as the process that made it: tests, seeds, students' work.

    with temporary_folders.folder("kit") as place:
        ...

Such a folder is named after its owner. If the owner is killed, nobody removes it at once; the next
process that makes one removes what dead owners have left, and looks once more at its own end,
because what a killed engine had started may end a little later.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from grading.engine.sandbox import procfs

IN_SANDBOX = 0x70000000  # the first user of a sandbox that root starts (zygote.ROOT_MAPS_TO)
_NAME = re.compile(r"tito-[a-z]+-(\w+)-(\d+)-(\d+)-.*")


@contextlib.contextmanager
def folder(kind: str) -> Iterator[Path]:
    """A folder, removed at the end of the block."""
    place = make(kind)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        _sweep(place.parent)


def make(kind: str, where: str | None = None) -> Path:
    """A new folder below `where` (otherwise the temporary folder) that only this user may enter;
    the caller removes it.
    """
    place = Path(tempfile.mkdtemp(prefix=owned_by(kind, os.getpid()), dir=where))
    _sweep(place.parent)
    return place.resolve()


def _sweep(where: Path) -> None:
    """Remove what dead owners of this user have left in a folder."""
    user = os.getuid() if hasattr(os, "getuid") else 0  # as Windows says of every file
    for other in where.glob("tito-*"):
        with contextlib.suppress(OSError):
            owner = other.lstat().st_uid
            # a kernel's folder belongs to a user that only the sandbox of root has
            mine = owner == user or (user == 0 and owner >= IN_SANDBOX)
            if mine and is_left(other.name):
                shutil.rmtree(other, ignore_errors=True)  # never follows a link


def owned_by(kind: str, pid: int) -> str:
    """The prefix of the names of folders that belong to the process `pid`. It includes the process
    namespace: in another one, such as a container with the same /tmp, the number means another
    process. It also includes when the process began, because numbers are used again.
    """
    return f"tito-{kind}-{_namespace()}-{pid}-{procfs.began(pid) or 0}-"


def is_left(name: str) -> bool:
    """Whether a folder of this name belonged to a process of this namespace that has ended."""
    match = _NAME.fullmatch(name)
    if match is None or match[1] != _namespace():
        return False
    return not _lives(int(match[2]), int(match[3]))


def _namespace() -> str:
    try:
        return f"n{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:  # only Linux has namespaces
        return "n0"


def _lives(pid: int, began: int) -> bool:
    if sys.platform == "linux":
        return procfs.began(pid) == began
    if sys.platform == "win32":
        return True  # unknown: os.kill would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
