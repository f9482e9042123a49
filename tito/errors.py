"""The failures that are not bugs in tito: each states the rule, the value and the next command."""

import errno
from collections.abc import Iterator


class TitoError(Exception):
    """A message of one or more lines for the person at the terminal; never shown with a traceback.
    `next` is the command that repairs it, where there is one.
    """

    exit_code = 1

    def __init__(self, *lines: str, next: str | None = None):
        super().__init__("\n".join(lines))
        self.next = next


class WorkError(TitoError):
    """The student's work fails a test, does not parse, or its two files disagree."""


class UsageError(TitoError):
    """A command, module or exercise that does not exist, or options that exclude each other."""

    exit_code = 2


class EnvironmentBroken(TitoError):
    """Something outside the work is missing: a workspace, a package, the disk."""

    exit_code = 3


_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))  # Windows has no EDQUOT


def causes(problem: BaseException | None) -> Iterator[BaseException]:
    """The error, and each error that it was made from, the newest first."""
    while problem is not None:
        yield problem
        hidden = problem.__suppress_context__ or problem.__cause__ is not None
        problem = problem.__cause__ if hidden else problem.__context__


def disk_full(problem: BaseException) -> OSError | None:
    """The system's error in `problem` or its causes that says that a disk or a quota is full."""
    for one in causes(problem):
        if isinstance(one, OSError) and one.errno in _FULL:
            return one
    return None
