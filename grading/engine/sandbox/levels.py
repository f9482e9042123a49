"""The three levels, and which of them works here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from grading.engine.sandbox import kernelcalls, temporary_folders
from grading.engine.sandbox.base import Sandbox
from grading.engine.sandbox.process import Connected, Process, SandboxError

LEVELS = ("namespaces", "bubblewrap", "limits")


class Namespaces(Sandbox):
    """Forked from a pre-imported parent into user, mount, pid, network, ipc, uts and cgroup
    namespaces.
    """

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
        from grading.engine.sandbox import variables  # what it imports does not exist inside

        folder = str(temporary_folders.make("sandbox"))
        told = {"folder": folder, "owner": os.getpid(), "matplotlib": _matplotlib_cache()}
        parent = self.parent = subprocess.Popen(
            [sys.executable, "-s", "-B", str(Path(__file__).with_name("zygote.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=variables.environment("sealed"),
            cwd="/",
            start_new_session=True,
            text=True,
        )
        assert parent.stdin and parent.stdout and parent.stderr  # all three were opened as pipes
        try:
            parent.stdin.write(json.dumps(told) + "\n")
            parent.stdin.close()
            answer = parent.stdout.readline()
        except OSError:
            answer = ""
        if answer != "ready\n":
            parent.kill()
            why = parent.stderr.read().strip().splitlines()[-1:] or ["it ended"]
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
                if stream:
                    stream.close()
            self.parent = None
            shutil.rmtree(self.folder, ignore_errors=True)


def _matplotlib_cache() -> str | None:
    """Where this user's matplotlib keeps its font list."""
    configured = os.environ.get("MPLCONFIGDIR")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    place = Path(configured) if configured else base / "matplotlib"
    return str(place) if place.is_dir() else None


def classes() -> dict[str, type[Sandbox]]:
    from grading.engine.sandbox.bubblewrap import Bubblewrap
    from grading.engine.sandbox.level_without_isolation import LimitsOnly

    return {"namespaces": Namespaces, "bubblewrap": Bubblewrap, "limits": LimitsOnly}


def open_sandbox(level: str | None = None) -> Sandbox:
    """Open the sandbox of this level, or else of the best level that works on this machine, which
    is found by trying each.

    Raises:
        SandboxError: the requested level does not work here; the message gives the reason.
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
    """Start the smallest program in the sandbox: a sealed worker that imports a module of the
    standard library.
    """
    with temporary_folders.folder("try") as empty:
        into, from_ = os.pipe(), os.pipe()
        try:
            with sandbox.start(
                "sealed",
                arguments=["this_module_does_not_exist"],
                package=empty,
                stdin=into[0],
                stdout=from_[1],
            ) as process:
                os.close(from_[1])
                from_ = (from_[0], -1)
                if not os.read(from_[0], 1):
                    code = process.wait(5)
                    raise SandboxError(f"the test program in the sandbox ended, exit code {code}")
        finally:
            for fd in (*into, *from_):
                if fd >= 0:
                    os.close(fd)


def attach(address: str) -> Sandbox:
    """The sandbox that another process of this user opened; closing it here does nothing."""
    level, _, rest = address.partition(":")
    if level not in LEVELS:
        raise ValueError(f"not the address of a sandbox: {address!r}")
    kind: Any = classes()[level]  # levels that use a folder take it as argument
    return kind(rest) if rest else kind()
