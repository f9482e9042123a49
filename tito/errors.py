"""The three ways a command can end badly through no fault of tito. Each message says the rule,
the value and the next command.
"""


class TitoError(Exception):
    """A message for the person at the terminal; never shown with a traceback."""

    exit_code = 1


class WorkError(TitoError):
    """The student's work does not pass, parse or agree with itself."""


class UsageError(TitoError):
    """A command, module or exercise that does not exist, or options that exclude each other."""

    exit_code = 2


class EnvironmentBroken(TitoError):
    """Something outside the work is missing: a workspace, a package, the disk."""

    exit_code = 3
