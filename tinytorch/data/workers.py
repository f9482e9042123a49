"""A pool of worker processes: tasks go out in order, results come back as they are ready.

This file holds the plumbing of a loader, so that students need not write it: starting processes
with fork and with spawn, moving batches through shared memory, raising a worker's error in the main
process, noticing a worker that was killed, and leaving nothing behind, whatever happens. The loader
itself decides which tasks there are and what a worker does with each, and it restores the order of
the results.

    with WorkerPool(make_batch, num_workers=4) as pool:
        for number, batch in pool.run(chunks_of_indices):   # in any order
            ...
"""

from __future__ import annotations

import itertools
import multiprocessing
import pickle
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Any

import numpy as np

from tinytorch.core.checks import whole
from tinytorch.data import shared_memory, worker_errors
from tinytorch.data.start_and_end_workers import (
    DEFAULT_START,
    LEAVE_SECONDS,
    Crew,
    Worker,
    start_method_named,
)
from tinytorch.data.worker_errors import (
    WorkerDied,
    WorkerError,
    WorkerTraceback,
    unpack_error,
)
from tinytorch.data.worker_process import STARTING, WorkerInfo, worker_info

__all__ = [
    "WorkerDied",
    "WorkerError",
    "WorkerInfo",
    "WorkerPool",
    "WorkerTraceback",
    "worker_info",
]

# No wait lasts longer than this: the signal of Ctrl-C may arrive in another thread and then does
# not wake the thread that waits.
_LOOK_SECONDS = 1.0


class WorkerPool:
    """Worker processes that call `work(task)`. A pool belongs to one thread.

    Args:
        work: called in the workers; takes a task, returns a result. With spawn it is pickled.
        num_workers: the number of processes, 1 or more.
        start_method: "fork" (the default on Linux: each worker has a copy of everything in memory)
            or "spawn" (the default elsewhere: fresh processes, to which `work` and `worker_init`
            are sent pickled).
        prefetch: tasks given to each worker at a time, including the one it works on; 1 or more.
        timeout: seconds to wait for the next message of any worker; 0 waits for ever.
        worker_init: called in each worker with its WorkerInfo before the first task. A pool that
            has one gives task n to worker n % num_workers, so that the same worker gets the same
            tasks again.
        seed: before each task, the worker seeds the global generators of `random` and
            `numpy.random` from (seed, epoch, number of the task), but not one that `worker_init`
            has seeded; None draws fresh entropy for each pool.
        epoch: `WorkerInfo.seed` depends on it.
        dataset: what the tasks are about: `WorkerInfo.dataset` is the worker's copy of it.

    Raises:
        ValueError: an argument is out of its range.
        pickle.PicklingError: with spawn, `work` or `worker_init` cannot be pickled.
        RuntimeError: the calling process is itself a worker.
    """

    def __init__(
        self,
        work: Callable[[Any], Any],
        num_workers: int,
        *,
        start_method: str | None = None,
        prefetch: int = 2,
        timeout: float = 0,
        worker_init: Callable[[WorkerInfo], Any] | None = None,
        seed: int | None = None,
        epoch: int = 0,
        dataset: Any = None,
    ):
        self.num_workers = whole("num_workers", num_workers, 1)
        self.prefetch = whole("prefetch", prefetch, 1)
        self.start_method = start_method_named(start_method, DEFAULT_START)
        if not timeout >= 0:
            raise ValueError(f"timeout is seconds, 0 or more (0 waits for ever), got {timeout}")
        self.timeout, self.in_turn = timeout, worker_init is not None
        entropy = np.random.SeedSequence().entropy if seed is None else whole("seed", seed, 0)
        if multiprocessing.current_process().daemon:
            raise RuntimeError(
                "a worker process cannot start workers of its own; use num_workers=0 inside a"
                " dataset that is read by workers"
            )
        self._tickets = itertools.count()
        self._crew = Crew()
        # also when the interpreter exits
        self._finalizer = weakref.finalize(self, self._crew.close)
        try:
            self._crew.start(
                (work, worker_init, dataset),
                self.start_method,
                self.num_workers,
                self.prefetch,
                shared_memory.available,
                entropy,
                whole("epoch", epoch, 0),
            )
        except BaseException:
            self.close()
            raise

    @property
    def usable(self) -> bool:
        """False after the pool was closed, after a worker died or a timeout, and in a process that
        was forked from the one that made the pool.
        """
        return bool(self._crew.workers)

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers."""
        return [worker.process.pid for worker in self._crew.workers]

    def close(self) -> None:
        """End the workers and free the shared memory. Results that were already returned stay
        valid. A second call does nothing.
        """
        self._crew.close()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def run(
        self, tasks: Iterable[Any], epoch: int = 0, in_turn: bool = False
    ) -> Iterator[tuple[int, Any]]:
        """Yield (number, result) for each task, in the order in which the results arrive.

        Task n is taken from `tasks`, in this process, as soon as n < m + num_workers * prefetch,
        where m is the lowest number whose result was not yet yielded. So never more results than
        that wait to be put in order, and `tasks` may be endless.

        Args:
            tasks: the arguments for `work`; each must be picklable.
            epoch: the seeds of the global generators depend on it.
            in_turn: True gives task n to worker n % num_workers; False, where there is no
                `worker_init`, to one that has the most room.

        Raises:
            the exception of `work` or `tasks`: with its type and message, after the results of all
                tasks before it; the worker's traceback is its `__cause__`.
            pickle.PicklingError: a task or a result cannot be pickled.
            tinytorch.data.workers.WorkerDied: a worker has died; the pool is closed.
            tinytorch.data.workers.WorkerError: an exception or a result could not be sent back.
            TimeoutError: no message arrived for `timeout` seconds; the pool is closed.
            RuntimeError: the pool is not usable.
        """
        run = _Run(iter(tasks), whole("epoch", epoch, 0), in_turn or self.in_turn)
        try:
            while True:
                self._submit(run)
                if run.lowest == run.end:
                    break
                if not run.inbox:
                    self._receive()
                    continue
                number, result = run.inbox.popleft()
                if run.end is None or number < run.end:  # results after an error are dropped
                    early = run.give_out(number)
                    self._submit(run, early)
                    yield number, result
                del result  # drop our reference before we wait, so that the batch can be freed
        except GeneratorExit:
            raise
        except BaseException:
            # A worker died, a timeout, or Ctrl-C. Ctrl-C may come in the middle of a message, and
            # the rest of that message would be read as the next one.
            self.close()
            raise
        finally:
            run.dropped = True
        if run.error is not None:
            raise run.error

    def _submit(self, run: _Run, early: int = 0) -> None:
        """Give tasks to the workers, as many as may be taken and as the workers have room for. The
        number is lower by `early`: so many results are still held by the caller that restores the
        order.
        """
        if not self.usable:
            raise RuntimeError(
                "this pool has no workers: it was closed, or its workers belong to the process that"
                " was forked; make a new pool"
            )
        while run.end is None and run.next < run.lowest + self.num_workers * self.prefetch - early:
            worker = self._crew.worker_for(run.next if run.in_turn else None)
            if not worker.free:
                return
            try:
                task = next(run.tasks)
            except StopIteration:
                run.stop(run.next, None)
                return
            except Exception as error:  # noqa: BLE001 - raised after the results before it
                run.stop(run.next, error)
                return
            self._send(worker, run, task)

    def _send(self, worker: Worker, run: _Run, task: Any) -> None:
        try:
            body = pickle.dumps(task, protocol=5)
        except Exception as error:  # noqa: BLE001 - a __reduce__ may raise anything
            reason = pickle.PicklingError(
                f"task {run.next} cannot be pickled, so it cannot go to a worker process:"
                f" {error}; use num_workers=0"
            )
            reason.__cause__ = error
            run.stop(run.next, reason)
            return
        ticket, slot = next(self._tickets), worker.free.pop()
        worker.tasks[ticket] = (run, run.next, slot)
        number, run.next = run.next, run.next + 1
        try:
            worker.connection.send((ticket, slot, run.epoch, number))
            worker.connection.send_bytes(body)
        except OSError:
            self._take(worker)  # the worker may have sent the reason before it ended
            self._died(worker)

    def _receive(self) -> None:
        """Wait until a worker has sent something, then take one message from each that has."""
        began = time.monotonic()
        while True:
            self._still_mine()
            workers: dict[Any, Worker] = {
                source: worker
                for worker in self._crew.workers
                for source in (worker.connection, worker.process.sentinel)
            }
            left = self.timeout - (time.monotonic() - began) if self.timeout else _LOOK_SECONDS
            ready = wait(list(workers), max(0.0, min(left, _LOOK_SECONDS)))
            talking = [workers[source] for source in ready if source is workers[source].connection]
            for worker in talking:
                self._take(worker)
            if talking:
                return
            for worker in self._crew.workers:
                if not worker.process.is_alive():
                    # All workers are asked: the sentinel of a dead one does not become ready while
                    # a child of that worker still holds it open.
                    self._died(worker)
            if self.timeout and left <= 0:
                busy = (
                    f"worker {worker.id} (pid {worker.process.pid}) has task {worker.task}"
                    for worker in self._crew.workers
                    if worker.task is not None
                )
                raise worker_errors.timed_out(self.timeout, busy)

    def _still_mine(self) -> None:
        if not self.usable:
            raise RuntimeError("the pool was closed while a loop still waited for its results")

    def _take(self, worker: Worker) -> None:
        """Read one answer."""
        try:
            ticket, good, sizes = worker.connection.recv()
            body = worker.connection.recv_bytes()
        except (EOFError, OSError):
            self._died(worker)
        worker.heard = True
        if ticket == STARTING:
            raise unpack_error(body)
        run, number, slot = worker.tasks.pop(ticket)
        try:
            if run.dropped:
                return
            if not good:
                run.stop(number, unpack_error(body))
                return
            try:
                kept = worker.slots[slot] if worker.slots else None
                run.inbox.append((number, shared_memory.unpack(body, sizes, kept)))
            except Exception as error:  # noqa: BLE001
                # A class that exists only in the worker, or that cannot be unpickled.
                reason = WorkerError(
                    f"the result of task {number} cannot be unpickled in the main process:"
                    f" {type(error).__name__}: {error}"
                )
                reason.__cause__ = error
                run.stop(number, reason)
        finally:
            worker.free.append(slot)

    def _died(self, worker: Worker) -> None:
        worker.process.join(LEAVE_SECONDS)
        name = f"worker {worker.id} of {self.num_workers} (pid {worker.process.pid})"
        more = ""
        if not worker.heard and self.start_method == "spawn":
            more = (
                " before its first answer (with spawn, the code of a script must be under if"
                ' __name__ == "__main__":)'
            )
        raise worker_errors.died(name, worker.process.exitcode, worker.task, more=more) from None


@dataclass(eq=False)
class _Run:
    """The state of one pass over tasks."""

    tasks: Iterator[Any]
    epoch: int
    in_turn: bool
    next: int = 0  # number of the task that is taken next
    lowest: int = 0  # all results with lower numbers were yielded
    # once known: the number of tasks, or the number of the first task that failed
    end: int | None = None
    error: BaseException | None = None
    given: set[int] = field(default_factory=set)  # numbers above `lowest`
    inbox: deque[tuple[int, Any]] = field(default_factory=deque)
    dropped: bool = False

    def give_out(self, number: int) -> int:
        """Note that a result is yielded. Return how many results the caller, which restores the
        order, has been holding for want of this one.
        """
        was = self.lowest
        self.given.add(number)
        while self.lowest in self.given:
            self.given.remove(self.lowest)
            self.lowest += 1
        return max(0, self.lowest - was - 1)

    def stop(self, number: int, error: BaseException | None) -> None:
        """There is no result of task `number` or after it."""
        if self.end is None or number < self.end:
            self.end, self.error = number, error
