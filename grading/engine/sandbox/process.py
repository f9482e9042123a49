"""The result of `Sandbox.start`: one running sandbox, with the interface of subprocess.Popen as far
as it applies.
"""

from __future__ import annotations

import json
import select
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

START_SECONDS = 60  # generous, for a machine under load; a start takes some ten milliseconds
# exit code (EX_TEMPFAIL of sysexits.h) of a process whose sandbox was killed by neither the
# student's code nor the grader: its results say nothing about the student
KILLED_OUTSIDE = 75


class SandboxError(Exception):
    """A sandbox could not be made. The message gives the reason and the remedy."""


class Process:
    """A running or finished sandbox.

    Attributes:
        pid: of the student's Python, as this process sees it.
        returncode: None while it runs; then its exit code, or minus the signal's number.
        ended_by: the limit that ended it: "memory", "cpu" or "disk"; "own cpu" for a limit below
            ours that the student's code had set itself; "outside" for a kill that neither the
            student's code nor the grader can have sent; None in all other cases.
    """

    pid: int
    returncode: int | None = None
    ended_by: str | None = None

    def poll(self) -> int | None:
        raise NotImplementedError

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it ends. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        raise NotImplementedError

    def send_signal(self, number: int) -> None:
        raise NotImplementedError

    def kill(self) -> None:
        """End every process of the sandbox; returns when all have ended."""
        raise NotImplementedError

    @property
    def peak_memory_bytes(self) -> int | None:
        """The peak memory use so far, measured from outside: of the control group, or else the
        resident bytes of the processes.
        """
        raise NotImplementedError

    def forget_peak(self) -> None:
        """Reset `peak_memory_bytes` to what is in use now, if the system can do that."""
        raise NotImplementedError

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


class Connected(Process):
    """A sandbox forked by the pre-imported parent. It lives as long as the connection."""

    # number of sandboxes of this process that were killed from outside: the submissions graded with
    # them have to be graded again
    ended_outside = 0
    # CPU seconds of all sandboxes of this process that have ended; the parent's children are not
    # this process's
    cpu_seconds = 0.0

    def __init__(self, address: Path, request: dict, fds: list[int]):
        self._lock, self._buffer, self._peak, self._killed = threading.RLock(), b"", None, False
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(str(address))
            socket.send_fds(self._socket, [json.dumps(request).encode() + b"\n"], fds)
        except OSError as problem:
            self._socket.close()
            Connected.ended_outside += 1
            raise SandboxError(
                f"the parent of the sandboxes does not answer ({problem.strerror});"
                " open the sandbox again"
            ) from None
        self.pid, self._error = 0, ""
        deadline = time.monotonic() + START_SECONDS
        while not (self.pid or self._error or self.returncode is not None):
            if time.monotonic() >= deadline:
                break
            self._read(0.5)
        if not self.pid:
            self._socket.close()
            early = f"ended early, exit code {self.returncode}"
            late = f"not up in {START_SECONDS} s"
            why = self._error or (late if self.returncode is None else early)
            raise SandboxError(
                f"the sandbox could not be made: {why}; `tito grade doctor` tries each part"
            )

    def _read(self, seconds: float | None) -> bool:
        """Read a message of the supervisor, waiting at most `seconds` for it. Returns False if none
        came.
        """
        with self._lock:
            if self.returncode is not None:
                return True
            poll = select.poll()  # select(2) cannot wait for descriptors above 1023
            poll.register(self._socket, select.POLLIN)
            if not poll.poll(None if seconds is None else seconds * 1000):
                return False
            try:
                data = self._socket.recv(65536)
            except OSError:
                data = b""
            *lines, self._buffer = (self._buffer + data).split(b"\n")
            for message in map(json.loads, lines):
                self.pid = message.get("pid", self.pid)
                self._error = message.get("error", "")
                self._peak = message.get("peak_memory_bytes", message.get("memory", self._peak))
                if "exit" in message:
                    self.returncode, self.ended_by = message["exit"], message["ended_by"]
                    Connected.cpu_seconds += message["cpu_seconds"]
            if not data and self.returncode is None:
                # the supervisor was killed, and the sandbox with it
                self.returncode = -signal.SIGKILL
            if self.returncode is not None:
                self._socket.close()
                # Processes in a process namespace cannot kill its first process: pid_namespaces(7).
                killed = self.returncode == -signal.SIGKILL
                if killed and self.ended_by is None and not self._killed:
                    self.ended_by = "outside"
                    Connected.ended_outside += 1
            return True

    def _tell(self, **order: int) -> None:
        with self._lock:
            if self.returncode is None:
                try:
                    self._socket.sendall(json.dumps(order).encode() + b"\n")
                except OSError:
                    self._read(0)

    def poll(self) -> int | None:
        while self.returncode is None and self._read(0):
            pass
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise subprocess.TimeoutExpired("sandbox", timeout or 0.0)
            self._read(left)
        return self.returncode

    def send_signal(self, number: int) -> None:
        self._killed = self._killed or (self.returncode is None and number == signal.SIGKILL)
        self._tell(signal=int(number))

    def kill(self) -> None:
        self.poll()
        self.send_signal(signal.SIGKILL)
        self.wait(START_SECONDS)

    @property
    def peak_memory_bytes(self) -> int | None:
        with self._lock:
            if self.returncode is None:
                self._peak = None
                self._tell(memory=1)
                deadline = time.monotonic() + 5
                while self._peak is None and self.returncode is None:
                    if time.monotonic() >= deadline:
                        break
                    self._read(0.5)
            return self._peak

    def forget_peak(self) -> None:
        self._tell(forget=1)

    def fileno(self) -> int:
        """The descriptor that becomes readable when there is a message, so that a loop can wait for
        it.
        """
        return self._socket.fileno()
