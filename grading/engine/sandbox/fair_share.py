"""One weight for a whole sandbox, however many processes it runs, where no control group gives it
one (see `cgroup`).

The scheduler shares a processor between all that runs there, so a submission with 44 busy processes
would take the time of its neighbors. A watcher therefore lowers the priority of a sandbox's threads
the more of them run: each step of "nice" divides the weight by 1.25 (sched(7)), so n threads that
are log(n) / log(1.25) steps lower weigh as much as one. A priority can be lowered, and never raised
again; the first thread, which runs the notebook or the tests, keeps its own as long as only a few
others run. Where the scheduler gives each session a weight (autogroup), nice counts only within a
session, and `seccomp` keeps a sandbox in one.
"""

from __future__ import annotations

import contextlib
import math
import os

from grading.engine.sandbox import procfs
from grading.engine.sandbox.limits import NICE

_LOWEST, _STEP = 19, 1.25
_MANY = 8  # so many that the first thread must stop beginning others


def nice_of(running: int) -> int:
    """The priority of each of so many running threads of one sandbox."""
    return min(_LOWEST, NICE + math.ceil(math.log(max(1, running)) / math.log(_STEP)))


def weigh_as_one(pids: list[int], first: int, proc: int | None = None) -> None:
    """Lower the threads of these processes so far that those that run weigh as one.

    Args:
        first: the thread that keeps its priority beside a few others.
        proc: the /proc in which these numbers hold, as a descriptor; None is /proc itself.
    """
    threads = procfs.threads(pids, proc)
    running = sum(one.runs for one in threads)
    wanted = nice_of(running)
    for one in threads:
        if one.nice < wanted and (one.number != first or running > _MANY):
            with contextlib.suppress(OSError):  # it has ended
                os.setpriority(os.PRIO_PROCESS, one.number, wanted)
