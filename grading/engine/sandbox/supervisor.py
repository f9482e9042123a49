"""One sandbox consists of process A, outside, which makes the namespaces and watches, and process
B, which is pid 1 inside.

A holds the connection to the client, and the sandbox lives as long as this connection: when it
closes, or the client or A dies, B is killed. When pid 1 is killed, the kernel kills every process
of the namespace, including daemons (pid_namespaces(7)).
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import select
import signal
import socket
import struct
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from grading.engine.sandbox import (
    cgroup,
    fair_share,
    file_system,
    procfs,
    programs,
    seccomp,
    variables,
)
from grading.engine.sandbox import kernelcalls as kernel
from grading.engine.sandbox.limits import SandboxLimits, cpu_limit

WATCH_SECONDS = 0.1  # how often memory is added up if there is no control group
GROUP_SECONDS = 0.5  # how often a control group is asked whether it ran out of memory


@dataclass(frozen=True)
class Prepared:
    """What the parent prepared for every sandbox."""

    root: str  # the folder on which each sandbox builds its file system
    owner: int | None  # the user inside; None is this one
    groups: cgroup.Groups | None
    worker: Any  # the module tito.contract.worker
    app: Any  # ipykernel's application, or None
    ours: list[str]  # names in sys.modules that are hidden from student code


def run(
    connection: socket.socket,
    fds: list[int],
    request: dict,
    prepared: Prepared,
    *,
    map_users: Any,
    zygote: int,
) -> NoReturn:
    """Process A after the fork. `map_users()` asks the parent for the user mapping, which a process
    may not write for itself.
    """
    code = 1
    try:
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        os.umask(0o022)  # files made for the other user must be readable for that user
        client = _pid_of_peer(connection)
        # priorities are set by the numbers that processes have outside
        outside = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        limits = SandboxLimits(**request["limits"])
        group = prepared.groups.new(limits) if prepared.groups else None
        try:
            kernel.unshare(kernel.NEWUSER)
            map_users()
            kernel.die_with_parent()
            if os.getppid() != zygote:
                raise RuntimeError("the parent of the sandboxes has ended")
            with contextlib.suppress(OSError):
                # /proc/sys is read-only in some containers; seccomp refuses new namespaces too
                Path("/proc/sys/user/max_user_namespaces").write_text("0", encoding="ascii")
            kernel.unshare(kernel.ALL_BUT_USER)
            ipv4 = kernel.open_loopback(procfs.BUFFER_BYTES)
            socket.sethostname("sandbox")
            file_system.build(prepared.root, request, prepared.owner)
            here, there = socket.socketpair()
            pid = os.fork()
            if pid == 0:
                _inside(there, fds, request, prepared, group, ipv4=ipv4)
            there.close()
            for fd in fds:
                os.close(fd)
            _Watch(connection, here, client, outside, pid, limits, group).until_the_end()
            code = 0
        finally:
            if group:
                group.remove()
    except BaseException as problem:  # noqa: BLE001 - the grader raises it again
        with contextlib.suppress(OSError):
            said = json.dumps({"error": f"{type(problem).__name__}: {problem}"})
            connection.sendall(said.encode() + b"\n")
    finally:
        os._exit(code)


def _pid_of_peer(connection: socket.socket) -> int:
    return os.pidfd_open(peer(connection)[0])


def peer(connection: socket.socket) -> tuple[int, int, int]:
    """The process, user and group at the other end."""
    facts = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return struct.unpack("3i", facts)


def _inside(
    parent: socket.socket,
    fds: list[int],
    request: dict,
    prepared: Prepared,
    group: cgroup.Group | None,
    *,
    ipv4: bool,
) -> NoReturn:
    """Process B. The isolation is complete before a second thread exists and before any file of a
    student is read.
    """
    code = 1
    try:
        if group:
            group.join()
        os.setsid()
        flags = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC | kernel.MS_RDONLY
        kernel.mount("proc", f"{prepared.root}/proc", "proc", flags)
        kernel.pivot_root(prepared.root)
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (*fds, parent.fileno())]
        for target, fd in enumerate(high):
            os.dup2(fd, target)
        os.closerange(4, 2**20)
        kernel.drop_privileges(prepared.owner)
        kernel.die_with_parent()
        seccomp.install(ipv4=ipv4)
        os.environ.clear()
        os.environ.update(variables.environment(request["program"]))
        time.tzset()
        os.chdir(programs.WORK)
        SandboxLimits(**request["limits"]).set_rlimits()
        programs.search_path(programs.PACKAGE, programs.WORK)
        programs.new_randomness()
        programs.usual_signals()
        gc.enable()
        if request["program"] == "kernel":
            programs.run_kernel(
                request["arguments"], programs.RUN, prepared.ours, _until_sealed_off, prepared.app
            )
        else:
            os.write(3, b"r")
            os.close(3)
            programs.run_sealed(request["arguments"], prepared.worker, prepared.ours)
        code = 0
    except SystemExit as problem:
        code = problem.code if isinstance(problem.code, int) else int(problem.code is not None)
    except BaseException as problem:  # noqa: BLE001 - reported, then the process ends
        with contextlib.suppress(OSError):
            # it is only open before student code runs
            os.write(3, f"{type(problem).__name__}: {problem}"[:1000].encode())
        traceback.print_exc(file=sys.__stderr__)
    finally:
        for stream in (sys.__stdout__, sys.__stderr__):
            with contextlib.suppress(Exception):
                if stream:
                    stream.flush()
        os._exit(code)


def _until_sealed_off() -> None:
    """The sockets exist now: wait until A has removed the host's directory from the tree, then
    student code may run.
    """
    os.write(3, b"r")
    if os.read(3, 1) != b"s":
        os._exit(1)
    os.close(3)


@dataclass
class _Watch:
    """Process A after the fork of B."""

    connection: socket.socket
    inside: socket.socket
    client: int  # a descriptor of the process that asked for the sandbox
    outside: int  # a descriptor of /proc with the numbers that processes have outside
    pid: int  # of B
    limits: SandboxLimits
    group: cgroup.Group | None
    ended_by: str | None = None
    buffer: bytes = b""
    peak: int = 0
    used: procfs.ProcessorTime = field(default_factory=procfs.ProcessorTime)

    def __post_init__(self) -> None:
        self.child = os.pidfd_open(self.pid)
        signal.signal(signal.SIGTERM, lambda *_: self.kill())  # the parent is being closed

    def say(self, **message: Any) -> None:
        with contextlib.suppress(OSError):
            self.connection.sendall(json.dumps(message).encode() + b"\n")

    def kill(self, why: str | None = None) -> None:
        self.ended_by = self.ended_by or why
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def until_the_end(self) -> None:
        poll = select.poll()
        for source in (self.connection, self.inside, self.client, self.child):
            poll.register(source, select.POLLIN)
        pause = 1000 * (WATCH_SECONDS if self.group is None else GROUP_SECONDS)
        while True:
            ready = {fd for fd, _ in poll.poll(pause)}
            # first, because on a busy machine a short program has begun and ended by now
            if self.inside.fileno() in ready:
                poll.unregister(self.inside)
                self._ready()
            if self.child in ready:
                break
            if self.client in ready:
                poll.unregister(self.client)
                self.kill()
            if self.connection.fileno() in ready and not self._obey():
                poll.unregister(self.connection)
                self.kill()
            # The kernel may have killed only a child. As at the other levels, a sandbox that runs
            # out of memory ends as a whole.
            if self._out_of_memory():
                self.kill("memory")
            self._share_processors()
        # readable, because the process has ended but was not waited for
        own_limit = cpu_limit(self.pid)
        _, status, usage = os.wait4(self.pid, 0)
        code = os.waitstatus_to_exitcode(status)
        counted = self.group.peak_bytes() if self.group else None
        peak = counted or max(self.peak, usage.ru_maxrss * 1024)
        used, own = usage.ru_utime + usage.ru_stime, os.times()
        if self.group and self.group.out_of_memory() and code < 0:
            self.ended_by = "memory"
        elif code == -signal.SIGKILL:
            self.ended_by = self.ended_by or self.limits.cpu_ended_by(used + 0.5, own_limit)
        cpu = used + own.user + own.system
        self.say(exit=code, peak_memory_bytes=peak, ended_by=self.ended_by, cpu_seconds=cpu)

    def _ready(self) -> None:
        with contextlib.suppress(OSError):
            word = self.inside.recv(4096)
            if word == b"r":
                with contextlib.suppress(OSError):
                    kernel.umount(programs.RUN)
                    self.inside.send(b"s")
                self.say(pid=self.pid)
            elif word:
                self.say(error=word.decode())
        self.inside.close()

    def _obey(self) -> bool:
        """Carry out the client's orders; False if the client has ended."""
        try:
            data = self.connection.recv(4096)
        except OSError:
            data = b""
        *lines, self.buffer = (self.buffer + data).split(b"\n")
        for line in lines:
            order = json.loads(line)
            if "signal" in order:
                self._signal(order["signal"])
            elif "forget" in order:
                self.peak = 0
                if self.group:
                    self.group.forget_peak()
            elif "memory" in order:
                if self.group is None:
                    self._memory()
                self.say(memory=self.group.peak_bytes() if self.group else self.peak)
        return bool(data)

    def _signal(self, number: int) -> None:
        if number == signal.SIGKILL:
            return self.kill()
        with contextlib.suppress(ProcessLookupError):
            # B leads a session, so an interrupt also reaches programs that a cell started
            os.killpg(self.pid, number)

    def _share_processors(self) -> None:
        """Keep the sandbox within its processor time, and from taking that of others."""
        pids = _pids()
        counted = self.group.cpu_seconds() if self.group else 0.0
        if max(counted, self.used.look(pids)) > self.limits.cpu_seconds:
            self.kill("cpu")
        weighed = self.group is not None and self.group.weighs
        if not weighed and sum(one.runs for one in procfs.threads(pids)) > 1:
            everybody = procfs.descendants(self.pid, self.outside)
            fair_share.weigh_as_one(everybody, self.pid, self.outside)

    def _out_of_memory(self) -> bool:
        if self.group is None:
            return self._memory() > self.limits.memory_bytes
        # version 1 does not count what TCP holds
        return self.group.out_of_memory() or procfs.in_sockets(1) > self.limits.memory_bytes

    def _memory(self) -> int:
        """Bytes that the sandbox uses now; the peak is recorded."""
        total = procfs.memory_held(_pids(), self.limits, 1)
        self.peak = max(self.peak, total)
        return total


def _pids() -> list[int]:
    """Every process of the sandbox by its number inside: /proc is the sandbox's own here, and its
    first process is 1.
    """
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]
