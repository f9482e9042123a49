"""Helpers that a pipeline needs for rows: check weights, stack rows into a batch, read slow rows in
threads.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tinytorch.core.checks import whole

# What Python needs to hold a row in a shuffle buffer, beside the bytes of the row: its place and
# its size, an entry in two lists and in a dict, a tuple of its values; and for each value the
# header of an array.
_ROW_BYTES = 200
_VALUE_BYTES = 120
MOST_THREADS = 4  # more threads decode hardly faster, and each holds an image in memory


def check_weights(weights: Any, num_rows: int) -> np.ndarray:
    """Return `weights` (list, tuple or array) as float64 of shape (num_rows,).

    Raises:
        ValueError: the length or shape is wrong; a weight is complex, negative, NaN or infinite
            (the message names its row); all weights are zero; or their sum exceeds float64.
    """
    if isinstance(weights, str):
        raise ValueError(
            f"a weight is a number, got the text {weights!r}; text is for dataset.weights"
        )
    try:
        given = np.asarray(weights)
        array = given.astype(np.float64, copy=False) if given.dtype.kind != "c" else None
    except (TypeError, ValueError) as error:
        raise ValueError(f"weights must be one number a row: {error}") from error
    if array is None:
        raise ValueError("a weight is a real number, got complex numbers")
    if array.shape != (num_rows,):
        raise ValueError(
            f"weights must be one number for each of the {num_rows} rows, got shape {array.shape}"
        )
    bad = np.flatnonzero(~(np.isfinite(array) & (array >= 0)))
    if len(bad):
        raise ValueError(
            f"weights must be finite and 0 or more; row {bad[0]} has {array[bad[0]]}"
            + (f", and {len(bad) - 1} more rows are wrong" if len(bad) > 1 else "")
        )
    if not array.any():
        raise ValueError(
            f"at least one weight must be above 0; all {num_rows} are 0, so no row could be drawn"
        )
    with np.errstate(over="ignore"):
        total = array.sum()
    if not np.isfinite(total):
        raise ValueError(
            f"the sum of the weights is too large for float64 (the largest is {array.max():.3g});"
            " divide all of them by the largest, the draws stay the same"
        )
    return array


def stack_rows(
    rows: Sequence[Mapping[str, Any]], indices: Sequence[int] | None = None
) -> dict[str, Any]:
    """Return a batch, {column: array of shape (B, ...)}. Dtypes are kept; text, bytes, lists and
    PIL images become lists of length B.

    Args:
        rows: B dicts with the same keys.
        indices: the rows' numbers, for the error message.

    Raises:
        ValueError: there are no rows, their keys differ, or arrays have different shapes; the
            message names column, rows and shapes.
    """
    if not rows:
        raise ValueError("a batch needs at least one row, got none")
    numbers = list(range(len(rows))) if indices is None else [int(index) for index in indices]
    for number, row in zip(numbers, rows, strict=True):
        if not isinstance(row, Mapping) or row.keys() != rows[0].keys():
            got = sorted(map(str, row)) if isinstance(row, Mapping) else type(row).__name__
            raise ValueError(
                f"all rows of a batch need the columns of row {numbers[0]},"
                f" {sorted(map(str, rows[0]))}; row {number} has {got}"
            )
    return stack_columns({name: [row[name] for row in rows] for name in rows[0]}, numbers)


def stack_columns(columns: Mapping[str, Any], numbers: Sequence[int]) -> dict[str, Any]:
    """Return a batch as `stack_rows` does, from columns: arrays of shape (B, ...), which are left
    as they are, or lists of B values.
    """
    return {
        name: values if isinstance(values, np.ndarray) else _stacked(name, values, numbers)
        for name, values in columns.items()
    }


def _stacked(name: str, values: list, numbers: Sequence[int]) -> Any:
    if not all(
        isinstance(value, (int, float, complex, np.generic, np.ndarray)) for value in values
    ):
        return values
    arrays = [np.asarray(value) for value in values]
    for number, array in zip(numbers, arrays, strict=True):
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"column {name!r}: rows of one batch need one shape; row {numbers[0]} has"
                f" {arrays[0].shape}, row {number} has {array.shape}; crop or pad them in a"
                " transform, or give a collate_fn"
            )
    return np.stack(arrays)


def reads_whole_batches(dataset: Any, names: Sequence[str], in_any_order: bool) -> bool:
    """Whether a batch can be read with one call, `dataset.read_rows`. Where the rows are to be read
    `in_any_order`, the columns must be in memory: a file is read from front to back.
    """
    return hasattr(dataset, "read_rows") and (not in_any_order or dataset.in_memory(names))


def bytes_in_a_buffer(dataset: Any, names: Sequence[str]) -> Callable[[int], int]:
    """Return the function that says how many bytes a row takes in a shuffle buffer: those of the
    row, and what Python needs to hold it, which is most of it where rows are small.

    Rows of columns in memory take less, because the buffer holds their places only. They count as
    much, so that the order of an epoch does not depend on where the columns are.
    """
    beside = _ROW_BYTES + _VALUE_BYTES * len(names)
    fixed = dataset.fixed_row_bytes(names) if hasattr(dataset, "fixed_row_bytes") else None
    if fixed is not None:
        same = fixed + beside
        return lambda row: same
    return lambda row: dataset.row_bytes(row, names) + beside


def threads_for(num_threads: int | None, dataset: Any, names: Sequence[str]) -> int:
    """Return how many threads read and decode: `num_threads`, or if that is None, up to 4 for
    encoded images and 1 (no extra thread) for other columns.

    Raises:
        ValueError: num_threads is not an integer of 0 or more.
    """
    if num_threads is not None:
        return whole("num_threads", num_threads, 0)
    encoded = any(dataset.columns[name].encoded for name in names)
    return min(MOST_THREADS, os.cpu_count() or 1) if encoded else 1


def read_ahead(
    function: Callable[[Any], Any], items: Iterable[Any], num_threads: int
) -> Iterator[Any]:
    """Yield function(item) for each item, in order, computed by threads. At most 2 * num_threads
    items are computed ahead of the one that is yielded.

    With num_threads of 0 or 1 nothing is computed ahead and no thread is started. An exception is
    raised when its item is due. The threads end with the iterator.
    """
    if num_threads <= 1:
        yield from map(function, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(num_threads, thread_name_prefix="read_ahead")
    waiting: deque[Any] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) == 2 * num_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
