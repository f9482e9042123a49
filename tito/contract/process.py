"""The trusted end: start a worker, speak to it under a deadline, end it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tito.contract import wire
from tito.contract.proxy import Peer, Remote, WorkerGone

START_SECONDS = 30   # for Python, NumPy and the package; a busy machine is no timeout of the code under test
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "MPLCONFIGDIR")


def start_worker(import_name: str, *, command_prefix: tuple[str, ...] = (), cwd: Path | str | None = None,
                 environment: dict[str, str] | None = None) -> subprocess.Popen:
    """Start the bare Python process that holds `import_name`, a new session (process group) of its own.

    Args:
        command_prefix: put before the command, for a sandbox or limits: `("prlimit", "--as=2000000000", "--")`.
        cwd: the workspace; it is not on the worker's import path, PYTHONPATH is.
        environment: replaces the few variables that are passed on. The seed of hidden tests is never among them.
    """
    if environment is None:
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    quiet = {"MPLBACKEND": "Agg", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    flags = ["-s", "-B"] + (["-P"] if sys.version_info >= (3, 11) else [])
    command = [*command_prefix, sys.executable, *flags, str(Path(__file__).with_name("worker.py")), import_name]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
                            cwd=cwd, env={**quiet, **environment}, start_new_session=True)


class Pipe:
    """Frames to and from a process, none of which may block past `deadline` (seconds of time.monotonic)."""

    def __init__(self, process: subprocess.Popen):
        self.process, self.deadline = process, time.monotonic() + START_SECONDS
        self.source, self.sink = process.stdout.fileno(), process.stdin.fileno()
        os.set_blocking(self.source, False)
        os.set_blocking(self.sink, False)

    def send(self, pieces: list, request: int | None = None) -> None:
        data = memoryview(b"".join(pieces))
        while data:
            self._wait(self.sink, select.POLLOUT)
            try:
                data = data[os.write(self.sink, data[:2**16]):]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise EOFError from None

    def receive(self) -> tuple[dict, list]:
        return wire.unpack(self._exactly)

    def _exactly(self, size: int) -> bytearray:
        data = bytearray(size)
        view = memoryview(data)
        while view:
            self._wait(self.source, select.POLLIN)
            part = os.readv(self.source, [view])
            if not part:
                raise EOFError
            view = view[part:]
        return data

    def _wait(self, fd: int, event: int) -> None:
        poll = select.poll()
        poll.register(fd, event)
        left = self.deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise TimeoutError


class Worker(Peer):
    """The code under test in its process: `module` is what tests call `tt`.

    Raises:
        WorkerGone: from any use, when the process ended, hangs past the deadline or sends what it may not. The process is gone then.
    """

    gone = WorkerGone

    def __init__(self, import_name: str, *, wall_seconds: float, **start: Any):
        self.import_name, self.wall_seconds = import_name, wall_seconds
        self.process = start_worker(import_name, **start)
        super().__init__(Pipe(self.process), open_objects=False)
        self.pipe.deadline = time.monotonic() + max(wall_seconds, START_SECONDS)
        hello, _ = self._guarded(self.pipe.receive)
        self.import_problem: str | None = hello.get("import")
        self.module = Remote(self, 0)

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    def new_test(self) -> None:
        """Start the clock of a test; what the one before lent is no longer reachable."""
        self.objects.clear()
        self.pipe.deadline = time.monotonic() + self.wall_seconds

    def request(self, operation: str, target: int, *args: Any, **kwargs: Any) -> Any:
        if not self.alive:
            raise WorkerGone(f"{self.import_name}: its process has ended")
        return self._guarded(super().request, operation, target, *args, **kwargs)

    def _guarded(self, action: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return action(*args, **kwargs)
        except EOFError as problem:
            if problem.args:      # raised by the code under test, not by the pipe
                raise
            self._wait_for_end()
            self._end(f"{self.import_name}: the code under test {_how_it_ended(self.process.poll())} in the middle of the test")
        except wire.WireError as problem:
            self._end(f"{self.import_name}: the code under test sent {problem}")
        except TimeoutError as problem:
            if problem.args:
                raise
            self._end(f"{self.import_name}: no answer within {self.wall_seconds:g} s; is there a loop that never ends?", "timeout")

    def _end(self, sentence: str, status: str = "error") -> None:
        self.close()
        raise WorkerGone(sentence, status) from None

    def _wait_for_end(self) -> None:
        try:
            self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            pass

    def close(self) -> None:
        """End the process and everything it started; twice does no harm."""
        if self.process.returncode is None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def _how_it_ended(code: int | None) -> str:
    if code is None:
        return "closed its pipe"
    return f"was killed ({signal.Signals(-code).name})" if code < 0 else f"ended its process (exit code {code})"
