"""The kinds of columns of a `ColumnDataset`: arrays, encoded images, lists. Each can read one row,
tell its size in bytes, and give its values to a query.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytorch.core import gather
from tinytorch.data import images

MAPPED_BYTES = 32 * 2**20  # bytes read from a memory map before its pages are released
FAULT_BYTES = 64 * 2**10  # bytes that the system maps around a read at a new place
LIST_LENGTH = 64  # the most numbers in a row of a column that a query may use


class Column:
    """The values of one column.

    `encoded` is true if the rows are the bytes of jpeg or png files, `in_memory` if no row is read
    from a file. `fixed_bytes` is the size of every row, or None if they differ.
    """

    encoded = False
    in_memory = True
    fixed_bytes: int | Any = None

    def __init__(self, name: str, values: Any):
        self.name, self.values = name, values

    def __len__(self) -> int:
        return len(self.values)

    def read(self, index: int) -> Any:
        """Return the raw value of a row (0..N-1) as a copy."""
        return self.values[index]

    def read_rows(self, indices: np.ndarray) -> np.ndarray | list:
        """Return the raw values of rows (int64, shape (B,)) as copies: an array or a list."""
        return [self.read(index) for index in indices.tolist()]

    def row_bytes(self, index: int) -> int:
        raise NotImplementedError

    def describe(self) -> str:
        raise NotImplementedError

    def holds_integers(self) -> bool:
        return False

    def holds_numbers(self) -> bool:
        """Whether each row is one number."""
        return False

    def table(self, rows: np.ndarray | None) -> np.ndarray:
        """Return the values of `rows` (None: all) as an array for DuckDB: int64, uint64, float64,
        bool, or object (text, lists).

        Raises:
            ValueError: a query cannot use these values.
        """
        raise ValueError(
            f"column {self.name!r} holds {self.describe()}; a query compares numbers, text and"
            f" lists of up to {LIST_LENGTH} of them"
        )


class ArrayColumn(Column):
    """An array of shape (N, ...), perhaps memory-mapped."""

    def __init__(self, name: str, values: np.ndarray):
        super().__init__(name, values)
        self._mapped = (
            isinstance(values, np.memmap) and values.mode == "r" and hasattr(mmap, "MADV_DONTNEED")
        )
        # a plain view: indexing a memory map costs more and returns memory maps
        self._plain = np.asarray(values)
        self.fixed_bytes = int(np.prod(values.shape[1:], dtype=np.int64)) * values.itemsize
        self.in_memory = not _is_mapped(values)
        self._touched, self._last = 0, -1

    def read(self, index: int) -> Any:
        value = self._plain[index].copy()
        if self._mapped:
            at_least = 0 if index == self._last + 1 else FAULT_BYTES
            self._touched += max(self.fixed_bytes, at_least)
            self._last = index
            if self._touched > MAPPED_BYTES:
                # the system keeps the pages in its page cache as long as it has room
                self.values._mmap.madvise(mmap.MADV_DONTNEED)
                self._touched = 0
        return value

    def read_rows(self, indices: np.ndarray) -> np.ndarray:
        return gather.rows(self.values, indices)

    def row_bytes(self, index: int) -> int:
        return self.fixed_bytes

    def describe(self) -> str:
        shape = f" of shape {self.values.shape[1:]}" if self.values.ndim > 1 else ""
        return f"{self.values.dtype}{shape}"

    def holds_integers(self) -> bool:
        return self.values.dtype.kind in "iu"

    def holds_numbers(self) -> bool:
        return self.values.ndim == 1 and self.values.dtype.kind in "biuf"

    def table(self, rows: np.ndarray | None) -> np.ndarray:
        dtype, width = self.values.dtype, int(np.prod(self.values.shape[1:], dtype=np.int64))
        if dtype.kind not in "biuf" or self.values.ndim > 2 or width > LIST_LENGTH:
            return super().table(rows)
        # The widest type of each kind: in uint8, the database would raise an error for 200 + 100.
        kinds: dict[str, Any] = {"b": bool, "f": float}
        wide = np.uint64 if dtype == np.uint64 else kinds.get(dtype.kind, np.int64)
        values = (self._plain if rows is None else self._plain[rows]).astype(wide)
        return values if values.ndim == 1 else _objects(values.tolist())

    def __getstate__(self) -> dict:
        """A memory map is pickled as its file name and its place in the file, without the data."""
        values = self.values
        if isinstance(values, np.memmap) and values.filename and isinstance(values.base, mmap.mmap):
            mode = "r" if values.mode == "r" else "c"
            order = "C" if values.flags.c_contiguous else "F"
            place = (values.dtype, mode, values.offset, values.shape, order)
            values = (str(values.filename), *place)
        return {"name": self.name, "values": values}

    def __setstate__(self, state: dict) -> None:
        values = state["values"]
        values = np.memmap(*values) if isinstance(values, tuple) else values
        ArrayColumn.__init__(self, state["name"], values)


class ImageColumn(Column):
    """The bytes of jpeg or png files."""

    encoded = True

    def row_bytes(self, index: int) -> int:
        return len(self.values[index])

    def describe(self) -> str:
        return f"{images.compression(self.values[0])} images"


class ListColumn(Column):
    """Text, lists, or arrays of different shapes."""

    def read(self, index: int) -> Any:
        value = self.values[index]
        return value.copy() if isinstance(value, (np.ndarray, list)) else value

    def row_bytes(self, index: int) -> int:
        return _bytes_of(self.values[index])

    def describe(self) -> str:
        first = next((value for value in self.values if value is not None), "")
        kinds: dict[type, str] = {str: "text", list: "lists"}
        return kinds.get(type(first), "arrays of different shapes")

    def holds_integers(self) -> bool:
        lists = all(isinstance(value, list) for value in self.values)
        return lists and all(_is_int(part) for value in self.values for part in value)

    def table(self, rows: np.ndarray | None) -> np.ndarray:
        values = self.values if rows is None else [self.values[row] for row in rows.tolist()]
        if any(isinstance(value, np.ndarray) for value in values):
            return super().table(rows)
        return _objects(values)


def column_of(name: str, values: Any) -> Column:
    """Return the column of the kind that fits `values`. Raise a ValueError that names column and
    row if no kind fits.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind not in "OUT":
        return _array_column(name, values)
    if isinstance(values, np.ndarray) and values.ndim == 1:
        values = values.tolist()
    if not isinstance(values, (list, tuple)):
        got = type(values).__name__
        if isinstance(values, np.ndarray):
            got += f" of {values.dtype} of shape {values.shape}"
        raise ValueError(f"column {name!r} must be an array or a list, got {got}")
    if values and all(isinstance(value, (bytes, bytearray)) for value in values):
        for row, value in enumerate(values):
            images.check_signature(value, f"column {name!r}, row {row}")
        return ImageColumn(name, [bytes(value) for value in values])
    if all(isinstance(value, (int, float, np.number, np.bool_)) for value in values):
        return _array_column(name, np.array(values))
    return ListColumn(name, _one_kind(name, values))


def _is_mapped(values: np.ndarray | None) -> bool:
    """Whether an array is a memory map, or a view of one."""
    while isinstance(values, np.ndarray) and not isinstance(values, np.memmap):
        values = values.base
    return isinstance(values, np.memmap)


def _array_column(name: str, values: np.ndarray) -> ArrayColumn:
    if values.ndim == 0:
        raise ValueError(
            f"column {name!r} must have rows: an array of shape (N, ...), got shape ()"
        )
    if values.dtype.kind not in "biufcmM":
        raise ValueError(
            f"column {name!r}: arrays hold numbers, got dtype {values.dtype};"
            " give byte strings and text as a list"
        )
    return ArrayColumn(name, values)


def _one_kind(name: str, values: Sequence) -> list:
    """A list of text (or None), of lists of one kind, or of arrays."""
    rows, earlier = [_plain(value) for value in values], ""
    for row, value in enumerate(rows):
        kind = _kind_of(value)
        if kind == "" or (earlier and kind and kind != earlier):
            raise ValueError(
                f"column {name!r}, row {row}: all rows of a list column hold one kind: numbers,"
                " text (or None), jpeg or png bytes, arrays, lists of text, or lists of numbers;"
                f" this is {_short(value)}" + (f" in a column of {earlier}" if earlier else "")
            )
        earlier = earlier or kind or ""
    return rows


def _plain(value: Any) -> Any:
    """A text or a list with Python's own strings and numbers in place of NumPy's."""
    if isinstance(value, (list, tuple)):
        return [part.item() if isinstance(part, np.generic) else part for part in value]
    return str(value) if isinstance(value, str) else value


def _kind_of(value: Any) -> str | None:
    """The kind of a row of a list column; "" for values that are not allowed, None for an empty
    list, which fits any kind of list.
    """
    if isinstance(value, list):
        kinds = {_kind_of(part) for part in value}
        if kinds in ({"text"}, {"numbers"}) and None not in value:
            return f"lists of {kinds.pop()}"
        return "" if value else None
    if isinstance(value, np.ndarray):
        return "arrays" if value.dtype.kind in "biufc" else ""
    if value is None or isinstance(value, str):
        return "text"
    if isinstance(value, (int, float, np.number)):
        return "numbers"
    return "bytes" if isinstance(value, bytes) else ""


def _short(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 40 else text[:37] + '...'}"


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _bytes_of(value: Any) -> int:
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, list):
        return sum(map(_bytes_of, value))
    return len(value.encode()) if isinstance(value, str) else 8


def _objects(values: Sequence) -> np.ndarray:
    """A 1-D array of Python objects, one for each row, even where all lists have the same
    length.
    """
    out = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        out[row] = value
    return out
