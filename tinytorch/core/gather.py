"""Rows of an array or of a memory-mapped file, a batch at a time.

`rows` copies a range where the rows are consecutive, and gathers them with one NumPy call
elsewhere. It also releases the pages of a large mapped file, so that resident memory stays flat.
`index_array` keeps the numbers of a subset, `gather_parts` reads several datasets as one. `offered`
adds a `__getitems__` (PyTorch's protocol for batch reads) to a dataset class.
"""

from __future__ import annotations

import math
import mmap
from array import array as array_of
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from tinytorch.core.checks import whole_numbers
from tinytorch.core.tensor import Tensor

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
        array._mmap.madvise(mmap.MADV_DONTNEED)  # type: ignore[attr-defined]  # not in NumPy's types


def mapped_bytes() -> float:
    """Resident bytes of files that this process has mapped (proc(5), statm); infinity where the
    system does not report it.
    """
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[2]) * mmap.PAGESIZE
    except OSError:
        return math.inf


def index_array(indices: Iterable[int]) -> array_of:
    """Return the numbers of samples as one array of int64, 8 bytes each. `[i]` gives an int, as a
    list does; `np.asarray` takes the memory as it is, without a copy.

    Raises:
        ValueError: an index is no whole number, or below 0; or they are booleans, which are a mask.
    """
    numbers = np.asarray(indices if hasattr(indices, "__array__") else list(indices))
    if numbers.dtype == bool:
        raise ValueError("indices must be whole numbers, got a mask; use np.flatnonzero(mask)")
    if numbers.ndim != 1:
        raise ValueError(f"indices must be a list of numbers, got shape {numbers.shape}")
    whole = whole_numbers("indices", numbers).astype(np.int64)
    if whole.min(initial=0) < 0:
        # some datasets would take -1 for the last sample, others refuse it
        raise ValueError(
            f"indices must be 0 or more, got {whole.min()} at position {whole.argmin()}"
        )
    return array_of("q", whole.tobytes())


def gather_parts(whole: Any, indices: np.ndarray) -> Any:
    """Return one batch of a ConcatDataset: each part gathers its own rows, which are then put into
    the order of `indices`.

    Parts whose batches do not fit together give a list of samples; collating it says why.

    Raises:
        IndexError: an index is outside 0..N-1.
    """
    indices, ends = np.asarray(indices, np.int64), whole.ends
    outside = np.flatnonzero((indices < 0) | (indices >= len(whole)))
    if len(outside):
        raise IndexError(
            f"Index {indices[outside[0]]} out of range for dataset of size {len(whole)}"
        )
    which = np.searchsorted(ends, indices, side="right")
    starts = np.concatenate([[0], ends[:-1]])
    batches = [
        whole.datasets[part].__getitems__(indices[which == part] - starts[part])
        for part in np.unique(which).tolist()
    ]
    if len(batches) == 1:
        return batches[0]
    if not batches or any(_form(batch) != _form(batches[0]) for batch in batches):
        return [whole[index] for index in indices.tolist()]
    places = np.argsort(np.argsort(which, kind="stable"))
    return _joined(batches, places)


def _form(batch: Any) -> Any:
    """What batches have in common that can be joined: structure, keys, and the shapes of rows."""
    if isinstance(batch, Tensor):
        return batch.shape[1:]
    if isinstance(batch, dict):
        return {key: _form(part) for key, part in batch.items()}
    if isinstance(batch, tuple):
        return type(batch), [_form(part) for part in batch]
    return object()  # equal to no other: nothing is known of its rows


def _joined(batches: list, places: np.ndarray) -> Any:
    """One batch of batches of one form; its row k is row places[k] of all their rows."""
    head = batches[0]
    if isinstance(head, Tensor):
        return Tensor(np.concatenate([batch.data for batch in batches]).take(places, axis=0))
    if isinstance(head, dict):
        return {key: _joined([batch[key] for batch in batches], places) for key in head}
    parts = (_joined(list(column), places) for column in zip(*batches, strict=True))
    return getattr(head, "_make", type(head))(parts)


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
