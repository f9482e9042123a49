"""Resident bytes of this process and its workers, from /proc, which macOS and Windows lack."""

from __future__ import annotations

import os
from pathlib import Path

_SELF = Path("/proc/self")


def peak() -> int:
    """VmHWM in /proc/self/status."""
    return _kilobytes(_SELF / "status", ("VmHWM:",))


def forget_peak() -> bool:
    """Reset VmHWM to what is resident now (Linux 4.0); returns False if that is not allowed."""
    try:
        (_SELF / "clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def workers_private() -> int:
    """Bytes that belong only to child processes; pages shared with this process are left out."""
    pids: set[str] = set()
    for children in _SELF.glob("task/*/children"):
        pids.update(children.read_text(encoding="ascii").split())
    private = ("Private_Clean:", "Private_Dirty:")
    return sum(
        _kilobytes(Path(f"/proc/{pid}/smaps_rollup"), private)
        for pid in pids
        if pid != str(os.getpid())
    )


def _kilobytes(path: Path, names: tuple[str, ...]) -> int:
    """The bytes in the lines that begin with one of the names; 0 if the process has ended."""
    try:
        lines = path.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return 0
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith(names))
