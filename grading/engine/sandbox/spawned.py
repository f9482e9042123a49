"""A sandbox in a fresh Python: the process, and the thread that watches it."""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from grading.engine.sandbox import cgroup, fair_share, procfs
from grading.engine.sandbox.limits import SandboxLimits, cpu_limit
from grading.engine.sandbox.process import START_SECONDS, Process, SandboxError

WATCH_SECONDS = 0.1
# limits for a kernel's socket directory, which is on the host's disk
MAX_RUN_BYTES, MAX_RUN_FILES = 2**20, 64
# Joins the control groups listed before "--", then runs the command after it.
_JOIN = (
    'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 1; shift; done; shift; exec "$@"'
)


@dataclass(frozen=True)
class Command:
    """What a level starts.

    Attributes:
        words: the request to programs.main is added to them, as JSON.
        members: returns the ids of all its processes that can be found; used to count memory and to
            kill.
        after: called when none of its processes runs any more.
        files_in_memory: whether its /tmp is its own, and in memory.
    """

    words: list[str]
    members: Callable[[int], list[int]]
    environment: dict[str, str] | None = None
    pass_fds: tuple[int, ...] = ()
    group: cgroup.Group | None = None
    after: Callable[[], None] = lambda: None
    files_in_memory: bool = False


class Spawned(Process):
    """A running command, and a thread that watches it. The descriptor for "ready" is added to the
    request.
    """

    def __init__(self, command: Command, request: dict, fds: list[int]):
        self.limits, self.run = SandboxLimits(**request["limits"]), request["host_run"]
        self.group, self._command, self._peak = command.group, command, 0
        self._inside: int | None = None  # the process whose /tmp is the sandbox's, once it is there
        self._used, self._cpu_limit = procfs.ProcessorTime(), math.inf
        self._ended, self._lock = threading.Event(), threading.Lock()
        # so that a count begun before `forget_peak` is not used after it
        self._counting = threading.Lock()
        # each process that was seen -> when it began, since a process id may be reused
        self._known: dict[int, int | None] = {}
        read, write = os.pipe()
        try:
            joined = ["/bin/sh", "-c", _JOIN, "sh", *self.group.paths, "--"] if self.group else []
            self._popen = subprocess.Popen(
                [*joined, *command.words, json.dumps({**request, "ready_fd": write})],
                stdin=fds[0],
                stdout=fds[1],
                stderr=fds[2],
                env=command.environment,
                pass_fds=(write, *command.pass_fds),
                start_new_session=True,
                cwd="/",
            )
        except OSError as problem:
            os.close(write)
            os.close(read)
            self._finish()
            raise SandboxError(
                f"{command.words[0]} could not be started: {problem.strerror}"
            ) from None
        os.close(write)
        self.pid = self._popen.pid
        self._watch()
        threading.Thread(target=self._watching, daemon=True).start()
        self._until_ready(read)

    def _until_ready(self, read: int) -> None:
        with open(read, "rb", buffering=0) as pipe:
            told = select.select([pipe], [], [], START_SECONDS)[0]
            word = pipe.read(4096) if told else b"not up in time"
        if not word.startswith(b"r"):
            self.kill()
            early = f"ended early, exit code {self.returncode}"
            raise SandboxError(
                f"the sandbox could not be made: {word.decode() or early}; `tito grade doctor`"
                " tries each part"
            )
        inner = [pid for pid in self._look() if procfs.name_of(pid) not in ("bwrap", "sh")]
        self.pid = inner[0] if inner else self._popen.pid
        self._inside = inner[0] if inner and self._command.files_in_memory else None

    def _watching(self) -> None:
        while True:
            try:
                code = self._popen.wait(WATCH_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if why := self._watch():
                    self.ended_by = self.ended_by or why
                    self._kill_all()
        self._kill_all()  # processes that it left behind
        if 128 < code <= 128 + 64:
            code = 128 - code  # bubblewrap and the shell report a signal as 128 + its number
        if self.group:
            self._peak = self.group.peak_bytes() or self._peak
            if self.group.out_of_memory() and code < 0:
                self.ended_by = "memory"
        if code in (-signal.SIGKILL, -getattr(signal, "SIGXCPU", 24)):
            self.ended_by = self.ended_by or self.limits.cpu_ended_by(
                self._used.seconds + 1, self._cpu_limit
            )
        self._finish()
        self.returncode = code
        self._ended.set()

    def _finish(self) -> None:
        if self.group:
            self.group.remove()
        self._command.after()

    def _watch(self) -> str | None:
        """The exceeded limit, if any, among those that no system call enforces."""
        pids = self._look()
        if not self.group:
            if self._count_memory(pids) > self.limits.memory_bytes:
                return "memory"
        elif self.group.out_of_memory():
            return "memory"
        counted = self.group.cpu_seconds() if self.group else 0.0
        if max(counted, self._used.look(pids)) > self.limits.cpu_seconds:
            return "cpu"
        self._cpu_limit = min([self._cpu_limit, *map(cpu_limit, pids)])
        if not (self.group and self.group.weighs):
            fair_share.weigh_as_one(pids, self.pid)
        if self.run:
            with contextlib.suppress(OSError):
                entries = [entry.stat(follow_symlinks=False) for entry in os.scandir(self.run)]
                sizes = [entry.st_blocks * 512 for entry in entries]
                if len(sizes) > MAX_RUN_FILES or sum(sizes) > MAX_RUN_BYTES:
                    return "disk"
        return None

    def _count_memory(self, pids: list[int]) -> int:
        """Bytes that the sandbox uses now; the peak is recorded."""
        with self._counting:
            used = procfs.memory_held(pids, self.limits, self._inside)
            self._peak = max(self._peak, used)
            return used

    def _look(self) -> list[int]:
        """The members that can be found now; they stay known until they have ended."""
        pids = self._command.members(self._popen.pid)
        with self._lock:
            self._known = {
                pid: began for pid, began in self._known.items() if procfs.runs(pid, began)
            } | {pid: procfs.began(pid) for pid in pids}
        return pids

    def _kill_all(self) -> None:
        """Kill until no process runs: a process may fork while it is being killed, and takes a
        moment to end.

        Every process that was ever seen is killed and waited for. When a parent has died, its
        children can no longer be found in the tree, and they end by themselves only some time
        later.
        """
        deadline = time.monotonic() + START_SECONDS
        while True:
            members = self._look()
            running = [pid for pid, began in self._known.items() if procfs.runs(pid, began)]
            for pid in {*members, *running}:
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
