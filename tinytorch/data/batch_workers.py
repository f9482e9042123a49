"""Batches made by worker processes and handed on in order; the same call without workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tinytorch.data.workers import WorkerPool

__all__ = ["WorkerPool", "run_batches"]


def run_batches(
    function: Callable[[Any], Any],
    tasks: Iterable[Any],
    *,
    num_workers: int = 0,
    prefetch_factor: int = 2,
    pool: WorkerPool | None = None,
) -> Iterator[Any]:
    """Yield function(task) for each task, in the order of the tasks, whatever the number of
    workers.

    Args:
        function: what makes a batch of a task. Under `spawn` it must be picklable.
        tasks: read lazily, in this process; at most num_workers * prefetch_factor of them before
            the batch that is asked for.
        num_workers: 0 calls `function` here, and takes a task from `tasks` only when its batch is
            asked for.
        prefetch_factor: batches in advance for each worker.
        pool: `WorkerPool(function, num_workers, prefetch=prefetch_factor)` of the caller, which
            stays open (persistent workers); without it, or when it is not usable any more (a worker
            died), a pool is made, and closed with this iterator.

    Raises:
        RuntimeError: a worker died. An exception of `function` or of `tasks` comes with its own
            type, in its place.
    """
    if pool is not None and pool.usable:
        yield from _in_order(pool.run(tasks))
    elif num_workers == 0:
        yield from map(function, tasks)
    else:
        with WorkerPool(function, num_workers, prefetch=prefetch_factor) as own:
            yield from _in_order(own.run(tasks))


def _in_order(results: Iterable[tuple[int, Any]]) -> Iterator[Any]:
    early, due = {}, 0
    for number, result in results:
        early[number] = result
        while due in early:
            yield early.pop(due)
            due += 1
