"""The level without isolation: only limits, and a thread that watches what no limit covers."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import uuid
from pathlib import Path

from grading.engine.sandbox import procfs, programs, temporary_folders, variables
from grading.engine.sandbox.base import Sandbox
from grading.engine.sandbox.process import Process
from grading.engine.sandbox.spawned import Command, Spawned

_MARK = "TITO_SANDBOX"


class LimitsOnly(Sandbox):
    """Limits of setrlimit(2), a process group, and a thread that watches memory; all files and the
    network stay accessible.
    """

    level, isolated = "limits", False

    def __init__(self, folder: str | None = None):
        self.opened = folder is None  # whether this process made the folder and has to remove it
        self.folder = Path(folder or temporary_folders.make("sandbox"))
        self.address = f"{self.level}:{self.folder}"

    def close(self) -> None:
        if self.opened:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, request: dict, fds: list[int]) -> Process:
        # inside the engine's folder, because the process that started this may be killed before it
        # removes its own
        folder = Path(tempfile.mkdtemp(prefix="work-", dir=self.folder))
        work, home, mark = folder / "work", folder / "home", uuid.uuid4().hex
        work.mkdir()
        if request["files"]:
            programs.copy_files(request["files"], str(work))
        request = {
            **request,
            "files": None,
            "work": str(work),
            "host_run": request["run"],
            "die_with_parent": os.getpid(),
        }
        environment = {
            **variables.environment(request["program"], str(home)),
            "TMPDIR": str(folder),
            _MARK: mark,
        }
        command = Command(
            [sys.executable, "-s", "-B", programs.__file__],
            lambda pid: procfs.marked(f"{_MARK}={mark}", pid),
            environment,
            after=lambda: shutil.rmtree(folder, ignore_errors=True),
        )
        return Spawned(command, request, fds)
