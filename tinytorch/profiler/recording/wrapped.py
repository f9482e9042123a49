"""A loader whose epochs are recorded, in the place of the loader, and the loaders that libraries
make from it.
"""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

# called with a loader, and with what starts an epoch of it in place of `iter`
Record = Callable[..., Iterator]


def wrapped(loader: Iterable, record: Record) -> Wrapped:
    """Return the loader with a record of its epochs."""
    space = {"__slots__": (), "_kind": type(loader), "_record": staticmethod(record)}
    made: Any = object.__new__(type(type(loader).__name__, (Wrapped,), space))
    object.__setattr__(made, "_loader", loader)
    return made


class Wrapped:
    """A loader whose epochs are recorded: iterable again and again, with the loader's own length,
    attributes and class, so that a trainer takes it for the loader. A loader that is made from its
    attributes, or by calling its type, is recorded too: Accelerate and Lightning make such loaders.
    """

    __slots__ = ("__weakref__", "_loader")
    _kind: type
    _record: Record
    __class__ = property(lambda self: type(inside(self)))  # isinstance sees the loader's class
    __init__ = property(lambda self: inside(self).__init__)  # libraries read its parameters

    def __new__(cls, *args: Any, **settings: Any) -> Wrapped:
        return wrapped(cls._kind(*args, **settings), cls._record)

    def __iter__(self) -> Iterator:
        return type(self)._record(inside(self))

    def __copy__(self) -> Wrapped:
        return wrapped(copy.copy(inside(self)), type(self)._record)

    def __deepcopy__(self, memo: dict) -> Wrapped:
        return wrapped(copy.deepcopy(inside(self), memo), type(self)._record)

    def __reduce_ex__(self, protocol: Any) -> tuple:
        """Another process gets the loader itself: this profiler cannot hear from there."""
        return _itself, (inside(self),)

    def __len__(self) -> int:
        return len(inside(self))

    def __getitem__(self, index: Any) -> Any:
        return inside(self)[index]

    def __getattr__(self, name: str) -> Any:
        loader = inside(self)
        attribute = getattr(loader, name)
        if name not in ("collate_fn", "__dict__") or not _of_torch(loader):
            return attribute
        marked = _Marked(loader.collate_fn, type(self)._record)
        return marked if name == "collate_fn" else {**attribute, "collate_fn": marked}

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(inside(self), name, value)

    def __repr__(self) -> str:
        return repr(inside(self))


def is_wrapped(loader: Any) -> bool:
    return issubclass(type(loader), Wrapped)


def inside(wrapper: Any) -> Any:
    """The loader itself."""
    return object.__getattribute__(wrapper, "_loader")


def _itself(thing: Any) -> Any:
    return thing


class _Marked:
    """The collate function of a wrapped PyTorch loader. A library that makes another loader hands
    it on, and by it the other loader is known when an epoch begins.
    """

    def __init__(self, own: Callable, record: Record):
        self.own, self.record = own, record

    def __call__(self, samples: Any) -> Any:
        return self.own(samples)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def __reduce__(self) -> tuple:
        return _itself, (self.own,)


def _of_torch(loader: Any) -> bool:
    """Whether this is a loader of PyTorch, whose `__iter__` then looks for the mark."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(loader, torch.utils.data.DataLoader):
        return False
    kind = torch.utils.data.DataLoader
    plain = kind.__iter__
    if not hasattr(plain, "looks_for_the_mark"):

        @functools.wraps(plain)
        def start(loader: Any) -> Iterator:
            mark = vars(loader).get("collate_fn")
            return mark.record(loader, plain) if type(mark) is _Marked else plain(loader)

        start.looks_for_the_mark = True  # type: ignore[attr-defined]  # a function may have it
        kind.__iter__ = start
    return True
