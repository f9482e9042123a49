"""Facts about other processes from /proc (proc(5)): their descendants, whether they still run, and
what they use.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """`pid` and all its descendants. In a process namespace no process can leave this tree."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                children.setdefault(int(_fields(int(name))[1]), []).append(int(name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found[1:] + found[:1]


def marked(mark: str, pid: int) -> list[int]:
    """`pid` and every process that has `mark` (NAME=VALUE) in its environment. A daemon leaves its
    group and its parent, but seldom its environment.
    """
    found, wanted = [pid], mark.encode()
    if sys.platform == "linux":
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != pid:
                with contextlib.suppress(OSError):
                    if wanted in Path("/proc", name, "environ").read_bytes().split(b"\0"):
                        found.append(int(name))
    return found


def runs(pid: int, start: int | None) -> bool:
    """Whether the process that began at `start` still runs; a zombie does not."""
    return start is not None and began(pid) == start


def began(pid: int) -> int | None:
    """When the process began, in clock ticks after the machine's start; None if no process runs
    under this number.
    """
    try:
        fields = _fields(pid)
    except (OSError, IndexError):
        return None
    state, threads, start = fields[0], int(fields[17]), int(fields[19])
    # The first thread may be a zombie while others still run, and the last thread ends the process
    # namespace.
    return None if state in "ZX" and threads <= 1 else start


def cpu_seconds(pid: int) -> float:
    try:
        fields = _fields(pid)
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def memory_bytes(pid: int, file: str, field: str) -> int:
    """The number of kilobytes after `field` in /proc/PID/`file`, in bytes."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/{file}").read_text(encoding="utf-8", errors="replace")
        for line in text.splitlines():
            if line.startswith(field):
                return int(line.split()[1]) * 1024
    return 0


def _fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name (which may hold spaces and parentheses). The
    state is the first of them.
    """
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return text.rsplit(")", 1)[1].split()
