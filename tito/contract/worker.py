"""The process that holds the code under test: `python worker.py <import name> [watched]`. It
receives and sends messages over its standard input and output.

Before a watched process imports the package, it reports where its random generators lie and waits
for a message: by then the trusted end watches them from outside. The message says how much
processor time the import may take, and what is said of one that takes more.

It is started as a file, not as the module `tito.contract.worker`, so that a sandbox has to show it
only this folder and nothing else of tito.
"""

import contextlib
import importlib
import os
import select
import signal
import sys
import threading
import types
from collections import deque
from collections.abc import Iterator
from typing import Any


def _pipe_fds() -> tuple[int, int]:
    """Move the pipe away from descriptors 0 and 1, where student code prints and reads."""
    read_fd, write_fd = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return read_fd, write_fd


def _own_package() -> None:
    """Make `tito.contract` importable with the files beside this one, and nothing else of tito."""
    here = os.path.dirname(os.path.abspath(__file__))
    # Python 3.10 has no -P
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    tito = sys.modules["tito"] = types.ModuleType("tito")
    tito.__path__ = []
    package = sys.modules["tito.contract"] = types.ModuleType("tito.contract")
    package.__path__ = [here]


class _Pipe:
    """The worker's end of the pipe. Of the threads that wait for a message, one reads, and passes
    the others' messages to them.

    Several threads may wait: a loader that prefetches reads its dataset from a second thread, and
    that dataset may live in the test.
    """

    def __init__(self, read_fd: int, write_fd: int, wire: types.ModuleType):
        self.write_fd, self.wire = write_fd, wire
        self.reader = wire.Reader(lambda view: os.readv(read_fd, [view]))
        self.writing, self.reading = threading.Lock(), threading.Lock()
        # threads that wait while another one reads
        self.change, self.asleep = threading.Condition(), 0
        self.main_thread = threading.get_ident()
        self.main: deque[Any] = deque()
        # own request -> the messages of the thread that sent it
        self.waiting: dict[int, deque] = {}
        self.of_thread = threading.local()
        threading.Thread(target=_end_with_the_test, args=(read_fd,), daemon=True).start()

    def send(self, pieces: list, request: int | None = None) -> None:
        if request is not None:
            self.waiting[request] = self._inbox()
        with self.writing:
            for piece in self.wire.joined(pieces):
                data = memoryview(piece)
                while data:
                    data = data[os.write(self.write_fd, data) :]

    def receive(self) -> tuple:
        inbox = self._inbox()
        while True:
            if not self.reading.acquire(blocking=False):
                with self.change:
                    self.asleep += 1
                    while not inbox and self.reading.locked():
                        self.change.wait()
                    self.asleep -= 1
                if not inbox:
                    continue
                return inbox.popleft()
            try:
                while not inbox:
                    message, blobs = self.wire.unpack(self.reader)
                    # A request that the test sends while it answers one of ours goes to the thread
                    # that waits for that answer; the main thread takes all other requests.
                    owner = (
                        self.waiting.pop(message["re"], None)
                        if "re" in message
                        else self.waiting.get(message.get("in"))
                    )
                    if owner is inbox or (owner is None and inbox is self.main):
                        return message, blobs
                    (self.main if owner is None else owner).append((message, blobs))
                    self._wake()
                return inbox.popleft()
            except EOFError:
                os._exit(0)
            finally:
                self.reading.release()
                self._wake()

    def _wake(self) -> None:
        if self.asleep:
            with self.change:
                self.change.notify_all()

    def _inbox(self) -> deque:
        if threading.get_ident() == self.main_thread:
            return self.main
        if not hasattr(self.of_thread, "inbox"):
            self.of_thread.inbox = deque()
        return self.of_thread.inbox


def _end_with_the_test(read_fd: int) -> None:
    """End this process when the pipe's other end is closed, whatever runs here."""
    poll = select.poll()
    poll.register(read_fd, 0)  # poll always reports a hang-up
    poll.poll()
    os._exit(0)


@contextlib.contextmanager
def _at_most(cpu_seconds: float, said: str) -> Iterator[None]:
    """Raise TimeoutError in an import that uses more processor time (0: no limit). Unlike wall
    time, it does not grow while other processes use the machine.
    """

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError(said)

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds, 1)  # again, where the first was caught
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def main(import_name: str, watched: str = "") -> None:
    read_fd, write_fd = _pipe_fds()
    _own_package()
    from tito.contract import proxy, wire
    from tito.contract.state import State

    pipe = _Pipe(read_fd, write_fd, wire)
    peer = proxy.Peer(pipe, open_objects=True)
    peer.state = State()
    asked: dict[str, Any] = {"cpu_seconds": 0, "said": ""}
    if watched:
        pipe.send(wire.pack({"generators": proxy.generator_places()}, []))
        asked, _ = pipe.receive()
    try:
        with _at_most(**asked):
            module = importlib.import_module(import_name)
    except BaseException as problem:  # noqa: BLE001 - the process of the tests reports it
        pipe.send(wire.pack({"import": proxy.import_sentence(import_name, problem)}, []))
        return
    proxy.under_test = module.__file__
    peer.objects[0] = module
    pipe.send(wire.pack({"import": None}, []))
    peer.serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
