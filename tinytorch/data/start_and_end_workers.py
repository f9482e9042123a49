"""Starts the workers of a pool and ends them, so that no process, pipe or memory is left behind."""

from __future__ import annotations

import contextlib
import io
import itertools
import mmap
import multiprocessing
import multiprocessing.process
import os
import pickle
import sys
import time
import traceback
import weakref
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from tinytorch.data.shared_memory import Slot
from tinytorch.data.start_processes_quietly import quiet_start
from tinytorch.data.worker_process import Setup, main

# on macOS system libraries do not survive a fork
DEFAULT_START = "fork" if sys.platform.startswith("linux") else "spawn"

# How long a worker may take to end before it is killed. Unless it is stuck, it needs at most
# GRACE_SECONDS.
LEAVE_SECONDS = 2.0


def start_method_named(
    name: str | None, default: str = DEFAULT_START, argument: str = "start_method"
) -> str:
    """The name of a start method, if this system has it; None is the default."""
    name = default if name is None else name
    here = [
        method for method in ("fork", "spawn") if method in multiprocessing.get_all_start_methods()
    ]
    if not isinstance(name, str) or name not in here:
        raise ValueError(
            f"{argument} is {' or '.join(map(repr, here))} on this system, got {name!r}"
        )
    return name


@dataclass(eq=False)
class Worker:
    """What the main process knows about a worker."""

    id: int
    process: Any  # multiprocessing's
    connection: Connection
    slots: list[Slot] | None
    free: list[int]  # slots that no task uses
    # ticket: (run, number, slot), oldest first
    tasks: dict[int, tuple[Any, int, int]] = field(default_factory=dict)
    heard: bool = False  # whether it has answered at least once

    @property
    def task(self) -> int | None:
        """The number of the task that it works on; None if it has nothing to do."""
        return next((number for _, number, _ in self.tasks.values()), None)


class Crew:
    """The workers of a pool. It has no reference to the pool, so that it can clean up after the
    pool was deleted.
    """

    def __init__(self) -> None:
        self.workers: list[Worker] = []
        crews.add(self)

    def start(
        self,
        code: tuple,
        start_method: str,
        num_workers: int,
        num_slots: int,
        shared_memory: bool,
        entropy: Any,
        epoch: int,
    ) -> None:
        """Start the workers, each with `code` = (work, worker_init, dataset) and room for the
        results of `num_slots` tasks.
        """
        context: Any = multiprocessing.get_context(start_method)
        pickled, given = _pickled_once(code) if start_method == "spawn" else (None, code)
        for id in range(num_workers):
            with quiet_start():
                ours, theirs = context.Pipe()
                slots = [Slot() for _ in range(num_slots)] if shared_memory else None
                setup = Setup(id, num_workers, entropy, epoch)
                process = context.Process(
                    target=main,
                    args=(theirs, slots, setup, given),
                    daemon=True,
                    name=f"tinytorch worker {id}",
                )
                self.workers.append(Worker(id, process, ours, slots, list(range(num_slots))))
                process.start()
                theirs.close()
        if pickled is not None:
            # sent after all were started, because a worker needs some time until it reads
            for worker in self.workers:
                with contextlib.suppress(OSError):
                    # the worker has ended; that is noticed when a result of it is due
                    worker.connection.send_bytes(pickled)

    def worker_for(self, turn: int | None) -> Worker:
        """The worker whose turn it is; for None, one that has the most room for tasks."""
        if turn is not None:
            return self.workers[turn % len(self.workers)]
        return max(self.workers, key=lambda worker: len(worker.free))

    def close(self) -> None:
        """End the workers. A second call does nothing; neither does a call in a forked copy of the
        process that started them (see `forget`).
        """
        workers, self.workers = self.workers, []
        for worker in workers:
            # Closing the pipe tells a worker to end. All are told first, so that a second Ctrl-C
            # cannot leave one running.
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
        """Called in a forked process, to which the workers do not belong. If it kept their pipes
        open, a worker would not notice that the main process has ended.
        """
        workers, self.workers = self.workers, []
        for worker in workers:
            worker.connection.close()
            # Otherwise multiprocessing would take them for its own children and end them at exit.
            getattr(multiprocessing.process, "_children", set()).discard(worker.process)


crews: weakref.WeakSet[Crew] = weakref.WeakSet()


def _forget_all() -> None:
    for crew in list(crews):
        crew.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


class _ForkLock(RuntimeError):
    pass


class _CodePickler(ForkingPickler):
    """Pickles what multiprocessing can; and a memory map as its file name and its place in the
    file: the worker maps the file too, and no data is sent.

    Raises:
        _ForkLock: a lock was made for fork. It has no name by which a process that was not forked
            could find it, but only newer Pythons than 3.11.2 say so.
    """

    def reducer_override(self, value: Any) -> Any:
        if (
            type(value).__module__ == "multiprocessing.synchronize"
            and getattr(getattr(value, "_semlock", None), "name", "") is None
            and sys.platform != "win32"  # where no lock has a name or needs one
        ):
            raise _ForkLock("a lock that was made for start_method='fork' has no name")
        if (
            type(value) is np.memmap
            and value.filename is not None
            and isinstance(value.base, mmap.mmap)
            and value.mode in _REOPENED
        ):
            mode, order = _REOPENED[value.mode], "C" if value.flags.c_contiguous else "F"
            place = (value.filename, value.dtype, mode, value.offset, value.shape, order)
            return np.memmap, place
        return NotImplemented


# mode -> mode in the worker: "w+" would empty the file. "c" is missing, because its changes are in
# no file.
_REOPENED = {"r": "r", "r+": "r+", "w+": "r+"}


def _pickled_once(code: tuple) -> tuple[bytes | None, _Inherited | None]:
    """The code pickled for all workers; or, where it holds locks or values of multiprocessing, code
    that is pickled anew for each worker, as these can only be handed to a process that starts.
    """
    try:
        return _pickled(code), None
    except pickle.PicklingError as error:
        if not _from_multiprocessing(error.__cause__):
            raise
        return None, _Inherited(code)


class _Inherited:
    """Code that a worker gets while it starts, as bytes."""

    def __init__(self, code: tuple):
        self.code = code

    def __reduce__(self) -> tuple:
        return bytes, (_pickled(self.code),)


def _pickled(code: tuple) -> bytes:
    out = io.BytesIO()
    try:
        _CodePickler(out, 5).dump(code)
        return out.getvalue()
    except Exception as error:
        raise pickle.PicklingError(
            "workers that start with spawn get the loader, its dataset and its functions pickled,"
            f" and {error}. Use {_remedy(error)}, start_method='fork' where there is one, or"
            " num_workers=0"
        ) from error


def _remedy(error: Exception) -> str:
    if isinstance(error, _ForkLock):
        return "locks, values and queues of multiprocessing.get_context('spawn')"
    return "functions and classes from a module (no lambda, nothing from inside a function)"


def _from_multiprocessing(error: BaseException | None) -> bool:
    frames = traceback.walk_tb(error.__traceback__ if error else None)
    names = [str(frame.f_globals.get("__name__")) for frame, _ in frames]
    return bool(names) and names[-1].startswith("multiprocessing.")
