"""The number of threads with which NumPy's linear algebra library computes."""

from __future__ import annotations

import ctypes
import os

ONE_THREAD = (
    "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS VECLIB_MAXIMUM_THREADS"
    " NUMEXPR_NUM_THREADS"
).split()
_OPENBLAS = (
    "scipy_openblas_set_num_threads64_ scipy_openblas_set_num_threads"
    " openblas_set_num_threads64_ openblas_set_num_threads"
).split()


def one_thread() -> None:
    """Let linear algebra compute with one thread from now on, in this process and in those that it
    starts. A user who has set another number of threads in the environment keeps it.
    """
    if any(os.environ.get(name, "1") != "1" for name in ONE_THREAD):
        return
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    _one_blas_thread()


def _one_blas_thread() -> None:
    """Set OpenBLAS to one thread, where it is found. A forked worker has already loaded its linear
    algebra library, which no longer reads the environment variables.
    """
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            libraries = {line.split(maxsplit=5)[5].strip() for line in file if "openblas" in line}
        for path in libraries:
            library = ctypes.CDLL(path)
            for name in _OPENBLAS:
                if hasattr(library, name):
                    getattr(library, name)(1)
                    break
    except OSError:  # no such file: not Linux, and spawn is the way to start there
        pass
