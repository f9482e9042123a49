"""The levels that start a fresh Python for each sandbox: bubblewrap, and limits only."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from grading.engine.sandbox import cgroup, programs, seccomp, tree
from grading.engine.sandbox.base import Sandbox, make_folder
from grading.engine.sandbox.limits import SandboxLimits, cpu_limit
from grading.engine.sandbox.process import START_SECONDS, Process, SandboxError

WATCH_SECONDS = 0.1
# in a kernel's socket directory, which is on the host's disk
MAX_RUN_BYTES, MAX_RUN_FILES = 2**20, 64
_HERE = Path(__file__).resolve().parent
_MARK = "TITO_SANDBOX"
# Joins the control groups that come before "--", then becomes the rest.
_JOIN = (
    'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 1; shift; done; shift; exec "$@"'
)


class Spawned(Process):
    """A command that was started, and a thread that watches it.

    Args:
        command: ends with the request of programs.main as JSON, to which the descriptor for "ready"
            is added.
        members: the ids of all its processes that can be found; used to count memory and to kill.
        after: called when nothing of it runs any more.
    """

    def __init__(
        self,
        command: list[str],
        request: dict,
        fds: list[int],
        *,
        environment: dict[str, str] | None,
        members: Callable[[int], list[int]],
        pass_fds: tuple[int, ...] = (),
        group: cgroup.Group | None = None,
        after: Callable[[], None] = lambda: None,
    ):
        self.limits, self.run, self.group = (
            SandboxLimits(**request["limits"]),
            request["host_run"],
            group,
        )
        self._members, self._after, self._peak = members, after, 0
        self._cpu_seconds, self._cpu_limit = 0.0, math.inf  # as they were seen at last
        self._ended, self._lock = threading.Event(), threading.Lock()
        self._counting = threading.Lock()  # a count from before `forget_peak` is none after it
        # a process that was seen -> when it began, since a number may be given out again
        self._known: dict[int, int | None] = {}
        read, write = os.pipe()
        try:
            joined = ["/bin/sh", "-c", _JOIN, "sh", *group.paths, "--"] if group else []
            self._popen = subprocess.Popen(
                [*joined, *command, json.dumps({**request, "ready_fd": write})],
                stdin=fds[0],
                stdout=fds[1],
                stderr=fds[2],
                env=environment,
                pass_fds=(write, *pass_fds),
                start_new_session=True,
                cwd="/",
            )
        except OSError as problem:
            os.close(write)
            os.close(read)
            self._finish()
            raise SandboxError(f"{command[0]} could not be started: {problem.strerror}") from None
        os.close(write)
        self.pid = self._popen.pid
        self._watch()
        threading.Thread(target=self._watching, daemon=True).start()
        self._until_ready(read)

    def _until_ready(self, read: int) -> None:
        with open(read, "rb", buffering=0) as pipe:
            word = (
                pipe.read(4096)
                if select.select([pipe], [], [], START_SECONDS)[0]
                else b"not up in time"
            )
        if not word.startswith(b"r"):
            self.kill()
            raise SandboxError(
                "the sandbox could not be made:"
                f" {word.decode() or f'ended early, exit code {self.returncode}'}; `tito grade"
                " doctor` tries each part"
            )
        inner = [pid for pid in self._look() if _name_of(pid) not in ("bwrap", "sh")]
        self.pid = inner[0] if inner else self._popen.pid

    def _watching(self) -> None:
        while True:
            try:
                code = self._popen.wait(WATCH_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if why := self._watch():
                    self.ended_by = self.ended_by or why
                    self._kill_all()
        self._kill_all()  # what it left behind
        if 128 < code <= 128 + 64:
            code = 128 - code  # bubblewrap's and the shell's way to name a signal
        if self.group:
            self._peak = self.group.peak_bytes() or self._peak
            if self.group.out_of_memory() and code < 0:
                self.ended_by = "memory"
        if code in (-signal.SIGKILL, -getattr(signal, "SIGXCPU", 24)):
            self.ended_by = self.ended_by or self.limits.cpu_ended_by(
                self._cpu_seconds + 1, self._cpu_limit
            )
        self._finish()
        self.returncode = code
        self._ended.set()

    def _finish(self) -> None:
        if self.group:
            self.group.remove()
        self._after()

    def _watch(self) -> str | None:
        """The limit that is exceeded, of those that no system call holds."""
        pids = self._look()
        if not self.group:
            if self._count_memory(pids) > self.limits.memory_bytes:
                return "memory"
        elif self.group.out_of_memory():
            return "memory"
        self._cpu_seconds = max([self._cpu_seconds, *map(_cpu_seconds, pids)])
        self._cpu_limit = min([self._cpu_limit, *map(cpu_limit, pids)])
        if self.run:
            with contextlib.suppress(OSError):
                sizes = [
                    entry.stat(follow_symlinks=False).st_blocks * 512
                    for entry in os.scandir(self.run)
                ]
                if len(sizes) > MAX_RUN_FILES or sum(sizes) > MAX_RUN_BYTES:
                    return "disk"
        return None

    def _count_memory(self, pids: list[int]) -> int:
        """Bytes in use now by all processes; the peak is kept."""
        with self._counting:
            used = sum(_memory(pid, "status", "VmRSS:") for pid in pids)
            if used > self.limits.memory_bytes:  # shared pages were counted for each process
                used = sum(_memory(pid, "smaps_rollup", "Pss:") for pid in pids)
            self._peak = max(self._peak, used)
            return used

    def _look(self) -> list[int]:
        """The members that can be found now; they stay known until they have ended."""
        pids = self._members(self._popen.pid)
        with self._lock:
            self._known = {
                pid: began for pid, began in self._known.items() if _runs(pid, began)
            } | {pid: _began(pid) for pid in pids}
        return pids

    def _kill_all(self) -> None:
        """Until none runs: a process may fork while it is being killed, and takes a moment to die.

        Killed and waited for is whoever was seen at any time: when a parent is dead, however it
        died, its children are in no tree in which they would be found, and die by themselves only
        some time later.
        """
        deadline = time.monotonic() + START_SECONDS
        while True:
            found = self._look()
            running = [pid for pid, began in self._known.items() if _runs(pid, began)]
            for pid in {*found, *running}:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.killpg(self._popen.pid, signal.SIGKILL)
            if not running or time.monotonic() > deadline:
                return
            time.sleep(0.01)

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if not self._ended.wait(timeout) or self.returncode is None:
            raise subprocess.TimeoutExpired("sandbox", timeout or 0.0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if number == signal.SIGKILL:
            self._kill_all()
        elif self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        if self.returncode is None:
            self._kill_all()
        self.wait(START_SECONDS)

    def forget_peak(self) -> None:
        with self._counting:
            self._peak = 0
        if self.group:
            self.group.forget_peak()

    @property
    def peak_memory_bytes(self) -> int | None:
        if self.returncode is None:
            if self.group:
                return self.group.peak_bytes()
            # The thread looks every WATCH_SECONDS, and may not have looked since `forget_peak`.
            self._count_memory(self._look())
        return self._peak or None


class Bubblewrap(Sandbox):
    """https://github.com/containers/bubblewrap; for machines where it may make namespaces and we
    may not.
    """

    level, isolated, address = "bubblewrap", True, "bubblewrap:"

    def __init__(self) -> None:
        bwrap = shutil.which("bwrap")
        if not bwrap:
            raise SandboxError(
                "bubblewrap is not installed; on Debian and Ubuntu: sudo apt install bubblewrap"
            )
        self.bwrap = bwrap
        self.groups = cgroup.Groups.of_this_process()

    def _start(self, request: dict, fds: list[int]) -> Process:
        group = self.groups.new(SandboxLimits(**request["limits"])) if self.groups else None
        inside = {
            **request,
            "package": programs.PACKAGE,
            "files": "/files" if request["files"] else None,
            "work": programs.WORK,
            "run": programs.RUN if request["run"] else None,
            "host_run": request["run"],
        }
        read, write = os.pipe()
        try:
            os.write(write, seccomp.program())
            os.close(write)
            return Spawned(
                [
                    self.bwrap,
                    *_walls(request),
                    "--seccomp",
                    str(read),
                    "--",
                    sys.executable,
                    "-s",
                    "-B",
                    "/tito/grading/engine/sandbox/programs.py",
                ],
                inside,
                fds,
                environment=None,
                pass_fds=(read,),
                group=group,
                members=_descendants,
            )
        finally:
            os.close(read)


def _walls(request: dict) -> list[str]:
    """bwrap(1). The tree is the one of `tree`, put together by bubblewrap."""
    tmp = str(request["limits"]["tmp_bytes"])
    repository = _HERE.parents[2]
    walls = [
        "--unshare-user",
        "--unshare-all",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
        "--as-pid-1",
        "--cap-drop",
        "ALL",
        "--uid",
        "1000",
        "--gid",
        "1000",
        "--hostname",
        "sandbox",
        "--clearenv",
    ]
    for name, value in programs.environment(request["program"]).items():
        walls += ["--setenv", name, value]
    for place in tree.SYSTEM:
        if os.path.islink(place):
            walls += ["--symlink", os.readlink(place), place]
    for name in tree.ETC:
        walls += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    walls += [
        "--ro-bind",
        str(_HERE),
        "/tito/grading/engine/sandbox",
        "--ro-bind",
        str(repository / "tito/contract"),
        "/tito/tito/contract",
        "--ro-bind",
        request["package"],
        programs.PACKAGE,
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        tmp,
        "--tmpfs",
        "/dev/shm",
        "--remount-ro",
        "/dev",
        "--size",
        tmp,
        "--tmpfs",
        "/tmp",
        "--dir",
        programs.WORK,
        "--dir",
        programs.HOME,
    ]
    for place in tree.shared_places():  # after /tmp, below which a venv may lie
        walls += ["--ro-bind", place, place]
    if request["files"]:
        walls += ["--ro-bind", request["files"], "/files"]
    if request["shared"]:
        walls += ["--ro-bind", request["shared"], request["shared"]]
    if request["run"]:
        walls += ["--bind", request["run"], programs.RUN]
    return [*walls, "--remount-ro", "/"]


class LimitsOnly(Sandbox):
    """Limits of setrlimit(2), a process group, a watch on memory; every file and the network
    stay open.
    """

    level, isolated = "limits", False

    def __init__(self, folder: str | None = None):
        self.opened = folder is None  # by this process, which removes the folder
        self.folder = Path(folder or make_folder())
        self.address = f"{self.level}:{self.folder}"

    def close(self) -> None:
        if self.opened:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, request: dict, fds: list[int]) -> Process:
        # below the folder of the engine: whoever started this may be killed before it is removed
        folder = Path(tempfile.mkdtemp(prefix="work-", dir=self.folder))
        work, home, mark = folder / "work", folder / "home", uuid.uuid4().hex
        work.mkdir()
        if request["files"]:
            programs.copy_files(request["files"], str(work), recursive=False)
        request = {
            **request,
            "files": None,
            "work": str(work),
            "host_run": request["run"],
            "die_with_parent": os.getpid(),
        }
        environment = {
            **programs.environment(request["program"], str(home)),
            "TMPDIR": str(folder),
            _MARK: mark,
        }
        return Spawned(
            [sys.executable, "-s", "-B", str(_HERE / "programs.py")],
            request,
            fds,
            environment=environment,
            members=lambda pid: _marked(mark, pid),
            after=lambda: shutil.rmtree(folder, ignore_errors=True),
        )


def _descendants(pid: int) -> list[int]:
    """`pid` and all that came from it. In a process namespace nobody can leave this tree."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                parent = int(
                    Path("/proc", name, "stat")
                    .read_text(encoding="utf-8", errors="replace")
                    .rsplit(")", 1)[1]
                    .split()[1]
                )
                children.setdefault(parent, []).append(int(name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found[1:] + found[:1]


def _marked(mark: str, pid: int) -> list[int]:
    """`pid` and every process that carries the mark in its environment: a daemon leaves its
    group and its parent, seldom that.
    """
    found, wanted = [pid], f"{_MARK}={mark}".encode()
    if sys.platform == "linux":
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != pid:
                with contextlib.suppress(OSError):
                    if wanted in Path("/proc", name, "environ").read_bytes().split(b"\0"):
                        found.append(int(name))
    return found


def _runs(pid: int, began: int | None) -> bool:
    """Whether the process that began then has not ended; a zombie has."""
    return began is not None and _began(pid) == began


def _began(pid: int) -> int | None:
    """When it began, in clock ticks after the machine did; None when nothing runs under this
    number.
    """
    try:
        state, *fields = (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rsplit(")", 1)[1]
            .split()
        )
    except (OSError, IndexError):
        return None
    threads, began = int(fields[16]), int(fields[18])
    # The first thread is a zombie before the others are dead, and the last of them ends the process
    # namespace.
    return None if state in "ZX" and threads <= 1 else began


def _name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _memory(pid: int, file: str, field: str) -> int:
    with contextlib.suppress(OSError):
        for line in (
            Path(f"/proc/{pid}/{file}").read_text(encoding="utf-8", errors="replace").splitlines()
        ):
            if line.startswith(field):
                return int(line.split()[1]) * 1024
    return 0


def _cpu_seconds(pid: int) -> float:
    try:
        fields = (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rsplit(")", 1)[1]
            .split()
        )
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0
