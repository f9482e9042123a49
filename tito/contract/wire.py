"""The format of messages between a contract test and the code under test: values as JSON and
`.npy`, in frames of limited size.

A frame is four bytes (length of the JSON text, big-endian), the JSON text, then the blobs whose
lengths stand in its field `blobs`. JSON scalars stand for themselves; everything else is an object
with one key, its kind:

    list, tuple, dict, set, slice, range, path, dtype
                    by value, nested
    bytes, array, scalar, tensor
                    number of a blob (arrays as .npy, `allow_pickle=False`)
    ref             an object that stays where it is: {"id", "type", "specials"}
    back            the id of an object that the receiver lent before

Nothing here executes what it reads. This file needs only the standard library and NumPy.
"""

import functools
import io
import json
import math
import pathlib
import struct
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

MAX_FRAME_BYTES = 64 * 2**20
MAX_JSON_BYTES = 4 * 2**20
MAX_DEPTH = 60
MAX_KEYS = 20_000  # items of a dict or a set
_LENGTH = struct.Struct(">I")
_NPY = b"\x93NUMPY\x02\x00"  # magic and version; then four bytes, the length of the header
_PLAIN = frozenset((bool, int, float, str, type(None)))
_TO_JSON = json.JSONEncoder(check_circular=False, separators=(",", ":")).encode
_FROM_JSON = json.JSONDecoder().decode


class WireError(Exception):
    """The other side sent something that is not a frame."""


class TooBig(Exception):
    """A value that does not fit in a frame."""


# Values


class Encoder:
    """Turn values into a JSON tree and a list of blobs.

    Args:
        refer: returns the tree of an object that cannot be sent by value.
        show: called with each path of a file on this side, before the other side can look for it.
    """

    def __init__(self, refer: Callable[[Any], dict], show: Callable[[pathlib.PurePath], Any] = id):
        self.refer, self.show = refer, show
        self.blobs: list[bytes] = []

    def __call__(self, value: Any, depth: int = 0) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if depth > MAX_DEPTH:
            raise TypeError(
                f"a value nested deeper than {MAX_DEPTH} levels cannot cross to the other process"
            )
        if isinstance(value, np.ndarray):
            return {"array": self._array(np.asarray(value))}
        if isinstance(value, (list, tuple, set, frozenset)):
            name = next((kind for kind in (list, tuple) if isinstance(value, kind)), set).__name__
            return {name: self.all(value, depth + 1)}
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.asarray(value))}
        if is_tensor(value):
            return {"tensor": self._array(np.asarray(value.data))}
        if isinstance(value, dict):
            return {"dict": [self.all(pair, depth + 1) for pair in value.items()]}
        if isinstance(value, (bytes, bytearray)):
            return {"bytes": self._blob(bytes(value))}
        if isinstance(value, (slice, range)):
            return {kind.__name__: self.all((value.start, value.stop, value.step), depth + 1)}
        if isinstance(value, pathlib.PurePath):
            if isinstance(value, pathlib.Path):  # one that came from there is a PurePath only
                self.show(value)
            return {"path": str(value)}
        if isinstance(value, np.dtype) and not value.hasobject:
            return {"dtype": self._array(np.empty(0, value))}
        return self.refer(value)

    def all(self, values: Iterable[Any], depth: int = 0) -> list:
        return [value if type(value) in _PLAIN else self(value, depth) for value in values]

    def _blob(self, data: bytes) -> int:
        self.blobs.append(data)
        return len(self.blobs) - 1

    def _array(self, array: np.ndarray) -> int:
        if array.dtype.hasobject:
            raise TypeError(
                "an array of Python objects cannot cross to the other process, shape"
                f" {array.shape}; use a number dtype"
            )
        if array.nbytes > MAX_FRAME_BYTES:
            raise TooBig(
                f"an array of {array.nbytes / 2**20:.0f} MiB is larger than the"
                f" {MAX_FRAME_BYTES / 2**20:.0f} MiB one message may hold"
            )
        flags = array.flags
        fortran = flags.f_contiguous and not flags.c_contiguous
        header = _npy_header(array.dtype, fortran, array.shape)
        # arrays of dates and of structures have no plain buffer
        in_place = flags.c_contiguous and array.dtype.kind in "biufc"
        data: Any = array if in_place else array.tobytes("A")  # either one is a buffer
        return self._blob(b"".join((header, data)))


@functools.lru_cache(maxsize=500)
def _npy_header(dtype: np.dtype, fortran: bool, shape: tuple[int, ...]) -> bytes:
    out, descr = io.BytesIO(), np.lib.format.dtype_to_descr(dtype)
    header = {"descr": descr, "fortran_order": fortran, "shape": shape}
    np.lib.format.write_array_header_2_0(out, header)
    return out.getvalue()


class Decoder:
    """Turn a JSON tree and blobs back into values.

    Args:
        found: turns the description of an object on the other side into a stand-in for it.
        lent: returns an object of this side by its id.
        path: the class for paths. A PurePath compares equal to the Path of the same text, but it
            cannot open a file, and no file is made visible for it.
    """

    def __init__(
        self,
        blobs: list[Any],
        found: Callable[[dict], Any],
        lent: Callable[[int], Any],
        path: type[pathlib.PurePath] = pathlib.PurePath,
    ):
        self.blobs, self.found, self.lent, self.path = blobs, found, lent, path

    def __call__(self, tree: Any, depth: int = 0) -> Any:
        if type(tree) in _PLAIN:
            return tree
        if type(tree) is not dict or len(tree) != 1 or depth > MAX_DEPTH:
            raise WireError("a value in the message is malformed")
        (kind, body), inner = next(iter(tree.items())), depth + 1
        if kind in ("list", "tuple", "set"):
            items = self.all(body, inner)
            if kind == "list":
                return items
            return tuple(items) if kind == "tuple" else set(_few(items))
        if kind == "dict":
            return dict(self.all(pair, inner) for pair in _few(body))
        if kind == "array":
            return parse_npy(self._take(body))
        if kind == "scalar":
            return parse_npy(self._take(body))[()]
        if kind == "tensor":
            from tinytorch.core.tensor import Tensor

            return Tensor(parse_npy(self._take(body)))
        if kind == "bytes":
            return bytes(self._take(body))
        if kind in ("slice", "range"):
            return {"slice": slice, "range": range}[kind](*self.all(body, inner))
        if kind == "path":
            return self.path(body)
        if kind == "dtype":
            return parse_npy(self._take(body)).dtype
        if kind == "ref":
            return self.found(body)
        if kind == "back":
            return self.lent(body)
        raise WireError(f"a value of unknown kind {str(kind)[:40]!r}")

    def all(self, trees: Any, depth: int = 0) -> list:
        if type(trees) is not list:
            raise WireError("a value in the message is malformed")
        return [tree if type(tree) in _PLAIN else self(tree, depth) for tree in trees]

    def _take(self, number: int) -> bytearray:
        blob = self.blobs[number]
        if blob is None:
            # A blob of 60 MB that is used twice would take 120 MB.
            raise WireError("a value in the message is malformed: named twice")
        self.blobs[number] = None
        return blob


def _few(keys: list) -> list:
    if len(keys) > MAX_KEYS:  # keys with equal hashes take quadratic time
        raise WireError(f"a set or dict of more than {MAX_KEYS} items")
    return keys


def parse_npy(blob: bytearray) -> np.ndarray:
    """The writable array in a `.npy` blob. The sizes are checked before anything is allocated."""
    start = 12 + int.from_bytes(blob[8:12], "little")
    header = bytes(blob[:start])
    # only short headers are cached, so that the cache stays small
    read = _read_header if len(header) < 500 else _read_header.__wrapped__
    shape, fortran, dtype = read(header)
    count = math.prod(shape)
    # With items of 0 bytes any shape would pass, and NumPy allocates 1 byte for each.
    if (
        dtype.hasobject
        or min(shape, default=0) < 0
        or count * dtype.itemsize != len(blob) - start
        or (count and not dtype.itemsize)
    ):
        raise WireError(
            f"an array whose bytes do not match its header: {len(blob) - start} B for shape {shape}"
        )
    if count == 0:
        return np.empty(shape, dtype)
    # A view of the blob, not a copy: memory is measured in this process, and a batch must count
    # once.
    return np.frombuffer(blob, dtype, offset=start).reshape(shape, order="F" if fortran else "C")


@functools.lru_cache(maxsize=500)
def _read_header(header: bytes) -> tuple[tuple[int, ...], bool, np.dtype]:
    """(shape, whether in Fortran order, dtype)."""
    if header[:8] != _NPY:
        raise WireError("an array that is not in the .npy format")
    stream = io.BytesIO(header[8:])
    try:
        return np.lib.format.read_array_header_2_0(stream)
    except ValueError as problem:
        raise WireError(f"an array that is not in the .npy format: {problem}") from None


def is_tensor(value: Any) -> bool:
    module = sys.modules.get("tinytorch.core.tensor")
    return module is not None and isinstance(value, getattr(module, "Tensor", ()))


# Frames


def pack(message: dict, blobs: list[bytes]) -> list[bytes]:
    """The frame as pieces that are written one after another.

    Raises:
        TooBig: the frame would be larger than the other side accepts.
    """
    if blobs:
        message["blobs"] = [len(blob) for blob in blobs]
    text = _TO_JSON(message).encode("ascii")
    size = len(text) + sum(map(len, blobs))
    if len(text) > MAX_JSON_BYTES or size > MAX_FRAME_BYTES:
        raise TooBig(
            f"a message of {size / 2**20:.0f} MiB ({len(text) / 2**20:.0f} MiB of it not arrays) is"
            f" larger than the {MAX_FRAME_BYTES / 2**20:.0f} MiB one message may hold"
        )
    return [_LENGTH.pack(len(text)) + text, *blobs]


def joined(pieces: list) -> list:
    """Small pieces joined, so that one system call writes them; large ones are not copied."""
    return [b"".join(pieces)] if len(pieces) > 1 and sum(map(len, pieces)) <= 2**16 else pieces


def unpack(read: Callable[[int], bytearray]) -> tuple[dict, list[bytearray]]:
    """The next message. `read(n)` returns exactly n bytes.

    Raises:
        WireError: the bytes are not a frame, or the frame is too large. The stream cannot be used
            any further.
    """
    (length,) = _LENGTH.unpack(read(4))
    if length > MAX_JSON_BYTES:
        raise WireError(
            f"a message of {length} B announced, at most {MAX_JSON_BYTES} B are accepted"
        )
    try:
        message = _FROM_JSON(read(length).decode("ascii"))
        if type(message) is not dict:
            raise TypeError
        if "blobs" not in message:
            return message, []
        lengths = message.pop("blobs")
        sizes_fit = (
            all(type(size) is int and size >= 0 for size in lengths)
            and sum(lengths) + length <= MAX_FRAME_BYTES
        )
    except (ValueError, AttributeError, TypeError, RecursionError, MemoryError):
        raise WireError("something that is not a message") from None
    if not sizes_fit:
        raise WireError(f"more than {MAX_FRAME_BYTES} B announced in one message")
    return message, [read(size) for size in lengths]


class Reader:
    """Returns exactly n bytes at a time. `read(view)` fills a part of `view` and returns the number
    of bytes, 0 at the end.

    Raises:
        EOFError: the stream ended before n bytes.
    """

    def __init__(self, read: Callable[[memoryview], int]):
        self.read, self.buffer, self.begin, self.end = read, bytearray(2**16), 0, 0
        self.view = memoryview(self.buffer)

    def __call__(self, size: int) -> bytearray:
        begin, after = self.begin, self.begin + size
        if after <= self.end:
            self.begin = after
            return self.buffer[begin:after]
        data = bytearray(size)
        target, have = memoryview(data), self.end - begin
        target[:have] = self.view[begin : self.end]
        self.begin = self.end
        while have < size:
            have += self._more(target[have:])
        return data

    def _more(self, target: memoryview) -> int:
        if len(target) >= len(self.buffer):
            count = self.read(target)
        else:
            self.begin, self.end = 0, self.read(self.view)
            self.begin = count = min(self.end, len(target))
            target[:count] = self.view[:count]
        if not count:
            raise EOFError
        return count


def words(lines: Iterable[Any], limit: int = 2000) -> str:
    """Lines that an untrusted side wrote, as one text of limited length."""
    return " ".join(str(line) for line in lines)[:limit]
