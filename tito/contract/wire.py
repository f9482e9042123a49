"""What crosses between a contract test and the code under test: values as JSON and `.npy`, in frames of limited size.

A frame is four bytes (length of the JSON text, big-endian), the JSON text, then the blobs whose lengths stand in its field
`blobs`. JSON scalars stand for themselves; everything else is an object with one key, its kind:

    list, tuple, dict, set, slice, range, path, dtype    by value, nested
    bytes, array, scalar, tensor                         number of a blob (arrays as .npy, `allow_pickle=False`)
    ref                                                  an object that stays where it is: {"id", "type", "specials"}
    back                                                 the id of an object that the receiver lent before

Nothing here executes what it reads. Needs the standard library and NumPy.
"""

from __future__ import annotations

import io
import json
import pathlib
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

MAX_FRAME_BYTES = 64 * 2**20
MAX_JSON_BYTES = 8 * 2**20
MAX_DEPTH = 60
_LENGTH = struct.Struct(">I")


class WireError(Exception):
    """The other side sent something that is not a frame."""


class TooBig(Exception):
    """A value that does not fit in a frame."""


# Values

class Encoder:
    """Turn values into a JSON tree and a list of blobs. `refer` gives the tree of an object that cannot go by value."""

    def __init__(self, refer: Callable[[Any], dict]):
        self.refer = refer
        self.blobs: list[bytes] = []

    def __call__(self, value: Any, depth: int = 0) -> Any:
        if depth > MAX_DEPTH:
            raise TypeError(f"a value nested deeper than {MAX_DEPTH} levels cannot cross to the other process")
        if value is None or type(value) in (bool, int, float, str):
            return value
        inner = depth + 1
        if isinstance(value, np.ndarray):
            return {"array": self._array(value)}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        if is_tensor(value):
            return {"tensor": self._array(np.asarray(value.data))}
        if isinstance(value, (list, tuple, set, frozenset)):
            kind = "list" if isinstance(value, list) else "tuple" if isinstance(value, tuple) else "set"
            return {kind: [self(item, inner) for item in value]}
        if isinstance(value, dict):
            return {"dict": [[self(key, inner), self(item, inner)] for key, item in value.items()]}
        if isinstance(value, (bytes, bytearray)):
            return {"bytes": self._blob(bytes(value))}
        if isinstance(value, (slice, range)):
            return {type(value).__name__: [self(part, inner) for part in (value.start, value.stop, value.step)]}
        if isinstance(value, pathlib.PurePath):
            return {"path": str(value)}
        if isinstance(value, np.dtype) and not value.hasobject:
            return {"dtype": self._array(np.empty(0, value))}
        return self.refer(value)

    def _blob(self, data: bytes) -> int:
        self.blobs.append(data)
        return len(self.blobs) - 1

    def _array(self, array: np.ndarray) -> int:
        if array.dtype.hasobject:
            raise TypeError(f"an array of Python objects cannot cross to the other process, shape {array.shape}; use a number dtype")
        if array.nbytes > MAX_FRAME_BYTES:
            raise TooBig(f"an array of {array.nbytes / 2**20:.0f} MiB is larger than the {MAX_FRAME_BYTES / 2**20:.0f} MiB "
                         "one message may hold")
        out = io.BytesIO()
        np.lib.format.write_array(out, np.asarray(array), version=(2, 0), allow_pickle=False)
        return self._blob(out.getvalue())


class Decoder:
    """The way back. `found` turns the description of a lent object into a stub, `lent` gives back an own object by its id."""

    def __init__(self, blobs: list[bytearray], found: Callable[[dict], Any], lent: Callable[[int], Any]):
        self.blobs, self.found, self.lent = blobs, found, lent

    def __call__(self, tree: Any, depth: int = 0) -> Any:
        if not isinstance(tree, (dict, list)):
            return tree
        if not isinstance(tree, dict) or len(tree) != 1 or depth > MAX_DEPTH:
            raise WireError("a value in the message is malformed")
        (kind, body), inner = next(iter(tree.items())), depth + 1
        if kind in ("list", "tuple", "set"):
            return {"list": list, "tuple": tuple, "set": set}[kind](self(item, inner) for item in body)
        if kind == "dict":
            return {self(key, inner): self(item, inner) for key, item in body}
        if kind == "array":
            return parse_npy(self.blobs[body])
        if kind == "scalar":
            return parse_npy(self.blobs[body])[()]
        if kind == "tensor":
            return make_tensor(parse_npy(self.blobs[body]))
        if kind == "bytes":
            return bytes(self.blobs[body])
        if kind in ("slice", "range"):
            return {"slice": slice, "range": range}[kind](*(self(part, inner) for part in body))
        if kind == "path":
            return pathlib.Path(body)
        if kind == "dtype":
            return parse_npy(self.blobs[body]).dtype
        if kind == "ref":
            return self.found(body)
        if kind == "back":
            return self.lent(body)
        raise WireError(f"a value of unknown kind {str(kind)[:40]!r}")


def parse_npy(blob: bytearray) -> np.ndarray:
    """The writable array in a `.npy` blob. The sizes are compared before anything is allocated."""
    stream = io.BytesIO(blob)
    try:
        known = np.lib.format.read_magic(stream) == (2, 0)
        shape, fortran, dtype = np.lib.format.read_array_header_2_0(stream) if known else ((), False, np.dtype(object))
    except ValueError as problem:
        raise WireError(f"an array that is not in the .npy format: {problem}") from None
    start = stream.tell()
    count = int(np.prod(shape, dtype=object)) if shape else 1
    if dtype.hasobject or count < 0 or count * dtype.itemsize != len(blob) - start:
        raise WireError(f"an array whose bytes do not match its header: {len(blob) - start} B for shape {shape}")
    if count * dtype.itemsize == 0:
        return np.empty(shape, dtype)
    # A view of the blob, so that a batch costs its bytes once in the process where memory is measured.
    return np.frombuffer(blob, dtype, offset=start).reshape(shape, order="F" if fortran else "C")


def is_tensor(value: Any) -> bool:
    module = sys.modules.get("tinytorch.core.tensor")
    return module is not None and isinstance(value, getattr(module, "Tensor", ()))


def make_tensor(array: np.ndarray) -> Any:
    from tinytorch.core.tensor import Tensor

    return Tensor(array)


# Frames

def pack(message: dict, blobs: list[bytes]) -> list[bytes]:
    """The frame as pieces to write one after another.

    Raises:
        TooBig: the frame would be larger than the other side accepts.
    """
    text = json.dumps({**message, "blobs": [len(blob) for blob in blobs]}, separators=(",", ":")).encode("ascii")
    size = len(text) + sum(map(len, blobs))
    if len(text) > MAX_JSON_BYTES or size > MAX_FRAME_BYTES:
        raise TooBig(f"a message of {size / 2**20:.0f} MiB ({len(text) / 2**20:.0f} MiB of it not arrays) is larger than the "
                     f"{MAX_FRAME_BYTES / 2**20:.0f} MiB one message may hold")
    return [_LENGTH.pack(len(text)) + text, *blobs]


def unpack(read: Callable[[int], bytearray]) -> tuple[dict, list[bytearray]]:
    """The next message. `read(n)` returns exactly n bytes.

    Raises:
        WireError: not a frame, or a larger one than is accepted; the stream is of no more use.
    """
    (length,) = _LENGTH.unpack(read(4))
    if length > MAX_JSON_BYTES:
        raise WireError(f"a message of {length} B announced, at most {MAX_JSON_BYTES} B are accepted")
    try:
        message = json.loads(read(length))
        lengths = message.pop("blobs")
        sizes_fit = all(type(size) is int and size >= 0 for size in lengths) and sum(lengths) + length <= MAX_FRAME_BYTES
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise WireError("something that is not a message") from None
    if not sizes_fit:
        raise WireError(f"more than {MAX_FRAME_BYTES} B announced in one message")
    return message, [read(size) for size in lengths]


def nearest_builtin(error: BaseException) -> str:
    """The name of the first class in `error`'s line of descent that every Python has."""
    return next(cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins")


def words(lines: Iterable[Any], limit: int = 2000) -> str:
    """One short text, for what an untrusted side wrote."""
    return " ".join(str(line) for line in lines)[:limit]
