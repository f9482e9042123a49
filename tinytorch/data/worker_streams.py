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

from tinytorch.data.worker_process import StreamDividesItself, noticing_questions, worker_info

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
        shares: how many items each worker may read in this round; None has no limit.
    """

    number: int
    going_on: tuple[int, ...]
    seed: int
    epoch: int
    round: int
    shares: tuple[int, ...] | None


class _Share:
    """In a worker: how many items it may read in a round; None has no limit.

    Attributes:
        unread: how many of them were not read when the part ended; 0 while it may go on.
    """

    def __init__(self, size: int | None):
        self.size, self.unread = size, 0

    def samples(self) -> Iterator[None]:
        if self.size is None:
            yield from itertools.repeat(None)
            return
        for count in range(self.size):
            # if the next item is the end of the part, nobody comes back here
            self.unread = self.size - count
            yield None
        self.unread = 0


@dataclass
class _Part:
    """In a worker: its part of a pass.

    Attributes:
        state: what the loader began it with.
        round, share, batches: of the round that it is in.
    """

    state: Any
    round: int
    share: _Share
    batches: Iterator


# in a worker: its part of each pass that goes on
_parts: dict[int, _Part] = {}


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

    At most num_items are read in all; None has no limit. How they are spread over the parts is not
    known beforehand. So each worker gets an equal share, and what a shorter part leaves over is
    shared by the others in the next round.
    """
    number, workers, left = next(_numbers), list(range(pool.num_workers)), num_items
    _going_on.add(number)
    try:
        for now in itertools.count():
            shares = _shares(left, workers, pool.num_workers)
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


def _shares(left: int | None, workers: list[int], num_workers: int) -> tuple[int, ...] | None:
    """`left` items for these workers, as equal as can be; 0 for the others."""
    if left is None:
        return None
    shares = [0] * num_workers
    for place, worker in enumerate(workers):
        shares[worker] = len(range(place, left, len(workers)))
    return tuple(shares)


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
        share = _Share(task.shares[worker.id] if worker and task.shares else None)
        state = begin(task) if part is None else part.state
        # a generator, because it stays at its end once it is there
        batches = (batch for batch in read(state, share.samples()))
        part = _parts[task.number] = _Part(state, task.round, share, batches)
    ready = list(itertools.islice(part.batches, 1))
    return bool(ready), ready, 0 if ready else part.share.unread
