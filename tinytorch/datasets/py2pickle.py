"""Reads pickles of plain data safely, and writes pickles as Python 2 did.

A pickle is a program for a small stack machine. Python's own `pickle.load` calls any function that
the file names (even `os.system`), and even with a list of allowed names one damaged byte can make
it reserve gigabytes. `load` is Python's own machine, the one that is written in Python, with the
opcodes alone that build numbers, strings, lists, dicts and arrays. A name in a file stands for a
harmless record of this module, so nothing that a file names is called or imported.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

import numpy as np

_ONLY = "only arrays, strings, numbers, lists and dicts are read"
_OPCODES = set(
    "PROTO FRAME STOP NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINUNICODE BINUNICODE8"
    " SHORT_BINUNICODE BINBYTES BINBYTES8 SHORT_BINBYTES BINSTRING SHORT_BINSTRING MARK EMPTY_TUPLE"
    " TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST APPEND APPENDS EMPTY_DICT BINPUT LONG_BINPUT MEMOIZE"
    " BINGET LONG_BINGET GLOBAL STACK_GLOBAL REDUCE BUILD".split()
)
# What Python's machine raises for bytes that are no pickle.
_FAULTS = (pickle.UnpicklingError, EOFError, LookupError, ValueError, TypeError, AttributeError)


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

    def __setstate__(self, state: tuple) -> None:
        """Take the state that numpy.ndarray.__reduce__ gives."""
        _, shape, dtype, fortran, raw = state
        if not isinstance(shape, tuple) or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError("an array needs a shape")
        if not isinstance(raw, bytes):
            raise Py2PickleError(
                f"an array of dtype {dtype.code} holds objects, not bytes; only plain arrays are"
                " read"
            )
        self.shape, self.dtype, self.fortran, self.raw = shape, dtype.code, bool(fortran), raw


class _Dtype:
    def __init__(self, code: str | bytes, *_: Any):
        self.code = code.decode("latin-1") if isinstance(code, bytes) else code
        if not isinstance(self.code, str):
            raise ValueError("a dtype needs a name")

    def __setstate__(self, state: tuple) -> None:
        """Byte order and fields mean nothing for single bytes; every other dtype is refused."""


def _no_call(*_: Any) -> Any:
    raise Py2PickleError(f"{_ONLY}; the pickle asks for a call, which was not made")


@dataclass(frozen=True)
class _Name:
    """A name in a pickle. `make` returns what stands for a call of it."""

    module: str
    name: str
    make: Callable = _no_call

    def __call__(self, *arguments: Any) -> Any:
        return self.make(*arguments)

    def __setstate__(self, state: Any) -> None:
        raise ValueError("a name has no state")


_NDARRAY = _Name("numpy", "ndarray")
_DTYPE = _Name("numpy", "dtype", _Dtype)


def _reconstruct(*_: Any) -> ArrayState:
    return ArrayState()


def _from_buffer(raw: bytes, dtype: _Dtype, shape: tuple, order: str) -> ArrayState:
    array = ArrayState()
    array.__setstate__((1, shape, dtype, order == "F", raw))
    return array


def _encode(text: str, codec: str) -> bytes:
    return text.encode("latin-1") if codec == "latin1" else _no_call()


_RECONSTRUCT = _Name("numpy.core.multiarray", "_reconstruct", _reconstruct)
_KNOWN = (
    *(_NDARRAY, _DTYPE, _RECONSTRUCT),
    _Name("numpy._core.multiarray", "_reconstruct", _reconstruct),  # NumPy 2
    _Name("numpy.core.numeric", "_frombuffer", _from_buffer),  # protocol 5
    _Name("numpy._core.numeric", "_frombuffer", _from_buffer),
    _Name("_codecs", "encode", _encode),  # how Python 3 spells bytes in protocol 2
)
_NAMES = {f"{each.module}.{each.name}": each for each in _KNOWN}


def load(blob: bytes) -> Any:
    """Return the value pickled in `blob` (protocols 2 to 5): None, bool, int, bytes, str, list,
    tuple, dict or ArrayState.

    Raises:
        Py2PickleError: `blob` is cut off, damaged, or holds anything else.
    """
    if blob[:1] != pickle.PROTO:
        raise Py2PickleError("not a pickle of protocol 2 or later")
    try:
        return _Machine(io.BytesIO(blob), encoding="bytes").load()
    except Py2PickleError:
        raise
    except (*_FAULTS, OverflowError, struct.error) as error:
        raise Py2PickleError(f"not a pickle, or cut off or damaged ({str(error)[:120]})") from None


def _step(code: str, name: str) -> Callable:
    """What the machine does at an opcode: what Python's does, or it refuses the file."""

    def refuse(machine: _Machine) -> None:
        raise Py2PickleError(f"{_ONLY}; the pickle asks for {name}")

    return pickle._Unpickler.dispatch[ord(code)] if name in _OPCODES else refuse


class _Machine(pickle._Unpickler):
    """Python's machine without most of its opcodes. Its memo is a dict, which no index can make
    large, and a string is read from `blob`, so that it is no longer than that.
    """

    def find_class(self, module: str, name: str) -> _Name:
        asked = f"{module}.{name}"
        if asked in _NAMES:
            return _NAMES[asked]
        raise Py2PickleError(f"{_ONLY}; the pickle asks for {asked[:80]}, which was not run")

    # `self` is Any where the library's types lack what its machines have
    def load_bytearray8(self: Any) -> None:
        (length,) = struct.unpack("<Q", self.read(8))
        self.append(self.read(length))  # Python's own reserves the length, however few bytes follow

    def load_setitems(self: Any) -> None:
        items = self.pop_mark()
        # only strings: the hash of tuples within tuples may take years
        if len(items) % 2 or not all(isinstance(key, (bytes, str)) for key in items[::2]):
            raise ValueError("a dict's keys must be strings")
        self.stack[-1].update(zip(items[::2], items[1::2], strict=True))

    def load_setitem(self: Any) -> None:
        self.metastack.append(self.stack[:-2])
        self.stack = self.stack[-2:]
        self.load_setitems()

    dispatch: ClassVar = {
        **{ord(each.code): _step(each.code, each.name) for each in pickletools.opcodes},
        pickle.BYTEARRAY8[0]: load_bytearray8,
        pickle.SETITEM[0]: load_setitem,
        pickle.SETITEMS[0]: load_setitems,
    }


def dump(value: Any, file: BinaryIO) -> None:
    """Write `value` byte for byte as Python 2's cPickle would have, with protocol 2 and `fast =
    True` (without a memo).

    Args:
        value: a dict, list, tuple, int of 32 bits, bytes (Python 2's str) or uint8 array, or a
            nesting of these.

    Python 3's own protocol 2 writes bytes as a call of `_codecs.encode` and uses the names of
    NumPy's present modules, so its files differ from those of CIFAR-10.
    """
    pickler = _Python2Pickler(file, 2)
    pickler.fast = True
    pickler.dump(value)


class _Python2Pickler(pickle._Pickler):
    def save_string(self: Any, value: bytes) -> None:
        short = len(value) < 256
        self.write(b"U" + bytes([len(value)]) if short else b"T" + struct.pack("<i", len(value)))
        self.write(value)

    def save_name(self: Any, value: _Name) -> None:
        self.write(f"c{value.module}\n{value.name}\n".encode())

    dispatch: ClassVar = {**pickle._Pickler.dispatch, bytes: save_string, _Name: save_name}

    def reducer_override(self, value: Any) -> Any:
        if type(value) in (dict, list, tuple, int, bool, bytes, _Name, type(None)):
            return NotImplemented
        if isinstance(value, np.dtype):
            return _DTYPE, (b"u1", 0, 1), (3, b"|", None, None, None, -1, -1, 0)
        if isinstance(value, np.ndarray) and value.dtype == np.uint8:
            state = (1, value.shape, value.dtype, False, value.tobytes())
            return _RECONSTRUCT, (_NDARRAY, (0,), b"b"), state
        raise TypeError(
            "the layout holds dicts, lists, ints, bytes and uint8 arrays, got"
            f" {type(value).__name__}"
        )
