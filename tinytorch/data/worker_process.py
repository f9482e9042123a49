"""What happens inside a worker process. `tinytorch.data.workers` starts it and talks to it
through a pipe.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pickle
import queue
import random
import threading
import time
from collections.abc import Callable
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
    pid: int = 0
    dataset: Any = field(default=None, repr=False, compare=False)


class StreamDividesItself(BaseException):
    """Raised by `worker_info()` in the main process while `noticing.on`: a stream that asks which
    part of it to give is left at once. It is no Exception, so that a stream's own
    `except Exception` does not catch it.
    """


_here: WorkerInfo | Any = None  # Any: None in the main process
noticing = threading.local()


def worker_info() -> WorkerInfo | None:
    """The WorkerInfo of the worker that calls this; None in the main process."""
    if getattr(noticing, "on", False):
        raise StreamDividesItself
    return _here


# The global generators. All forked workers would draw the same numbers as their parent, so they are
# seeded in each worker; but not one that `worker_init` has seeded or used, which is the user's.
_SEEDERS = [lambda words: random.seed(words.tobytes()), np.random.seed]


def _states() -> list[bytes]:
    return [pickle.dumps(random.getstate()), pickle.dumps(np.random.get_state())]


def _seed(*entropy: int) -> None:
    words = np.random.SeedSequence(entropy).generate_state(4)
    for seed in _SEEDERS:
        seed(words)


def main(
    connection: Connection,
    slots: list[Slot | None],
    info: WorkerInfo,
    entropy: int,
    code: tuple | bytes | None,
) -> None:
    """Run tasks until the main process closes the pipe.

    Args:
        connection: for each task it receives (slot number, epoch, number) and the pickled task,
            and sends (whether it succeeded, lengths in the slot) and the pickled result or error.
            Before the first task, an error is sent with None in the place of whether.
        slots: where arrays are stored; None sends them through the pipe.
        info: what the main process knows of this worker.
        code: (work, worker_init, dataset), or these pickled; None if they come pickled through
            the pipe as first message.
    """
    global _here
    in_a_worker()
    _here = replace(info, pid=os.getpid())
    inbox: queue.SimpleQueue = queue.SimpleQueue()
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        # the main process has ended: it sends no code, or reads no more answers
        code = code or connection.recv_bytes()
        threading.Thread(
            target=_listen, args=(connection, inbox), daemon=True, name="tasks"
        ).start()
        try:
            work, worker_init, dataset = pickle.loads(code) if isinstance(code, bytes) else code
            _here = replace(_here, dataset=dataset)
            _seed(entropy, info.seed)
            before = _states()
            if worker_init is not None:
                worker_init(_here)
            same = [old == new for old, new in zip(before, _states(), strict=True)]
            _SEEDERS[:] = itertools.compress(_SEEDERS, same)
        except BaseException as error:  # noqa: BLE001 - the main process raises it again
            _send(connection, None, *_failed(error)[1:])
            return
        pages = MappedPages()
        while (message := inbox.get()) is not None:
            (place, epoch, number), body = message
            # the seed depends on the task, so it does not matter which worker gets which task
            _seed(entropy, epoch, number)
            _send(connection, *_answer(work, body, number, slots[place]))
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


_Answer = tuple[bool, bytes, list[int]]  # whether it succeeded, the pickle, lengths in the slot


def _answer(work: Callable, body: bytes, number: int, slot: Slot | None) -> _Answer:
    try:
        result = work(pickle.loads(body))
        try:
            return True, *pack(result, slot)
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
        return _failed(stopped)
    except BaseException as error:  # noqa: BLE001
        # SystemExit and KeyboardInterrupt too: the main process raises them again.
        return _failed(error)


def _failed(error: BaseException) -> _Answer:
    return False, pack_error(error, _here.id, _here.pid), []


def _send(connection: Connection, good: bool | None, body: bytes, sizes: list[int]) -> None:
    connection.send((good, sizes))
    connection.send_bytes(body)
