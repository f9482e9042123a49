"""The memory of a loader: the bytes of a batch and of its dataset, the bytes allocated for one
batch, and by how much memory grows with each batch.

There are two ways to measure. tracemalloc counts exactly what Python and NumPy allocate, but not
other processes. `/proc/self/statm` (Linux) counts the resident pages of this process.
"""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tinytorch.profiler.recording.arrays_in_a_batch import as_array
from tinytorch.profiler.recording.measure import traced

DEPTH = 5  # levels of attributes that are searched for arrays
BREADTH = 64  # items of a list or dict that are searched


def arrays_behind(thing: Any, depth: int = DEPTH) -> list[np.ndarray]:
    """The arrays in a dataset's attributes and in those of its attributes, each buffer once. Memory
    maps are included.
    """
    by_address: dict[int, np.ndarray] = {}
    _collect(thing, depth, by_address, set())
    return list(by_address.values())


def _collect(thing: Any, depth: int, by_address: dict[int, np.ndarray], seen: set[int]) -> None:
    plain = (str, bytes, int, float, type, type(None))
    if depth < 0 or id(thing) in seen or isinstance(thing, plain):
        return
    seen.add(id(thing))
    is_array = hasattr(thing, "__array__") or hasattr(thing, "nbytes")
    array = as_array(thing) if is_array else None
    if array is not None:
        by_address.setdefault(array.__array_interface__["data"][0], array)
        return
    if isinstance(thing, (list, tuple)):
        below: Iterable[Any] = thing[:BREADTH]
    elif isinstance(thing, Mapping):
        below = list(thing.values())[:BREADTH]
    elif hasattr(thing, "__dict__"):
        below = [*vars(thing).values()]
    else:
        names = (name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ()))
        below = [getattr(thing, name, None) for name in names]
    for part in below:
        _collect(part, depth - 1, by_address, seen)


def memory_map_of(array: Any) -> Any:
    """The memory map that an array is, or is a view of; None for an array in memory."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and array._mmap is not None:  # type: ignore[attr-defined]  # not in NumPy's types
            return array
        array = array.base
    return None


def allocated_for_a_batch(batches: Iterator[Any]) -> int | None:
    """The peak of bytes allocated while the second batch is loaded, after the first was dropped;
    None without a second batch.

    A batch that was copied once costs its own bytes; it costs twice as much when rows are copied
    into a list and then stacked. A batch that is a view costs nothing. The result is a lower bound
    of what is copied, because memory that is freed before the next copy is used again. It is
    meaningful only for a loader that reads nothing ahead.
    """
    end = object()
    with traced():
        next(batches, end)
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        if next(batches, end) is end:
            return None
        return max(0, tracemalloc.get_traced_memory()[1] - before)


def resident_bytes() -> int:
    """Resident bytes of this process without the pages of mapped files, which the system takes back
    when it needs room; 0 where there is no `/proc/self/statm` (macOS, Windows).
    """
    try:
        _, held, mapped, *_ = map(int, Path("/proc/self/statm").read_text().split())
    except OSError:
        return 0
    return (held - mapped) * os.sysconf("SC_PAGE_SIZE")


def growth(held: list[int], least: int = 16) -> float:
    """Bytes by which memory grows with each batch: the slope of the line that fits `held` best,
    if the last half goes on growing; else 0.

    Args:
        held: bytes after each batch, in order.
        least: with fewer batches, no growth is seen.
    """
    later = np.asarray(held[len(held) // 4 :], float)  # what is made once is made early
    if len(later) < least:
        return 0.0

    def slope(values: np.ndarray) -> float:
        return float(np.polyfit(np.arange(len(values)), values, 1)[0])

    whole, last = slope(later), slope(later[len(later) // 2 :])
    return whole if min(whole, last) > 0 and last > whole / 2 else 0.0


def machine_bytes() -> int | None:
    """Bytes of memory in this machine; None where the system does not report it (Windows)."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
