"""Checks of arguments. Each returns the value, or raises an error that states the rule and the
value.

Python takes much for something else: the text "False" is true, -5 is the fifth from the end, True
is 1. An argument that passes one of these checks means what its name says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# a larger seed would be cut into two words, so that two pairs (seed, epoch) could meet
SEEDS = 2**32


def flag(name: str, value: Any) -> bool:
    """`value` if it is True or False; else ValueError, also for 0, 1 and None."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def whole(name: str, value: Any, least: int, below: int | None = None) -> int:
    """`value` as an int if it is an integer, of NumPy too, of `least` or more (and below `below`);
    else ValueError, also for True and 2.0.
    """
    if (
        isinstance(value, (bool, np.bool_))
        or not isinstance(value, (int, np.integer))
        or value < least
        or (below is not None and value >= below)
    ):
        rule = f"of {least} or more" if below is None else f"from {least} to {below - 1}"
        raise ValueError(f"{name} must be an integer {rule}, got {value!r}")
    return int(value)


def seed_or_none(value: Any) -> int | None:
    """`value` if it is None or a seed, an integer from 0 to 2**32 - 1."""
    return None if value is None else whole("seed", value, 0, SEEDS)


def probability(name: str, value: Any) -> float:
    """`value` if it is a number from 0 to 1; else ValueError, also for NaN and True."""
    number = isinstance(value, (int, float, np.integer, np.floating))
    if isinstance(value, bool) or not number or not 0 <= value <= 1:
        raise ValueError(f"{name} is a probability: 0 to 1, got {value!r}")
    return value


def function_or_none(name: str, value: Any) -> Callable | None:
    """`value` if it is None or can be called; else TypeError."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} must be None or a function, got {value!r}")
    return value


def whole_numbers(name: str, values: Any) -> np.ndarray:
    """`values`, an array, if it holds whole numbers that int64 can hold, such as 3 or 3.0; else
    ValueError with the first value that is none and its position.
    """
    array = np.asarray(values)
    kind = array.dtype.kind
    if kind not in "fiub":
        raise ValueError(f"{name} must be whole numbers, got an array of dtype {array.dtype}")
    if kind == "f" or array.dtype == np.uint64:
        # NaN is equal to nothing; 2.0**63 is the first number that is too large for int64
        good = (np.trunc(array) == array) & (array < 2.0**63) & (array >= -(2.0**63))
        if not good.all():
            place = int(np.flatnonzero(~good.ravel())[0])
            raise ValueError(
                f"{name} must be whole numbers, got {array.ravel()[place].item()} at position"
                f" {place}"
            )
    return array


def functions(name: str, values: Any) -> list[Callable]:
    """`values` as a list if each can be called; else TypeError with the first that cannot."""
    values = list(values)
    for position, value in enumerate(values):
        if not callable(value):
            raise TypeError(f"{name} must be functions, got {value!r} at position {position}")
    return values


def two_sides(name: str, value: Any) -> tuple[int, int]:
    """(H, W) of a pair, or of one integer for a square; ValueError unless both are 1 or more."""
    sides = value if np.ndim(value) else (value, value)
    if len(sides) != 2:
        raise ValueError(f"{name} must be an integer or (H, W), got {value!r}")
    return whole(name, sides[0], 1), whole(name, sides[1], 1)
