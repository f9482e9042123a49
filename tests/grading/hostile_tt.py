"""A pytest plugin that makes one part of a correct package hostile, for each test that uses it.

The package is a reference solution whose functions and classes are decorated with `switch` (see
`instrumented`). A first run notes which of them each contract test uses. In a second run every test
is repeated with each of these parts replaced, once for each of VARIANTS. A test that still passes
has not checked the part.
"""

from __future__ import annotations

import ast
import functools
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

VARIANTS = ("is empty", "gives no item", "gives one item", "is 0", "refuses")
CUTS = {"gives no item": 0, "gives one item": 1}
BEGUN = "begun"  # a helper of a test file that calls exercises and ignores their results
turned: tuple[str, str] | None = None  # (name, variant)
met = False  # whether the test used the replaced part


class Empty:
    """A replacement that does nothing: it has every attribute and no item."""

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
    """Every kind of error that a test may expect, with every value that it may look for in the
    message.
    """


def switch(real: Any) -> Any:
    """The function or class itself, unless `turned` names it."""
    return _switch_class(real) if isinstance(real, type) else _switch_function(real)


def _switch_function(real: Callable) -> Callable:
    @functools.wraps(real)
    def function(*args: Any, **kwargs: Any) -> Any:
        if not _is_turned(real):
            return real(*args, **kwargs)
        if turned[1] in CUTS:
            return _cut(real(*args, **kwargs), CUTS[turned[1]])
        return _instead(real, args, kwargs)

    return function


def _switch_class(real: type) -> type:
    make, iterate = real.__new__, vars(real).get("__iter__")

    def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:
        abstract = inspect.isabstract(real)  # an abstract class may refuse to be instantiated
        if cls is real and not abstract and _is_turned(real) and turned[1] not in CUTS:
            return _instead(real, args, kwargs)
        return make(cls) if make is object.__new__ else make(cls, *args, **kwargs)

    def __iter__(self: Any) -> Any:
        items = iterate(self)
        cut = _is_turned(real) and turned[1] in CUTS
        return _first(items, CUTS[turned[1]]) if cut else items

    real.__new__ = __new__
    if iterate:
        real.__iter__ = __iter__
    return real


def _is_turned(real: Any) -> bool:
    if turned is None or turned[0] != real.__name__:
        return False
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != BEGUN:
        frame = frame.f_back
    return frame is None


def _instead(real: Any, args: tuple, kwargs: dict) -> Any:
    global met
    met = True
    if turned[1] == "refuses":
        values = [_described(value) for value in (*args, *kwargs.values())]
        raise Refusal(f"{real.__name__}: {values} already of size")
    return 0 if turned[1] == "is 0" else Empty()


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
    future = [node.lineno for node in tree.body if getattr(node, "module", "") == "__future__"]
    for node in reversed(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            lines.insert(first - 1, "@_hostile_tt.switch")
    begin = max([*future, tree.body[0].end_lineno if ast.get_docstring(tree) else 0])
    lines.insert(begin, "import hostile_tt as _hostile_tt")
    return "\n".join(lines) + "\n"


# The plugin


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--note-used", metavar="FILE", help="note what each test uses of the package")
    parser.addoption("--turn-used", metavar="FILE", help="turn each part that was noted")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Notes(config), "notes of what is used")


class Notes:
    """Which test uses which parts: noted in the first run, replaced in the second."""

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
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[None]:
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
