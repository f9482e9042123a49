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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from tinytorch.data.mapped_pages import MappedPages
from tinytorch.data.shared_memory import Slot, pack
from tinytorch.data.start_processes_quietly import in_a_worker
from tinytorch.data.worker_errors import WorkerError, pack_error

# when the main process has ended, a worker may go on with its task for this long
GRACE_SECONDS = 0.5
STARTING = -1  # used in place of a task's ticket for an error before the first task


@dataclass(frozen=True)
class WorkerInfo:
    """Identifies a worker.

    Attributes:
        id: 0 to num_workers - 1.
        num_workers: how many workers the pool has.
        seed: a number that differs between workers; the same seed and epoch of the pool give the
            same number again.
        pid: the id of its process.
        dataset: the worker's own copy of the dataset; None where the pool was not told of one.
    """

    id: int
    num_workers: int
    seed: int
    pid: int
    dataset: Any = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Setup:
    """Settings that a worker receives when it starts."""

    id: int
    num_workers: int
    entropy: int
    epoch: int


class StreamDividesItself(BaseException):
    """Raised by `worker_info()` inside `noticing_questions()`. It is no Exception, so that a
    stream's own `except Exception` does not catch it.
    """


_here: WorkerInfo | Any = None  # Any: None in the main process
_noticing = threading.local()


def worker_info() -> WorkerInfo | None:
    """The WorkerInfo of the worker that calls this; None in the main process."""
    if getattr(_noticing, "on", False):
        raise StreamDividesItself
    return _here


@contextlib.contextmanager
def noticing_questions() -> Iterator[None]:
    """In the main process: a stream that asks `worker_info()` in this block, to learn which part of
    it to give, is left at once with StreamDividesItself.
    """
    _noticing.on = True
    try:
        yield
    finally:
        _noticing.on = False


class GlobalGenerators:
    """The global generators of `random` and of `numpy.random` in a worker. All forked workers would
    draw the same numbers as their parent, so they are seeded here.
    """

    def __init__(self, entropy: int):
        self.entropy = entropy
        self.ours = [lambda words: random.seed(words.tobytes()), np.random.seed]

    def seed(self, *key: int) -> None:
        """Seed the generators; not those that `worker_init` has seeded, see `left_as_seeded`."""
        words = np.random.SeedSequence([self.entropy, *key]).generate_state(4)
        for seed in self.ours:
            seed(words)

    @contextlib.contextmanager
    def left_as_seeded(self) -> Iterator[None]:
        """A generator that is seeded, or used, in this block belongs to the user from then on."""
        before = _states()
        yield
        self.ours = [
            seed for seed, old, new in zip(self.ours, before, _states(), strict=True) if old == new
        ]


def _states() -> list[bytes]:
    return [pickle.dumps(random.getstate()), pickle.dumps(np.random.get_state())]


def main(
    connection: Connection, slots: list[Slot] | None, setup: Setup, code: tuple | bytes | None
) -> None:
    """Run tasks until the main process closes the pipe.

    Args:
        connection: for each task it receives a header (ticket, slot number, epoch, number) and the
            pickled task, and sends (ticket, whether it succeeded, lengths in the slot) and the
            pickled result or error.
        slots: where arrays are stored; None sends them through the pipe.
        code: (work, worker_init, dataset), or these pickled; None if they come pickled through
            the pipe as first message.
    """
    global _here
    in_a_worker()
    seed = _number([setup.entropy, setup.epoch], (setup.id,))
    _here = WorkerInfo(setup.id, setup.num_workers, seed, os.getpid())
    generators = GlobalGenerators(setup.entropy)
    inbox: queue.SimpleQueue = queue.SimpleQueue()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        # the main process has ended and reads no more answers
        try:
            code = code or connection.recv_bytes()
        except EOFError:  # the main process has already ended
            return
        threading.Thread(
            target=_listen, args=(connection, inbox), daemon=True, name="tasks"
        ).start()
        try:
            work, worker_init, dataset = pickle.loads(code) if isinstance(code, bytes) else code
            _here = replace(_here, dataset=dataset)
            generators.seed(seed)
            if worker_init is not None:
                with generators.left_as_seeded():
                    worker_init(_here)
        except BaseException as error:  # noqa: BLE001 - the main process raises it again
            _send(connection, STARTING, False, pack_error(error, _here.id, _here.pid), [])
            return
        pages = MappedPages()
        while (message := inbox.get()) is not None:
            header, body = message
            _answer(connection, slots, work, generators, header, body)
            pages.let_go()


def _listen(connection: Connection, inbox: queue.SimpleQueue) -> None:
    """Take tasks from the pipe as they arrive, so that the main process never waits to send one,
    and notice when the main process has ended.

    The end of the pipe is the only order to end, and it comes even if the main process was killed.
    An idle worker ends by itself. A worker in the middle of a task may go on for GRACE_SECONDS and
    is then ended here.
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
    generators: GlobalGenerators,
    header: tuple,
    body: bytes,
) -> None:
    ticket, place, epoch, number = header
    slot = None if slots is None else slots[place]
    try:
        # the seed depends on the task, so it does not matter which worker gets which task
        generators.seed(epoch, number)
        result = work(pickle.loads(body))
        try:
            answer, sizes = pack(result, slot)
        except OSError as error:
            raise WorkerError(
                f"no memory for the batch of task {number} in shared memory ({error}); use smaller"
                " batches or fewer workers"
            ) from error
        except Exception as error:  # pickle may raise any exception
            raise pickle.PicklingError(
                f"the batch of task {number} cannot be pickled, so it cannot leave its worker"
                f" process: {error}; return arrays, Tensors, numbers, strings and containers of"
                " them, or use num_workers=0"
            ) from error
    except StopIteration as error:  # would end the loop of the main process without an error
        stopped = RuntimeError(
            f"the work on task {number} raised StopIteration;"
            " to end a stream, catch it there and return a mark"
        )
        stopped.__cause__ = error
        _send(connection, ticket, False, pack_error(stopped, _here.id, _here.pid), [])
    except BaseException as error:  # noqa: BLE001
        # SystemExit and KeyboardInterrupt too: the main process raises them again.
        _send(connection, ticket, False, pack_error(error, _here.id, _here.pid), [])
    else:
        _send(connection, ticket, True, answer, sizes)


def _send(connection: Connection, ticket: int, good: bool, body: bytes, sizes: list[int]) -> None:
    connection.send((ticket, good, sizes))
    connection.send_bytes(body)


def _number(entropy: list[int], key: tuple[int, ...]) -> int:
    return int(np.random.SeedSequence(entropy, spawn_key=key).generate_state(1, np.uint64)[0])
