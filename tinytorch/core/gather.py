"""Rows of an array or of a memory-mapped file, a batch at a time.

`rows` copies a range where the rows are consecutive, and gathers them with one NumPy call
elsewhere. It also releases the pages of a large mapped file, so that resident memory stays flat.
`offered` adds a `__getitems__` (PyTorch's protocol for batch reads) to a dataset class.
"""

from __future__ import annotations

import math
import mmap
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

# how much of mapped files may be resident; pages of a smaller file, such as CIFAR-10, always stay
MAPPED_BYTES = 160 * 2**20


def rows(array: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return a copy of the rows `indices` (int64, shape (B,)) of `array` (N, ...): shape (B, ...),
    same dtype.

    Raises:
        IndexError: an index is outside 0..N-1.
    """
    if len(indices) and not 0 <= indices[indices.argmin()] <= indices[indices.argmax()] < len(
        array
    ):
        bad = next(index for index in indices.tolist() if not 0 <= index < len(array))
        raise IndexError(f"Index {bad} out of range for dataset of size {len(array)}")
    # a plain view of a memory map, whose own methods would return memory maps
    plain = np.asarray(array)
    first = int(indices[0]) if len(indices) else 0
    if (
        len(indices) > 1
        and indices[-1] - first == len(indices) - 1
        and (np.diff(indices) == 1).all()
    ):
        out = plain[first : first + len(indices)].copy()  # consecutive rows: one long read
    else:
        out = plain.take(indices, axis=0)
    if isinstance(array, np.memmap) and array.nbytes > MAPPED_BYTES:
        _let_go(array)
    return out


def _let_go(array: np.memmap) -> None:
    """Release the pages of a large mapped file when many are resident. The system keeps them in its
    page cache as long as it has room.
    """
    if array.mode == "r" and hasattr(mmap, "MADV_DONTNEED") and mapped_bytes() > MAPPED_BYTES:
        array._mmap.madvise(mmap.MADV_DONTNEED)


def mapped_bytes() -> float:
    """Resident bytes of files that this process has mapped (proc(5), statm); infinity where the
    system does not report it.
    """
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[2]) * mmap.PAGESIZE
    except OSError:
        return math.inf


def offered(gather: Callable[[Any, np.ndarray], Any], possible: Callable[[Any], bool]) -> property:
    """Return a property to be used as `__getitems__`: it calls `gather(dataset, indices)` where
    `possible(dataset)` is true; other datasets appear to have no such attribute.
    """

    def get(dataset: Any) -> Callable:
        if not possible(dataset):
            raise AttributeError(
                f"this {type(dataset).__name__} reads sample by sample: it has no __getitems__"
            )
        return partial(gather, dataset)

    return property(get)
