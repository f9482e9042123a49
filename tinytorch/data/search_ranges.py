"""PEDL's (Determined's) kinds of hyperparameters: a constant, or a range for a search."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from tinytorch.data.suggestions import did_you_mean

# Each kind, and the keys that it needs. For all but const an experiment file alone has no value.
_KEYS = {
    "const": ("val",),
    "int": ("minval", "maxval"),
    "double": ("minval", "maxval"),
    "log": ("base", "minval", "maxval"),
    "categorical": ("vals",),
}


def kind_of(value: Any, any_kind: bool = False) -> str | None:
    """What `value` says as its type: one of PEDL's kinds, or with `any_kind` any text."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    return kind if isinstance(kind, str) and (any_kind or kind in _KEYS) else None


def check_range(name: str, written: Mapping) -> Any:
    """Return the value of a constant, and a range as it is.

    Raises:
        ValueError: there is no such kind, a key is missing, or the range holds no values; the
            message names `name`.
    """
    kind = str(kind_of(written, any_kind=True))
    if kind not in _KEYS:
        raise ValueError(
            f"{name}: no type of hyperparameters is called {kind!r}{did_you_mean(kind, _KEYS)}"
        )
    for key in _KEYS[kind]:
        if key not in written:
            raise ValueError(f"{name}: a hyperparameter of type {kind} needs the key {key}")
    if kind == "const":
        return written["val"]
    if kind == "categorical":
        if not isinstance(written["vals"], (list, tuple)) or not written["vals"]:
            raise ValueError(
                f"{name}: vals must be a list of one value or more, got {_shown(written['vals'])}"
            )
        return written
    for key in _KEYS[kind]:
        if not _is_number(written[key], whole=kind == "int"):
            needed = "a whole number" if kind == "int" else "a number"
            raise ValueError(f"{name}: {key} must be {needed}, got {_shown(written[key])}")
    if written["minval"] > written["maxval"]:
        raise ValueError(
            f"{name}: minval must be at most maxval, got {written['minval']} and"
            f" {written['maxval']}"
        )
    if kind == "log" and written["base"] <= 0:
        raise ValueError(f"{name}: base must be more than 0, got {written['base']}")
    return written


def check_within(name: str, written: Any, value: Any) -> None:
    """Raise ValueError, with `name`, where `value` is outside of the range that is written. None
    and another range are no values; in mappings, name for name is looked at.
    """
    kind = kind_of(written)
    if value is None or kind_of(value):
        return
    if kind is None:
        if isinstance(written, Mapping) and isinstance(value, Mapping):
            for part in written.keys() & value.keys():
                check_within(f"{name}.{part}", written[part], value[part])
        return
    if kind == "categorical":
        plain = value.tolist() if isinstance(value, np.ndarray) else value
        # True == 1, but it is not among [1, 2]
        if not any(
            isinstance(plain, (bool, np.bool_)) == isinstance(one, bool) and plain == one
            for one in written["vals"]
        ):
            raise ValueError(f"{name} must be one of {written['vals']}, got {_shown(value)}")
        return
    least, most = written["minval"], written["maxval"]
    if kind == "log":
        least, most = sorted(_power(written["base"], exponent) for exponent in (least, most))
    whole = kind == "int"
    # a drawn end of a range may have been rounded, to NumPy's float32 for example
    room = 0 if whole else 1e-6
    if not _is_number(value, whole) or not least - room * abs(least) <= value <= most + room * abs(
        most
    ):
        raise ValueError(
            f"{name} must be {'a whole number' if whole else 'a number'} from {least} to {most},"
            f" got {_shown(value)}"
        )


def _is_number(value: Any, whole: bool) -> bool:
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    # -inf < nan is false, too
    return (
        isinstance(value, kinds)
        and not isinstance(value, bool)
        and bool(-math.inf < value < math.inf)
    )


def _power(base: float, exponent: float) -> float:
    try:
        return float(base) ** exponent
    except OverflowError:
        return math.inf


def _shown(value: Any) -> str:
    return f"{reprlib.repr(value)} ({type(value).__name__})"
