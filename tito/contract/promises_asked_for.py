"""The sentences that a contract test may name as promises, read from its code before it runs.

What a test did not come to ask is known only from here: a test that ended without an answer breaks
every promise that it names.
"""

import inspect
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_HOLDERS = (tuple, list, set, frozenset)


def sentences(test: Any, folder: Path, parameters: Any = ()) -> tuple[str, ...]:
    """Every sentence in the code of a test, of its helpers, and in the values that both name. Some
    of them are no promises. A promise that is put together from values is not among them.

    Args:
        folder: a helper is followed if its file is in this folder.
        parameters: the values with which a parametrized test is called.
    """
    said: dict[str, None] = {}
    waiting, seen = [test, parameters], set()
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if one.endswith(".") and " " in one:
                said[one] = None
        elif id(one) not in seen:
            seen.add(id(one))
            waiting += _inside(one, folder)
    return tuple(sorted(said))


def _inside(one: Any, folder: Path) -> Iterator[Any]:
    """What a value of a test's file holds or names."""
    if isinstance(one, dict):
        yield from one.keys()
        yield from one.values()
    elif isinstance(one, _HOLDERS):
        yield from one
    elif isinstance(one, types.CodeType):
        yield from one.co_consts
    elif isinstance(one, type):
        yield from (value for value in vars(one).values() if _beside(value, folder))
    elif _beside(one, folder):
        yield from _named(one.__code__, one.__globals__, folder)
        yield one.__code__
        yield one.__defaults__
        yield one.__kwdefaults__
        yield from inspect.getclosurevars(one).nonlocals.values()
    else:  # what a decorator put around it
        yield getattr(one, "__wrapped__", None)


def _named(code: types.CodeType, names: dict[str, Any], folder: Path) -> Iterator[Any]:
    """The values of a file's names, and of a helper module's, that the code uses."""
    for name in code.co_names:
        value = names.get(name)
        if isinstance(value, types.ModuleType):
            if folder in Path(getattr(value, "__file__", None) or "/").parents:
                yield from (vars(value).get(inner) for inner in code.co_names)
        else:
            yield value
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _named(inner, names, folder)


def _beside(one: Any, folder: Path) -> bool:
    return isinstance(one, types.FunctionType) and folder in Path(one.__code__.co_filename).parents
