"""`python -m grading.engine.run.server N`: a process that has imported nbgrader and pytest, and
forks one process for each job that it reads.

Jobs come as JSON lines on standard input: {"job": number, "request": path, "log": path, "seconds":
wall time, "alone": whether no other may run beside it}. At most N run at a time. Each is answered
with {"job": number, "code": exit code, or null when its time was up, "seconds": it took, "beside":
whether another ran beside it}, in the order in which they finish. When standard input closes
because the engine has ended in any way, the server ends every process and itself.
"""

import contextlib
import json
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grading.engine.submission_size_and_time import GRADING_BYTES
from grading.engine.trusted_process_limits import limit_child


@dataclass
class Child:
    job: int
    begin: float
    stop_at: float
    timed_out: bool = False
    alone: bool = False
    beside: bool = False


class Waiting:
    """The jobs that wait. One that has to run alone waits until no other one waits or runs."""

    def __init__(self) -> None:
        self._jobs: deque[dict[str, Any]] = deque()
        self._alone: deque[dict[str, Any]] = deque()

    def add(self, job: dict[str, Any]) -> None:
        (self._alone if job["alone"] else self._jobs).append(job)

    def next(self, running: Collection[Child], at_once: int) -> dict[str, Any] | None:
        """The job that may start now, beside those that run; None if none may."""
        if len(running) >= at_once or any(child.alone for child in running):
            return None
        if self._jobs:
            return self._jobs.popleft()
        return self._alone.popleft() if self._alone and not running else None


def serve(at_once: int) -> int:
    # Ctrl-C reaches every process of the terminal; here the engine decides when to stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _import_what_children_need()
    print(json.dumps({"ready": True}), flush=True)
    children: dict[int, Child] = {}
    prepared = False
    waker, wakened = socket.socketpair()
    for end in (waker, wakened):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakened.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    watch, lines = selectors.DefaultSelector(), b""
    waiting = Waiting()
    watch.register(0, selectors.EVENT_READ)
    watch.register(waker, selectors.EVENT_READ)
    try:
        while True:
            ends = (child.stop_at for child in children.values() if not child.timed_out)
            wait = min(ends, default=None)
            for key, _ in watch.select(None if wait is None else max(0.0, wait - time.monotonic())):
                if key.fd == 0:
                    data = os.read(0, 2**16)
                    if not data:
                        return 0
                    *whole, lines = (lines + data).split(b"\n")
                    for line in whole:
                        waiting.add(json.loads(line))
                else:
                    waker.recv(4096)
            _overdue(children)
            _ended(children)
            while job := waiting.next(children.values(), at_once):
                if not prepared:  # all jobs of one server have the same kit
                    prepared = _prepare(Path(job["request"]))
                now = time.monotonic()
                child = Child(job["job"], now, now + job["seconds"], alone=job["alone"])
                for other in children.values():
                    other.beside = child.beside = True
                children[_fork(job)] = child
    finally:
        signal.set_wakeup_fd(-1)  # a child that ends from now on finds the sockets closed
        for pid in children:
            _kill(pid)


def _import_what_children_need() -> None:
    """Import and compile once here, which takes seconds, so that forks need not do it."""
    from grading.engine.nbgrader.import_nbgrader import Config, quiet, warmed_up
    from grading.engine.nbgrader_steps.replaced_steps import classes

    with quiet():
        classes(Config())
        warmed_up()


def _prepare(request: Path) -> bool:
    """Import the contract tests once, for all forks."""
    from grading.engine.run import sealed_tests
    from grading.engine.run.grading_kit import Kit
    from grading.engine.run.request_to_grade import Request

    with contextlib.suppress(OSError, ValueError, KeyError):
        # if the kit is wrong, each job reports that itself
        kit = Kit.open(Request.read(request).kit)
        if kit.assignment.sealed:
            sealed_tests.prepare(kit.given, list(kit.assignment.sealed.tests))
    return True


def _fork(job: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for target, source in ((0, nothing), (1, log), (2, log)):
            os.dup2(source, target)
        os.closerange(3, 64)
        limit_child(GRADING_BYTES)
        os.chdir(Path(job["request"]).parent)
        from grading.engine.run.grade_submission import run_request

        code = run_request(Path(job["request"]))
    except BaseException:  # noqa: BLE001 - written to stderr, which the pool keeps
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(code)


def _overdue(children: dict[int, Child]) -> None:
    for pid, child in children.items():
        if not child.timed_out and time.monotonic() >= child.stop_at:
            child.timed_out = True
            _kill(pid)


def _kill(pid: int) -> None:
    """End a job; its sandbox ends with it, since the connection to the sandbox's parent closes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _ended(children: dict[int, Child]) -> None:
    while children:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        child = children.pop(pid, None)
        if child is not None:
            _kill(pid)  # ends what the job left in its process group
            code = None if child.timed_out else os.waitstatus_to_exitcode(status)
            seconds = round(time.monotonic() - child.begin, 3)
            answer = {"job": child.job, "code": code, "seconds": seconds, "beside": child.beside}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    sys.exit(serve(int(sys.argv[1])))
