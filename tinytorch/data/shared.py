"""Memory that two processes see: how a worker's batch reaches the main process.

A batch is pickled with protocol 5 (PEP 574), which keeps its types and its nesting in a few hundred
bytes and hands out the arrays beside them. Those go into a slot: anonymous memory that both
processes map. It has no name, so nothing can be left behind in /dev/shm, however the processes end.
"""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
from multiprocessing import reduction
from typing import Any

import numpy as np

_ALIGNMENT = 64  # bytes; a cache line, so that two arrays never share one

# elsewhere a file descriptor does not pass to another process, and arrays go through the pipe
available = os.name == "posix"


class Slot:
    """A piece of shared memory for one batch. It grows with the largest batch that was put there.

    One process writes, then tells the other one, which reads; who may do what is settled by
    `tinytorch.data.workers`.
    """

    def __init__(self, descriptor: int | None = None):
        self.descriptor = _anonymous_file() if descriptor is None else descriptor
        self.memory: mmap.mmap | None = None

    def __reduce__(self):
        # only while a process starts with spawn, which then passes the descriptor on
        return _received, (reduction.DupFd(self.descriptor),)

    def write(self, buffers: list[memoryview]) -> list[int]:
        """Copy the buffers in, one after the other; returns their lengths in bytes.

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
        """Copies of the buffers that `write` put in, uint8 of shape (size,): they stay as they
        are when the slot is used again.
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
        """Let the memory go; it is freed when the other process has done so too."""
        if self.memory is not None:
            self.memory.close()
            self.memory = None
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    __del__ = close


def pack(result: Any, slot: Slot | None) -> tuple[bytes, list[int]]:
    """What goes through the pipe for a result, and the lengths of what went into the slot.
    Without a slot all goes through the pipe.
    """
    if slot is None:
        return pickle.dumps(result, protocol=5), []
    arrays: list[pickle.PickleBuffer] = []
    body = pickle.dumps(result, protocol=5, buffer_callback=arrays.append)
    return body, slot.write([array.raw() for array in arrays])


def unpack(body: bytes, sizes: list[int], slot: Slot | None) -> Any:
    """The result that `pack` took apart; its arrays are copies that may be written to."""
    return pickle.loads(body, buffers=slot.read(sizes) if slot is not None else ())


def _starts(sizes: list[int]) -> tuple[list[int], int]:
    """Where each buffer begins, and the length of all."""
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
        # takes the memory now: what is missing is an OSError here, not a bus error at the first
        # write
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.ftruncate(descriptor, size)


def _received(duplicate) -> Slot:
    return Slot(duplicate.detach())
