"""One loader, one case, one process: measure and write the record as JSON.

    python -m peers.child '{"peer": "ours", "rows": "memory", "variant": "one gather",
    "case": "memory uint8", "samples": 50000}' record.json

The gather limit is timed in turn with the epochs, so that both parts of a ratio come from the same
process and time.
"""

from __future__ import annotations

import collections
import importlib
import json
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from machine import CLOCKS, import_file

from peers.check import check
from peers.workload import GatherLimit, Request, Step, make_work

# small data sets are read several times, so that the time can be measured
SAMPLES_PER_ROUND = 20_000
GATHERS = 3  # the limit takes much less time than most epochs, so it is the median of three


def main() -> None:
    request = Request(**json.loads(sys.argv[1]))
    make = load_peer(request.peer).ROWS[request.rows][request.variant]
    record = measure_epochs(make, request)
    Path(sys.argv[2]).write_text(json.dumps(record), encoding="utf-8")


def load_peer(name: str) -> ModuleType:
    """The peer of that name in this folder, or the file if the name ends in .py."""
    if name.endswith(".py"):
        return import_file(Path(name))
    return importlib.import_module(f"peers.{name}")


def measure_epochs(make: Callable, request: Request) -> dict[str, Any]:
    """Rounds of (limit, steps alone if the case has steps, epoch); the first process of a loader
    also measures its memory.
    """
    work = make_work(request.case, request.samples, CLOCKS[request.clock])
    loader = make(work)
    record: dict[str, Any] = {}
    if request.first:
        record |= check(loader, work)
        record["first_batch_seconds"] = statistics.median(first_batch(loader) for _ in range(3))
        if not load_peer(request.peer).NEEDS:
            record["peak_batches"] = traced(lambda: make(work), record["batch_bytes"])
    limit, step = GatherLimit(work), Step() if request.case == "step" else None
    passes = 1 if request.quick else max(1, SAMPLES_PER_ROUND // len(work.images))
    epoch(loader, passes, step, work.clock)
    limit()
    record["rounds"] = []
    for _ in range(request.rounds):
        one = {"limit": limit(GATHERS * passes), "steps": None}
        if step:
            steps = range(work.epoch_length * passes)
            one["steps"] = epoch(steps, 1, step, work.clock) / passes
        one["epoch"] = epoch(loader, passes, step, work.clock) / passes
        record["rounds"].append(one)
    return record


def epoch(
    loader: Iterable, passes: int, step: Callable[[], None] | None, clock: Callable[[], float]
) -> float:
    start = clock()
    for _ in range(passes):
        if step is None:
            # reads the batches and keeps none, so that only the loader is timed
            collections.deque(loader, maxlen=0)
            continue
        for _batch in loader:
            step()
    return clock() - start


def first_batch(loader: Iterable) -> float:
    start = time.perf_counter()
    next(iter(loader))
    return time.perf_counter() - start


def traced(make: Callable[[], Iterable], batch_bytes: int) -> float:
    """The peak above what the loader holds before its first batch, in batches, by tracemalloc."""
    tracemalloc.start()
    try:
        loader = make()
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        for batch in loader:
            del batch
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (peak - held) / batch_bytes


if __name__ == "__main__":
    main()
