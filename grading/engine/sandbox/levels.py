"""The three levels, and which one works here."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from grading.engine.sandbox import cgroup, kernelcalls
from grading.engine.sandbox.limits import SandboxLimits
from grading.engine.sandbox.process import Connected, Process, SandboxError

LEVELS = ("namespaces", "bubblewrap", "limits")
_FOLDER = "tito-sandbox-"     # then the pid of the engine


class Sandbox:
    """A way to run student code. Use it as a context manager; `attach` gives another process of the same user the same one."""

    level: str
    isolated: bool
    address: str

    def start(self, program: str, *, arguments: Sequence[str] = (), package: Path, files: Path | None = None, run: Path | None = None,
              shared: Path | None = None, limits: SandboxLimits | None = None, stdin: int | None = None, stdout: int | None = None,
              stderr: int | None = None) -> Process:
        """Start student code in walls of its own. Returns when they stand; a kernel's sockets exist then.

        Args:
            program: "kernel": IPython on the ipc sockets `run`/k-1 ... k-5, as `run`/connection.json says;
                "sealed": tito/contract/worker.py, spoken to over stdin and stdout.
            arguments: "kernel": more options of ipykernel; "sealed": [name to import].
            package: first on sys.path, read-only inside.
            files: its regular files are copied into the private working directory.
            run: of a kernel; a directory of its own with a path of at most 90 bytes.
            shared: a directory below /tmp that is seen under the same path, as it is at each moment, and cannot be written to.
            stdin, stdout, stderr: file descriptors; None is /dev/null.

        Raises:
            SandboxError: it could not be started.
            ValueError: arguments that do not fit.
        """
        if program not in ("kernel", "sealed"):
            raise ValueError(f"program is \"kernel\" or \"sealed\", got {program!r}")
        if (run is None) == (program == "kernel"):
            raise ValueError("a kernel needs `run`, a directory for its sockets, and nothing else has one")
        if run is not None and len(os.fsencode(run)) > 90:
            raise ValueError(f"the path of a socket has at most 107 bytes; {run} is too long for one in it. Use a directory in /tmp")
        if shared is not None and self.isolated and not Path(shared).resolve().is_relative_to("/tmp"):
            raise ValueError(f"only a directory below /tmp can be shared, got {shared}")
        request = {"program": program, "arguments": list(arguments), "package": str(Path(package).resolve()),
                   "files": str(Path(files).resolve()) if files else None, "run": str(Path(run).resolve()) if run else None,
                   "shared": str(Path(shared).resolve()) if shared else None, "limits": dataclasses.asdict(limits or SandboxLimits())}
        null = os.open(os.devnull, os.O_RDWR)
        try:
            return self._start(request, [null if fd is None else fd for fd in (stdin, stdout, stderr)])
        finally:
            os.close(null)

    def _start(self, request: dict, fds: list[int]) -> Process:
        raise NotImplementedError

    @property
    def alive(self) -> bool:
        """Whether `start` can work: False when a process that it needs was killed."""
        return True

    def close(self) -> None:
        """End what was opened; every sandbox that still runs is killed."""

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Namespaces(Sandbox):
    """Forked from a pre-imported parent into user, mount, pid, network, ipc, uts and cgroup namespaces."""

    level, isolated = "namespaces", True

    def __init__(self, folder: str | None = None):
        self.parent: subprocess.Popen | None = None
        if folder is None:
            if why := kernelcalls.supported():
                raise SandboxError(why)
            folder = self._start_parent()
        self.folder = Path(folder)
        self.address = f"{self.level}:{folder}"

    @property
    def alive(self) -> bool:
        return self.parent is None or self.parent.poll() is None

    def _start_parent(self) -> str:
        _sweep()
        folder = tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-")
        told = {"folder": folder, "owner": os.getpid(), "matplotlib": _matplotlib_cache()}
        self.parent = subprocess.Popen(
            [sys.executable, "-s", "-B", str(Path(__file__).with_name("zygote.py"))], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=_parent_environment(), cwd="/", start_new_session=True, text=True)
        try:
            self.parent.stdin.write(json.dumps(told) + "\n")
            self.parent.stdin.close()
            answer = self.parent.stdout.readline()
        except OSError:
            answer = ""
        if answer != "ready\n":
            self.parent.kill()
            why = self.parent.stderr.read().strip().splitlines()[-1:] or ["it ended"]
            self.folder = Path(folder)
            self.close()
            raise SandboxError(f"the parent of the sandboxes did not start: {why[0]}")
        return folder

    def _start(self, request: dict, fds: list[int]) -> Process:
        return Connected(self.folder / "s", request, fds)

    def close(self) -> None:
        if self.parent is not None:
            self.parent.terminate()
            try:
                self.parent.wait(20)
            except subprocess.TimeoutExpired:
                self.parent.kill()
                self.parent.wait()
            for stream in (self.parent.stdout, self.parent.stderr):
                stream.close()
            self.parent = None
            shutil.rmtree(self.folder, ignore_errors=True)


def _parent_environment() -> dict[str, str]:
    from grading.engine.sandbox import programs

    return programs.environment("sealed")


def _matplotlib_cache() -> str | None:
    """Where this user's matplotlib keeps its font list."""
    configured = os.environ.get("MPLCONFIGDIR")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = Path(configured) if configured else base / "matplotlib"
    return str(place) if place.is_dir() else None


def _sweep() -> None:
    """Remove what an engine that was killed together with its parent process left."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        owner = folder.name.removeprefix(_FOLDER).split("-")[0]
        with contextlib.suppress(OSError):
            if owner.isdigit() and cgroup.is_gone(int(owner)) and folder.stat().st_uid == os.getuid():
                shutil.rmtree(folder, ignore_errors=True)


def classes() -> dict[str, type[Sandbox]]:
    from grading.engine.sandbox.spawned import Bubblewrap, LimitsOnly

    return {"namespaces": Namespaces, "bubblewrap": Bubblewrap, "limits": LimitsOnly}


def open_sandbox(level: str | None = None) -> Sandbox:
    """Open the sandbox of this level, or the best that works on this machine, found by starting something in each.

    Raises:
        SandboxError: the level that was asked for does not work here; with the reason.
    """
    if level is not None and level not in LEVELS:
        raise ValueError(f"a level is one of {', '.join(LEVELS)}; got {level!r}")
    for name in [level] if level else LEVELS:
        sandbox = None
        try:
            sandbox = classes()[name]()
            try_out(sandbox)
            return sandbox
        except SandboxError:
            if sandbox is not None:
                sandbox.close()
            if level or name == LEVELS[-1]:
                raise
    raise AssertionError


def try_out(sandbox: Sandbox) -> None:
    """Start the smallest thing in it: a sealed worker that imports a module of the standard library."""
    with tempfile.TemporaryDirectory(prefix="tito-try-") as empty:
        into, from_ = os.pipe(), os.pipe()
        try:
            with sandbox.start("sealed", arguments=["this_module_does_not_exist"], package=Path(empty), stdin=into[0],
                               stdout=from_[1]) as process:
                os.close(from_[1])
                from_ = (from_[0], -1)
                if not os.read(from_[0], 1):
                    process.wait(5)
                    raise SandboxError(f"what was started in the sandbox ended at once, exit code {process.returncode}")
        finally:
            for fd in (*into, *from_):
                if fd >= 0:
                    os.close(fd)


def attach(address: str) -> Sandbox:
    """The sandbox that another process of this user opened; closing it here does nothing."""
    level, _, rest = address.partition(":")
    if level not in LEVELS:
        raise ValueError(f"not the address of a sandbox: {address!r}")
    return Namespaces(rest) if level == "namespaces" else classes()[level]()
