"""What the time of a loader is compared with. Each limit is a loader itself, so that it is timed in
the same run as the loader and alternating with it: bandwidth depends on what else runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytorch.profiler.recording.arrays_in_a_batch import arrays_in
from tinytorch.profiler.recording.stopwatch import Clock

MOST_BYTES = 64 * 2**20  # larger than most caches; a smaller dataset is measured at its own size


class BareGather:
    """Batches of random rows, made only by `np.take(x, indices, axis=0, out=buffer, mode="clip")`.
    By default NumPy would buffer `out`; `mode="clip"` prevents that.

    Args:
        bytes_per_row: the size of one sample.
        rows: the number of rows of x. It is reduced so that x has at most `MOST_BYTES`, but not
            below the size of a batch.
        batch_size, batches: the number of rows gathered at once, and how often.
    """

    def __init__(self, bytes_per_row: int, rows: int, batch_size: int, batches: int):
        rows = max(batch_size, min(rows, MOST_BYTES // bytes_per_row))
        # ones, not zeros, so that every page is really allocated
        self.x = np.ones((rows, bytes_per_row), dtype=np.uint8)
        self.buffer = np.ones((batch_size, bytes_per_row), dtype=np.uint8)
        order = np.random.default_rng(0).permutation(rows)
        starts = np.arange(batches) * batch_size % (rows - batch_size + 1)
        self.parts = [order[start : start + batch_size] for start in starts]

    def __iter__(self) -> Iterator[np.ndarray]:
        for part in self.parts:
            yield np.take(self.x, part, axis=0, out=self.buffer, mode="clip")


class BareCopy:
    """Batches of the same size, made by a plain copy of consecutive rows: the fastest way to move
    bytes.
    """

    def __init__(self, gather: BareGather):
        self.x, self.buffer, self.batches = gather.x, gather.buffer, len(gather.parts)

    def __iter__(self) -> Iterator[np.ndarray]:
        size = len(self.buffer)
        for start in np.arange(self.batches) * size % (len(self.x) - size + 1):
            np.copyto(self.buffer, self.x[start : start + size])
            yield self.buffer


def call_seconds(clock: Clock, calls: int = 1000, trials: int = 5) -> float:
    """Seconds of one call of an empty Python function: the shortest of a few trials, and at least
    20 ns, less than any interpreter takes.
    """

    def empty(_: int) -> None:
        pass

    def trial() -> float:
        start = clock()
        for number in range(calls):
            empty(number)
        return (clock() - start) / calls

    return max(2e-8, min(trial() for _ in range(trials)))


def stack_seconds(batch: Any, clock: Clock, trials: int = 5) -> float:
    """Seconds to put the arrays of a batch together from their rows with `np.stack`: the shortest
    of a few trials.
    """
    rows = [list(array) for array in arrays_in(batch) if array.ndim and len(array)]

    def trial() -> float:
        start = clock()
        for samples in rows:
            np.stack(samples)
        return clock() - start

    return min(trial() for _ in range(trials))
