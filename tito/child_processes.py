"""Child processes: their threads and their end."""

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

# NumPy's thread pools would compete for few cores, and CPU seconds would depend on the machine.
# tinytorch.linear_algebra lists the same variables again, because tinytorch does not import tito.
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS VECLIB_MAXIMUM_THREADS"
        " NUMEXPR_NUM_THREADS"
    ).split(),
    "1",
)


LEAST_SECONDS = 0.5


def part_of(left_seconds: float, part: int) -> float:
    """How long one of many tests may take, of the time that is left to all: those that never end
    take ever less, so that they hide the result of no other.
    """
    return round(max(LEAST_SECONDS, left_seconds / part), 1)


def end_group(leader: int) -> None:
    """Kill what is left of the process group that a child leads, or led."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def signal_name(number: int) -> str:
    """The name of a signal, such as "SIGKILL"; its number where it has none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Engine:
    """The process that started this one, as this one sees it: at the other end of standard input.

    It is made once, before anything reads standard input; from then on that is empty, so that no
    code under test waits for it or closes it.
    """

    def __init__(self) -> None:
        self._pipe = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)

    def gone(self) -> bool:
        """Whether it has ended, or closed the pipe. Always False on Windows, which cannot tell."""
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._pipe, 0)  # poll always reports a hang-up
        return bool(poll.poll(0))


def finished(
    words: Sequence[str],
    place: Path,
    environment: Mapping[str, str],
    *,
    together: bool = False,
    timeout_seconds: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, without input. Its output is decoded as text, even if it is not
    valid UTF-8.

    Args:
        together: write stderr to stdout as well.
    """
    return subprocess.run(
        words,
        cwd=place,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if together else subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout_seconds,
        check=False,
    )
