"""Reads pickles of plain data safely, and writes pickles as Python 2 did.

A pickle is a program for a small stack machine. Python's own `pickle.load` calls any function that
the file names (even `os.system`), and even with a list of allowed names one damaged byte can make
it reserve gigabytes. `load` is Python's own machine, the one that is written in Python, with the
opcodes alone that build numbers, strings, lists, dicts and arrays. A name in a file stands for a
harmless function of this module, so nothing that a file names is called or imported.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, BinaryIO, ClassVar

import numpy as np

_ONLY = "only arrays, strings, numbers, lists and dicts are read"
_OPCODES = (
    "PROTO FRAME STOP NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 BINUNICODE BINUNICODE8"
    " SHORT_BINUNICODE BINBYTES BINBYTES8 SHORT_BINBYTES BINSTRING SHORT_BINSTRING MARK EMPTY_TUPLE"
    " TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST APPEND APPENDS EMPTY_DICT BINPUT LONG_BINPUT MEMOIZE"
    " BINGET LONG_BINGET GLOBAL STACK_GLOBAL REDUCE"
).split()
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
    raw: bytes = field(default=b"", repr=False)

    def fill(self, shape: Any, dtype: Any, fortran: Any, raw: Any) -> ArrayState:
        if not isinstance(shape, tuple) or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError("an array needs a shape")
        if not isinstance(dtype, str):
            raise ValueError("a dtype needs a name")
        if not isinstance(raw, bytes):
            raise Py2PickleError(
                f"an array of dtype {dtype} holds objects, not bytes; only plain arrays are read"
            )
        self.shape, self.dtype, self.fortran, self.raw = shape, dtype, bool(fortran), raw
        return self


def _no_call(*_: Any) -> Any:
    raise Py2PickleError(f"{_ONLY}; the pickle asks for a call, which was not made")


# What stands for each name in a pickle. A dtype is its code: "u1", or b"u1" from Python 2.
_STAND_INS: dict[str, Callable] = {
    "numpy.ndarray": _no_call,
    "numpy.dtype": lambda code, *_: code.decode("latin-1") if isinstance(code, bytes) else code,
    "numpy.core.multiarray._reconstruct": lambda *_: ArrayState(),
    "numpy.core.numeric._frombuffer": lambda raw, dtype, shape, order: ArrayState().fill(
        shape, dtype, order == "F", raw
    ),  # protocol 5
    # how Python 3 spells bytes in protocol 2
    "_codecs.encode": lambda text, codec: (
        text.encode("latin-1") if codec == "latin1" else _no_call()
    ),
}


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


class _Steps(dict):
    """What the machine does at an opcode. It refuses a file that asks for another one."""

    def __missing__(self, code: int) -> Callable:
        names = {ord(each.code): each.name for each in pickletools.opcodes}
        raise Py2PickleError(f"{_ONLY}; the pickle asks for {names[code]}")


class _Machine(pickle._Unpickler):
    """Python's machine without most of its opcodes. Its memo is a dict, which no index can make
    large, and a string is read from `blob`, so that it is no longer than that.
    """

    def find_class(self, module: str, name: str) -> Callable:
        asked = f"{module}.{name}"
        stand_in = _STAND_INS.get(asked.replace("numpy._core.", "numpy.core."))  # NumPy 2
        if stand_in is None:
            raise Py2PickleError(f"{_ONLY}; the pickle asks for {asked[:80]}, which was not run")
        return stand_in

    # `self` is Any where the library's types lack what its machines have
    def load_build(self: Any) -> None:
        state, target = self.stack.pop(), self.stack[-1]
        if isinstance(target, ArrayState):
            target.fill(*state[1:])  # the state that numpy.ndarray.__reduce__ gives
        elif not isinstance(target, str):  # of a dtype: it means nothing for single bytes
            raise ValueError("a name has no state")

    def load_bytearray8(self: Any) -> None:
        (length,) = struct.unpack("<Q", self.read(8))
        self.append(self.read(length))  # Python's own reserves the length, however few bytes follow

    def put_in_dict(self: Any, items: list) -> None:
        # only strings: the hash of tuples within tuples may take years
        if len(items) % 2 or not all(isinstance(key, (bytes, str)) for key in items[::2]):
            raise ValueError("a dict's keys must be strings")
        self.stack[-1].update(zip(items[::2], items[1::2], strict=True))

    dispatch: ClassVar = _Steps(
        (code, pickle._Unpickler.dispatch[code])
        for code in (getattr(pickle, name)[0] for name in _OPCODES)
    )
    dispatch[pickle.BUILD[0]] = load_build
    dispatch[pickle.BYTEARRAY8[0]] = load_bytearray8
    dispatch[pickle.SETITEM[0]] = lambda self: self.put_in_dict(
        [self.stack.pop(-2), self.stack.pop()]
    )
    dispatch[pickle.SETITEMS[0]] = lambda self: self.put_in_dict(self.pop_mark())


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

    def save_array(self: Any, value: np.ndarray) -> None:
        """_reconstruct(ndarray, (0,), "b"), whose state is (1, shape, dtype("u1"), False, bytes)"""
        self.write(b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\x87R(K\1")
        self.save(value.shape)
        self.write(b"cnumpy\ndtype\nU\x02u1K\0K\1\x87R(K\3U\x01|NNN" + b"J\xff\xff\xff\xff" * 2)
        self.write(b"K\0tb\x89")
        self.save(value.tobytes())
        self.write(b"tb")

    dispatch: ClassVar = {
        **{kind: pickle._Pickler.dispatch[kind] for kind in (dict, list, tuple, int)},
        bytes: save_string,
        np.ndarray: save_array,
    }

    def reducer_override(self, value: Any) -> Any:
        if type(value) in self.dispatch and getattr(value, "dtype", np.uint8) == np.uint8:
            return NotImplemented
        raise TypeError(
            "the layout holds dicts, lists, ints, bytes and uint8 arrays, got"
            f" {type(value).__name__}"
        )
