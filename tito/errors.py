"""The three kinds of failure that are not bugs in tito. Each message states the rule, the value and
the next command.
"""


class TitoError(Exception):
    """A message for the person at the terminal; never shown with a traceback.

    `next` is the command that repairs it, where there is one.
    """

    exit_code = 1

    def __init__(self, message: str = "", *, next: str | None = None):
        super().__init__(message)
        self.next = next


class WorkError(TitoError):
    """The student's work fails a test, does not parse, or its two files disagree."""


class UsageError(TitoError):
    """A command, module or exercise that does not exist, or options that exclude each other."""

    exit_code = 2


class EnvironmentBroken(TitoError):
    """Something outside the work is missing: a workspace, a package, the disk."""

    exit_code = 3
