"""The interface of every level of the sandbox."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path

from grading.engine.sandbox.limits import SandboxLimits
from grading.engine.sandbox.process import Process


class Sandbox:
    """A way to run student code. Use it as a context manager; with `attach`, another process of the
    same user can use the same sandbox.
    """

    level: str
    isolated: bool
    address: str

    def start(
        self,
        program: str,
        *,
        arguments: Sequence[str] = (),
        package: Path,
        files: Path | None = None,
        run: Path | None = None,
        shared: Path | None = None,
        limits: SandboxLimits | None = None,
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> Process:
        """Start student code, isolated from everything else. Returns when the isolation is
        complete; the sockets of a kernel exist then.

        Args:
            program: "kernel": IPython on the ipc sockets `run`/k-1 ... k-5, as
                `run`/connection.json says;
                "sealed": tito/contract/worker.py, spoken to over stdin and stdout.
            arguments: "kernel": more options of ipykernel; "sealed": [name to import], and
                perhaps "watched", as tito/contract/worker.py says.
            package: first on sys.path, read-only inside.
            files: a directory whose files and folders are copied into the private working
                directory.
            run: for a kernel: a directory of its own whose path has at most 90 bytes.
            shared: a directory below /tmp that is visible under the same path, with its current
                contents and read-only.
            stdin, stdout, stderr: file descriptors; None is /dev/null.

        Raises:
            SandboxError: it could not be started.
            ValueError: the arguments do not fit together.
        """
        if program not in ("kernel", "sealed"):
            raise ValueError(f'program is "kernel" or "sealed", got {program!r}')
        if (run is None) == (program == "kernel"):
            raise ValueError(
                "a kernel needs `run`, a directory for its sockets; no other program takes it"
            )
        if run is not None and len(os.fsencode(run)) > 90:
            raise ValueError(
                f"the path of a socket has at most 107 bytes; {run} is too long for one in it. Use"
                " a directory in /tmp"
            )
        below_tmp = shared is None or Path(shared).resolve().is_relative_to("/tmp")
        if self.isolated and not below_tmp:
            raise ValueError(f"only a directory below /tmp can be shared, got {shared}")
        places = {"package": package, "files": files, "run": run, "shared": shared}
        request = {
            "program": program,
            "arguments": list(arguments),
            **{name: str(place.resolve()) if place else None for name, place in places.items()},
            "limits": dataclasses.asdict(limits or SandboxLimits()),
        }
        null = os.open(os.devnull, os.O_RDWR)
        try:
            return self._start(
                request, [null if fd is None else fd for fd in (stdin, stdout, stderr)]
            )
        finally:
            os.close(null)

    def _start(self, request: dict, fds: list[int]) -> Process:
        raise NotImplementedError

    @property
    def alive(self) -> bool:
        """Whether `start` can work: False if a process that it needs was killed."""
        return True

    def close(self) -> None:
        """Close everything that was opened; every sandbox that still runs is killed."""

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
