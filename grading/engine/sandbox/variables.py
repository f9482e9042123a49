"""The environment variables inside a sandbox, which are set from outside."""

from __future__ import annotations

from grading.engine.sandbox import programs
from tito.child_processes import ONE_THREAD


def environment(program: str, home: str = programs.HOME) -> dict[str, str]:
    """All environment variables that exist inside."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "HOME": home,
        "IPYTHONDIR": f"{home}/.ipython",
        "TMPDIR": "/tmp",
        "MPLCONFIGDIR": f"{home}/.matplotlib",
        **ONE_THREAD,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "NBGRADER_EXECUTION": "autograde",  # as nbgrader sets it
        "MPLBACKEND": programs.BACKENDS[program],
    }
