"""Streams that divide themselves: each worker reads a part of its own, as in PyTorch and fastai.

Of most streams (a socket, a queue, a generator) there is only one, and it is read in the main
process: if each worker read a copy, every item would come as often as there are workers. A stream
that asks `worker_info()` before it gives its first item can do better. It knows which part is this
worker's, as in

    def __iter__(self):
        worker = worker_info()
        yield from range(worker.id, self.size, worker.num_workers)

and is read in the workers. To find that out, the main process begins to read a stream, and leaves
it where it asks; no item was read of it by then. Why it asks cannot be seen from here: if a stream
asks and then gives everything to every worker, each item comes once for each worker.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tinytorch.data.worker_process import StreamDividesItself, noticing, worker_info

_numbers = itertools.count()
# in the main process: the passes over streams that still go on
_going_on: set[int] = set()
# added to the epoch for the seeds of a later round, whose tasks are numbered from 0 again
_LATER_ROUND = 2**64


@dataclass(frozen=True)
class NextOfPart:
    """A task: the next batch of this worker's part.

    Attributes:
        number: the pass over the stream.
        going_on: all passes that have not ended; a worker forgets the others.
        seed, epoch: of the loader.
        round: of the pass; a worker that has used up its share is given another in the next one.
        shares: how many items each worker may read in this round, none where it is not named; None
            has no limit.
    """

    number: int
    going_on: tuple[int, ...]
    seed: int
    epoch: int
    round: int
    shares: dict[int, int] | None


class _Part:
    """In a worker: its part of a pass.

    Attributes:
        state: what the loader began it with.
        round: of the pass.
        unread: how many items of the round's share were not read when the part ended; 0 while it
            may go on.
        batches: of the round.
    """

    def __init__(self, state: Any, read: Callable, round: int, share: int | None):
        self.state, self.round, self.unread = state, round, 0
        # a generator, because it stays at its end once it is there
        self.batches = (batch for batch in read(state, self.samples(share)))

    def samples(self, share: int | None) -> Iterator[None]:
        if share is None:
            yield from itertools.repeat(None)
            return
        for left in range(share, 0, -1):
            # if the next item is the end of the part, nobody comes back here
            self.unread = left
            yield None
        self.unread = 0


# in a worker: its part of each pass that goes on
_parts: dict[int, _Part] = {}


def begun(items: Iterator) -> Iterator | None:
    """The same items, after the first was read; None if the stream divides itself."""
    noticing.on = True
    try:
        return itertools.chain(list(itertools.islice(items, 1)), items)
    except StreamDividesItself:
        return None
    finally:
        noticing.on = False


def batches_of_parts(
    pool: Any, in_order: Callable, seed: int, epoch: int, num_items: int | None
) -> Iterator:
    """The batches of all parts: one of worker 0, one of worker 1, and so on, in turns; a worker
    whose part has ended is left out.

    At most num_items are read in all; None has no limit. How they are spread over the parts is not
    known beforehand. So each worker gets an equal share, and what a shorter part leaves over is
    shared by the others in the next round.
    """
    number, workers, left = next(_numbers), list(range(pool.num_workers)), num_items
    _going_on.add(number)
    try:
        for now in itertools.count():
            shares = _shares(left, workers)
            goes_on, unread = [True] * pool.num_workers, [0] * pool.num_workers
            tasks = _tasks(goes_on, number, (seed, epoch, now, shares))
            results = pool.run(tasks, epoch=epoch + now * _LATER_ROUND, in_turn=True)
            for place, (more, batches, rest) in enumerate(in_order(results)):
                worker = place % pool.num_workers
                goes_on[worker], unread[worker] = more, rest
                yield from batches
            left, workers = sum(unread), [worker for worker in workers if not unread[worker]]
            if not left or not workers:
                return
    finally:
        _going_on.discard(number)


def _tasks(goes_on: list[bool], number: int, rest: tuple) -> Iterator[NextOfPart]:
    while any(goes_on):
        yield NextOfPart(number, tuple(_going_on), *rest)


def _shares(left: int | None, workers: list[int]) -> dict[int, int] | None:
    """{worker: how many of `left` items}, as equal as can be."""
    if left is None:
        return None
    return {worker: len(range(n, left, len(workers))) for n, worker in enumerate(workers)}


def next_of_part(
    task: NextOfPart,
    begin: Callable[[NextOfPart], Any],
    read: Callable[[Any, Iterable], Iterator],
) -> tuple[bool, list, int]:
    """In a worker: whether its part goes on in this round; a list with the next batch if there is
    one; and, when it has ended, how many items of the share were not read.

    Args:
        task: which part.
        begin: begins the part; returns its state.
        read: called with the state and samples; returns the batches of these samples.
    """
    for number in _parts.keys() - set(task.going_on):
        del _parts[number]
    part = _parts.get(task.number)
    if part is None or part.round != task.round:
        worker = worker_info()
        share = task.shares.get(worker.id, 0) if worker and task.shares is not None else None
        state = begin(task) if part is None else part.state
        part = _parts[task.number] = _Part(state, read, task.round, share)
    ready = list(itertools.islice(part.batches, 1))
    return bool(ready), ready, 0 if ready else part.unread
