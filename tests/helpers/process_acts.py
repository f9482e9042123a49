"""Everything a process may do to itself: lower a limit, send itself each signal in each way, and
more.

Tests of the sealed run use this file as a student's package. Importing it does no harm.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import struct
import threading
import time
from functools import partial
from pathlib import Path

libc = ctypes.CDLL(None)
PR_SET_PDEATHSIG, PR_SET_SECCOMP = 1, 22


def half(x):
    return x / 2


def end():
    os._exit(0)


def harm(name):
    HARMS[name]()


# Limits


def lowered(limit, value):
    """Lower a limit and use what it limits."""
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))
    uses = (
        os.pipe,
        lambda: bytearray(2**24),
        lambda: deep(10**5),
        lambda: threading.Thread(target=int).start(),
        lambda: os.fork() or os._exit(0),
        lambda: Path("file").write_bytes(bytes(2**20)),
    )
    for use in uses:
        with contextlib.suppress(BaseException):
            use()
    if limit == resource.RLIMIT_CPU:
        burn(1.5)


def deep(number):
    return number and deep(number - 1)


def burn(seconds):
    stop = time.process_time() + seconds
    while time.process_time() < stop:
        pass


# Signals


def from_a_child(number):
    parent = os.getpid()
    if os.fork() == 0:
        with contextlib.suppress(OSError):
            os.kill(parent, number)
        os._exit(0)


WAYS = {
    "kill": lambda number: os.kill(os.getpid(), number),
    "raise": signal.raise_signal,
    "group": lambda number: os.kill(0, number),
    "thread": lambda number: signal.pthread_kill(threading.get_ident(), number),
    "parent": lambda number: libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0),
    "child": from_a_child,
}
FAULTS = {"SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGSEGV", "SIGSYS"}


def every_signal(send):
    """Send every signal: SIGKILL first, and those that a process does not survive last."""
    faults = {getattr(signal, name) for name in FAULTS}
    numbers = signal.valid_signals()
    for number in sorted(numbers, key=lambda one: (one in faults, one != signal.SIGKILL)):
        with contextlib.suppress(OSError, KeyboardInterrupt):
            send(number)
            time.sleep(0.002)


# The rest


def filtered(action):
    """A seccomp filter of one instruction, the answer to every system call."""
    code = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, action), 8)
    libc.prctl(PR_SET_SECCOMP, 2, struct.pack("HxxxxxxQ", 1, ctypes.addressof(code)), 0, 0)
    os.getppid()


HARMS = {
    f"{name} {value}": partial(lowered, getattr(resource, name), value)
    for name in dir(resource)
    if name.startswith("RLIMIT_")
    for value in (0, 1)
}
HARMS |= {f"every signal by {way}": partial(every_signal, send) for way, send in WAYS.items()}
HARMS |= {f"exit {code}": partial(os._exit, code) for code in (0, 1, 9, 75, 137, -9)}
HARMS |= {
    "a signal without a name": lambda: os.kill(os.getpid(), 40),
    "a filter that kills": partial(filtered, 0x80000000),
    "strict mode": partial(libc.prctl, PR_SET_SECCOMP, 1, 0, 0, 0),
    "a null pointer": partial(ctypes.string_at, 0),
    "abort": os.abort,
    "another program": partial(os.execv, "/bin/true", ["true"]),
    "every descriptor closed": partial(os.closerange, 0, 64),
}
