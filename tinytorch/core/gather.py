"""Rows of an array or of a memory-mapped file, a batch at a time.

`rows` is one NumPy call where that is best, one range where the rows follow each other, and it gives the pages of a large file
back, so that resident memory stays flat. `offered` adds a `__getitems__` (PyTorch's protocol for batch reads) to a dataset class.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

MAPPED_BYTES = 160 * 2**20   # how much of a memory-mapped file may be resident; a smaller file, such as CIFAR-10, is never let go
_AROUND = 2**16              # Linux maps up to 16 pages of 4 kB around the one that was asked for


def rows(array: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Rows `indices` (int64, shape (B,)) of `array` (N, ...): shape (B, ...), same dtype, a copy in memory.

    Raises:
        IndexError: an index is outside 0..N-1.
    """
    if len(indices) and not 0 <= indices[indices.argmin()] <= indices[indices.argmax()] < len(array):
        bad = next(index for index in indices.tolist() if not 0 <= index < len(array))
        raise IndexError(f"Index {bad} out of range for dataset of size {len(array)}")
    plain = np.asarray(array)   # of a memory map this is a view; its own methods would return memory maps
    first = int(indices[0]) if len(indices) else 0
    if len(indices) > 1 and indices[-1] - first == len(indices) - 1 and (np.diff(indices) == 1).all():
        out = plain[first:first + len(indices)].copy()   # a range: one long read
    else:
        out = plain.take(indices, axis=0)
    if isinstance(array, np.memmap):
        _let_go(array, len(indices))
    return out


def _let_go(array: np.memmap, count: int) -> None:
    """Unmap the pages of a large file when those that `count` more rows touched come to MAPPED_BYTES; the system may keep them cached."""
    if array.nbytes <= MAPPED_BYTES or array.mode != "r" or not hasattr(mmap, "MADV_DONTNEED"):
        return
    array.touched_bytes = getattr(array, "touched_bytes", 0) + count * (_AROUND + array.itemsize * array[0].size)
    if array.touched_bytes > MAPPED_BYTES:
        array._mmap.madvise(mmap.MADV_DONTNEED)
        array.touched_bytes = 0


def offered(gather: Callable[[Any, np.ndarray], Any], possible: Callable[[Any], bool]) -> property:
    """A `__getitems__` that is `gather(dataset, indices)` where `possible(dataset)`, and is not there elsewhere."""
    def get(dataset: Any) -> Callable:
        if not possible(dataset):
            raise AttributeError(f"this {type(dataset).__name__} reads sample by sample: it has no __getitems__")
        return partial(gather, dataset)

    return property(get)
