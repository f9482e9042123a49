"""The trusted end of the pipe: start a worker, exchange messages before a deadline, end it."""

import contextlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from tito.child_processes import ONE_THREAD, end_group, signal_name
from tito.contract import memory, wire
from tito.contract.proxy import Peer, Remote, WorkerGone
from tito.time_and_memory_limits import ENDLESS

# Time to import Python, NumPy and the package. It is generous, so that a busy machine is not
# reported as a timeout of the code under test.
START_SECONDS = 30
# Processor time to import the package: a hundred times what the course's own modules take. A loop
# that never ends stops here, with its line, on a busy machine as on an idle one.
IMPORT_CPU_SECONDS = 5
MAX_TEST_BYTES = 256 * 2**20  # the most that the code under test may send in one test
_BROKEN = (EOFError, TimeoutError, wire.WireError)
# `ended_by` of a process that a sandbox started -> what happened to it
ENDED_BY: dict[str | None, str] = {
    "memory": "was killed at its limit of memory",
    "cpu": "was killed at its limit of processor time",
    "own cpu": "was killed at a limit of processor time that it had set itself",
    "disk": "was killed at its limit of disk space",
    "outside": "was killed from outside",
}
_PASSED_ON = "PATH HOME TMPDIR LANG LC_ALL PYTHONPATH VIRTUAL_ENV MPLCONFIGDIR".split()


class _Group(subprocess.Popen):
    """A process that leads its own group."""

    def kill(self) -> None:
        """End it and everything it started."""
        end_group(self.pid)


def start_worker(import_name: str, read_fd: int, write_fd: int) -> subprocess.Popen:
    """Start the bare Python process that imports `import_name`, in a session (and process group) of
    its own, with `read_fd` and `write_fd` as its standard input and output. The current folder is
    not on its import path; the folders in PYTHONPATH are. The seed of hidden tests is never among
    the few variables that are passed on.
    """
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    flags = ["-s", "-B"] + (["-P"] if sys.version_info >= (3, 11) else [])
    worker = str(Path(__file__).with_name("worker.py"))
    return _Group(
        [sys.executable, *flags, worker, import_name, "watched"],
        stdin=read_fd,
        stdout=write_fd,
        stderr=subprocess.DEVNULL,
        env={**ONE_THREAD, "MPLBACKEND": "Agg", "PYTHONUTF8": "1", **passed_on},
        start_new_session=True,
    )


class Pipe:
    """Sends and receives frames; neither blocks past `deadline` (of time.monotonic)."""

    def __init__(self, source: int, sink: int):
        self.source, self.sink = source, sink
        self.new_test(START_SECONDS)
        os.set_blocking(sink, False)
        self.comes, self.goes = select.poll(), select.poll()
        self.comes.register(source, select.POLLIN)
        self.goes.register(sink, select.POLLOUT)
        self.reader = wire.Reader(self._read)

    def new_test(self, wall_seconds: float) -> None:
        self.deadline, self.left = time.monotonic() + wall_seconds, MAX_TEST_BYTES

    def send(self, pieces: list, request: int | None = None) -> None:
        for piece in wire.joined(pieces):
            data = memoryview(piece)
            while data:
                try:
                    data = data[os.write(self.sink, data) :]
                except BlockingIOError:
                    self._wait(self.goes)
                except BrokenPipeError:
                    raise EOFError from None

    def receive(self) -> tuple[dict, list]:
        return wire.unpack(self.reader)

    def _read(self, view: memoryview) -> int:
        self._wait(self.comes)
        count = os.readv(self.source, [view])
        self.left -= count
        if self.left < 0:
            raise wire.WireError(f"more than {MAX_TEST_BYTES / 2**20:.0f} MiB in one test")
        return count

    def _wait(self, poll: Any) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise TimeoutError

    def close(self) -> None:
        for fd in (self.sink, self.source):
            if fd >= 0:
                os.close(fd)
        self.sink = self.source = -1


class Package(Remote):
    """The module under test. Each function and class is requested once and kept for later tests."""

    def __init__(self, peer: Peer):
        super().__init__(peer, 0)

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if isinstance(value, Remote):
            self.__dict__[name] = value
        return value

    def __del__(self) -> None:
        """Do nothing: the worker keeps its module for the next test."""


class Worker(Peer):
    """The code under test in its process: `module` is what tests call `tt`.

    Args:
        start: `start(import_name, read_fd, write_fd)` starts the process and returns an
            object with `pid`, `poll()`, `wait(timeout)`, `returncode` and `kill()`, which ends the
            process and everything that it started; and, if known, `ended_by`: the limit that ended
            the process.
        show: called with each path that a test passes in a call, so that the file can be made
            visible to the process; never called with a path that came from the process.
        gone: the class of the WorkerGone that is raised.

    Raises:
        WorkerGone: from any use, when the process has ended, does not answer before the deadline,
            or sends something that is not allowed. The process is then killed.
    """

    def __init__(
        self,
        import_name: str,
        *,
        wall_seconds: float,
        start: Callable[..., Any] = start_worker,
        show: Callable[[Path], Any] | None = None,
        gone: Any = WorkerGone,
    ):
        self.gone = gone
        self.import_name, self.wall_seconds = import_name, wall_seconds
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        super().__init__(Pipe(ours_in, ours_out), open_objects=False)
        self.show = show or self.show
        try:
            self.process = start(import_name, theirs_in, theirs_out)
        except BaseException:
            self.pipe.close()
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self.alive = True
        self.generators: memory.Generators | None = None  # set where they can be read from outside
        self.pipe.new_test(max(wall_seconds, START_SECONDS))
        try:
            hello, _ = self.pipe.receive()
            if "generators" in hello:
                with contextlib.suppress(OSError):
                    self.generators = memory.Generators(self.process.pid, hello["generators"])
                said = f"it used {IMPORT_CPU_SECONDS:g} s of processor time; {ENDLESS}"
                self.pipe.send(wire.pack({"cpu_seconds": IMPORT_CPU_SECONDS, "said": said}, []))
                hello, _ = self.pipe.receive()
        except _BROKEN as problem:
            self._broken(problem)
        said = hello.get("import", "")
        self.import_problem: str | None = None if said is None else wire.words([said])
        self.module = Package(self)
        self.new_test()

    def new_test(self, seed: int | None = None) -> None:
        """Start the clock of a test. Objects that the previous test lent are no longer known; with
        a seed the process gets back the state of its start: see `tito.contract.state`.
        """
        self.objects.clear()
        self.pipe.new_test(self.wall_seconds)
        if seed is not None:
            self.request("restore", 0, seed)

    def request(self, operation: str, target: int, *args: Any, **kwargs: Any) -> Any:
        if not self.alive:
            raise self.gone(f"{self.import_name}: its process has ended")
        try:
            return super().request(operation, target, *args, **kwargs)
        except _BROKEN as problem:
            self._broken(problem)

    def _broken(self, problem: BaseException) -> NoReturn:
        """Raise a WorkerGone for an error of the pipe; one of the code under test as it is."""
        status = "error"
        if isinstance(problem, wire.WireError):
            sentence = f"the code under test sent {problem}"
        elif problem.args:  # errors that the pipe itself raises have no arguments
            raise problem
        elif isinstance(problem, EOFError):
            sentence = f"in the middle of a test the code under test {self._how_it_ended()}"
        else:
            status = "timeout"
            sentence = f"no answer within {self.wall_seconds:g} s; {ENDLESS}"
        self.close()
        raise self.gone(f"{self.import_name}: {sentence}", status) from None

    def _how_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=1)
        code = self.process.poll()
        if code is None:
            return "closed its pipe"
        if limit := ENDED_BY.get(getattr(self.process, "ended_by", None)):
            return limit
        if code < 0:
            return f"was killed ({signal_name(-code)})"
        return f"ended its process (exit code {code})"

    def close(self) -> None:
        """End the process and everything it started. A second call does nothing."""
        if self.alive:
            self.alive = False
            self.process.kill()
            self.process.wait()
            if self.generators:
                self.generators.close()
        self.pipe.close()
