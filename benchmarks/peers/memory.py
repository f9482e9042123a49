"""Resident memory of this process and its workers, from /proc; None if there is no /proc (macOS,
Windows).
"""

from __future__ import annotations

import os
from pathlib import Path

_SELF = Path("/proc/self")


def resident(field: str = "VmRSS") -> int | None:
    """Bytes of `field` in /proc/self/status: VmRSS (now), VmHWM (peak), RssAnon (without files),
    RssFile (only files).
    """
    try:
        for line in (_SELF / "status").read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(field + ":"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return None


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
    return sum(_private(pid) for pid in pids if pid != str(os.getpid()))


def _private(pid: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:  # the process has ended
        return 0
    return 1024 * sum(
        int(line.split()[1])
        for line in lines
        if line.startswith(("Private_Clean:", "Private_Dirty:"))
    )
