"""What is in a batch, whatever its type: arrays of any library, the number of samples, the bytes.

A batch is foreign code. What cannot be found out counts as nothing; it is never an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

VALUE_BYTES = 8  # of a Python number


def count_samples(batch: Any) -> int:
    """The number of samples in a batch: the length of its first array along dimension 0.

    For tuples, lists and dicts of columns the first item is counted; for a list of plain values,
    its items are.
    """
    if isinstance(batch, (list, tuple)):
        first = batch[0] if batch else None
        rows = _rows(first)
        if rows is not None:
            return rows
        return count_samples(first) if isinstance(first, (list, tuple, Mapping)) else len(batch)
    rows = _rows(batch)
    if rows is not None:
        return rows
    if isinstance(batch, Mapping):
        return count_samples(next(iter(batch.values()))) if batch else 0
    if isinstance(batch, (str, bytes)) or not hasattr(type(batch), "__len__"):
        return 1
    try:
        return len(batch)
    except Exception:  # noqa: BLE001 (a tensor without dimensions, for example)
        return 1


def _rows(array: Any) -> int | None:
    """The length of an array along dimension 0; None where it has no such length."""
    try:
        return int(array.shape[0])
    except Exception:  # noqa: BLE001 (no shape, no dimension, or an unknown one)
        return None


def leaves(batch: Any) -> Iterator[Any]:
    """Yield the values inside nested tuples, lists and dicts, in order."""
    if isinstance(batch, Mapping):
        batch = list(batch.values())
    if isinstance(batch, (tuple, list)):
        for part in batch:
            yield from leaves(part)
    else:
        yield batch


def as_array(leaf: Any) -> np.ndarray | None:
    """The array inside a leaf (ndarray, Tensor, PyTorch's tensor), not copied. None for a Python
    value, and for what NumPy cannot read: bfloat16, gradients, sparse and ragged tensors.
    """
    if isinstance(leaf, np.ndarray):
        return leaf
    try:
        inside = getattr(leaf, "data", None)
        if isinstance(inside, np.ndarray):
            return inside
        return np.asarray(leaf) if hasattr(leaf, "__array__") else None
    except Exception:  # noqa: BLE001 (each library raises its own)
        return None


def arrays_in(batch: Any) -> list[np.ndarray]:
    return [array for array in map(as_array, leaves(batch)) if array is not None]


def largest_array(batch: Any) -> np.ndarray | None:
    return max(arrays_in(batch), key=lambda array: array.nbytes, default=None)


def batch_bytes(batch: Any) -> int:
    """Bytes of the arrays in a batch; a Python value counts 8. What NumPy cannot read has the bytes
    that it names itself.
    """
    return sum(map(_bytes, leaves(batch)))


def _bytes(leaf: Any) -> int:
    array = as_array(leaf)
    if array is not None:
        return array.nbytes
    try:
        return int(leaf.nbytes)
    except Exception:  # noqa: BLE001 (a Python value, or a tensor that does not know)
        return VALUE_BYTES


def values_in(sample: Any) -> int:
    """The number of Python numbers and strings in a sample. One or two (a label) are usual;
    thousands mean a list where an array would be better.
    """
    return sum(isinstance(leaf, (int, float, complex, str, bytes)) for leaf in leaves(sample))
