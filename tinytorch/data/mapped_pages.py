"""Memory-mapped files and workers: a map is sent as its place in a file, and pages that a worker
has read are released, which would count as the worker's memory until the system needs the room.

The system keeps the pages in its page cache as long as it has room, so reading them again costs
little.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

from tinytorch.core.gather import mapped_bytes

MAPPED_BYTES = 32 * 2**20  # how many new bytes may be mapped before pages are released
# mode -> mode in the worker: "w+" would empty the file. "c" is missing, because its changes are in
# no file.
_REOPENED = {"r": "r", "r+": "r+", "w+": "r+"}


def place_in_file(array: Any) -> tuple | None:
    """The arguments with which np.memmap maps the same part of the file again; None for what is no
    memory map.
    """
    if (
        type(array) is np.memmap
        and array.filename is not None
        and isinstance(array.base, mmap.mmap)
        and array.mode in _REOPENED
    ):
        mode, order = _REOPENED[array.mode], "C" if array.flags.c_contiguous else "F"
        return array.filename, array.dtype, mode, array.offset, array.shape, order
    return None


class MappedPages:
    """Releases the pages of files that are mapped read-only, whenever many have been read."""

    def __init__(self) -> None:
        self.allowed = mapped_bytes() + MAPPED_BYTES

    def let_go(self) -> None:
        """Release the pages if there are many new ones. Nothing is lost: a page is read from the
        file again when it is used.
        """
        if mapped_bytes() <= self.allowed:
            return
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            for line in file:
                addresses, rights = line.split(maxsplit=2)[:2]
                if rights == "r--s":  # as np.memmap(mode="r") maps; libraries are private ("p")
                    start, end = (int(address, 16) for address in addresses.split("-"))
                    ctypes.CDLL(None).madvise(
                        ctypes.c_void_p(start), ctypes.c_size_t(end - start), mmap.MADV_DONTNEED
                    )
        self.allowed = mapped_bytes() + MAPPED_BYTES
