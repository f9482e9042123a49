"""What a worker has read of memory-mapped files counts as its memory until the system needs the
room. Here it is given back earlier.

The system keeps the pages cached as long as it has room, so that reading them again costs little.
"""

from __future__ import annotations

import ctypes
import mmap

from tinytorch.core.gather import mapped_bytes

MAPPED_BYTES = 32 * 2**20  # how much may come before the next look


class MappedPages:
    """Lets the pages of files that are mapped read-only go, now and again."""

    def __init__(self):
        self.allowed = mapped_bytes() + MAPPED_BYTES

    def let_go(self) -> None:
        """Unmap the pages if there are many new ones. Nothing is lost: they are read from the
        file again when they are asked for.
        """
        if mapped_bytes() > self.allowed:
            for start, length in _read_only_files():
                ctypes.CDLL(None).madvise(
                    ctypes.c_void_p(start), ctypes.c_size_t(length), mmap.MADV_DONTNEED
                )
            self.allowed = mapped_bytes() + MAPPED_BYTES


def _read_only_files() -> list[tuple[int, int]]:
    """(address, length) of each file that is mapped to be read and shared, as
    np.memmap(mode="r") does; libraries are private ("p").
    """
    found = []
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            addresses, rights = line.split(maxsplit=2)[:2]
            if rights == "r--s":
                start, end = (int(address, 16) for address in addresses.split("-"))
                found.append((start, end - start))
    return found
