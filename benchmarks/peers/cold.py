"""A file whose pages are not in memory: an epoch, and reading the same bytes in the same order."""

from __future__ import annotations

import gc
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from peers.check import check
from peers.work import Request, Work

COLD = 0.9  # of the file's bytes must have come from a disk


def measure_cold(make: Callable, request: Request, folder: Path) -> dict[str, Any]:
    """Rounds of (epoch, limit), each with the file's pages dropped before."""
    work = request.work(folder)
    record: dict[str, Any] = {"data_bytes": work.images.nbytes, "rounds": []}
    record |= check(make(work), work, shuffled=False)
    for _ in range(request.rounds):
        # a page that is mapped is never dropped, so each round has a map of its own
        gc.collect()
        loader = make(work)
        epoch, order, share = timed(work, lambda loader=loader: labels_of(loader))
        del loader
        gc.collect()
        limit, _, limit_share = timed(work, lambda order=order: read_rows(work, order))
        if min(share, limit_share) < COLD:
            return {
                "absent": (
                    "the pages of the file cannot be dropped here:"
                    f" {min(share, limit_share):.0%} of it came from a disk"
                )
            }
        record["rounds"].append({"epoch": epoch, "limit": limit})
    return record


def timed(work: Work, read: Callable) -> tuple[float, Any, float]:
    """(seconds, result, share of the file that was read from a disk) of `read()` when no page of
    the file is in memory.
    """
    from tinytorch.profiler.diagnosis.differential_runs import blocks_read, evict

    if not hasattr(os, "posix_fadvise"):
        return 0.0, np.arange(0), 0.0
    evict((), [work.path])
    before, start = blocks_read(), work.clock()
    result = read()
    seconds = work.clock() - start
    return seconds, result, 512 * (blocks_read() - before) / work.path.stat().st_size


def labels_of(loader: Iterable) -> np.ndarray:
    """The order of an epoch: the labels of the work are 0..N-1."""
    from tinytorch.profiler.recording.memory import as_array

    return np.concatenate([as_array(label) for _, label, *_ in loader])


def read_rows(work: Work, order: np.ndarray) -> None:
    """Read the rows of the file in this order into one buffer, batch by batch; rows that are
    neighbors in the file and in the order are read at once.
    """
    row, size = work.images[0].nbytes, work.batch_size
    begin = work.path.stat().st_size - work.images.nbytes
    buffer = memoryview(np.empty(size * row, np.uint8))
    descriptor = os.open(work.path, os.O_RDONLY)
    try:
        for start in range(0, len(order), size):
            for place, first, count in runs(order[start : start + size]):
                part = buffer[place * row : (place + count) * row]
                os.preadv(descriptor, [part], begin + first * row)
    finally:
        os.close(descriptor)


def runs(rows: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """(place in `rows`, first row, number of rows) of each run of consecutive rows."""
    places = [0, *(np.flatnonzero(np.diff(rows) != 1) + 1).tolist(), len(rows)]
    for place, after in itertools.pairwise(places):
        yield place, int(rows[place]), after - place
