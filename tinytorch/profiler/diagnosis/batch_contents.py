"""What the batches of a loader hold: padding, many small parts, samples that come again."""

from __future__ import annotations

import hashlib
import itertools
import pickle
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tinytorch.profiler.recording.arrays_in_a_batch import arrays_in, leaves

TOKENS = ("int32", "int64", "bool")  # dtypes of padded tokens and their masks; pixels are smaller
MOSTLY = 0.95  # of what comes before the padding
LEAST_WIDTH = 8  # of a row of tokens
BATCHES_COMPARED = 2  # of each worker, to see whether samples come again

Lengths = tuple[np.ndarray, int]  # of the rows of a batch without their padding; the width of all


def token_lengths(batch: Any) -> Lengths | None:
    """How long the rows of a batch of tokens are without their padding: the value that most rows
    end with (in a mask: False), repeated to the end. None where no array in the batch is a table of
    tokens or its mask: numbers among which this value is frequent are something else.
    """
    for array in arrays_in(batch):
        if array.ndim == 2 and array.shape[1] >= LEAST_WIDTH and str(array.dtype) in TOKENS:
            values, counts = np.unique(array[:, -1], return_counts=True)
            pad = False if array.dtype == bool else values[counts.argmax()]
            other = array != pad
            ends = np.where(other.any(1), array.shape[1] - other[:, ::-1].argmax(1), 0)
            if other.sum() > MOSTLY * ends.sum():
                return ends, array.shape[1]
    return None


def padding(seen: Sequence[Lengths]) -> tuple[float, float]:
    """The share of the tokens that are padding: of these batches, and of batches of the same size
    from the same rows, sorted by length.
    """
    if not seen:
        return 0.0, 0.0
    lengths = np.sort(np.concatenate([rows for rows, _ in seen]))
    size, used = len(seen[0][0]), lengths.sum()
    parts = [lengths[begin : begin + size] for begin in range(0, len(lengths), size)]
    total = sum(len(rows) * width for rows, width in seen)
    shortest = sum(len(part) * part[-1] for part in parts)
    return 1 - used / total, 1 - used / max(shortest, 1)


def parts_in(batch: Any) -> int:
    """The arrays and Python values of which a batch is made."""
    return sum(1 for _ in leaves(batch))


def pickled_bytes(batch: Any) -> int:
    """The bytes that a batch has on its way between processes; 0 where it cannot be pickled."""
    try:
        return len(pickle.dumps(batch, protocol=pickle.HIGHEST_PROTOCOL))
    except Exception:  # noqa: BLE001 (a batch is foreign code)
        return 0


def times_each(loader: Iterable, alone: Iterable, batches: int) -> float:
    """How often a sample comes from `loader`, over how often the same samples come from `alone`,
    the same loader without workers: 2 where two workers give each sample.
    """
    together, single = (_repeated(one, batches) for one in (loader, alone))
    return together / single


def _repeated(loader: Iterable, batches: int) -> float:
    """Samples over different samples, in the first batches."""
    seen: list[bytes] = []
    for batch in itertools.islice(iter(loader), batches):
        arrays = [array for array in arrays_in(batch) if array.ndim]
        for row in range(min(map(len, arrays), default=0)):
            digest = hashlib.blake2b()
            for array in arrays:
                digest.update(np.ascontiguousarray(array[row]).tobytes())
            seen.append(digest.digest())
    return len(seen) / max(1, len(set(seen)))
