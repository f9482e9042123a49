"""Releases pages of memory-mapped files that a worker has read. Until the system needs the room,
they would count as the worker's memory.

The system keeps the pages in its page cache as long as it has room, so reading them again costs
little.
"""

from __future__ import annotations

import ctypes
import mmap

from tinytorch.core.gather import mapped_bytes

MAPPED_BYTES = 32 * 2**20  # how many new bytes may be mapped before pages are released


class MappedPages:
    """Releases the pages of files that are mapped read-only, whenever many have been read."""

    def __init__(self) -> None:
        self.allowed = mapped_bytes() + MAPPED_BYTES

    def let_go(self) -> None:
        """Release the pages if there are many new ones. Nothing is lost: a page is read from the
        file again when it is used.
        """
        if mapped_bytes() > self.allowed:
            for start, length in _read_only_files():
                ctypes.CDLL(None).madvise(
                    ctypes.c_void_p(start), ctypes.c_size_t(length), mmap.MADV_DONTNEED
                )
            self.allowed = mapped_bytes() + MAPPED_BYTES


def _read_only_files() -> list[tuple[int, int]]:
    """(address, length) of each file that is mapped read-only and shared, as np.memmap(mode="r")
    does. Libraries are not among them: they are mapped private ("p").
    """
    mapped = []
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            addresses, rights = line.split(maxsplit=2)[:2]
            if rights == "r--s":
                start, end = (int(address, 16) for address in addresses.split("-"))
                mapped.append((start, end - start))
    return mapped
