"""Starts the workers of a pool and ends them, so that no process, pipe or memory is left behind."""

from __future__ import annotations

import contextlib
import io
import itertools
import multiprocessing
import multiprocessing.process
import os
import pickle
import sys
import time
import weakref
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from tinytorch.data import shared_memory
from tinytorch.data.mapped_pages import place_in_file
from tinytorch.data.shared_memory import Slot
from tinytorch.data.start_processes_quietly import quiet_start
from tinytorch.data.worker_process import WorkerInfo, main

# on macOS system libraries do not survive a fork
DEFAULT_START = "fork" if sys.platform.startswith("linux") else "spawn"

# How long a worker may take to end before it is killed. Unless it is stuck, it needs at most
# GRACE_SECONDS.
LEAVE_SECONDS = 2.0


def start_method_named(name: str, argument: str = "start_method") -> str:
    """The name of a start method, if this system has it."""
    here = [each for each in ("fork", "spawn") if each in multiprocessing.get_all_start_methods()]
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
    slots: list[Slot | None]  # one for each task that it may have
    free: list[int]  # slots that no task uses
    # (run, number, slot), oldest first, as they are answered
    tasks: deque[tuple[Any, int, int]] = field(default_factory=deque)
    heard: bool = False  # whether it has answered at least once

    @property
    def task(self) -> int | None:
        """The number of the task that it works on; None if it has nothing to do."""
        return self.tasks[0][1] if self.tasks else None


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
        entropy: Any,
        epoch: int,
    ) -> None:
        """Start the workers, each with `code` = (work, worker_init, dataset) and room for the
        results of `num_slots` tasks.
        """
        context: Any = multiprocessing.get_context(start_method)
        pickled: bytes | None = None
        given: Any = code
        if start_method == "spawn":
            try:
                pickled, given = _pickled(code), None
            except pickle.PicklingError:  # perhaps it can be while a process starts
                given = _Inherited(code)
        for id in range(num_workers):
            with quiet_start():
                ours, theirs = context.Pipe()
                slots = [Slot() if shared_memory.available else None for _ in range(num_slots)]
                words = np.random.SeedSequence([entropy, epoch], spawn_key=(id,))
                info = WorkerInfo(id, num_workers, int(words.generate_state(1, np.uint64)[0]))
                process = context.Process(
                    target=main,
                    args=(theirs, slots, info, entropy, given),
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
        for slot in itertools.chain.from_iterable(worker.slots for worker in workers):
            if slot is not None:
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


class _CodePickler(ForkingPickler):
    """Pickles what multiprocessing can; and a memory map as its file name and its place in the
    file: the worker maps the file too, and no data is sent.

    Raises:
        RuntimeError: a lock was made for fork. It has no name by which a process that was not
            forked could find it, but only newer Pythons than 3.11.2 say so.
    """

    def reducer_override(self, value: Any) -> Any:
        if (
            type(value).__module__ == "multiprocessing.synchronize"
            and getattr(getattr(value, "_semlock", None), "name", "") is None
            and sys.platform != "win32"  # where no lock has a name or needs one
        ):
            raise RuntimeError(
                "a lock that was made for start_method='fork' has no name; make locks, values and"
                " queues with multiprocessing.get_context('spawn')"
            )
        place = place_in_file(value)
        return NotImplemented if place is None else (np.memmap, place)


class _Inherited:
    """Code that a worker gets while it starts, as bytes. Locks and values of multiprocessing can be
    handed over only then.
    """

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
            f" and {error}. Use functions and classes from a module (no lambda, nothing from inside"
            " a function), start_method='fork' where there is one, or num_workers=0"
        ) from error
