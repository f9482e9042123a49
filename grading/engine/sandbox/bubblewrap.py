"""The level `bubblewrap`: a program that may make namespaces sets up the isolation."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from grading.engine.sandbox import cgroup, file_system, procfs, programs, seccomp, variables
from grading.engine.sandbox.base import Sandbox
from grading.engine.sandbox.limits import SandboxLimits
from grading.engine.sandbox.process import Process, SandboxError
from grading.engine.sandbox.spawned import Command, Spawned


class Bubblewrap(Sandbox):
    """Uses https://github.com/containers/bubblewrap, for machines on which it may make namespaces
    and we may not.
    """

    level, isolated, address = "bubblewrap", True, "bubblewrap:"

    def __init__(self) -> None:
        bwrap = shutil.which("bwrap")
        if not bwrap:
            raise SandboxError(
                "bubblewrap is not installed; on Debian and Ubuntu: sudo apt install bubblewrap"
            )
        self.bwrap = bwrap
        self.groups = cgroup.Groups.of_this_process()

    def _start(self, request: dict, fds: list[int]) -> Process:
        group = self.groups.new(SandboxLimits(**request["limits"])) if self.groups else None
        inside = {
            **request,
            "package": programs.PACKAGE,
            "files": "/files" if request["files"] else None,
            "work": programs.WORK,
            "run": programs.RUN if request["run"] else None,
            "host_run": request["run"],
        }
        read, write = os.pipe()
        try:
            # bubblewrap opens the loopback; what TCP holds there, only version 2 counts as memory
            ipv4 = self.groups is not None and self.groups.version == 2
            os.write(write, seccomp.program(ipv4=ipv4))
            os.close(write)
            words = [self.bwrap, *_walls(request), "--seccomp", str(read), "--"]
            words += [sys.executable, "-s", "-B", "/tito/grading/engine/sandbox/programs.py"]
            command = Command(
                words, procfs.descendants, pass_fds=(read,), group=group, files_in_memory=True
            )
            return Spawned(command, inside, fds)
        finally:
            os.close(read)


def _walls(request: dict) -> list[str]:
    """The arguments of bwrap(1). bubblewrap builds the same file system as `file_system`."""
    tmp = request["limits"]["tmp_bytes"]
    here = Path(__file__).resolve().parent
    walls = (
        "--unshare-user --unshare-all --disable-userns --die-with-parent --new-session --as-pid-1"
        " --cap-drop ALL --uid 1000 --gid 1000 --hostname sandbox --clearenv"
    ).split()
    for name, value in variables.environment(request["program"]).items():
        walls += ["--setenv", name, value]
    for place in file_system.SYSTEM:
        if os.path.islink(place):
            walls += ["--symlink", os.readlink(place), place]
    for name in (*file_system.ETC, "hosts"):
        walls += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    walls += ["--ro-bind", str(here), "/tito/grading/engine/sandbox"]
    walls += ["--ro-bind", str(here.parents[2] / "tito/contract"), "/tito/tito/contract"]
    walls += ["--ro-bind", request["package"], programs.PACKAGE]
    walls += "--proc /proc --dev /dev".split()
    for name, other in file_system.NEVER_MAPPED.items():
        walls += ["--dev-bind", f"/dev/{other}", f"/dev/{name}"]
    walls += f"--size {tmp} --tmpfs /dev/shm --remount-ro /dev --size {tmp} --tmpfs /tmp".split()
    walls += ["--dir", programs.WORK, "--dir", programs.HOME]
    for place in file_system.shared_places():  # after /tmp, because a venv may be below it
        walls += ["--ro-bind", place, place]
    if request["files"]:
        walls += ["--ro-bind", request["files"], "/files"]
    if request["shared"]:
        walls += ["--ro-bind", request["shared"], request["shared"]]
    if request["run"]:
        walls += ["--bind", request["run"], programs.RUN]
    return [*walls, "--remount-ro", "/"]
