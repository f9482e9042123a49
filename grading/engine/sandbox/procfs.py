"""Facts about other processes from /proc (proc(5)): their descendants, whether they still run, and
what they use.
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from grading.engine.sandbox.limits import SandboxLimits


def descendants(pid: int, proc: int | None = None) -> list[int]:
    """`pid` and all its descendants. In a process namespace no process can leave this tree.

    Args:
        proc: another /proc than this process's own, as a descriptor.
    """
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc" if proc is None else proc):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parent = _fields(f"{name}/stat", proc)[1]
                children.setdefault(int(parent), []).append(int(name))
    pids = [pid]
    for one in pids:
        pids += children.get(one, [])
    return pids[1:] + pids[:1]


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
        fields = _fields(f"{pid}/stat")
    except (OSError, IndexError):
        return None
    state, threads, start = fields[0], int(fields[17]), int(fields[19])
    # The first thread may be a zombie while others still run, and the last thread ends the process
    # namespace.
    return None if state in "ZX" and threads <= 1 else start


class ProcessorTime:
    """CPU seconds of all processes of a sandbox, together with those that have ended.

    What a process used after it was last looked at is only known if its parent waited for it.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[int, str], float] = {}  # each process that runs -> what it used
        self._ended = self.seconds = 0.0

    def look(self, pids: list[int]) -> float:
        seen, waited_for = {}, 0.0
        for pid in pids:
            with contextlib.suppress(OSError, IndexError):
                fields = _fields(f"{pid}/stat")
                own, children = (
                    (int(fields[at]) + int(fields[at + 1])) / os.sysconf("SC_CLK_TCK")
                    for at in (11, 13)
                )
                seen[pid, fields[19]] = own
                waited_for += own + children
        self._ended += sum(used for key, used in self._seen.items() if key not in seen)
        self._seen = seen
        self.seconds = max(self.seconds, waited_for, self._ended + sum(seen.values()))
        return self.seconds


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def memory_held(pids: list[int], limits: SandboxLimits, inside: int | None) -> int:
    """Bytes that these processes hold together, with the sockets and the files in memory of the
    sandbox that the process `inside` sees; None if it has none of its own.

    Resident sizes count shared pages once for each process; the exact sum takes longer and is only
    computed above the limit. Pages of a file that is mapped are counted once, as memory or as file.
    What this process may not read counts as the most that it can be.
    """
    elsewhere = 0 if inside is None else in_sockets(inside)
    files = 0 if inside is None else _files_in_memory(inside, limits.tmp_bytes)
    unknown = {"VmRSS:": limits.memory_bytes}
    known = [(pid, _memory_fields(pid, "status", unknown)) for pid in pids]
    total = _sum([one for _, one in known], files) + elsewhere
    if total > limits.memory_bytes:
        exact = [
            {**one, **found} if (found := _memory_fields(pid, "smaps_rollup", one)) else {}
            for pid, one in known
        ]
        total = _sum(exact, files) + elsewhere
    return total


def _sum(processes: list[dict[str, int]], files: int) -> int:
    def of(one: dict[str, int], exact: str, rough: str) -> int:
        return one.get(exact, one.get(rough, 0))

    mapped = sum(of(one, "Pss_Shmem:", "RssShmem:") for one in processes)
    return max(0, files - mapped) + sum(
        of(one, "Pss:", "VmRSS:") + of(one, "SwapPss:", "VmSwap:") + one.get("VmPTE:", 0)
        for one in processes
    )


def _memory_fields(pid: int, file: str, unreadable: dict[str, int]) -> dict[str, int]:
    """The fields of /proc/PID/`file` that are given in kilobytes, in bytes; none if the process has
    ended, and `unreadable` if this process may not read them.
    """
    try:
        text = Path(f"/proc/{pid}/{file}").read_text(encoding="ascii", errors="replace")
    except PermissionError:
        return unreadable
    except OSError:
        return {}
    rows = (line.split() for line in text.splitlines() if line.endswith(" kB"))
    return {row[0]: int(row[1]) * 1024 for row in rows if len(row) == 3}


def _files_in_memory(pid: int, most: int) -> int:
    """Bytes in use on the sandbox's own file systems in memory, as this process sees them."""
    used = {}
    root = Path("/proc", str(pid), "root")
    for folder in ("tmp", "dev/shm"):
        try:
            seen = os.statvfs(root / folder)
            used[str(seen.f_fsid)] = (seen.f_blocks - seen.f_bfree) * seen.f_frsize
        except PermissionError:
            used[folder] = most
        except OSError:
            pass  # it has ended
    return sum(used.values())


def _default_buffer() -> int:
    try:
        return int(Path("/proc/sys/net/core/wmem_default").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 212992


# A socket takes messages until more than its buffer waits, and one message may be as large; TCP has
# a buffer for each direction. The filter of `seccomp` keeps the size of the buffer.
BUFFER_BYTES = _default_buffer()
_SOCKET_BYTES = 2 * BUFFER_BYTES


def in_sockets(pid: int) -> int:
    """The most that the sockets hold that exist in the process's network, those on their way from
    one process to another included.
    """
    with contextlib.suppress(OSError, ValueError):
        text = Path(f"/proc/{pid}/net/sockstat").read_text(encoding="ascii")
        return int(text.split("used", 1)[1].split()[0]) * _SOCKET_BYTES
    return 0


@dataclass(frozen=True)
class Thread:
    number: int
    runs: bool  # or would, if it had a processor
    nice: int


def threads(pids: list[int], proc: int | None = None) -> list[Thread]:
    """The threads of these processes; `proc` is as in `descendants`."""
    found = []
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            folder = os.open(_place(f"{pid}/task", proc), os.O_RDONLY, dir_fd=proc)
            try:
                names = os.listdir(folder)
            finally:
                os.close(folder)
            for name in names:
                fields = _fields(f"{pid}/task/{name}/stat", proc)
                found.append(Thread(int(name), fields[0] == "R", int(fields[16])))
    return found


def _place(path: str, proc: int | None) -> str:
    return path if proc is not None else f"/proc/{path}"


def _fields(path: str, proc: int | None = None) -> list[str]:
    """The fields of such a file as /proc/PID/stat after the name (which may hold spaces and
    parentheses). The state is the first of them.
    """
    fd = os.open(_place(path, proc), os.O_RDONLY, dir_fd=proc)
    with open(fd, encoding="utf-8", errors="replace") as file:
        return file.read().rsplit(")", 1)[1].split()
