"""What happens inside a worker process. `tinytorch.data.workers` starts it and talks to it
through a pipe.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import random
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from tinytorch.data.mapped_pages import MappedPages
from tinytorch.data.quiet_start import in_a_worker
from tinytorch.data.shared import Slot, pack

# a worker whose main process has left may finish for so long what it has begun
GRACE_SECONDS = 0.5
STARTING = -1  # stands for a task's ticket before there is one


class WorkerTraceback(Exception):
    """The traceback of an error as it was in the worker process, as text. It is the `__cause__`
    of the error that is raised again.
    """


class WorkerError(RuntimeError):
    """Stands for an exception or a result of a worker that cannot cross to the main process."""


@dataclass(frozen=True)
class WorkerInfo:
    """Who a worker is.

    Attributes:
        id: 0 to num_workers - 1.
        num_workers: how many there are.
        seed: a number of its own; the same again for the same seed and epoch of the pool.
        pid: its process.
    """

    id: int
    num_workers: int
    seed: int
    pid: int


@dataclass(frozen=True)
class Setup:
    """What a worker is told when it starts."""

    id: int
    num_workers: int
    entropy: int
    epoch: int


_here: WorkerInfo | None = None


def worker_info() -> WorkerInfo | None:
    """The WorkerInfo of the worker this is called in; None in a main process."""
    return _here


def main(
    connection: Connection, slots: list[Slot] | None, setup: Setup, code: tuple | None
) -> None:
    """Run tasks until the main process closes the pipe.

    Args:
        connection: in come a header (ticket, slot number, epoch, number) and a pickled task,
            alternately; out go (ticket, it went well, lengths in the slot) and a pickled result or
            error.
        slots: where arrays are put; None sends them through the pipe.
        code: (work, worker_init); None where they come first through the pipe, pickled.
    """
    global _here
    in_a_worker()
    _here = WorkerInfo(
        setup.id, setup.num_workers, _number([setup.entropy, setup.epoch], (setup.id,)), os.getpid()
    )
    inbox: queue.SimpleQueue = queue.SimpleQueue()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        # nobody is there to read it any more
        try:
            pickled = None if code else connection.recv_bytes()
        except EOFError:  # the main process has left already
            return
        threading.Thread(
            target=_listen, args=(connection, inbox), daemon=True, name="tasks"
        ).start()
        try:
            work, worker_init = code or pickle.loads(pickled)
            if worker_init is not None:
                worker_init(_here)
        except BaseException as error:  # noqa: BLE001 - the main process raises it again
            _send(connection, STARTING, False, pack_error(error, _here), [])
            return
        pages = MappedPages()
        while (message := inbox.get()) is not None:
            header, body = message
            _answer(connection, slots, work, setup.entropy, header, body)
            pages.let_go()


def _listen(connection: Connection, inbox: queue.SimpleQueue) -> None:
    """Take tasks from the pipe as they come, so that the main process never waits to send one, and
    notice when it has left.

    The end of the pipe is the only order to leave, and it comes also when the main process was
    killed. Idle, the worker ends by itself; in the middle of a task it has a moment, and is ended
    here.
    """
    with contextlib.suppress(EOFError, OSError):
        while True:
            inbox.put((connection.recv(), connection.recv_bytes()))
    inbox.put(None)
    time.sleep(GRACE_SECONDS)
    os._exit(0)


def _answer(
    connection: Connection,
    slots: list[Slot] | None,
    work: Callable[[Any], Any],
    entropy: int,
    header: tuple,
    body: bytes,
) -> None:
    ticket, place, epoch, number = header
    slot = None if slots is None else slots[place]
    try:
        _seed_the_globals(entropy, epoch, number)
        result = work(pickle.loads(body))
        try:
            answer, sizes = pack(result, slot)
        except OSError as error:
            raise WorkerError(
                f"no memory for the batch of task {number} in shared memory ({error}); use smaller"
                " batches or fewer workers"
            ) from error
        except Exception as error:  # pickle raises what it likes
            raise pickle.PicklingError(
                f"the batch of task {number} cannot be pickled, so it cannot leave its worker"
                f" process: {error}; return arrays, Tensors, numbers, strings and containers of"
                " them, or use num_workers=0"
            ) from error
    except StopIteration as error:  # would end the loop of the main process as if all were well
        stopped = RuntimeError(
            f"the work on task {number} raised StopIteration;"
            " to end a stream, catch it there and return a mark"
        )
        stopped.__cause__ = error
        _send(connection, ticket, False, pack_error(stopped, _here), [])
    except BaseException as error:  # noqa: BLE001
        # SystemExit and KeyboardInterrupt too: the main process raises them again.
        _send(connection, ticket, False, pack_error(error, _here), [])
    else:
        _send(connection, ticket, True, answer, sizes)


def _send(connection: Connection, ticket: int, good: bool, body: bytes, sizes: list[int]) -> None:
    connection.send((ticket, good, sizes))
    connection.send_bytes(body)


def _seed_the_globals(entropy: int, epoch: int, number: int) -> None:
    """Forked workers would all draw the numbers of their parent. By task, not by worker, they do
    not depend on who gets which task.
    """
    words = np.random.SeedSequence([entropy, epoch, number]).generate_state(4)
    np.random.seed(words)
    random.seed(words.tobytes())


def _number(entropy: list[int], key: tuple[int, ...]) -> int:
    return int(np.random.SeedSequence(entropy, spawn_key=key).generate_state(1, np.uint64)[0])


def pack_error(error: BaseException, info: WorkerInfo) -> bytes:
    """The error and its traceback as text, pickled; a WorkerError in its place where it would
    not come out as it went in.
    """
    # the frame of this file teaches nothing
    error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
    text = (
        f"in worker {info.id} (pid {info.pid}):\n\n"
        + "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip()
    )
    try:
        body = pickle.dumps((error, text), protocol=5)
        again, _ = pickle.loads(body)
        if type(again) is type(error) and str(again) == str(error):
            return body
        why = f"pickle makes it {again!r}"
    except Exception as reason:  # noqa: BLE001 - its classes may do anything
        why = str(reason)
    summary = traceback.format_exception_only(type(error), error)[-1].strip()
    return pickle.dumps(
        (
            WorkerError(
                f"{summary}  (the exception itself cannot cross from a worker process: {why})"
            ),
            text,
        ),
        protocol=5,
    )


def unpack_error(body: bytes) -> BaseException:
    """The error that `pack_error` took apart, with a WorkerTraceback as its cause."""
    try:
        error, text = pickle.loads(body)
    except Exception as reason:  # noqa: BLE001 - its classes may do anything
        return WorkerError(f"an exception of a worker cannot be read in the main process: {reason}")
    error.__cause__ = WorkerTraceback(text)
    return error
