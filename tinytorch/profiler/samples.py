"""Counts the samples in a batch, whatever its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def count_samples(batch: Any) -> int:
    """The number of samples in a batch: the length of its first array along dimension 0.

    For tuples, lists and dicts of columns the first item is counted; for a list of plain values,
    its items are.
    """
    if isinstance(batch, (list, tuple)):
        first = batch[0] if batch else None
        shape = getattr(first, "shape", None)
        if shape:
            return int(shape[0])
        return count_samples(first) if isinstance(first, (list, tuple, Mapping)) else len(batch)
    shape = getattr(batch, "shape", None)
    if shape is not None:
        return int(shape[0]) if len(shape) else 1
    if isinstance(batch, Mapping):
        return count_samples(next(iter(batch.values()))) if batch else 0
    return (
        len(batch) if hasattr(type(batch), "__len__") and not isinstance(batch, (str, bytes)) else 1
    )
