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


def memory_held(pids: list[int], limit: int, inside: int | None) -> int:
    """Bytes that these processes hold together, with the files in memory of the sandbox that the
    process `inside` sees; None if its files are on a disk.

    Resident sizes count shared pages once for each process; the exact sum takes longer and is only
    computed above `limit`. Pages of a file that is mapped are counted once, as memory or as file.
    """
    files = 0 if inside is None else _files_in_memory(inside)
    for source, whole, shared in (
        ("status", "VmRSS:", "RssShmem:"),
        ("smaps_rollup", "Pss:", "Pss_Shmem:"),
    ):
        found = [_memory_fields(pid, source) for pid in pids]
        mapped = sum(one.get(shared, 0) for one in found)
        total = sum(one.get(whole, 0) for one in found) + max(0, files - mapped)
        if total <= limit:
            break
    return total


def _memory_fields(pid: int, file: str) -> dict[str, int]:
    """The fields of /proc/PID/`file` that are given in kilobytes, in bytes."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/{file}").read_text(encoding="ascii", errors="replace")
        rows = (line.split() for line in text.splitlines() if line.endswith(" kB"))
        return {row[0]: int(row[1]) * 1024 for row in rows if len(row) == 3}
    return {}


def _files_in_memory(pid: int) -> int:
    """Bytes in use on the sandbox's own file systems in memory, as this process sees them."""
    used = {}
    root = Path("/proc", str(pid), "root")
    for folder in ("tmp", "dev/shm"):
        with contextlib.suppress(OSError):
            seen = os.statvfs(root / folder)
            used[seen.f_fsid] = (seen.f_blocks - seen.f_bfree) * seen.f_frsize
    return sum(used.values())


def _fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name (which may hold spaces and parentheses). The
    state is the first of them.
    """
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return text.rsplit(")", 1)[1].split()
