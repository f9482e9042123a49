"""A chain of calls as text, as one would type it: what a loader shows of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any

import numpy as np

WIDTH = 80  # columns of a line
_LONGEST = 60  # characters of one argument


class Shown(str):
    """Text that stands for a value, shown without quotes."""

    __repr__ = str.__str__


def call_text(method: Callable, arguments: Mapping[str, Any]) -> str:
    """Return "name(arguments)" for a call of `method`, without the arguments that have their
    default. Arguments without a default come without their name, and so does a first argument whose
    name the method's name begins with: offset(off), shuffle(shuffle).
    """
    shown = []
    for place, (name, parameter) in enumerate(signature(method).parameters.items()):
        if name not in arguments:
            continue
        value = arguments[name]
        if parameter.kind is Parameter.VAR_KEYWORD:
            shown += [f"{key}={value_text(part)}" for key, part in value.items()]
        elif parameter.default is Parameter.empty:
            shown.append(value_text(value))
        elif value != parameter.default:
            says_it = place == 0 and method.__name__.startswith(name)
            shown.append(value_text(value) if says_it else f"{name}={value_text(value)}")
    return f"{method.__name__}({', '.join(shown)})"


def chain_text(calls: Sequence[str]) -> str:
    """Return the calls as a chain: on one line where it fits, else one line for each call."""
    line = ".".join(calls)
    if len(line) <= WIDTH:
        return line
    first, *others = (_cut(call, WIDTH - 5) for call in calls)
    return "\n".join([first, *(f"    .{call}" for call in others)])


def value_text(value: Any) -> str:
    """A value as a call shows it: a function by its name, an array by its shape, all of them
    short.
    """
    if isinstance(value, dict):
        parts = [f"{key!r}: {value_text(part)}" for key, part in value.items()]
        return _cut("{" + ", ".join(parts) + "}", _LONGEST)
    if isinstance(value, np.ndarray):
        return f"<{value.dtype} array of shape {value.shape}>"
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__).split("<locals>.")[-1]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _cut(repr(value), _LONGEST)


def _cut(text: str, most: int) -> str:
    """At most `most` characters; what is left out in the middle is shown as ..."""
    if len(text) <= most:
        return text
    end = (most - 3) // 3
    return f"{text[: most - 3 - end]}...{text[-end:]}"
