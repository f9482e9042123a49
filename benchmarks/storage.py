"""Stores the same images as loose files, as one memory map and as Parquet, and reads epochs from
each: cold and warm, in order and shuffled.

    python benchmarks/storage.py                     50,000 images; some minutes
    python benchmarks/storage.py --images 2000       does it run?
    python benchmarks/storage.py --folder DIR        on another disk

Cold files have no page in the system's cache (`tinytorch.data.storage`); where pages cannot be
dropped, "-" is printed. Shuffled rows of Parquet are timed for 20 batches, and scaled.

The last table compares the memory map with `os.pread` calls for the same rows in the same order,
in turn: a loader that reads a file cannot be expected to be much faster. The bar is 1.2.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tinytorch.data import storage
from tinytorch.datasets import synthetic_images

BATCH_SIZE, MOST_PARQUET, BAR = 128, 20, 1.2


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--images", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=8, help="of the last table")
    parser.add_argument("--folder", type=Path, help="where the files are written")
    options = parser.parse_args()
    images, _ = synthetic_images(options.images, seed=0)
    print(f"{options.images:,} images of {images[0].nbytes:,} bytes, batches of {BATCH_SIZE}")
    print(f"{'seconds of an epoch':<14} {'MB':>8}{'in order':>18}{'shuffled':>18}")
    print(f"{'':<19} {'on disk':>8}{'cold':>9}{'warm':>9}{'cold':>9}{'warm':>9}")
    with tempfile.TemporaryDirectory(prefix="storage-", dir=options.folder) as name:
        for way in storage.WAYS:
            stored = storage.store(way, images, Path(name) / way)
            print(f"{way:<19} {stored.bytes_on_disk / 1e6:8.1f}", end="", flush=True)
            for shuffled in (False, True):
                most = MOST_PARQUET if way == "Parquet" and shuffled else 0
                epochs = storage.time_epochs(
                    stored, len(images), BATCH_SIZE, shuffled=shuffled, most_batches=most
                )
                cold = "-" if epochs.cold is None else f"{epochs.cold:.2f}"
                print(f"{cold:>9}{epochs.warm:9.2f}", end="", flush=True)
            print()
        stored = storage.Stored(
            "memory map",
            Path(name) / "memory map",
            len(images),
            images.shape[1:],
            images.dtype,
        )
        return compare_cold(stored, len(images), options.rounds)


def compare_cold(stored: storage.Stored, num_images: int, rounds: int) -> int:
    """Print cold epochs of the memory map over cold `pread` calls of the same rows."""
    (path,) = stored.files
    row_bytes = int(np.prod(stored.shape)) * stored.dtype.itemsize
    orders: dict[str, Sequence[int]] = {
        "in order": range(num_images),
        "shuffled": np.random.default_rng(0).permutation(num_images).tolist(),
    }
    missed = 0
    print("\ncold: the memory map over reading the same bytes in the same order")
    for name, order in orders.items():
        ratios = []
        for _ in range(rounds):
            times = []
            for read in (
                lambda order=order: [0 for _ in stored.batches(order, BATCH_SIZE)],
                lambda order=order: read_rows(path, order, row_bytes),
            ):
                if not storage.drop_from_cache([path]):
                    print("the pages of the file cannot be dropped here")
                    return 0
                start = time.perf_counter()
                read()
                times.append(time.perf_counter() - start)
            ratios.append(times[0] / times[1])
        middle = statistics.median(ratios)
        missed += middle > BAR
        print(
            f"{name:<10} {middle:5.2f} times ({min(ratios):.2f} to {max(ratios):.2f}),"
            f" at most {BAR}: {'met' if middle <= BAR else 'missed'}"
        )
    return missed


def read_rows(path: Path, order: Sequence[int], row_bytes: int) -> None:
    """Read the rows with one call for each batch of consecutive rows, or one for each row."""
    header = path.stat().st_size - len(order) * row_bytes
    file = os.open(path, os.O_RDONLY)
    try:
        if isinstance(order, range):
            for start in range(0, len(order), BATCH_SIZE):
                os.pread(file, BATCH_SIZE * row_bytes, header + start * row_bytes)
            return
        for start in range(0, len(order), BATCH_SIZE):
            rows = order[start : start + BATCH_SIZE]
            b"".join([os.pread(file, row_bytes, header + row * row_bytes) for row in rows])
    finally:
        os.close(file)


if __name__ == "__main__":
    sys.exit(main())
