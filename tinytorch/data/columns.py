"""A dataset of named columns: arrays (in memory or memory-mapped), jpeg and png images as bytes,
text, lists.

A row is a dict {column: value} and has two forms. A raw row holds copies of array rows and images
that are still encoded. It is small, so a shuffle buffer holds many. A decoded row is what a
transform receives. A `Decoder` turns raw rows into decoded ones. It holds no data, so sending it to
a worker process is cheap.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinytorch.core import gather
from tinytorch.data import images
from tinytorch.data.column_kinds import Column, column_of
from tinytorch.data.mistyped_names import did_you_mean

_MOST_SHOWN = 10  # columns of a dataset


class ColumnDataset:
    """Named columns of equal length; row i is a dict.

    Args:
        columns: {name: values}. Values are an array or np.memmap of shape (N, ...), or a list of N
            numbers, strings (or None), lists of strings or integers, arrays of any shapes, or the
            bytes of jpeg or png files.
        class_names: {name: [name of class 0, name of class 1, ...]} for columns of class numbers;
            queries may then use the names.

    Raises:
        ValueError: there is no column, the lengths differ, a column mixes kinds of values, or there
            are class names for a column that does not hold integers.
    """

    def __init__(
        self, columns: Mapping[str, Any], *, class_names: Mapping[str, Sequence[str]] | None = None
    ):
        if not isinstance(columns, Mapping) or not columns:
            raise ValueError(
                "columns must be a dict with at least one named column, got"
                f" {columns if not columns else type(columns).__name__}"
            )
        for name in columns:
            if not isinstance(name, str) or not name:
                raise ValueError(
                    f"the name of a column is a string that is not empty, got {name!r}"
                )
        self.columns: dict[str, Column] = {
            name: column_of(name, values) for name, values in columns.items()
        }
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"all columns need the same number of rows, got {lengths}")
        self.class_names = {name: list(names) for name, names in (class_names or {}).items()}
        for name in self.class_names:
            self.check_names([name])
            if not self.columns[name].holds_integers():
                raise ValueError(
                    f"class_names are for columns of class numbers (integers); column {name!r}"
                    f" holds {self.columns[name].describe()}"
                )
        self.row_numbers: np.ndarray | None = None  # in a view: where its rows are in the columns

    def __len__(self) -> int:
        rows = next(iter(self.columns.values())) if self.row_numbers is None else self.row_numbers
        return len(rows)

    def __repr__(self) -> str:
        kinds = [f"{name}: {column.describe()}" for name, column in self.columns.items()]
        if len(kinds) > _MOST_SHOWN:
            kinds[_MOST_SHOWN - 1 :] = [f"and {len(kinds) - _MOST_SHOWN + 1:,} more columns"]
        return f"ColumnDataset({len(self)} rows; {', '.join(kinds)})"

    def __getitem__(self, index: Any) -> Any:
        """Return row `index`, decoded to arrays; for a slice, a view. An index outside 0..N-1
        raises IndexError.
        """
        if isinstance(index, slice):
            return self.view(np.arange(*index.indices(len(self))))
        return self.decoder()(self.read(index), operator.index(index))

    @property
    def names(self) -> list[str]:
        return list(self.columns)

    @property
    def is_view(self) -> bool:
        return self.row_numbers is not None

    def view(self, rows: Any) -> ColumnDataset:
        """Return a dataset of the given rows (integers in 0..N-1, in any order, repeats allowed),
        numbered from 0. No column is copied.
        """
        rows = np.asarray(rows)
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise ValueError(
                f"rows must be a list of integers, got {rows.dtype} of shape {rows.shape}"
            )
        rows = rows.astype(np.int64)
        if rows.size and not 0 <= rows.min() <= rows.max() < len(self):
            raise IndexError(
                f"Index {next(row for row in rows.tolist() if not 0 <= row < len(self))} out of"
                f" range for dataset of size {len(self)}"
            )
        view = object.__new__(ColumnDataset)
        view.columns, view.class_names = self.columns, self.class_names
        view.row_numbers = rows if self.row_numbers is None else self.row_numbers[rows]
        return view

    def check_names(self, names: Sequence[str] | None) -> list[str]:
        """Return the list of columns that `names` asks for; None asks for all.

        Raises:
            ValueError: a name is unknown (the message suggests a close one) or given twice, the
                list is empty, or `names` is a string instead of a list.
        """
        if names is None:
            return self.names
        if isinstance(names, str) or not isinstance(names, Sequence) or not names:
            raise ValueError(
                f"tensors must be a list of column names or None for all, got {names!r}"
            )
        for name in names:
            if name not in self.columns:
                raise ValueError(f"no column is named {name!r}{did_you_mean(name, self.names)}")
        if len(set(names)) < len(names):
            raise ValueError(f"each column can be named only once, got {list(names)}")
        return list(names)

    def _place(self, index: Any) -> int:
        index = operator.index(index)
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} out of range for dataset of size {len(self)}")
        return index if self.row_numbers is None else int(self.row_numbers[index])

    def read(self, index: int, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return raw row `index`: copies of array rows, encoded images, text. An index outside
        0..N-1 raises IndexError.
        """
        place = self._place(index)
        chosen = self.columns if names is None else names
        return {name: self.columns[name].read(place) for name in chosen}

    def _chosen(self, names: Sequence[str] | None) -> dict[str, Column]:
        return self.columns if names is None else {name: self.columns[name] for name in names}

    def read_rows(
        self, indices: np.ndarray, names: Sequence[str] | None = None
    ) -> dict[str, np.ndarray | list]:
        """Return the raw rows `indices` (int64, shape (B,)) as columns: an array of shape (B, ...)
        where the column is an array, read with one call, and else a list of B values. An index
        outside 0..N-1 raises IndexError.
        """
        columns = self._chosen(names)
        if self._reads_row_by_row():
            rows = [self.read(index, list(columns)) for index in indices.tolist()]
            return {name: [row[name] for row in rows] for name in columns}
        if self.row_numbers is not None:
            indices = gather.rows(self.row_numbers, indices)
        return {name: column.read_rows(indices) for name, column in columns.items()}

    def _reads_row_by_row(self) -> bool:
        """Whether a subclass has its own `read`, which then has to see every row."""
        return type(self).read is not ColumnDataset.read

    def in_memory(self, names: Sequence[str] | None = None) -> bool:
        """Whether the columns are in memory, so that reading a row early or late, or in another
        order, costs the same.
        """
        columns = self._chosen(names).values()
        return not self._reads_row_by_row() and all(column.in_memory for column in columns)

    def fixed_row_bytes(self, names: Sequence[str] | None = None) -> int | None:
        """Return what `row_bytes` returns if it is the same for all rows; else None."""
        if type(self).row_bytes is not ColumnDataset.row_bytes:
            return None
        sizes = [column.fixed_bytes for column in self._chosen(names).values()]
        return None if None in sizes else max(1, sum(sizes))

    def row_bytes(self, index: int, names: Sequence[str] | None = None) -> int:
        """Return the size of raw row `index` in bytes, 1 or more, without reading the row."""
        place = self._place(index)
        chosen = self.columns if names is None else names
        return max(1, sum(self.columns[name].row_bytes(place) for name in chosen))

    def decoder(
        self, names: Sequence[str] | None = None, decode_method: Mapping[str, str] | None = None
    ) -> Decoder:
        """Return the function that decodes raw rows of the columns `names` by `decode_method`
        ({column: 'numpy', 'tobytes' or 'pil'}).

        Raises:
            ValueError: a column or a method does not exist, or 'pil' is given for a column that is
                not encoded as jpeg or png.
        """
        if decode_method is not None and not isinstance(decode_method, Mapping):
            raise ValueError(
                "decode_method must be a dict {column: 'numpy', 'tobytes' or 'pil'} or None, got"
                f" {decode_method!r:.60}"
            )
        names, methods = self.check_names(names), dict(decode_method or {})
        for name, method in methods.items():
            if name not in names:
                raise ValueError(
                    f"decode_method names {name!r}, which is not loaded{did_you_mean(name, names)}"
                )
            if method not in images.METHODS:
                raise ValueError(
                    f"decode_method[{name!r}] must be 'numpy', 'tobytes' or 'pil', got"
                    f" {method!r}{did_you_mean(method, images.METHODS)}"
                )
            if method == "pil" and not self.columns[name].encoded:
                raise ValueError(
                    f"decode_method[{name!r}] = 'pil' needs a column of jpeg or png images;"
                    f" {name!r} holds {self.columns[name].describe()}; use 'numpy' and"
                    " PIL.Image.fromarray in your transform"
                )
        return Decoder(
            tuple((name, self.columns[name].encoded, methods.get(name, "numpy")) for name in names)
        )

    def query(self, query_string: str) -> np.ndarray:
        """Return the numbers of the rows that an SQL-like query selects, in the query's order:
        int64, shape (M,). See `tinytorch.data.query`.
        """
        from tinytorch.data.query import query

        return query(self, query_string)

    def weights(self, text: str) -> np.ndarray:
        """Return one weight for each row, float64 (N,), from a text such as "max_weight(labels ==
        5: 10, labels == 6: 5)", a column's name or an expression.
        """
        from tinytorch.data.query import weights

        return weights(self, text)

    def dataloader(self) -> Any:
        """Return a loader over this dataset, to which you add steps one after the other.

        Raises:
            ImportError: module 08c is not exported yet; the message names the command.
        """
        from tinytorch.data.pipeline import pipeline  # built by the student: `tito export 08c`

        return pipeline(self)


@dataclass(frozen=True)
class Decoder:
    """Turns a raw row into a decoded one. `ColumnDataset.decoder` makes it. It is small, can be
    pickled, and holds no data.
    """

    plan: tuple[tuple[str, bool, str], ...]  # (column, whether it holds encoded images, method)

    @property
    def keeps_raw_values(self) -> bool:
        """Whether a decoded row is the raw row."""
        return not any(encoded or method == "tobytes" for _, encoded, method in self.plan)

    def __call__(self, row: Mapping[str, Any], index: int | None = None) -> dict[str, Any]:
        """Return the decoded row; `index` is used in error messages. A damaged image raises an
        ImageError that names column and row.
        """
        return {
            name: (
                images.decode(row[name], method, column=name, row=index)
                if encoded
                else _as_bytes(row[name])
                if method == "tobytes"
                else row[name]
            )
            for name, encoded, method in self.plan
        }


def _as_bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    return np.ascontiguousarray(value).tobytes()
