"""Errors of worker processes: one that ended or does not answer, and the way of an exception from a
worker to the main process.
"""

from __future__ import annotations

import pickle
import signal
import traceback
from collections.abc import Iterable


class WorkerDied(RuntimeError):
    """A worker process ended in the middle of its work: it was killed, ran out of memory, or
    crashed in compiled code.
    """


class WorkerTraceback(Exception):
    """The traceback of an error in a worker process, as text. It is the `__cause__` of the error
    that the main process raises.
    """


class WorkerError(RuntimeError):
    """Raised in place of a worker's exception or result that cannot be sent to the main process."""


def died(name: str, code: int | None, task: int | None, *, more: str = "") -> WorkerDied:
    """What is raised about a worker whose process has ended.

    Args:
        code: the exit code of the process.
        task: the number of the task that it worked on; None if it had nothing to do.
        more: what else is known of its end.
    """
    idle = "while it had nothing to do"
    work = idle if task is None else f"while it worked on task {task}"
    return WorkerDied(
        f"{name} {_end(code)}{more}, {work}. To see an error of your own code, use num_workers=0"
    )


def timed_out(seconds: float, busy: Iterable[str]) -> TimeoutError:
    """What is raised if no worker has answered for so long; `busy` says who has which task."""
    return TimeoutError(
        f"no result came from the workers for timeout={seconds} seconds;"
        f" {', '.join(busy)}. Give them more time, or use num_workers=0 to see where they wait"
    )


def _end(code: int | None) -> str:
    """How a process ended, in words."""
    if code is None:
        return "closed its pipe but goes on"
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    return f"was killed by signal {-code} ({name})" + (
        ", often for want of memory" if name == "SIGKILL" else ""
    )


def pack_error(error: BaseException, worker: int, pid: int) -> bytes:
    """The error and its traceback as text, pickled. Where pickling would change the error, a
    WorkerError takes its place.
    """
    # leave out the frame of the worker's loop
    error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip()
    text = f"in worker {worker} (pid {pid}):\n\n{lines}"
    try:
        body = pickle.dumps((error, text), protocol=5)
        again, _ = pickle.loads(body)
        if type(again) is type(error) and str(again) == str(error):
            return body
        why = f"pickle makes it {again!r}"
    except Exception as reason:  # noqa: BLE001 - pickling its classes may raise anything
        why = str(reason)
    summary = traceback.format_exception_only(type(error), error)[-1].strip()
    told = f"{summary}  (the exception itself cannot cross from a worker process: {why})"
    return pickle.dumps((WorkerError(told), text), protocol=5)


def unpack_error(body: bytes) -> BaseException:
    """The error that was packed by `pack_error`, with a WorkerTraceback as its cause."""
    try:
        error, text = pickle.loads(body)
    except Exception as reason:  # noqa: BLE001 - unpickling its classes may raise anything
        return WorkerError(f"an exception of a worker cannot be read in the main process: {reason}")
    error.__cause__ = WorkerTraceback(text)
    return error
