"""More attempts of `attempt`: take memory where nobody counts it, and the processors for long."""

from __future__ import annotations

import contextlib
import importlib
import mmap
import os
import select
import signal
import socket
import time
from typing import Any

# inside it stands beside this file, and is no part of a package
_attempt: Any = importlib.import_module("attempt")
call, refused, all_refused, say = (
    _attempt.call,
    _attempt.refused,
    _attempt.all_refused,
    _attempt.say,
)
MiB = 2**20
Wanted = dict[str, Any]
Held = tuple[bool, object]


def _kept(wanted: Wanted, what: str) -> Held:
    """Nothing killed the sandbox, although it holds more memory than it may for many looks of who
    counts.
    """
    time.sleep(4)
    return False, f"{what}, the limit is {wanted['memory_bytes'] // MiB} MiB"


def try_memory_hidden(wanted: Wanted) -> Held:
    """Children of which nobody without privileges may read more than /proc/PID/status."""
    for _ in range(4):
        if os.fork() == 0:
            with contextlib.suppress(OSError):
                call("prctl", 4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
            kept = bytearray(os.urandom(MiB)) * (wanted["memory_bytes"] // MiB // 2)
            time.sleep(60)
            os._exit(len(kept) % 2)
    return _kept(wanted, f"4 unreadable processes keep {2 * wanted['memory_bytes'] // MiB} MiB")


def try_memory_shared(wanted: Wanted) -> Held:
    """Shared pages that belong to no file, and that no living process has touched."""

    def keep(fd: int) -> str:
        view = mmap.mmap(fd, wanted["memory_bytes"] * 2, mmap.MAP_SHARED)
        kept.append(view)
        part = len(view) // 8
        for begin in range(0, len(view), part):  # no child holds more than it may
            pid = os.fork()
            if pid == 0:
                for page in range(begin, begin + part, mmap.PAGESIZE):
                    view[page] = 1
                os._exit(0)
            os.waitpid(pid, 0)
        return f"{len(view) // MiB} MiB"

    kept: list[mmap.mmap] = []
    zero = os.open("/dev/zero", os.O_RDWR)
    held, text = all_refused([("anonymous", keep, -1), ("/dev/zero", keep, zero)])
    return (held, text) if held else _kept(wanted, str(text))


def try_semaphores(wanted: Wanted) -> Held:
    return refused(_of_system_v, "semget", 0, 32000, 0o600)


def try_messages(wanted: Wanted) -> Held:
    return refused(_of_system_v, "msgget", 0, 0o600)


def _of_system_v(name: str, *arguments: int) -> str:
    """Make one and remove it: it would outlive the process. One is 2 MB, or 16 kB of messages, and
    32,000 of them may exist.
    """
    made = call(name, *arguments)
    remove = (int(made), 0, 0) if name == "semget" else (int(made), 0, None)
    call("semctl" if name == "semget" else "msgctl", *remove)
    return f"{name}: one of 32,000"


def try_sockets(wanted: Wanted) -> Held:
    """Bytes that nobody reads, in as many sockets as can be open."""
    read, write = os.pipe()
    for _ in range(100):
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                os.write(write, _fill_sockets(wanted["memory_bytes"] // 8).to_bytes(8, "little"))
                time.sleep(60)
                os._exit(0)
    os.close(write)
    total, end = 0, time.monotonic() + 15
    while time.monotonic() < end and total <= 1.5 * wanted["memory_bytes"]:
        if select.select([read], [], [], 0.5)[0]:
            total += int.from_bytes(os.read(read, 8), "little")
    if total <= wanted["memory_bytes"]:
        return True, f"{total // MiB} MiB at most"
    return _kept(wanted, f"{total // MiB} MiB unread in sockets")


def _fill_sockets(enough: int) -> int:
    kept, sent = [], 0
    with contextlib.suppress(OSError):
        while sent < enough:
            pair = socket.socketpair()
            kept.append(pair)
            for end in pair:
                with contextlib.suppress(OSError):
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * MiB)
                end.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    while True:
                        sent += end.send(bytes(32768))
    globals()["_open"] = kept  # they are closed with their last name
    return sent


def try_processor(wanted: Wanted) -> Held:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    _compute(wanted["cpu_seconds"] + 5)
    return (
        False,
        (
            f"{wanted['cpu_seconds'] + 5} s of processor time used, the limit is"
            f" {wanted['cpu_seconds']}"
        ),
    )


def _compute(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def try_processor_together(wanted: Wanted) -> Held:
    """One child after the other, each below the limit of one process, and none is waited for."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    each = 0.4 * wanted["cpu_seconds"]
    for _ in range(9):
        if os.fork() == 0:
            _compute(each)
            os._exit(0)
        with contextlib.suppress(ChildProcessError):  # waits until the last one has ended
            os.wait()
    return False, f"9 processes used {9 * each:g} s, the limit is {wanted['cpu_seconds']}"


def try_neighbor(wanted: Wanted) -> Held:
    """As many busy processes as there may be, each in a session of its own, which the kernel's
    scheduler takes for a user of its own.
    """
    with contextlib.suppress(OSError):
        for _ in range(44):
            if os.fork() == 0:
                with contextlib.suppress(OSError):
                    os.setsid()
                while True:
                    _compute(1)
    say(None, "busy")
    time.sleep(60)
    return False, "busy for 60 s"


def try_share(wanted: Wanted) -> Held:
    """Part of a processor that this process gets."""
    begin, used = time.monotonic(), time.process_time()
    while time.monotonic() < begin + wanted["share_seconds"]:
        pass
    return True, (time.process_time() - used) / (time.monotonic() - begin)
