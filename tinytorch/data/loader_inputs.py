"""What the loaders of labs 08b and 08c take, and what they refuse: each rule is one function, whose
message names the argument, the rule and the value.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import signature
from typing import Any, TypeVar

import numpy as np

from tinytorch.core import checks
from tinytorch.data.chain_text import value_text

T = TypeVar("T")

MOST = 10**15  # samples, batches or processes: more than there are
MOST_SEED = checks.SEEDS - 1
_BLOCK = 4096  # indices that are Python's integers at a time


def whole(name: str, value: Any, least: int, most: int = MOST) -> int:
    """`value` as an int. Raises ValueError for what is not an integer from `least` to `most`."""
    number = checks.whole(name, value, least)
    if number > most:
        raise ValueError(f"{name} must be at most {most:,}, got {value!r:.60}")
    return number


def flag(name: str, value: Any, cure: str = "") -> bool:
    """`value` as a bool. Raises ValueError, which ends with `cure`, for what is neither True nor
    False.
    """
    try:
        return checks.flag(name, value)
    except ValueError as problem:
        raise ValueError(f"{problem}{cure}") from None


def seed_of(seed: Any, generator: Any = None) -> int:
    """The seed of a loader: the given one, or a number drawn from `generator` (NumPy's or
    PyTorch's), or from fresh entropy.
    """
    if generator is None:
        if seed is None:
            return int(np.random.SeedSequence().generate_state(1)[0])
        return whole("seed", seed, 0, MOST_SEED)
    if seed is not None:
        raise ValueError(f"give seed or generator, not both; got seed={seed!r:.60}")
    if isinstance(generator, np.random.Generator):
        return int(generator.integers(MOST_SEED, endpoint=True))
    if not hasattr(generator, "initial_seed"):
        raise TypeError(
            f"generator must be a Generator of NumPy or PyTorch, got {generator!r:.60}; a number"
            " is given as seed"
        )
    import torch

    return int(torch.randint(MOST_SEED + 1, (1,), generator=generator))


def one_of(ours: str, own: Any, theirs: str, other: Any) -> Any:
    """The value of an argument that PyTorch gives another name. Raises ValueError for two."""
    if own is not None and other is not None:
        raise ValueError(
            f"{theirs} is PyTorch's name for {ours}: give one of the two, got"
            f" {ours}={own!r:.60} and {theirs}={other!r:.60}"
        )
    return own if other is None else other


def start_method_of(start_method: Any, context: Any) -> str | None:
    """The name of the start method, from ours or from PyTorch's `multiprocessing_context`: a name,
    or a context of Python's multiprocessing.
    """
    if hasattr(context, "get_start_method"):
        context = context.get_start_method()
    chosen = one_of("start_method", start_method, "multiprocessing_context", context)
    if chosen is not None:  # asked here, not when the first epoch begins
        from tinytorch.data.start_and_end_workers import start_method_named

        name = "start_method" if context is None else "multiprocessing_context"
        start_method_named(chosen, argument=name)
    return chosen


def by_number(function: Callable[[int], Any], info: Any) -> None:
    """Call PyTorch's `worker_init_fn`, which gets the number of its worker."""
    function(info.id)


def from_environment(name: str) -> int | None:
    """The number in an environment variable, such as RANK, which torchrun sets; None if there is
    no such variable.
    """
    text = os.environ.get(name)
    if text is not None and not text.isdecimal():
        raise ValueError(f"{name} in the environment must be an integer, got {text!r:.60}")
    return None if text is None else int(text)


def accepts(hook: Callable, name: str) -> bool:
    """Whether `hook` has a parameter called `name`; False also for built-ins that do not tell."""
    try:
        return name in signature(hook).parameters
    except (TypeError, ValueError):
        return False


def can_be_called(name: str, function: Callable, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that `function(row, **arguments)` does not take, or lacks. A function with a
    parameter `rng` gets that from the loader.
    """
    try:
        takes = signature(function)
    except (TypeError, ValueError):  # a built-in that does not tell
        return
    drawn = {"rng": None} if "rng" in takes.parameters else {}
    if drawn and "rng" in arguments:
        raise ValueError(
            f"{name}: the loader draws rng for each row, so it must not be given, got"
            f" rng={arguments['rng']!r:.60}"
        )
    try:
        takes.bind(None, **arguments, **drawn)
    except TypeError as problem:
        raise ValueError(
            f"{name} must be a function of a row and of the given arguments"
            f" {dict(arguments)!r:.60}; {value_text(function)} has {problem}"
        ) from None


def returned(hook: str, value: T) -> T:
    """What a hook returned, if it is something: who forgets the `return` would lose every item."""
    if value is None:
        raise TypeError(f"{hook} returned None; return what the next step gets")
    return value


def sized(name: str, value: Any) -> Any:
    """`value`, if it has a length."""
    if not hasattr(value, "__len__"):
        raise TypeError(f"{name} must be something with a length, got {value!r:.60}")
    return value


def order_of(name: str, value: T, what: str = "indices") -> T:
    """`value`, if each `iter` of it starts anew and can give indices.

    Raises:
        TypeError: it is an iterator, whose second epoch would be empty; text or a mapping; no
            iterable; or an array of other numbers, such as a mask.
    """
    if isinstance(value, Iterator):
        raise TypeError(
            f"{name} must start anew with each iter(), such as a list, and an iterator is empty"
            f" in its second epoch; got {value!r:.60}"
        )
    if (
        getattr(value, "ndim", 1) == 0
        or not (hasattr(value, "__iter__") or hasattr(value, "__getitem__"))
        or isinstance(value, (str, bytes, Mapping))
    ):
        raise TypeError(f"{name} must be an iterable of {what}, got {value!r:.60}")
    if isinstance(value, np.ndarray):
        are_indices(name, value)
    return value


def are_indices(name: str, values: Any) -> Any:
    """`values`, if they are no numbers other than integers. Raises TypeError for True, which would
    be index 1, and for 1.5, which an array would cut to 1.
    """
    array = np.asarray(values)
    if array.size and array.dtype.kind in "bfc":
        cure = "; np.flatnonzero(mask) gives those of a mask" if array.dtype.kind == "b" else ""
        raise TypeError(f"{name} must be integers, got {array.ravel()[0].item()!r}{cure}")
    return values


def lists_of_indices(name: str, batches: Iterable) -> Iterator:
    """The same lists. Raises TypeError where a number is in the place of a list."""
    for indices in batches:
        if not hasattr(indices, "__iter__") or isinstance(indices, (str, bytes)):
            raise TypeError(
                f"{name} must be an iterable of lists of indices, got {indices!r:.60} in it"
            )
        yield indices


def python_integers(order: np.ndarray) -> Iterator[int]:
    """The integers of an array as Python's, some at a time: a list of all would be five times as
    large as the array.
    """
    for start in range(0, len(order), _BLOCK):
        yield from order[start : start + _BLOCK].tolist()


def gathers_batches(dataset: Any) -> bool:
    """Whether the batches of `dataset.__getitems__` are those of its single items. They are not
    where a subclass of the class that gathers reads items in a way of its own, or where another
    dataset behind this one (`__getattr__`) would gather.
    """
    for kind in type(dataset).__mro__:
        if "__getitems__" in vars(kind):
            return True
        if not vars(kind).keys().isdisjoint({"__getitem__", "sample_with"}):
            return False
    return False
