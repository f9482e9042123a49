"""The limits of one sandbox."""

from __future__ import annotations

import contextlib
import math
import os
from dataclasses import dataclass

MiB = 2**20
NICE = 1  # of a sandbox: the grader comes first. From here to 19 is the factor of 55 threads


@dataclass(frozen=True)
class SandboxLimits:
    """The limits of one sandbox. A process that reaches one gets an error or is killed; other
    sandboxes are not affected.
    """

    address_space_bytes: int = 2048 * MiB  # for each process; Python raises MemoryError
    # in use by all processes together; the sandbox is killed
    memory_bytes: int = 1024 * MiB
    # used by all processes together, those that have ended included; the sandbox is killed
    cpu_seconds: int = 120
    processes: int = 48  # threads count too; fork fails
    file_bytes: int = 64 * MiB  # for each file; OSError
    open_files: int = 256  # for each process; OSError
    # /tmp with the working directory, and /dev/shm; OSError: no space left
    tmp_bytes: int = 128 * MiB

    def set_rlimits(self) -> None:
        """Set the limits that setrlimit(2) supports for this process and all that it will start,
        and its priority.
        """
        import resource

        with contextlib.suppress(OSError):  # it may be lower already
            os.setpriority(os.PRIO_PROCESS, 0, max(NICE, os.getpriority(os.PRIO_PROCESS, 0)))

        def lower(which: int, value: int) -> None:
            _, hard = resource.getrlimit(which)
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(which, (value, value))

        for name, value in (
            ("AS", self.address_space_bytes),
            ("CPU", self.cpu_seconds),
            ("NPROC", self.processes),
            ("FSIZE", self.file_bytes),
            ("NOFILE", self.open_files),
            ("CORE", 0),
            ("MEMLOCK", 64 * 1024),
            ("MSGQUEUE", 0),
            ("NICE", 0),
        ):
            if hasattr(resource, f"RLIMIT_{name}"):  # macOS has fewer
                with contextlib.suppress(OSError, ValueError):  # macOS refuses RLIMIT_AS
                    lower(getattr(resource, f"RLIMIT_{name}"), value)

    def cpu_ended_by(self, used_seconds: float, own_limit: float) -> str | None:
        """The value of `Process.ended_by` for a process that was killed; None if no limit explains
        it. CPU time is the only one of these limits at which the kernel kills, and a process may
        lower its own limit.

        Args:
            used_seconds: CPU time, with an allowance for inaccurate measurement.
            own_limit: the last known `cpu_limit` of the process.
        """
        ours = min(self.cpu_seconds, cpu_limit())
        if used_seconds < min(ours, own_limit):
            return None
        return "cpu" if own_limit >= ours else "own cpu"


def cpu_limit(pid: int = 0) -> float:
    """Seconds of CPU time at which the kernel kills process `pid` (0: this one); infinite if that
    is unknown.
    """
    import resource

    try:
        _, hard = resource.prlimit(pid, resource.RLIMIT_CPU)
    except (AttributeError, OSError):  # macOS has no prlimit
        return math.inf
    return math.inf if hard == resource.RLIM_INFINITY else hard
