"""Starting a pool's workers and ending them, so that nothing is left: the processes, their pipes
and their memory.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import mmap
import multiprocessing
import multiprocessing.process
import os
import pickle
import time
import weakref
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from tinytorch.data.quiet_start import quiet_start
from tinytorch.data.shared import Slot
from tinytorch.data.worker_process import Setup, main

# what a worker gets to leave before it is killed; it takes GRACE_SECONDS at most, unless it is
# stuck
LEAVE_SECONDS = 2.0


@dataclass(eq=False)
class Worker:
    """What the main process knows of a worker."""

    id: int
    process: multiprocessing.process.BaseProcess
    connection: Connection
    slots: list[Slot] | None
    free: list[int]  # slots that no task has
    # ticket: (run, number, slot), oldest first
    tasks: dict[int, tuple[Any, int, int]] = field(default_factory=dict)
    heard: bool = False  # it has answered once


class Crew:
    """The workers of a pool. It knows nothing of the pool, so that it can clean up when the pool
    is gone.
    """

    def __init__(self):
        self.workers: list[Worker] = []
        crews.add(self)

    def start(
        self,
        code: tuple,
        start_method: str,
        num_workers: int,
        num_slots: int,
        shared_memory: bool,
        entropy: int,
        epoch: int,
    ) -> None:
        """Start the workers, each with `code` = (work, worker_init) and room for the results of
        `num_slots` tasks.
        """
        context, pickled = multiprocessing.get_context(start_method), None
        if start_method == "spawn":
            pickled, code = _pickled(code), None
        for id in range(num_workers):
            with quiet_start():
                ours, theirs = context.Pipe()
                slots = [Slot() for _ in range(num_slots)] if shared_memory else None
                setup = Setup(id, num_workers, entropy, epoch)
                process = context.Process(
                    target=main,
                    args=(theirs, slots, setup, code),
                    daemon=True,
                    name=f"tinytorch worker {id}",
                )
                self.workers.append(Worker(id, process, ours, slots, list(range(num_slots))))
                process.start()
                theirs.close()
        if pickled is not None:
            # sent when all are on their way, for each takes its time to be ready to read
            for worker in self.workers:
                with contextlib.suppress(OSError):
                    # it has ended: noticed when something is expected of it
                    worker.connection.send_bytes(pickled)

    def close(self) -> None:
        """End the workers; nothing happens the second time, nor in a process that was forked
        from theirs (see `forget`).
        """
        workers, self.workers = self.workers, []
        for worker in workers:
            # the order to leave; done first for all, so that a second Ctrl-C finds nothing left to
            # do
            worker.connection.close()
        started = [worker.process for worker in workers if worker.process.pid is not None]
        deadline = time.monotonic() + LEAVE_SECONDS
        for process in started:
            process.join(max(0.0, deadline - time.monotonic()))
        for process in started:
            if process.exitcode is None:
                process.kill()
                process.join(LEAVE_SECONDS)
            if process.exitcode is not None:
                process.close()
        for slot in itertools.chain.from_iterable(worker.slots or () for worker in workers):
            slot.close()

    def forget(self) -> None:
        """In a forked process: the workers are another one's. Were its end of a pipe kept open
        here, a worker would not notice that it left.
        """
        workers, self.workers = self.workers, []
        for worker in workers:
            worker.connection.close()
            # At its exit multiprocessing ends all it takes for children of this process.
            getattr(multiprocessing.process, "_children", set()).discard(worker.process)


crews: weakref.WeakSet[Crew] = weakref.WeakSet()


def _forget_all() -> None:
    for crew in list(crews):
        crew.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


class _CodePickler(pickle.Pickler):
    """Pickles a memory map as its file's name and place: the worker maps the file too, and no
    data is sent.
    """

    def reducer_override(self, value: Any) -> Any:
        if (
            type(value) is np.memmap
            and value.filename is not None
            and isinstance(value.base, mmap.mmap)
            and value.mode in _REOPENED
        ):
            order = "C" if value.flags.c_contiguous else "F"
            return np.memmap, (
                value.filename,
                value.dtype,
                _REOPENED[value.mode],
                value.offset,
                value.shape,
                order,
            )
        return NotImplemented


# "w+" would empty the file; "c" holds changes that are in no file
_REOPENED = {"r": "r", "r+": "r+", "w+": "r+"}


def _pickled(code: tuple) -> bytes:
    out = io.BytesIO()
    try:
        _CodePickler(out, protocol=5).dump(code)
        return out.getvalue()
    except Exception as error:
        raise pickle.PicklingError(
            "workers that start with spawn get the loader, its dataset and its functions pickled,"
            f" and {error}. Use functions and classes from a module (no lambda, nothing from inside"
            " a function), start_method='fork' where there is one, or num_workers=0"
        ) from error
