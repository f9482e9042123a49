"""Streams that divide themselves: each worker reads a part of its own, as in PyTorch and fastai.

Of most streams (a socket, a queue, a generator) there is only one, and it is read in the main
process: if each worker read a copy, every item would come as often as there are workers. A stream
that asks `worker_info()` before it gives its first item can do better. It knows which part is this
worker's, as in

    def __iter__(self):
        worker = worker_info()
        yield from range(worker.id, self.size, worker.num_workers)

and is read in the workers. To find that out, the main process begins to read a stream, and leaves
it where it asks; nothing was read of it by then.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tinytorch.data.worker_process import StreamDividesItself, noticing_questions

_numbers = itertools.count()
# in the main process: the passes over streams that still go on
_going_on: set[int] = set()
# in a worker: its part of each such pass
_parts: dict[int, Iterator] = {}


@dataclass(frozen=True)
class NextOfPart:
    """A task: the next batch of this worker's part.

    Attributes:
        number: the pass over the stream.
        going_on: all passes that have not ended; a worker forgets the others.
        seed, epoch, num_items: of the loader; at most num_items in all parts, None has no limit.
    """

    number: int
    going_on: tuple[int, ...]
    seed: int
    epoch: int
    num_items: int | None


def begun(items: Iterator) -> Iterator | None:
    """The same items, after the first was read; None if the stream divides itself."""
    try:
        with noticing_questions():
            first = list(itertools.islice(items, 1))
    except StreamDividesItself:
        return None
    return itertools.chain(first, items)


def batches_of_parts(
    pool: Any, in_order: Callable, seed: int, epoch: int, num_items: int | None
) -> Iterator:
    """The batches of all parts: one of worker 0, one of worker 1, and so on, in turns; a worker
    whose part has ended is left out.
    """
    number, goes_on = next(_numbers), [True] * pool.num_workers

    def tasks() -> Iterator[NextOfPart]:
        while any(goes_on):
            yield NextOfPart(number, tuple(_going_on), seed, epoch, num_items)

    _going_on.add(number)
    try:
        results = in_order(pool.run(tasks(), epoch=epoch, in_turn=True))
        for place, (more, batches) in enumerate(results):
            goes_on[place % len(goes_on)] = more
            yield from batches
    finally:
        _going_on.discard(number)


def next_of_part(task: NextOfPart, begin: Callable[[], Iterable]) -> tuple[bool, list]:
    """In a worker: (whether its part goes on, a list with the next batch if there is one)."""
    for number in _parts.keys() - set(task.going_on):
        del _parts[number]
    if task.number not in _parts:
        # a generator, because it stays at its end once it is there
        _parts[task.number] = (batch for batch in begin())
    batches = list(itertools.islice(_parts[task.number], 1))
    return bool(batches), batches
