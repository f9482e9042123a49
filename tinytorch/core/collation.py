"""What surrounds a `collate` that knows tuples, lists, dicts and numbers, so that it takes any row:
texts, other kinds of dicts, and an error that says where it found what it cannot stack.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tinytorch.core.tensor import Tensor

_STACKED = "a batch is made of numbers, arrays, Tensors, texts, and tuples, lists and dicts of them"


def for_any_row(collate: Callable) -> Callable:
    """Return `collate` for any row of a dataset.

    - Texts and bytes give a list of them, as in PyTorch: they have no shape.
    - An OrderedDict, or another subclass of dict, stays one.
    - An error names the part of the samples that it is about, such as ['image'], and the first
      value that cannot be stacked with its position and its type.
    """

    @functools.wraps(collate)
    def collate_rows(samples: Sequence) -> Any:
        head = next(iter(samples), None)
        if isinstance(head, (str, bytes)) and all(
            isinstance(sample, (str, bytes)) for sample in samples
        ):
            return [*samples]
        try:
            batch = collate(samples)
        except (TypeError, ValueError) as problem:
            _say_where(problem, samples)
            raise
        if isinstance(head, dict) and type(batch) is dict and type(head) is not dict:
            kept = copy.copy(head)
            kept.update(batch)
            return kept
        return batch

    return collate_rows


def _say_where(problem: Exception, samples: Sequence) -> None:
    """Put into the message of an error of `collate` which part of the samples it is about."""
    if type(problem) not in (TypeError, ValueError) or not len(samples):
        return
    place, column = "", samples
    while (part := next(_faulty_parts(column), None)) is not None:
        key, column = part
        place += f"[{key!r}]"
    # a collate inside this one may have named its part already
    words = getattr(problem, "without_place", str(problem))
    odd = None if _regular_parts(column) else _first_odd(column)
    if odd is not None:
        words = f"position {odd} has {_named(column[odd])}, which cannot be stacked: {_STACKED}"
    if place or odd is not None:
        problem.without_place = words  # type: ignore[attr-defined]
        problem.args = (f"in {place} of the samples: {words}" if place else words,)


def _regular_parts(samples: Sequence) -> dict[Any, list]:
    """The parts of samples that are all dicts with the same keys, or all tuples or lists of one
    length: key -> what each sample has there. Empty for samples of any other kind.
    """
    if all(isinstance(sample, dict) for sample in samples):
        keys = samples[0].keys()
        regular = all(sample.keys() == keys for sample in samples)
    elif all(isinstance(sample, tuple) for sample in samples) or all(
        isinstance(sample, list) for sample in samples
    ):
        keys = range(len(samples[0]))
        regular = all(len(sample) == len(keys) for sample in samples)
    else:
        return {}
    return {key: [sample[key] for sample in samples] for key in keys} if regular else {}


def _faulty_parts(samples: Sequence) -> Iterator[tuple[Any, list]]:
    """The parts (key, column) in which samples of one structure do not fit together."""
    for key, column in _regular_parts(samples).items():
        if not _fits(column):
            yield key, column


def _fits(column: list) -> bool:
    if all(isinstance(value, (str, bytes)) for value in column):
        return True
    parts = _regular_parts(column)
    if parts or any(isinstance(value, (dict, tuple, list)) for value in column):
        return bool(parts) and all(map(_fits, parts.values()))
    return _first_odd(column) is None and len({np.shape(value) for value in column}) == 1


def _first_odd(values: Sequence) -> int | None:
    """The position of the first value that is no number, array of numbers, Tensor or structure."""
    known = (Tensor, bool, int, float, tuple, list, dict)
    for position, value in enumerate(values):
        if not isinstance(value, known) and np.asarray(value).dtype.kind not in "fiub":
            return position
    return None


def _named(value: Any) -> str:
    if isinstance(value, (np.ndarray, np.generic)):
        return f"an array of dtype {value.dtype}"
    return "None" if value is None else f"a value of type {type(value).__name__}"
