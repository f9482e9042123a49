"""This checkout and this machine: what every benchmark prints of them, and how it reads the time.

The processes that measure a loader import this file too, so it imports nothing of the course.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import time
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]


def about() -> str:
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


def load() -> str:
    """How many programs wanted a core in the last minute: results from a busy machine are not
    valid.
    """
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def children_seconds() -> float:
    """Seconds of the processors, of the processes that this one started and that have ended."""
    import resource  # not on Windows

    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


def cpu_seconds() -> float:
    """Seconds of the processors, of this process and of its workers that have ended."""
    return time.process_time() + children_seconds()


CLOCKS = {"wall": time.perf_counter, "cpu": cpu_seconds}


def import_file(path: Path) -> ModuleType:
    """Import a file that is in no package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
