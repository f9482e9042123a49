"""Shared memory: how a worker's batch reaches the main process.

A batch is pickled with protocol 5 (PEP 574). It stores types and nesting in a few hundred bytes and
returns the arrays separately. The arrays go into a slot: anonymous memory that both processes map.
It has no name, so nothing can be left behind in /dev/shm, however the processes end.
"""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
from multiprocessing import reduction
from typing import Any

import numpy as np

_ALIGNMENT = 64  # bytes of a cache line: two arrays never share one

# on other systems a file descriptor cannot be passed on, and arrays go through the pipe
available = os.name == "posix"


class Slot:
    """A piece of shared memory for one batch. It grows to the size of the largest batch.

    One process writes and then tells the other one, which reads. `tinytorch.data.workers` decides
    which process may use a slot.
    """

    # of a slot whose __init__ failed too: Python deletes it with `close`
    descriptor: int = -1
    memory: mmap.mmap | Any = None  # Any: None until it is mapped

    def __init__(self, descriptor: int | None = None):
        self.descriptor = _anonymous_file() if descriptor is None else descriptor

    def __reduce__(self) -> tuple:
        # called only when a process is started with spawn, which passes the descriptor on
        return _received, (reduction.DupFd(self.descriptor),)

    def write(self, buffers: list[memoryview]) -> list[int]:
        """Copy the buffers into the slot, one after the other. Return their lengths in bytes.

        Raises:
            OSError: the machine has no memory left for it.
        """
        sizes = [buffer.nbytes for buffer in buffers]
        starts, needed = _starts(sizes)
        if needed > len(self.memory or b""):
            _grow(self.descriptor, needed)
            self._map()
        for buffer, start, size in zip(buffers, starts, sizes, strict=True):
            if size:
                self.memory[start : start + size] = buffer
        return sizes

    def read(self, sizes: list[int]) -> list[np.ndarray]:
        """Copies of the buffers that `write` stored, uint8 of shape (size,). They do not change
        when the slot is used again.
        """
        starts, needed = _starts(sizes)
        if needed > len(self.memory or b""):
            self._map()
        return [
            (
                np.frombuffer(self.memory, np.uint8, size, start).copy()
                if size
                else np.empty(0, np.uint8)
            )
            for start, size in zip(starts, sizes, strict=True)
        ]

    def _map(self) -> None:
        if self.memory is not None:
            self.memory.close()
        self.memory = mmap.mmap(self.descriptor, 0)  # all of it

    def close(self) -> None:
        """Unmap the memory; it is freed when the other process has done so too."""
        if self.memory is not None:
            self.memory.close()
            self.memory = None
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    __del__ = close


def pack(result: Any, slot: Slot | None) -> tuple[bytes, list[int]]:
    """(the bytes of a result for the pipe, the lengths of its arrays in the slot). Without a slot
    the whole result goes through the pipe.
    """
    if slot is None:
        return pickle.dumps(result, protocol=5), []
    arrays: list[pickle.PickleBuffer] = []
    body = pickle.dumps(result, protocol=5, buffer_callback=arrays.append)
    return body, slot.write([array.raw() for array in arrays])


def unpack(body: bytes, sizes: list[int], slot: Slot | None) -> Any:
    """The result that was packed by `pack`; its arrays are writable copies."""
    return pickle.loads(body, buffers=slot.read(sizes) if slot is not None else ())


def _starts(sizes: list[int]) -> tuple[list[int], int]:
    """(where each buffer begins, the length of all together)."""
    starts, end = [], 0
    for size in sizes:
        starts.append(end)
        end += -(-size // _ALIGNMENT) * _ALIGNMENT
    return starts, end


def _anonymous_file() -> int:
    """The descriptor of a file without a name: in memory where the system can (Linux, FreeBSD),
    else on disk and already deleted.
    """
    if hasattr(os, "memfd_create"):
        return os.memfd_create("tinytorch-batch")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _grow(descriptor: int, size: int) -> None:
    size += size // 8  # batches differ a little, and each growth costs a new mapping
    if hasattr(os, "posix_fallocate"):
        # This reserves the memory now. If there is too little, it raises OSError here instead of a
        # bus error at the first write.
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.ftruncate(descriptor, size)


def _received(duplicate: Any) -> Slot:
    return Slot(duplicate.detach())
