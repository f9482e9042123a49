"""A control group for each sandbox, if this user may make one: the kernel counts and caps memory
and processes.

Version 2: Documentation/admin-guide/cgroup-v2.rst; version 1:
    Documentation/admin-guide/cgroup-v1/memory.rst. If none can be made, `Groups.find` returns None
    and the supervisor watches memory itself.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import uuid
from pathlib import Path

from grading.engine.sandbox import temporary_folders
from grading.engine.sandbox.limits import SandboxLimits

# What gives an ordinary user a group of version 2 in which to make others; systemd names it
# run-....scope.
SCOPE = ("systemd-run", "--user", "--scope", "--quiet", "--property=Delegate=yes")
_LEAF, _CONTROL = "tito-grader", "cgroup.subtree_control"
# The names of the same files in the two versions.
_FILES = {
    1: {
        "max": "memory.limit_in_bytes",
        "peak": "memory.max_usage_in_bytes",
        "events": "memory.oom_control",
        "swap": "",  # version 1 has no such file
        "weight": "cpu.shares",
    },
    2: {
        "max": "memory.max",
        "peak": "memory.peak",
        "events": "memory.events",
        "swap": "memory.swap.max",
        "weight": "cpu.weight",
    },
}


class Groups:
    """The directories, one in each hierarchy, in which the parent of the sandboxes makes a group
    for each sandbox.
    """

    def __init__(self, version: int, folders: list[Path]):
        self.version, self.folders, self.count = version, folders, 0

    @classmethod
    def find(cls, owner: int) -> Groups | None:
        """Make the directories for the process `owner`, and remove those of processes that have
        ended. None if that is not allowed.
        """
        for version, parents in _candidates():
            if not all(os.access(parent, os.W_OK) for parent in parents):
                continue
            for parent in parents:
                _sweep(parent)
            name = f"{temporary_folders.owned_by('sandbox', owner)}{uuid.uuid4().hex[:8]}"
            folders = [parent / name for parent in parents]
            groups = cls(version, folders)
            try:
                if version == 2:
                    _hand_on(parents[0])
                for folder in folders:
                    folder.mkdir()
                if version == 2:
                    _count_in(folders[0])
                groups.new(SandboxLimits()).remove()
                return groups
            except OSError:
                groups.remove()
        return None

    @classmethod
    def of_this_process(cls) -> Groups | None:
        """The groups that all callers in this process share; removed when it ends, or by a later
        engine.
        """
        if os.getpid() not in _own:
            _own.clear()  # after a fork, these belong to the parent
            groups = _own[os.getpid()] = cls.find(os.getpid())
            if groups:
                atexit.register(groups.remove)
        return _own[os.getpid()]

    def new(self, limits: SandboxLimits) -> Group:
        self.count += 1
        group = Group(self, f"{os.getpid()}-{self.count}")
        try:
            group.make(limits)
        except OSError:
            group.remove()
            raise
        return group

    def remove(self) -> None:
        for folder in self.folders:
            _remove(folder)


_own: dict[int, Groups | None] = {}


class Group:
    """The group of one sandbox. All files are opened through directory descriptors, so this still
    works after pivot_root.
    """

    def __init__(self, groups: Groups, name: str):
        self.names, self.folders, self.name = _FILES[groups.version], groups.folders, name
        self.fds: list[int] = []  # the group's directory in each hierarchy
        self.parents: list[int] = []  # its parent directory in each hierarchy
        self.peak_fd: int | None = None

    def make(self, limits: SandboxLimits) -> None:
        for folder in self.folders:
            (folder / self.name).mkdir()
            self.parents.append(os.open(folder, os.O_DIRECTORY))
            self.fds.append(os.open(folder / self.name, os.O_DIRECTORY))
        self._write(self.names["max"], str(limits.memory_bytes))
        self._write("pids.max", str(limits.processes))
        for name, value in ((self.names["swap"], "0"), ("memory.oom.group", "1")):
            with contextlib.suppress(OSError):
                if name:
                    self._write(name, value)

    @property
    def paths(self) -> list[str]:
        return [str(folder / self.name) for folder in self.folders]

    def join(self) -> None:
        """Move the calling process into the group."""
        for fd in self.fds:
            _write_at(fd, "cgroup.procs", "0")

    def peak_bytes(self) -> int | None:
        try:
            if self.peak_fd is not None:
                return int(os.pread(self.peak_fd, 40, 0))
            return int(self._read(self.names["peak"]))
        except (OSError, ValueError):  # memory.peak came with Linux 5.19
            return None

    def forget_peak(self) -> None:
        """Reset the peak to what is in use now. Version 2 can do this since Linux 6.12, for the
        file descriptor that is written to.
        """
        with contextlib.suppress(OSError):
            if self.names["peak"] == "memory.peak":
                if self.peak_fd is None:
                    fd = next(fd for fd in self.fds if os.access("memory.peak", os.F_OK, dir_fd=fd))
                    self.peak_fd = os.open("memory.peak", os.O_RDWR, dir_fd=fd)
                os.write(self.peak_fd, b"r")
            else:
                self._write(self.names["peak"], "0")

    def out_of_memory(self) -> bool:
        """Whether the kernel killed a process of this group because the group's memory was
        used up.
        """
        try:
            lines = [line.split() for line in self._read(self.names["events"]).splitlines()]
            return any(name == "oom_kill" and int(count) > 0 for name, count in lines)
        except (OSError, ValueError):
            return False

    @property
    def weighs(self) -> bool:
        """Whether the scheduler gives the group as much time as any other, however many processes
        it has.
        """
        return any(os.access(self.names["weight"], os.F_OK, dir_fd=fd) for fd in self.fds)

    def cpu_seconds(self) -> float:
        """What all processes of the group have used, those that have ended included; 0 if it is not
        counted.
        """
        try:
            if self.names is _FILES[1]:
                return int(self._read("cpuacct.usage")) / 1e9
            return int(self._read("cpu.stat").split()[1]) / 1e6  # its first line is usage_usec
        except (OSError, ValueError, StopIteration):
            return 0.0

    def remove(self) -> None:
        for parent in self.parents:
            with contextlib.suppress(OSError):
                os.rmdir(self.name, dir_fd=parent)
        for fd in (*self.fds, *self.parents, *([self.peak_fd] if self.peak_fd is not None else [])):
            os.close(fd)
        self.fds, self.parents, self.peak_fd = [], [], None

    def _write(self, name: str, value: str) -> None:
        for fd in self.fds:
            if os.access(name, os.F_OK, dir_fd=fd):
                _write_at(fd, name, value)

    def _read(self, name: str) -> str:
        fd = next(fd for fd in self.fds if os.access(name, os.F_OK, dir_fd=fd))
        with open(os.open(name, os.O_RDONLY, dir_fd=fd), encoding="ascii") as file:
            return file.read()


def _write_at(folder: int, name: str, value: str) -> None:
    fd = os.open(name, os.O_WRONLY, dir_fd=folder)
    try:
        os.write(fd, value.encode())
    finally:
        os.close(fd)


def _candidates() -> list[tuple[int, list[Path]]]:
    """Where groups could be made: (version, one directory for each hierarchy). First the current
    group, then (version 2, as root) the top.
    """
    try:
        own, mounts = (
            Path("/proc/self", name).read_text(encoding="utf-8").splitlines()
            for name in ("cgroup", "mounts")
        )
    except OSError:
        return []
    mounted = [line.split() for line in mounts]
    path = {
        name: place.lstrip("/")
        for _, names, place in (line.split(":", 2) for line in own)
        for name in names.split(",")
    }
    candidates = []

    def hierarchy(name: str) -> list[Path]:
        places = (
            Path(m[1]) / path[name]
            for m in mounted
            if m[2] == "cgroup" and name in m[3].split(",") and name in path
        )
        return [folder for folder in itertools.islice(places, 1) if folder.is_dir()]

    needed = [*hierarchy("memory"), *hierarchy("pids")]
    if len(needed) == 2:
        more = (*hierarchy("cpu"), *hierarchy("cpuacct"))
        wanted = [*needed, *(folder for folder in more if os.access(folder, os.W_OK))]
        candidates.append((1, list(dict.fromkeys(wanted))))
    for top in [Path(m[1]) for m in mounted if m[2] == "cgroup2"]:
        here = top / path.get("", "")
        here = here.parent if here.name == _LEAF else here
        candidates += [(2, [folder]) for folder in dict.fromkeys([here, top]) if folder.is_dir()]
    return candidates


def _hand_on(scope: Path) -> None:
    """Let groups below a scope of `SCOPE` count memory. Version 2 allows this only where no process
    is, so those of the scope, which are this grader's alone, move into one group below it.
    """
    if not (scope.name.startswith("run-") and scope.name.endswith(".scope")):
        return
    if "memory" in (scope / _CONTROL).read_text(encoding="ascii").split():
        return
    (scope / _LEAF).mkdir(exist_ok=True)
    for pid in (scope / "cgroup.procs").read_text(encoding="ascii").split():
        with contextlib.suppress(ProcessLookupError):  # it has ended
            (scope / _LEAF / "cgroup.procs").write_text(pid, encoding="ascii")
    _count_in(scope)


def _count_in(folder: Path) -> None:
    """Let the groups below this one (of version 2) count memory, processes and processor time."""
    control = folder / _CONTROL
    control.write_text("+memory +pids", encoding="ascii")
    with contextlib.suppress(OSError):  # not always handed on to a user
        control.write_text("+cpu", encoding="ascii")


def _sweep(parent: Path) -> None:
    for folder in parent.glob("tito-sandbox-*"):
        if temporary_folders.is_left(folder.name):
            _remove(folder)


def _remove(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for inner in folder.iterdir():
            if inner.is_dir():
                with contextlib.suppress(OSError):
                    inner.rmdir()
        folder.rmdir()


def available() -> str | None:
    """Where groups can be made, in words; None if nowhere."""
    groups = Groups.find(os.getpid())
    if groups is None:
        return None
    text = ", ".join(str(folder.parent) for folder in groups.folders)
    groups.remove()
    return f"version {groups.version}: {text}"
