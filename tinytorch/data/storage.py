"""The same images stored in three ways: a file for each, one memory-mapped array, one Parquet file.
Reads them batch by batch, in any order, and measures what that costs, cold and warm.

Cold means that the system's page cache holds nothing of the files: their pages are written to the
disk and dropped. That does not hold everywhere. macOS and Windows have no `posix_fadvise`; tmpfs
keeps its files in memory; and below a virtual machine or a network drive, another cache may hold
the data. `time_epochs` therefore says whether pages were left.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tinytorch.core import gather

ROW_GROUP = 2048  # images that Parquet keeps together; the smallest that DuckDB allows
WAYS = ("loose files", "memory map", "Parquet")


@dataclass(frozen=True)
class Stored:
    """`num_images` images of one shape and dtype in one way (of `WAYS`), in `folder`."""

    way: str
    folder: Path
    num_images: int
    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def files(self) -> list[Path]:
        return sorted(path for path in self.folder.rglob("*") if path.is_file())

    @property
    def bytes_on_disk(self) -> int:
        """Bytes of the blocks that the files take; of the files, where the system does not tell."""
        return sum(
            512 * status.st_blocks if hasattr(status, "st_blocks") else status.st_size
            for status in map(os.stat, self.files)
        )

    def batches(self, order: Sequence[int], batch_size: int) -> Iterator[np.ndarray]:
        """Yield the images in the given order, arrays of shape (B, ...).

        Raises:
            ValueError: batch_size is not a whole number of 1 or more.
            IndexError: the order names a row outside 0..num_images-1; nothing is read.
        """
        size, rows = whole("batch_size", batch_size), self._rows(order)
        parts = [rows[start : start + size] for start in range(0, len(rows), size)]
        if self.way == "loose files":
            return (self._images(map(self._file, part.tolist())) for part in parts)
        if self.way == "memory map":
            images = np.load(self.folder / "images.npy", mmap_mode="r")
            return (gather.rows(images, part) for part in parts)
        return self._from_parquet(parts, in_order=bool((np.diff(rows) == 1).all()))

    def _rows(self, order: Sequence[int]) -> np.ndarray:
        rows = np.asarray(order)
        if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
            raise ValueError(
                f"an order is a list of row numbers, got {rows.dtype} of shape {rows.shape}"
            )
        outside = np.flatnonzero((rows < 0) | (rows >= self.num_images))
        if len(outside):
            raise IndexError(
                f"row {rows[outside[0]]} is not stored; there are rows 0 to {self.num_images - 1}"
            )
        return np.asarray(rows, np.int64)

    def _file(self, row: int) -> bytes:
        return file_name(self.folder, row).read_bytes()

    def _images(self, strings: Iterator[bytes]) -> np.ndarray:
        return np.frombuffer(b"".join(strings), self.dtype).reshape(-1, *self.shape)

    def _from_parquet(self, parts: list, in_order: bool) -> Iterator[np.ndarray]:
        import duckdb

        source = f"from read_parquet({_quoted(self.folder / 'images.parquet')})"
        with duckdb.connect(config={"threads": 1}) as database:
            if in_order and parts:  # read from front to back
                first, last = parts[0][0], parts[-1][-1]
                rows = database.execute(
                    f"select image {source} where row between {first} and {last}"
                )
                for part in parts:
                    yield self._images(image for (image,) in rows.fetchmany(len(part)))
                return
            for part in parts:
                numbers = ", ".join(map(str, part.tolist()))
                found = database.execute(f"select row, image {source} where row in ({numbers})")
                images = dict(found.fetchall())
                yield self._images(images[row] for row in part.tolist())


def whole(name: str, value: int) -> int:
    """`value` as an int. Raises ValueError for what is not a whole number of 1 or more."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} must be a whole number of 1 or more, got {value!r:.60}")
    return int(value)


def _quoted(path: Path) -> str:
    """The path as a text of DuckDB, which would take * and ? as a pattern of many files."""
    text = re.sub(r"([*?\[])", r"[\1]", str(path))
    return "'" + text.replace("'", "''") + "'"


def file_name(folder: Path, row: int) -> Path:
    """A folder holds at most 1,000 files: many file systems slow down with more."""
    return folder / f"{row // 1000:04}" / f"{row:08}.bin"


def store(way: str, images: np.ndarray, folder: str | Path) -> Stored:
    """Write `images` (N, ...) to an empty folder in one of `WAYS`.

    Raises:
        ValueError: the way is none of `WAYS`.
        ImportError: Parquet is asked for, and DuckDB is missing.
    """
    if way not in WAYS:
        raise ValueError(f"way must be one of {', '.join(WAYS)}, got {way!r}")
    folder = Path(folder).absolute()  # DuckDB takes ~ at the start for the home folder
    folder.mkdir(parents=True)
    if way == "loose files":
        for row, image in enumerate(images):
            path = file_name(folder, row)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(image.tobytes())
    elif way == "memory map":
        np.save(folder / "images.npy", images)
    else:
        _write_parquet(images, folder / "images.parquet")
    return Stored(way, folder, len(images), images.shape[1:], images.dtype)


def _write_parquet(images: np.ndarray, path: Path) -> None:
    try:
        import duckdb
    except ImportError as error:
        raise ImportError("Parquet needs DuckDB here: python -m pip install duckdb") from error
    with duckdb.connect(config={"threads": 1}) as database:
        database.execute("create table images (row bigint, image blob)")
        for start in range(0, len(images), ROW_GROUP):
            strings = np.empty(len(images[start : start + ROW_GROUP]), object)
            strings[:] = [image.tobytes() for image in images[start : start + ROW_GROUP]]
            part = {"row": np.arange(start, start + len(strings)), "image": strings}
            database.register("part", part)
            database.execute("insert into images select row, image from part")
            database.unregister("part")
        text = str(path).replace("'", "''")
        database.execute(
            f"copy images to '{text}' (format parquet, compression zstd,"
            f" row_group_size {ROW_GROUP})"
        )


def drop_from_cache(files: Sequence[Path]) -> bool:
    """Write the files to the disk and drop their pages from the system's cache. Return whether
    nothing is left of them, as far as the system tells.

    Pages that a process has mapped stay, so close memory maps before.
    """
    if not hasattr(os, "posix_fadvise"):
        return False
    # A page that is not on the disk yet cannot be dropped. One call for all files: with fsync for
    # each, 2,000 files took 3 s here.
    os.sync()
    for path in files:
        file = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(file)
    some = files[:: max(1, len(files) // 50)]
    return not sum(map(cached_pages, some))


def cached_pages(path: Path) -> int:
    """How many pages of a file are in the system's page cache (mincore(2), which reads nothing); 0
    where the system cannot tell.
    """
    length = path.stat().st_size
    mincore = getattr(ctypes.CDLL(None), "mincore", None) if os.name == "posix" else None
    if mincore is None or not length:
        return 0
    states = (ctypes.c_ubyte * -(-length // mmap.PAGESIZE))()
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as pages:
        start = ctypes.c_char.from_buffer(pages)
        address = ctypes.c_void_p(ctypes.addressof(start))
        failed = mincore(address, ctypes.c_size_t(length), states)
        del start  # a map that is in use cannot be closed
    return 0 if failed else sum(state & 1 for state in states)


@dataclass(frozen=True)
class Epochs:
    """Seconds of one epoch each, of `num_images` images.

    `cold` is None where the pages could not be dropped.
    """

    order: str  # "in order" or "shuffled"
    cold: float | None
    warm: float


def time_epochs(
    stored: Stored, num_images: int, batch_size: int = 128, *, shuffled: bool
) -> Epochs:
    """Time an epoch with cold files, then one with warm files.

    Raises:
        ValueError: num_images or batch_size is not a whole number of 1 or more.
        IndexError: not so many images are stored.
    """
    batch_size = whole("batch_size", batch_size)
    order: Sequence[int] = range(whole("num_images", num_images))
    if shuffled:
        order = np.random.default_rng(0).permutation(num_images)
    is_cold = drop_from_cache(stored.files)
    cold = _seconds(stored, order, batch_size)
    warm = _seconds(stored, order, batch_size)
    return Epochs("shuffled" if shuffled else "in order", cold if is_cold else None, warm)


def _seconds(stored: Stored, order: Sequence[int], batch_size: int) -> float:
    start, count = time.perf_counter(), 0
    for batch in stored.batches(order, batch_size):
        count += len(batch)
    if count != len(order):
        raise RuntimeError(f"{stored.way}: {count} of {len(order)} images were read")
    return time.perf_counter() - start
