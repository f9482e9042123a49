"""Reads pickles of plain data safely, and writes pickles as Python 2 did.

A pickle is a program for a small stack machine. Python's own `pickle.load` calls any function that
the file names (even `os.system`), and even with a list of allowed names one damaged byte can make
it reserve gigabytes. `load` has only the opcodes that build numbers, strings, lists, dicts and
arrays. It calls nothing that a file names, and it never imports NumPy's private modules, which were
moved between versions. The opcodes are those of the standard library's `pickletools`; the state of
arrays is that of numpy.ndarray.__reduce__.
"""

from __future__ import annotations

import pickletools
import struct
import warnings
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np


class Py2PickleError(ValueError):
    """The bytes are not a pickle of plain data."""


@dataclass
class ArrayState:
    """A pickled array that is not yet trusted: its fields are not checked against each other, and
    no memory is reserved for it.
    """

    shape: tuple = ()
    dtype: str = ""
    fortran: bool = False
    raw: bytes = b""


@dataclass
class _DtypeState:
    code: str = ""


_ONLY = "only arrays, strings, numbers, lists and dicts are read"
_MARK = object()
_RECONSTRUCT, _NDARRAY, _DTYPE, _ENCODE = (object() for _ in range(4))
_GLOBALS = {
    ("numpy.core.multiarray", "_reconstruct"): _RECONSTRUCT,  # NumPy 1
    ("numpy._core.multiarray", "_reconstruct"): _RECONSTRUCT,  # NumPy 2
    ("numpy", "ndarray"): _NDARRAY,
    ("numpy", "dtype"): _DTYPE,
    # how Python 3 spells bytes in protocol 2
    ("_codecs", "encode"): _ENCODE,
}
_VALUES = {
    "BININT",
    "BININT1",
    "BININT2",
    "LONG1",
    "BINUNICODE",
    "SHORT_BINUNICODE",
    "BINUNICODE8",
    "BINBYTES",
    "SHORT_BINBYTES",
    "BINBYTES8",
}
_PY2_STRINGS = {"BINSTRING", "SHORT_BINSTRING"}
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


def load(blob: bytes) -> Any:
    """Return the value pickled in `blob` (protocols 2 to 4): None, bool, int, bytes, str, list,
    tuple, dict or ArrayState.

    Raises:
        Py2PickleError: `blob` is cut off, damaged, or holds anything else.
    """
    machine = _Machine()
    try:
        with warnings.catch_warnings():
            # genops decodes texts of protocol 0, which are refused below
            warnings.simplefilter("ignore", DeprecationWarning)
            for opcode, argument, position in pickletools.genops(blob):
                if position == 0 and opcode.name != "PROTO":
                    raise Py2PickleError("not a pickle of protocol 2 or later")
                # genops ends at STOP, and raises ValueError if there is none
                machine.step(opcode.name, argument)
        return machine.stack.pop()
    except Py2PickleError:
        raise
    except (ValueError, IndexError, KeyError, TypeError, struct.error) as error:
        raise Py2PickleError(f"not a pickle, or cut off or damaged ({str(error)[:120]})") from None


class _Machine:
    def __init__(self):
        self.stack: list = []
        self.memo: dict[int, Any] = {}

    def pop_to_mark(self) -> list:
        place = len(self.stack) - 1
        while self.stack[place] is not _MARK:  # on an empty stack this raises IndexError
            place -= 1
            if place < 0:
                raise ValueError("a mark is missing")
        values = self.stack[place + 1 :]
        del self.stack[place:]
        return values

    def top(self, kind: type) -> Any:
        if not isinstance(self.stack[-1], kind):
            raise ValueError(f"a {kind.__name__} is missing")
        return self.stack[-1]

    def step(self, name: str, argument: Any) -> None:
        push = self.stack.append
        if name in _VALUES:
            push(argument)
        elif name in _PY2_STRINGS:
            # pickletools gives Python 2's strings as latin-1 text
            push(argument.encode("latin-1"))
        elif name in ("BINPUT", "LONG_BINPUT"):
            self.memo[argument] = self.stack[-1]
        elif name == "MEMOIZE":
            self.memo[len(self.memo)] = self.stack[-1]
        elif name in ("BINGET", "LONG_BINGET"):
            push(self.memo[argument])
        elif name in _CONSTANTS:
            push(_CONSTANTS[name])
        elif name == "MARK":
            push(_MARK)
        elif name in ("EMPTY_LIST", "EMPTY_DICT", "EMPTY_TUPLE"):
            push({"EMPTY_LIST": list, "EMPTY_DICT": dict, "EMPTY_TUPLE": tuple}[name]())
        elif name in _TUPLES:
            push(tuple(reversed([self.stack.pop() for _ in range(_TUPLES[name])])))
        elif name == "TUPLE":
            push(tuple(self.pop_to_mark()))
        elif name in ("APPEND", "APPENDS"):
            values = [self.stack.pop()] if name == "APPEND" else self.pop_to_mark()
            self.top(list).extend(values)
        elif name in ("SETITEM", "SETITEMS"):
            values = (
                [self.stack.pop(), self.stack.pop()][::-1]
                if name == "SETITEM"
                else self.pop_to_mark()
            )
            self.set_items(values)
        elif name == "GLOBAL":
            push(_look_up(*argument.split(" ", 1)))
        elif name == "STACK_GLOBAL":
            attribute, module = self.stack.pop(), self.stack.pop()
            push(_look_up(module, attribute))
        elif name == "REDUCE":
            arguments, function = self.stack.pop(), self.stack.pop()
            push(_call(function, arguments))
        elif name == "BUILD":
            state = self.stack.pop()
            _build(self.stack[-1], state)
        elif name not in ("PROTO", "FRAME", "STOP"):
            raise Py2PickleError(f"{_ONLY}; the pickle asks for {name}")

    def set_items(self, values: list) -> None:
        target = self.top(dict)
        if len(values) % 2 or not all(isinstance(key, (bytes, str)) for key in values[::2]):
            raise ValueError("a dict's keys must be strings")
        target.update(zip(values[::2], values[1::2], strict=True))


def _look_up(module: Any, attribute: Any) -> object:
    if (module, attribute) not in _GLOBALS:
        asked = f"{module}.{attribute}"[:80]
        raise Py2PickleError(f"{_ONLY}; the pickle asks for {asked}, which was not run")
    return _GLOBALS[module, attribute]


def _call(function: object, arguments: Any) -> Any:
    """The value that a call of one of the few known names would return. Nothing is called."""
    if (
        function is _RECONSTRUCT
        and isinstance(arguments, tuple)
        and arguments
        and arguments[0] is _NDARRAY
    ):
        return ArrayState()
    if (
        function is _DTYPE
        and isinstance(arguments, tuple)
        and arguments
        and isinstance(arguments[0], (bytes, str))
    ):
        code = arguments[0]
        return _DtypeState(code.decode("latin-1") if isinstance(code, bytes) else code)
    if (
        function is _ENCODE
        and isinstance(arguments, tuple)
        and len(arguments) == 2
        and arguments[1] == "latin1"
    ):
        return arguments[0].encode("latin-1")
    raise Py2PickleError(f"{_ONLY}; the pickle asks for a call, which was not made")


def _build(target: Any, state: Any) -> None:
    if isinstance(target, _DtypeState):
        # The state holds byte order and fields. These mean nothing for single bytes, and every
        # dtype but u1 is refused later.
        return
    if not isinstance(target, ArrayState) or not isinstance(state, tuple) or len(state) != 5:
        raise ValueError("the state of an array is missing")
    _, shape, dtype, fortran, raw = state
    if (
        not isinstance(dtype, _DtypeState)
        or not isinstance(shape, tuple)
        or not all(type(n) is int and n >= 0 for n in shape)
    ):
        raise ValueError("an array needs a shape and a dtype")
    if not isinstance(raw, bytes):
        raise Py2PickleError(
            f"an array of dtype {dtype.code} holds objects, not bytes; only plain arrays are read"
        )
    target.shape, target.dtype, target.fortran, target.raw = shape, dtype.code, bool(fortran), raw


def dump(value: Any, file: BinaryIO) -> None:
    """Write `value` byte for byte as Python 2's cPickle would have, with protocol 2 and `fast =
    True` (without a memo).

    Args:
        value: a dict, list, tuple, int of 32 bits, bytes (Python 2's str) or uint8 array, or a
            nesting of these.

    Python 3's own protocol 2 writes bytes as a call of `_codecs.encode` and uses the names of
    NumPy's present modules, so its files differ from those of CIFAR-10.
    """
    file.write(b"\x80\x02")
    _write(value, file.write)
    file.write(b".")


def _write(value: Any, write) -> None:
    if isinstance(value, dict):
        write(b"}")
        _in_batches([item for pair in value.items() for item in pair], 2000, b"u", write)
    elif isinstance(value, list):
        write(b"]")
        _in_batches(value, 1000, b"e", write)
    elif isinstance(value, bytes):
        write(
            b"U" + bytes([len(value)]) if len(value) < 256 else b"T" + struct.pack("<i", len(value))
        )
        write(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        code, layout = (
            (b"K", "<B")
            if 0 <= value < 256
            else (b"M", "<H")
            if 0 <= value < 65536
            else (b"J", "<i")
        )
        write(code + struct.pack(layout, value))
    elif isinstance(value, np.ndarray) and value.dtype == np.uint8:
        _write_array(value, write)
    else:
        raise TypeError(
            "the layout holds dicts, lists, ints, bytes and uint8 arrays, got"
            f" {type(value).__name__}"
        )


def _in_batches(items: list, most: int, close: bytes, write) -> None:
    """Write items as cPickle does: a mark, up to 1,000 items (or pairs), and one opcode that adds
    them all. A single item is written without a mark.
    """
    lone = {b"u": (2, b"s"), b"e": (1, b"a")}[close]
    for start in range(0, len(items), most):
        part = items[start : start + most]
        write(b"" if len(part) == lone[0] else b"(")
        for item in part:
            _write(item, write)
        write(lone[1] if len(part) == lone[0] else close)


def _write_array(array: np.ndarray, write) -> None:
    """Write an array as ndarray.__reduce__ of NumPy 1 under Python 2: _reconstruct(ndarray, (0,),
    'b'), then (1, shape, dtype, False, bytes).
    """
    write(b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01")
    write(b"" if array.ndim < 4 else b"(")
    for length in array.shape:
        _write(length, write)
    write({0: b")", 1: b"\x85", 2: b"\x86", 3: b"\x87"}.get(array.ndim, b"t"))
    write(
        b"cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R(K\x03U\x01|NNN"
        + b"J\xff\xff\xff\xff" * 2
        + b"K\x00tb\x89"
    )
    _write(array.tobytes(), write)
    write(b"tb")
