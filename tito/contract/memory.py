"""The memory of a process, read from outside, so that code in the process cannot falsify it."""

import contextlib
import hashlib
import os
import subprocess
import sys


def peak_bytes(pid: int | None = None) -> int:
    """The largest resident memory, in bytes, of process `pid` (default: this process) since its
    start, or since `forget_peak`.

    Linux: VmHWM of proc_pid_status(5). macOS: ru_maxrss for this process; for another process its
    current resident memory. Windows: this process only.
    """
    if sys.platform == "linux":
        with open(f"/proc/{pid or 'self'}/status", encoding="ascii", errors="replace") as file:
            # a zombie process has no such line
            return next(
                (int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:")), 0
            )
    if sys.platform == "win32":
        return _peak_working_set()
    if pid is None:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    command = ["ps", "-o", "rss=", "-p", str(pid)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return int(said or 0) * 1024


class Generators:
    """The global random generators of process `pid`: NumPy's legacy one and Python's `random`.
    Linux only.

    Args:
        places: what `proxy.generator_places` returned in that process, before any code under test
            ran.

    Raises:
        OSError: this system does not let one process read the other.
    """

    WORDS_BYTES, POSITION_BYTES = 624 * 4, 4  # of a Mersenne Twister

    def __init__(self, pid: int, places: list[list[int]]):
        self.places = places
        # Opened now and kept open, so that the process cannot deny access later.
        self.file = os.open(f"/proc/{pid}/mem", os.O_RDWR | os.O_CLOEXEC)
        try:
            self.stir()
        except OSError:
            self.close()
            raise

    def stir(self) -> None:
        """Put both generators in a random state. Without this, code that sets the same seed again
        would leave the state as it was, and the digest would not change.
        """
        for words, _ in self.places:
            os.pwrite(self.file, os.urandom(self.WORDS_BYTES), words)

    def digest(self) -> str:
        """A hash of both states: it changes whenever a number is drawn or a seed is set."""
        hashed = hashlib.sha256()
        for words, position in self.places:
            hashed.update(os.pread(self.file, self.WORDS_BYTES, words))
            hashed.update(os.pread(self.file, self.POSITION_BYTES, position))
        return hashed.hexdigest()

    def close(self) -> None:
        os.close(self.file)


def forget_peak(pid: int | None = None) -> None:
    """Reset the peak to what the process holds now, where the system can: it may have held more."""
    if sys.platform == "linux":
        with (
            contextlib.suppress(OSError),
            open(f"/proc/{pid or 'self'}/clear_refs", "w", encoding="ascii") as file,
        ):
            file.write("5")


def _peak_working_set() -> int:
    """PROCESS_MEMORY_COUNTERS.PeakWorkingSetSize, psapi.h."""
    import ctypes

    names = ("PeakWorkingSetSize", "WorkingSetSize", "a", "b", "c", "d", "e", "f")

    class Counters(ctypes.Structure):
        _fields_ = [("cb", ctypes.c_uint32), ("faults", ctypes.c_uint32)] + [
            (name, ctypes.c_size_t) for name in names
        ]

    counters = Counters()
    counters.cb = ctypes.sizeof(counters)
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined]  # on Windows only
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    kernel.K32GetProcessMemoryInfo.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32]
    kernel.K32GetProcessMemoryInfo(kernel.GetCurrentProcess(), ctypes.byref(counters), counters.cb)
    return counters.PeakWorkingSetSize
