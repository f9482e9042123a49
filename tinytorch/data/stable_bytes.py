"""Bytes that represent a value or the code of a function. They are the same in every process and
every run, so they can serve as a key.

`hash()` is not suitable: for strings it differs from run to run. `pickle.dumps` is not suitable
either: equal dicts and equal sets may give different bytes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import enum
import functools
import hashlib
import pathlib
import struct
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def stable_bytes(value: Any) -> bytes:
    """Return bytes that are equal for equal values and differ for different ones, types included:
    1, 1.0, True and "1" all differ.

    Supported are None, bool, int, float, complex, str, bytes, tuple, list, dict, set, range, slice,
    paths, enums, dataclasses, dates, NumPy's dtypes, scalars and arrays, functions (by
    `code_bytes`), and containers of these. The order of a dict's keys does not count. For an array
    its dtype, its shape and the SHA-256 of its elements count (32 bytes, however large it is); its
    strides do not.

    Raises:
        TypeError: the value has another type, since it cannot be seen what it depends on.
        ValueError: the value contains itself.
    """
    return _value(value, ())


def code_bytes(function: Callable) -> bytes:
    """Return bytes that change when the behavior of the function may have changed. They stay the
    same when the function is moved in its file or the file is renamed.

    What counts: bytecode, constants, names, nested functions, defaults and Python's version. The
    globals and closure variables that the function uses count too: your own functions and classes
    by their code (so a changed helper counts), numbers, strings and tuples of them by value, and
    installed code (the standard library, site-packages) by name and version.
    What does not count: lists, dicts, arrays and objects among the globals (a call may change them,
    and then each call would get another key), attributes of objects, and files. If the result
    depends on one of these, pass it as an argument.

    Raises:
        TypeError: the code of the object cannot be seen, such as that of an object with `__call__`.
    """
    return _code_of(function, {})


def _value(value: Any, parents: tuple[int, ...]) -> bytes:
    if id(value) in parents:
        raise ValueError(
            f"a {type(value).__name__} that contains itself has no stable bytes;"
            " pass it in another form"
        )
    kind = type(value)
    if encode := _SCALARS.get(kind):
        return _tagged(kind.__name__, encode(value))

    def each(items: Iterable) -> list[bytes]:
        return [_value(item, (*parents, id(value))) for item in items]

    if isinstance(value, enum.Enum):
        return _tagged("enum", _name(kind).encode(), value.name.encode())
    if kind in (tuple, list) or (isinstance(value, tuple) and hasattr(kind, "_fields")):
        return _tagged(_name(kind), *each(value))
    if kind in (set, frozenset):
        return _tagged(_name(kind), *sorted(each(value)))
    if isinstance(value, dict):
        return _tagged(_name(kind), *sorted(each(value.items())))
    if isinstance(value, (range, slice)):
        return _tagged(_name(kind), *each((value.start, value.stop, value.step)))
    if isinstance(value, pathlib.PurePath):
        return _tagged("path", _SCALARS[str](str(value)))
    if isinstance(value, _DATES):
        return _tagged(_name(kind), repr(value).encode())
    if isinstance(value, (np.ndarray, np.generic, np.dtype)):
        return _numpy(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value)]
        return _tagged(_name(kind), *each((name, getattr(value, name)) for name in names))
    if callable(value):
        return _tagged("callable", _code_of(value, {}))
    raise TypeError(
        f"a value of type {_name(kind)} has no stable bytes: what it depends on cannot be seen."
        " Pass plain data instead (numbers, strings, paths, arrays, lists, dicts, dataclasses)"
    )


_DATES = (datetime.date, datetime.time, datetime.timedelta, datetime.timezone)
_SCALARS: dict[type, Callable[[Any], bytes]] = {
    type(None): lambda value: b"",
    type(...): lambda value: b"",
    bool: lambda value: bytes([value]),
    int: lambda value: b"%x" % value,
    # Floats are compared by their bits: 0.0 and -0.0 differ, and NaN equals itself.
    float: lambda value: struct.pack("<d", value),
    complex: lambda value: struct.pack("<dd", value.real, value.imag),
    str: lambda value: value.encode("utf-8", "surrogatepass"),
    bytes: bytes,
    bytearray: bytes,
}


def _numpy(value: np.ndarray | np.generic | np.dtype) -> bytes:
    """An array or scalar as its dtype, shape and elements in C order; a dtype as its
    description.
    """
    dtype = value if isinstance(value, np.dtype) else value.dtype
    if dtype.hasobject:
        raise TypeError(
            f"an array of Python objects has no stable bytes, got dtype {dtype};"
            " use a number dtype or a list"
        )
    description = repr(np.lib.format.dtype_to_descr(dtype)).encode()
    if isinstance(value, np.dtype):
        return _tagged("dtype", description)
    if isinstance(value, np.ma.MaskedArray):
        return _tagged("masked", _numpy(np.ma.getdata(value)), _numpy(np.ma.getmaskarray(value)))
    if isinstance(value, np.generic):
        return _tagged("scalar", description, value.tobytes())
    # dates and records lend no memory, so they are copied
    plain = dtype.kind in "biufc" and value.size > 0
    content: Any = np.ascontiguousarray(value) if plain else value.tobytes()
    digest = hashlib.sha256(content).digest()
    return _tagged("array", description, repr(value.shape).encode(), digest)


def _code_of(function: Any, seen: dict[int, int]) -> bytes:
    """`seen` holds a number for each function met before, so that a function that calls itself is
    entered only once.
    """
    if id(function) in seen:
        return _tagged("again", b"%d" % seen[id(function)])
    seen[id(function)] = len(seen)
    if isinstance(function, functools.partial):
        given = stable_bytes(function.args), stable_bytes(function.keywords)
        return _tagged("partial", _code_of(function.func, seen), *given)
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", None)
    module = "numpy" if isinstance(function, np.ufunc) else module
    name = name or getattr(function, "__name__", None)
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):  # a method
        code = getattr(function, "__func__", None)
        parts = [_code_of(code, seen)] if code is not None else []
        whose = _code_of(owner, seen) if isinstance(owner, type) else stable_bytes(owner)
        return _tagged("method", str(name).encode(), whose, *parts)
    # A lambda and a function inside of another have no name of their own.
    if name is not None and "<" not in name and _is_installed(module):
        return _tagged("installed", f"{module}.{name} {_version(str(module))}".encode())
    if isinstance(function, types.FunctionType):
        return _tagged("code", *_function(function, seen))
    if isinstance(function, type):
        return _tagged("class", *_class(function, seen))
    if callable(function) and hasattr(function, "__wrapped__"):
        # lru_cache and similar decorators: use the function that they wrap
        return _tagged("wrapped", _code_of(function.__wrapped__, seen))
    raise TypeError(
        f"the code of an object of type {_name(type(function))} cannot be seen, so a change in it"
        " would go unnoticed; give a function written with def"
    )


def _function(function: types.FunctionType, seen: dict[int, int]) -> list[bytes]:
    code = function.__code__
    parts = [sys.implementation.cache_tag.encode(), _code(code)]
    parts += [_named(default, seen) for default in function.__defaults__ or ()]
    parts += [
        _tagged(name, _named(default, seen))
        for name, default in sorted((function.__kwdefaults__ or {}).items())
    ]
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # an empty cell: its variable is not assigned yet
            parts.append(_tagged(name, _named(cell.cell_contents, seen)))
    names = _names(code)
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        parts.append(_tagged(name, _named(value, seen)))
        if isinstance(value, types.ModuleType) and not _is_installed(value.__name__):
            parts += [
                _tagged(inner, _named(vars(value)[inner], seen))
                for inner in sorted(names & vars(value).keys())
            ]
    return parts


_NO_BEHAVIOR = set(
    "__module__ __doc__ __dict__ __weakref__ __firstlineno__ __static_attributes__".split()
)


def _class(kind: type, seen: dict[int, int]) -> list[bytes]:
    """Its methods, its constants and its bases."""
    parts = [_name(kind).encode(), *(_named(base, seen) for base in kind.__bases__)]
    for name, part in sorted(vars(kind).items()):
        if name not in _NO_BEHAVIOR:
            inner = [getattr(part, "__func__", part)]
            if isinstance(part, property):
                inner = [part.fget, part.fset, part.fdel]
            parts.append(_tagged(name, *(_named(function, seen) for function in inner)))
    return parts


def _code(code: types.CodeType) -> bytes:
    """The parts of a code object that determine its behavior. Its file, line numbers and name are
    left out, and so are the optimizations that the interpreter makes while running it.
    """
    consts = [
        _code(const) if isinstance(const, types.CodeType) else stable_bytes(const)
        for const in code.co_consts
    ]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    exceptions = getattr(code, "co_exceptiontable", b"")
    return _tagged("bytecode", code.co_code, exceptions, stable_bytes((names, counts)), *consts)


def _names(code: types.CodeType) -> set[str]:
    """The globals and attributes that a code object and those inside it name."""
    nested = (const for const in code.co_consts if isinstance(const, types.CodeType))
    return set(code.co_names).union(*(_names(inner) for inner in nested))


def _named(value: Any, seen: dict[int, int]) -> bytes:
    """The bytes that a default, a global or a closure variable adds to the code that uses it."""
    if isinstance(value, types.ModuleType):
        return _tagged("module", value.__name__.encode(), _version(value.__name__).encode())
    if _is_frozen(value):
        return stable_bytes(value)
    # A value that a call may change in place counts by its type alone.
    owner = getattr(value, "__self__", None)
    of_nothing = owner is None or isinstance(owner, (type, types.ModuleType))
    if of_nothing and not isinstance(value, functools.partial):
        with contextlib.suppress(TypeError):
            return _code_of(value, seen)
    return _tagged("changeable", _name(type(value)).encode())


def _is_frozen(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return all(_is_frozen(item) for item in value)
    return (type(value) in _SCALARS and type(value) is not bytearray) or isinstance(value, _FROZEN)


_FROZEN = (*(enum.Enum, np.generic, np.dtype, range, pathlib.PurePath), *_DATES)


def _is_installed(module: str | None) -> bool:
    """Whether a module belongs to the standard library or to site-packages. Such code is identified
    by its version, since users do not edit it.
    """
    if module is None or module == "__main__":
        return False
    if module.partition(".")[0] in sys.stdlib_module_names:
        return True
    parts = pathlib.Path(getattr(sys.modules.get(module), "__file__", None) or "").parts
    return "site-packages" in parts or "dist-packages" in parts


def _version(module: str) -> str:
    version = getattr(sys.modules.get(module.partition(".")[0]), "__version__", "")
    return version if isinstance(version, str) else ""


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _tagged(tag: str, *parts: bytes) -> bytes:
    """The parts joined, each with its length, so that different lists of parts give different
    bytes.
    """
    return b"".join((tag.encode(), b"(", *(b"%d:" % len(part) + part for part in parts), b")"))
