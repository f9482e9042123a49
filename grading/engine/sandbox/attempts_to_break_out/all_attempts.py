"""The list of all attempts, and what they have in common."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Callable
from typing import Any

MiB = 2**20
Wanted = dict[str, Any]  # facts about the outside: paths, ports, process ids, limits
Held = tuple[bool, object]  # whether the limit held, and what happened
Attempt = Callable[[Wanted], Held]
TEXTS: dict[str, str] = {}  # name of an attempt -> what must not be possible
_ATTEMPTS: dict[str, Attempt] = {}


def must_not(text: str) -> Callable[[Attempt], Attempt]:
    """Put an attempt into the list."""

    def listed(attempt: Attempt) -> Attempt:
        TEXTS[attempt.__name__] = text
        return known(attempt)

    return listed


def known(attempt: Attempt) -> Attempt:
    """What can be made by its name."""
    _ATTEMPTS[attempt.__name__] = attempt
    return attempt


def main(name: str, wanted: Wanted) -> None:
    """Make one attempt. The result goes to stderr as one line of JSON."""
    try:
        say(*_ATTEMPTS[name](wanted))
    except BaseException as problem:  # noqa: BLE001 - the error is the answer
        say(None, f"{type(problem).__name__}: {problem}")


def say(held: bool | None, text: object) -> None:
    os.write(2, (json.dumps([held, str(text)[:300]]) + "\n").encode())


def refused(action: Callable, *arguments: Any) -> Held:
    """(True, the error) when the operating system refuses, else (False, ...)."""
    try:
        return False, f"the call gave {str(action(*arguments))[:80]}"
    except OSError as problem:
        return True, problem.strerror or str(problem)


def all_refused(attempts: list[tuple]) -> Held:
    tried = [(name, *refused(action, *arguments)) for name, action, *arguments in attempts]
    broken = [f"{name}: {text}" for name, held, text in tried if not held]
    return not broken, "; ".join(broken) or "; ".join(sorted({str(text) for _, _, text in tried}))


def call(name: str, *arguments: Any) -> str:
    """What a function of the C library gives."""
    result = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return str(result)


def in_child(action: Callable, *arguments: Any) -> int:
    """The id of a child process that does this, and ends."""
    pid = os.fork()
    if pid == 0:
        try:
            action(*arguments)
        finally:
            os._exit(0)
    return pid
