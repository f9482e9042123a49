"""The process that holds the code under test: `python worker.py <import name>`, spoken to over its standard input and output.

It is started by file, not as `tito.contract.worker`, so that a sandbox needs to show it this folder and nothing else of tito.
"""

from __future__ import annotations

import importlib
import os
import queue
import sys
import threading
import types


def _pipe_fds() -> tuple[int, int]:
    """Move the pipe off 0 and 1, so that what student code prints or reads does not meet it."""
    read_fd, write_fd = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return read_fd, write_fd


def _own_package() -> None:
    """Make `tito.contract` importable with the files beside this one, and nothing else of tito."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]   # Python 3.10 has no -P
    tito = sys.modules["tito"] = types.ModuleType("tito")
    tito.__path__ = []
    package = sys.modules["tito.contract"] = types.ModuleType("tito.contract")
    package.__path__ = [here]


class _Pipe:
    """The worker's end: one thread reads, and hands each message to the thread that waits for it.

    A loader that prefetches reads its dataset from a second thread, and that dataset may live in the test.
    """

    def __init__(self, read_fd: int, write_fd: int, wire: types.ModuleType):
        self.source, self.sink, self.wire = os.fdopen(read_fd, "rb"), os.fdopen(write_fd, "wb"), wire
        self.writing = threading.Lock()
        self.main: queue.SimpleQueue = queue.SimpleQueue()
        self.waiting: dict[int, queue.SimpleQueue] = {}   # own request -> where the thread that sent it waits
        self.of_thread = threading.local()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, pieces: list, request: int | None = None) -> None:
        if request is not None:
            self.waiting[request] = self._inbox()
        with self.writing:
            for piece in pieces:
                self.sink.write(piece)
            self.sink.flush()

    def receive(self) -> tuple:
        return self._inbox().get()

    def _inbox(self) -> queue.SimpleQueue:
        if threading.current_thread() is threading.main_thread():
            return self.main
        if not hasattr(self.of_thread, "inbox"):
            self.of_thread.inbox = queue.SimpleQueue()
        return self.of_thread.inbox

    def _read(self) -> None:
        def exactly(size: int) -> bytearray:
            data = bytearray(size)
            if self.source.readinto(data) != size:
                os._exit(0)       # the test is gone, whatever the code under test is doing
            return data

        while True:
            message, blobs = self.wire.unpack(exactly)
            # A request that serves one of ours belongs to the thread that waits for ours; the main thread takes all others.
            inbox = self.waiting.pop(message["re"], None) if "re" in message else self.waiting.get(message["in"])
            (inbox or self.main).put((message, blobs))


def main(import_name: str) -> None:
    read_fd, write_fd = _pipe_fds()
    _own_package()
    from tito.contract import proxy, wire

    pipe = _Pipe(read_fd, write_fd, wire)
    peer = proxy.Peer(pipe, open_objects=True)
    try:
        module = importlib.import_module(import_name)
    except BaseException as problem:
        pipe.send(wire.pack({"import": proxy.import_sentence(import_name, problem)}, []))
        return
    proxy.under_test = module.__file__
    peer.objects[0] = module
    pipe.send(wire.pack({"import": None}, []))
    peer.serve()


if __name__ == "__main__":
    main(sys.argv[1])
