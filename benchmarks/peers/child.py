"""One loader, one case, one process: measure and write the record as JSON.

    python -m peers.child '{"peer": "ours", "variant": "one gather",
    "case": "memory uint8", "samples": 50000}' record.json

The gather limit is timed in turn with the epochs, so that both parts of a ratio come from the same
process and time.
"""

from __future__ import annotations

import collections
import importlib
import itertools
import json
import os
import random
import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from machine import CLOCKS, import_file

from peers.check import check
from peers.workload import GatherLimit, Request, Step, Work, key_of, make_work

# small data sets are read several times, so that the time can be measured
SAMPLES_PER_ROUND = 20_000
STATM = Path("/proc/self/statm")  # on Linux
GATHERS = 3  # the limit takes much less time than most epochs, so it is the median of three


def main() -> None:
    request = Request(**json.loads(sys.argv[1]))
    make = load_peer(request.peer).ROWS[key_of(request.case)][request.variant]
    special = {"order": measure_order, "resident": measure_resident}
    measure = special.get(request.case, measure_epochs)
    with tempfile.TemporaryDirectory(prefix="loaders-") as folder:
        record = measure(make, request, Path(folder))
    Path(sys.argv[2]).write_text(json.dumps(record), encoding="utf-8")


def load_peer(name: str) -> ModuleType:
    """The peer of that name in this folder, or the file if the name ends in .py."""
    if name.endswith(".py"):
        return import_file(Path(name))
    return importlib.import_module(f"peers.{name}")


def measure_epochs(make: Callable, request: Request, folder: Path) -> dict[str, Any]:
    """Rounds of (limit, steps alone if the case has steps, epoch). See `Request` for what the first
    process of a row measures besides.
    """
    work = make_work(request.case, request.samples, folder, CLOCKS[request.clock])
    loader = make(work)
    record: dict[str, Any] = {}
    if request.first:
        record |= check(loader, work)
        record["first_batch_seconds"] = statistics.median(first_batch(loader) for _ in range(3))
        if not load_peer(request.peer).NEEDS:
            record |= peak_of(lambda: make(work), record["batch_bytes"])
    limit, step = GatherLimit(work), Step() if request.case == "step" else None
    passes = 1 if request.quick else max(1, SAMPLES_PER_ROUND // len(work.images))
    epoch(loader, passes, step, work.clock)
    limit()
    record["rounds"] = []
    for _ in range(request.rounds):
        one = {"limit": limit(GATHERS * passes)}
        if step:
            one["steps"] = epoch(range(work.epoch_length), passes, step, work.clock)
        one["epoch"] = epoch(loader, passes, step, work.clock)
        record["rounds"].append(one)
    return record


def epoch(
    loader: Iterable, passes: int, step: Callable[[], None] | None, clock: Callable[[], float]
) -> float:
    """Mean seconds of a pass, of so many passes."""
    start = clock()
    for _ in range(passes):
        if step is None:
            # reads the batches and keeps none, so that only the loader is timed
            collections.deque(loader, maxlen=0)
            continue
        for _batch in loader:
            step()
    return (clock() - start) / passes


def first_batch(loader: Iterable) -> float:
    start = time.perf_counter()
    next(iter(loader))
    return time.perf_counter() - start


def peak_of(make: Callable[[], Iterable], batch_bytes: int) -> dict[str, Any]:
    """tracemalloc's peak in an epoch minus what the loader holds before its first batch, in bytes
    and in batches.
    """
    from tinytorch.profiler.recording.measure import traced

    with traced():
        loader = make()
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        for batch in loader:
            del batch
        peak = tracemalloc.get_traced_memory()[1] - held
    return {"peak_bytes": peak, "peak_batches": peak / batch_bytes}


def measure_order(_: Callable | None, request: Request, folder: Path) -> dict[str, Any]:
    """The time for the order of an epoch, compared with random.shuffle of a list of as many
    ints.
    """
    from tinytorch.core.dataloader import epoch_order
    from tinytorch.profiler.recording.measure import traced

    count = request.samples
    with traced():
        epoch_order(count, True, 0, 0)
        _, peak = tracemalloc.get_traced_memory()
    rounds, numbers, rng = [], list(range(count)), random.Random(0)
    for turn in range(request.rounds):
        start = time.perf_counter()
        epoch_order(count, True, 0, turn)
        middle = time.perf_counter()
        rng.shuffle(numbers)
        rounds.append({"epoch": middle - start, "list": time.perf_counter() - middle})
    return {"rounds": rounds, "order_peak": peak / (8 * count)}


def measure_resident(make: Callable, request: Request, folder: Path) -> dict[str, Any]:
    """Growth of resident memory over one shuffled epoch on a file of `samples` images."""
    count = request.samples
    path = folder / "images.npy"
    file = np.lib.format.open_memmap(path, "w+", np.uint8, (count, 3, 32, 32))
    noise = np.random.default_rng(0).integers(0, 256, (1000, 3, 32, 32), np.uint8)
    for start in range(0, count, 1000):
        file[start : start + 1000] = noise[: count - start]
    size = file.nbytes
    del file
    np.save(folder / "labels.npy", np.arange(count))
    # An array with the shape and dtype but without the data, so that the file is the only copy.
    images = np.broadcast_to(noise[:1], (count, 3, 32, 32))
    loader = make(Work("resident", images, np.arange(count), folder, path))
    for _batch in itertools.islice(loader, 3):
        pass
    if not STATM.exists():
        return {"absent": "resident memory can only be read where there is /proc"}
    before = most = resident_bytes()
    for number, _batch in enumerate(loader):
        if number % 50 == 0:
            most = max(most, resident_bytes())
    return {"file_bytes": size, "grown_share": (most - before) / size}


def resident_bytes() -> int:
    """Resident bytes of this process, with the pages of mapped files."""
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
