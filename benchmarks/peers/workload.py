"""The work that every loader gets, and its physical limit."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SHAPE = (3, 32, 32)
BATCH_SIZE = 128
PADDING = 4
FLIP = 0.5
# of CIFAR-10's channels, in 0..255: float32 (3, 1, 1)
MEAN = np.array([125.3, 123.0, 113.9], np.float32).reshape(3, 1, 1)
STD = np.array([63.0, 62.1, 66.7], np.float32).reshape(3, 1, 1)
STEP_SECONDS = 0.002


@dataclass(frozen=True)
class Request:
    """What one process measures: `rounds` of the row `variant` of a case of `peer`. The `first`
    process of a row also checks its work, times the first batch and, if the peer needs no other
    library, measures its peak of memory with tracemalloc.
    """

    peer: str
    variant: str
    case: str
    samples: int
    rounds: int = 1
    first: bool = True
    quick: bool = False
    clock: str = "wall"


def key_of(case: str) -> str:
    """The key of a case such as "memory uint8" in a peer's ROWS."""
    return case.partition(" ")[0]


@dataclass(frozen=True)
class Work:
    """One case at one size.

    `images` is (N, 3, 32, 32), uint8 or float32, in memory; `labels` is 0..N-1, int64, so that a
    check can see whether an epoch holds each sample once. `folder` is scratch space on disk; `path`
    is an .npy file with the same images for cases that read a file.
    """

    case: str
    images: np.ndarray
    labels: np.ndarray
    folder: Path
    path: Path | None = None
    batch_size: int = BATCH_SIZE
    clock: Callable[[], float] = time.perf_counter

    @property
    def epoch_length(self) -> int:
        return -(-len(self.images) // self.batch_size)


def make_work(
    case: str, samples: int, folder: Path, clock: Callable[[], float] = time.perf_counter
) -> Work:
    """Make random data, the same bytes for every loader. This needs no more memory than the
    data.
    """
    rng = np.random.default_rng(0)
    dtype = np.float32 if case.endswith("float32") else np.uint8
    images = np.empty((samples, *SHAPE), dtype)
    for start in range(0, samples, 1000):
        part = images[start : start + 1000]
        part[:] = rng.integers(0, 256, part.shape, np.uint8)
    path = None
    if case == "memmap":
        path = folder / "images.npy"
        np.save(path, images)
        np.save(folder / "labels.npy", np.arange(samples))
    return Work(case, images, np.arange(samples), folder, path, clock=clock)


class GatherLimit:
    """Seconds of `np.take(x, indices, axis=0, out=buffer, mode="clip")` over all rows in a shuffled
    order, batch by batch.

    No loader that copies shuffled rows into new memory can be faster.
    """

    def __init__(self, work: Work):
        self.work, self.rng = work, np.random.default_rng(1)
        self.buffer = np.empty((work.batch_size, *work.images.shape[1:]), work.images.dtype)
        self.buffer[:] = 0

    def __call__(self, passes: int = 1) -> float:
        """Seconds of one pass; the median of `passes`."""
        return statistics.median(self._once() for _ in range(passes))

    def _once(self) -> float:
        x, size, out = self.work.images, self.work.batch_size, self.buffer
        order = self.rng.permutation(len(x))
        start = self.work.clock()
        for first in range(0, len(order), size):
            indices = order[first : first + size]
            np.take(x, indices, axis=0, out=out[: len(indices)], mode="clip")
        return self.work.clock() - start


class Step:
    """A training step of about 2 ms that releases the GIL: matrix products in place, with one
    thread.
    """

    def __init__(self, seconds: float = STEP_SECONDS):
        rng = np.random.default_rng(0)
        self.a, self.b = rng.random((2, 192, 192), dtype=np.float32)
        self.out, self.products = np.empty_like(self.a), 1
        times = [self._time() for _ in range(200)]
        self.products = max(1, round(seconds / statistics.median(times[100:])))

    def _time(self) -> float:
        start = time.perf_counter()
        self()
        return time.perf_counter() - start

    def __call__(self) -> None:
        for _ in range(self.products):
            np.matmul(self.a, self.b, out=self.out)
