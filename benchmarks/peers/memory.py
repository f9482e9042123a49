"""Resident memory of this process and its workers, from /proc: None where there is no /proc
(macOS, Windows).
"""

from __future__ import annotations

import os
from pathlib import Path

_SELF = Path("/proc/self")


def resident(field: str = "VmRSS") -> int | None:
    """Bytes of `field` in /proc/self/status: VmRSS now, VmHWM at most, RssAnon without files,
    RssFile files.
    """
    try:
        for line in (_SELF / "status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(field + ":"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return None


def forget_peak() -> bool:
    """Start VmHWM anew from what is resident now (Linux 4.0); False where that is not allowed."""
    try:
        (_SELF / "clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def workers_private() -> int:
    """Bytes that belong to child processes alone; pages they share with this one are left out."""
    pids: set[str] = set()
    for children in _SELF.glob("task/*/children"):
        pids.update(children.read_text(encoding="ascii").split())
    return sum(_private(pid) for pid in pids if pid != str(os.getpid()))


def _private(pid: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:  # it has ended
        return 0
    return 1024 * sum(
        int(line.split()[1])
        for line in lines
        if line.startswith(("Private_Clean:", "Private_Dirty:"))
    )
