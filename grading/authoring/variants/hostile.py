"""A pytest plugin that turns one part of a right package hostile, for each test that uses it.

The package is a reference whose functions and classes carry `switch` (see `instrumented`). A first
run notes which of them each contract test uses; in a second run every test is repeated with each
of these parts turned, in each of VARIANTS. What still passes has not looked at the part.
"""

from __future__ import annotations

import ast
import functools
import inspect
import json
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import pytest

VARIANTS = ("returns nothing", "yields no item", "yields one item", "returns 0", "refuses")
CUTS = {"yields no item": 0, "yields one item": 1}
BEGUN = (
    "begun"  # the helper of a test file that tries exercises and does not look at what they give
)
turned: tuple[str, str] | None = None  # (name, variant)
met = False  # whether the test came by what was turned


class Empty:
    """What a part may be that does nothing: it has every attribute and no item."""

    def __call__(self, *args: Any, **kwargs: Any) -> Empty:
        return self

    def __getattr__(self, name: str) -> Empty:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator:
        return iter(())

    def __next__(self) -> Any:
        raise StopIteration

    def __getitem__(self, index: Any) -> Any:
        raise IndexError(index)

    def __getitems__(self, indices: Any) -> Empty:
        return self


class Refusal(FileNotFoundError, ValueError, IndexError, TypeError, RuntimeError):
    """Whatever error a test expects, with every value that it may look for in the message."""


def switch(real: Any) -> Any:
    """The function or class, until `turned` names it."""
    return _switch_class(real) if isinstance(real, type) else _switch_function(real)


def _switch_function(real: Callable) -> Callable:
    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        variant = _variant(real)
        if variant is None:
            return real(*args, **kwargs)
        if variant in CUTS:
            return _cut(real(*args, **kwargs), CUTS[variant])
        return _instead(real, variant, args, kwargs)

    return function


def _switch_class(real: Any) -> Any:
    make, iterate = real.__new__, vars(real).get("__iter__")

    def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:
        abstract = inspect.isabstract(real)  # what cannot be made may refuse
        variant = _variant(real) if cls is real and not abstract else None
        if variant and variant not in CUTS:
            return _instead(real, variant, args, kwargs)
        return make(cls) if make is object.__new__ else make(cls, *args, **kwargs)

    def __iter__(self: Any) -> Any:
        items, variant = iterate(self), _variant(real)
        return _first(items, CUTS[variant]) if variant in CUTS else items

    real.__new__ = __new__
    if iterate:
        real.__iter__ = __iter__
    return real


def _variant(real: Any) -> str | None:
    """What the part is now; None while it is as it was."""
    if turned is None or turned[0] != real.__name__:
        return None
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != BEGUN:
        frame = frame.f_back
    return turned[1] if frame is None else None


def _instead(real: Any, variant: str, args: tuple, kwargs: dict) -> Any:
    global met
    met = True
    if variant == "refuses":
        values = [_described(value) for value in (*args, *kwargs.values())]
        raise Refusal(f"{real.__name__}: {values} already of size")
    return 0 if variant == "returns 0" else Empty()


def _described(value: Any) -> str:
    if isinstance(value, dict):
        value = [*value.items()]
    inner = [_described(one) for one in value] if isinstance(value, (list, tuple)) else []
    size = len(value) if hasattr(value, "__len__") else ""
    return f"{value!r} {type(value).__name__} {getattr(value, 'shape', size)} {inner}"


def _cut(value: Any, count: int) -> Any:
    global met
    if isinstance(value, (list, np.ndarray)) and np.ndim(value):
        met = met or len(value) > count
        return value[:count]
    return _first(value, count) if hasattr(value, "__next__") else value


def _first(items: Any, count: int) -> Iterator:
    global met
    for number, item in enumerate(items):
        if number == count:
            met = True
            return
        yield item


def instrumented(source: str) -> str:
    """The package's source with `switch` on each function and class at its top level."""
    tree, lines = ast.parse(source), source.splitlines()
    future = [
        node.lineno
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    for node in reversed(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            lines.insert(first - 1, "@_hostile.switch")
    described = tree.body[0].end_lineno if ast.get_docstring(tree) else 0
    begin = max([*future, described or 0])
    lines.insert(begin, f"import {__name__} as _hostile")
    return "\n".join(lines) + "\n"


# The plugin


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--note-used", metavar="FILE", help="note what each test uses of the package")
    parser.addoption("--turn-used", metavar="FILE", help="turn each part that was noted")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Notes(config), "notes of what is used")


class Notes:
    """Which test uses which parts: noted in one run, turned in the other."""

    def __init__(self, config: pytest.Config):
        self.path, source = config.getoption("--note-used"), config.getoption("--turn-used")
        self.used = json.loads(Path(source).read_text(encoding="utf-8")) if source else {}
        self.turning = source is not None

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if self.turning:
            names = self.used.get(metafunc.definition.nodeid, [])
            parts = [(name, variant) for name in names for variant in VARIANTS]
            metafunc.parametrize("turn", parts, indirect=True, ids=" ".join)

    @pytest.fixture(autouse=True)
    def turn(self, request: pytest.FixtureRequest) -> Iterator[None]:
        global turned, met
        turned, met = getattr(request, "param", None), False
        yield
        turned = None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, None]:
        if self.turning:
            outcome = yield
            if outcome.excinfo is None and not met:
                pytest.skip("it never came by the part that was turned")
            return
        names = []

        class Noting(ModuleType):
            def __getattribute__(self, name: str) -> Any:
                names.append(name)
                return super().__getattribute__(name)

        module = pyfuncitem.funcargs["tt"]
        module.__class__ = Noting
        yield
        module.__class__ = ModuleType
        parts = [name for name in dict.fromkeys(names) if callable(vars(module).get(name))]
        self.used[pyfuncitem.nodeid] = parts

    def pytest_sessionfinish(self) -> None:
        if self.path:
            Path(self.path).write_text(json.dumps(self.used), encoding="utf-8")
