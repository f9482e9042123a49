"""The same images stored in three ways: a file for each, one memory-mapped array, one Parquet file.
`time_epochs` measures what reading them in batches costs, cold and warm.

Cold means that the system's page cache holds nothing of the files. That cannot be had everywhere:
macOS and Windows have no `posix_fadvise`, and tmpfs keeps its files in memory. Below a virtual
machine or a network drive, another cache may hold the data.
"""

from __future__ import annotations

import ctypes
import mmap
import os
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
    """Images of one shape and dtype in one way (of `WAYS`), in `folder`."""

    way: str
    folder: Path
    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def files(self) -> list[Path]:
        return [path for path in self.folder.rglob("*") if path.is_file()]

    @property
    def bytes_on_disk(self) -> int:
        """Bytes of the blocks that the files take; of the files, where the system does not tell."""
        status = [path.stat() for path in self.files]
        known = status and hasattr(status[0], "st_blocks")
        return sum(512 * each.st_blocks if known else each.st_size for each in status)

    def batches(self, order: Sequence[int] | np.ndarray, batch_size: int) -> Iterator[np.ndarray]:
        """Yield the images in the given order, arrays of shape (B, ...)."""
        rows = np.asarray(order)
        parts = [rows[start : start + batch_size] for start in range(0, len(rows), batch_size)]
        if self.way == "memory map":
            images = np.load(self.folder / "images.npy", mmap_mode="r")
            return (gather.rows(images, part) for part in parts)
        if self.way == "Parquet":
            strings = self._from_parquet(parts, in_order=bool((np.diff(rows) == 1).all()))
        else:
            strings = ([_file(self.folder, row).read_bytes() for row in part] for part in parts)
        return (
            np.frombuffer(b"".join(each), self.dtype).reshape(-1, *self.shape) for each in strings
        )

    def _from_parquet(self, parts: list[np.ndarray], in_order: bool) -> Iterator[list[bytes]]:
        import duckdb

        select, file = "select row, image from read_parquet(?)", str(self.folder / "images.parquet")
        with duckdb.connect(config={"threads": 1}) as database:
            if in_order and parts:  # read from front to back
                ends = int(parts[0][0]), int(parts[-1][-1])
                found = database.execute(f"{select} where row between ? and ?", [file, *ends])
                yield from ([image for _, image in found.fetchmany(len(part))] for part in parts)
                return
            for part in parts:
                numbers = ", ".join(map(str, part.tolist()))
                found = database.execute(f"{select} where row in ({numbers})", [file])
                images = dict(found.fetchall())
                yield [images[row] for row in part.tolist()]


def _file(folder: Path, row: int) -> Path:
    """A folder holds at most 1,000 files: many file systems slow down with more."""
    return folder / f"{row // 1000:04}" / f"{row:08}.bin"


def store(way: str, images: np.ndarray, folder: Path) -> Stored:
    """Write `images` (N, ...) to the new folder in one of `WAYS`; Parquet needs DuckDB."""
    folder.mkdir(parents=True)
    if way == "loose files":
        for row, image in enumerate(images):
            path = _file(folder, row)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(image.tobytes())
    elif way == "memory map":
        np.save(folder / "images.npy", images)
    else:
        import duckdb

        strings = np.empty(len(images), object)
        strings[:] = [image.tobytes() for image in images]
        with duckdb.connect(config={"threads": 1}) as database:
            database.register("images", {"row": np.arange(len(images)), "image": strings})
            options = f"format parquet, compression zstd, row_group_size {ROW_GROUP}"
            quoted = str(folder / "images.parquet").replace("'", "''")
            database.execute(f"copy images to '{quoted}' ({options})")
    return Stored(way, folder, images.shape[1:], images.dtype)


def drop_from_cache(files: Sequence[Path]) -> bool:
    """Write the files to the disk and drop their pages from the system's cache. Return whether
    nothing is left of them, as far as the system tells.
    """
    if not hasattr(os, "posix_fadvise"):
        return False
    os.sync()  # a page that is not on the disk yet cannot be dropped
    for path in files:
        with open(path, "rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return not any(map(cached_pages, files[:: max(1, len(files) // 50)]))


def cached_pages(path: Path) -> int:
    """How many pages of a file are in the system's page cache (mincore(2), which reads nothing)."""
    states = (ctypes.c_ubyte * -(-path.stat().st_size // mmap.PAGESIZE))()
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as pages:
        start = ctypes.c_char.from_buffer(pages)
        length = ctypes.c_size_t(len(pages))
        ctypes.CDLL(None).mincore(ctypes.c_void_p(ctypes.addressof(start)), length, states)
        del start  # a map that is in use cannot be closed
    return sum(state & 1 for state in states)


@dataclass(frozen=True)
class Epochs:
    """Seconds of one epoch each; `cold` is None where the pages could not be dropped."""

    cold: float | None
    warm: float


def time_epochs(stored: Stored, num_images: int, *, shuffled: bool) -> Epochs:
    """Time an epoch with cold files, then one with warm files, in batches of 128."""
    order = np.random.default_rng(0).permutation(num_images) if shuffled else np.arange(num_images)
    is_cold, seconds = drop_from_cache(stored.files), []
    for _ in range(2):
        start = time.perf_counter()
        for _ in stored.batches(order, 128):
            pass
        seconds.append(time.perf_counter() - start)
    return Epochs(seconds[0] if is_cold else None, seconds[1])
