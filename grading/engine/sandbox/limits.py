"""What one sandbox may use at most."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass

MiB = 2**20


@dataclass(frozen=True)
class SandboxLimits:
    """The limits of one sandbox; a process that meets one gets an error or is killed, and nobody
    else notices.
    """

    address_space_bytes: int = 2048 * MiB  # of each process; Python sees MemoryError
    # in use, of all processes together; the sandbox is killed
    memory_bytes: int = 1024 * MiB
    cpu_seconds: int = 120  # of each process; it is killed
    processes: int = 48  # threads count; fork fails
    file_bytes: int = 64 * MiB  # of each file; OSError
    open_files: int = 256  # of each process; OSError
    # /tmp with the working directory, and /dev/shm; OSError: no space left
    tmp_bytes: int = 128 * MiB

    def set_rlimits(self) -> None:
        """Put the limits that setrlimit(2) knows on this process and all it will start."""
        import resource

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
        ):
            if hasattr(resource, f"RLIMIT_{name}"):  # macOS has fewer
                with contextlib.suppress(OSError, ValueError):  # macOS refuses RLIMIT_AS
                    lower(getattr(resource, f"RLIMIT_{name}"), value)

    def cpu_ended_by(self, used_seconds: float, own_limit: float) -> str | None:
        """What `Process.ended_by` says of a process that was killed; None when no limit explains
        it. Of all limits the kernel kills at this one alone, and a process may lower its own.

        Args:
            used_seconds: processor time, with an allowance for how roughly it was measured.
            own_limit: the `cpu_limit` that the process had at last.
        """
        ours = min(self.cpu_seconds, cpu_limit())
        if used_seconds < min(ours, own_limit):
            return None
        return "cpu" if own_limit >= ours else "own cpu"


def cpu_limit(pid: int = 0) -> float:
    """Seconds of processor time at which the kernel kills process `pid` (0: this one); infinite
    where that is not known.
    """
    import resource

    try:
        _, hard = resource.prlimit(pid, resource.RLIMIT_CPU)
    except (AttributeError, OSError):  # macOS has no prlimit
        return math.inf
    return math.inf if hard == resource.RLIM_INFINITY else hard
