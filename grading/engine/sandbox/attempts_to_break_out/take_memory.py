"""Attempts to take memory, processes and processors."""

from __future__ import annotations

import contextlib
import mmap
import os
import select
import signal
import socket
import time

from .all_attempts import (
    Held,
    MiB,
    Wanted,
    all_refused,
    call,
    in_child,
    known,
    must_not,
    refused,
    say,
)

# Memory; if it is taken, the sandbox must be killed, as seen from outside


@must_not("take 3 GiB at once")
def address_space(wanted: Wanted) -> Held:
    try:
        taken = mmap.mmap(-1, 3 * 2**30)
    except (MemoryError, OSError) as problem:
        return True, problem
    taken.close()
    return False, "3 GiB mapped"


@must_not("take memory in many processes")
def memory_together(wanted: Wanted) -> Held:
    return _four_processes(wanted, "4 processes")


@must_not("take memory in unreadable processes")
def memory_hidden(wanted: Wanted) -> Held:
    """Nobody without privileges may read more of them than /proc/PID/status."""
    with contextlib.suppress(OSError):
        call("prctl", 4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
    return _four_processes(wanted, "4 unreadable processes")


def _four_processes(wanted: Wanted, what: str) -> Held:
    """Each is well below the limit of one process."""

    def keep() -> None:
        kept = bytearray(os.urandom(MiB)) * (wanted["memory_bytes"] // MiB // 2)
        time.sleep(60)
        del kept

    for _ in range(4):
        in_child(keep)
    return _kept(wanted, f"{what} keep {2 * wanted['memory_bytes'] // MiB} MiB")


def _kept(wanted: Wanted, what: str) -> Held:
    """Nothing killed the sandbox in many looks of who counts."""
    time.sleep(8)
    return False, f"{what}, the limit is {wanted['memory_bytes'] // MiB} MiB"


@must_not("take memory that no process has")
def memory_shared(wanted: Wanted) -> Held:
    """Shared pages that belong to no file, and that no living process has touched."""

    def touch(view: mmap.mmap, begin: int, end: int) -> None:
        for page in range(begin, end, mmap.PAGESIZE):
            view[page] = 1

    def keep(fd: int) -> str:
        view = mmap.mmap(fd, wanted["memory_bytes"] * 2, mmap.MAP_SHARED)
        kept.append(view)
        part = len(view) // 8
        for begin in range(0, len(view), part):  # no child holds more than it may
            os.waitpid(in_child(touch, view, begin, begin + part), 0)
        return f"{len(view) // MiB} MiB"

    kept: list[mmap.mmap] = []
    zero = os.open("/dev/zero", os.O_RDWR)
    held, text = all_refused([("anonymous", keep, -1), ("/dev/zero", keep, zero)])
    return (held, text) if held else _kept(wanted, str(text))


# One is 2 MB, or 16 kB of messages, and 32,000 of them may exist. It is removed, because it would
# outlive the process.


@must_not("take memory as semaphores")
def semaphores(wanted: Wanted) -> Held:
    return refused(lambda: call("semctl", int(call("semget", 0, 32000, 0o600)), 0, 0))


@must_not("take memory as messages")
def messages(wanted: Wanted) -> Held:
    return refused(lambda: call("msgctl", int(call("msgget", 0, 0o600)), 0, None))


@must_not("take memory in sockets")
def sockets(wanted: Wanted) -> Held:
    """Bytes that nobody reads, in as many sockets as can be open."""

    def fill() -> None:
        os.write(write, _fill_sockets(wanted["memory_bytes"] // 8).to_bytes(8, "little"))
        time.sleep(60)

    read, write = os.pipe()
    for _ in range(100):
        with contextlib.suppress(OSError):
            in_child(fill)
    os.close(write)
    total, end = 0, time.monotonic() + 15
    while time.monotonic() < end and total <= 1.5 * wanted["memory_bytes"]:
        if select.select([read], [], [], 0.5)[0]:
            total += int.from_bytes(os.read(read, 8), "little")
    return _unread(wanted, total, "sockets")


def _unread(wanted: Wanted, total: int, where: str) -> Held:
    if total <= wanted["memory_bytes"]:
        return True, f"{total // MiB} MiB at most"
    return _kept(wanted, f"{total // MiB} MiB unread in {where}")


_open_sockets: list[tuple[socket.socket, socket.socket]] = []


def _fill_sockets(enough: int) -> int:
    sent = 0
    with contextlib.suppress(OSError):
        while sent < enough:
            pair = socket.socketpair()
            _open_sockets.append(pair)
            for end in pair:
                with contextlib.suppress(OSError):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * MiB)
                sent += _fill(end)
    return sent


def _fill(end: socket.socket) -> int:
    sent = 0
    end.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            sent += end.send(bytes(32768))
    return sent


@must_not("take memory in connections")
def connections(wanted: Wanted) -> Held:
    """Bytes in connections that were closed, and that nobody accepts."""
    try:
        server = socket.create_server(("127.0.0.1", 0), backlog=4096)
    except OSError as problem:
        return True, problem.strerror
    sent, end = 0, time.monotonic() + 15
    while time.monotonic() < end and sent <= 1.5 * wanted["memory_bytes"]:
        with contextlib.suppress(OSError), socket.socket() as one:
            one.settimeout(1)
            one.connect(server.getsockname())
            sent += _fill(one)
    return _unread(wanted, sent, "connections")


# Processors


def _compute(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@must_not("compute for ever")
def processor(wanted: Wanted) -> Held:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    seconds = wanted["cpu_seconds"] + 5
    _compute(seconds)
    return False, f"{seconds} s of processor time used, the limit is {wanted['cpu_seconds']}"


@must_not("compute for ever in many processes")
def processor_together(wanted: Wanted) -> Held:
    """One child after the other, each below the limit of one process, and none is waited for."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    each = 0.4 * wanted["cpu_seconds"]
    for _ in range(9):
        in_child(_compute, each)
        with contextlib.suppress(ChildProcessError):  # waits until the last one has ended
            os.wait()
    return False, f"9 processes used {9 * each:g} s, the limit is {wanted['cpu_seconds']}"


@must_not("starve the submission beside it")
def neighbor(wanted: Wanted) -> Held:
    """As many busy processes as there may be, each in a session of its own, which the kernel's
    scheduler takes for a user of its own.
    """

    def busy() -> None:
        with contextlib.suppress(OSError):
            os.setsid()
        while True:
            _compute(1)

    with contextlib.suppress(OSError):
        for _ in range(44):
            in_child(busy)
    say(None, "busy")
    time.sleep(60)
    return False, "busy for 60 s"


@known
def share(wanted: Wanted) -> Held:
    """Part of a processor that this process gets."""
    begin, used = time.monotonic(), time.process_time()
    while time.monotonic() < begin + wanted["share_seconds"]:
        pass
    return True, (time.process_time() - used) / (time.monotonic() - begin)
