"""Batches made by worker processes and returned in order; the same call works without workers."""

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
        function: makes a batch from a task. With `spawn` it must be picklable.
        tasks: read lazily, in this process; at most num_workers * prefetch_factor tasks ahead of
            the batch that is asked for.
        num_workers: 0 calls `function` in this process, and takes a task from `tasks` only when its
            batch is asked for.
        prefetch_factor: batches that each worker makes in advance.
        pool: a `WorkerPool(function, num_workers, prefetch=prefetch_factor)` of the caller, which
            stays open (persistent workers). Without a pool, or when it is no longer usable (a
            worker died), a new pool is made, and closed with this iterator.

    Raises:
        RuntimeError: a worker died. An exception of `function` or of `tasks` is raised with its own
            type, when its batch is due.
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
