"""A class whose methods have cells of their own."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def add_to_class(cls: type) -> Callable[[T], T]:
    """A decorator that makes a function a method of the class `cls`, under the function's name.

    In a notebook each method can so have a cell of its own, below the text that asks for it;
    `tito export` writes the methods into the class. It takes a property, a class method or a
    static method too: write `@add_to_class(...)` above the other decorator. The idea and the name
    are those of Zhang et al., Dive into Deep Learning (2023), https://d2l.ai, section 3.2.

    >>> class Squares: ...
    >>> @add_to_class(Squares)
    ... def __len__(self):
    ...     return 9
    >>> len(Squares())
    9
    """

    def attach(method: T) -> T:
        setattr(cls, _name(method), method)
        abc.update_abstractmethods(cls)
        return method

    return attach


def _name(method: Any) -> str:
    """The function's name: a property keeps it in `fget`, a class method in `__func__`."""
    inner = getattr(method, "fget", None) or getattr(method, "__func__", method)
    return str(inner.__name__)
