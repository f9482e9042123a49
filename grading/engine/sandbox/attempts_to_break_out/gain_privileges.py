"""Attempts to gain a privilege."""

from __future__ import annotations

import os
import pathlib
import resource
import subprocess
import sys

from .all_attempts import Held, Wanted, all_refused, call, must_not, refused


@must_not("make a user namespace")
def user_namespace(wanted: Wanted) -> Held:
    """Tried in a child, because a process with threads may never make a user namespace."""
    pid = os.fork()
    if pid == 0:
        os._exit(refused(call, "unshare", 0x10000000)[0])
    held = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1
    return held, "refused" if held else "made one"


@must_not("mount a file system")
def mount(wanted: Wanted) -> Held:
    """Mount a file system type that does not exist: with the right to mount, the error is ENODEV;
    without it, EPERM.
    """
    try:
        call("mount", b"none", b"/tmp", b"tito-no-such-type", 0, None)
    except OSError as problem:
        return problem.errno == 1, problem.strerror
    return False, "mounted"


@must_not("trace a process")
def ptrace(wanted: Wanted) -> Held:
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    try:
        return refused(call, "ptrace", 16, child.pid, None, None)  # PTRACE_ATTACH
    finally:
        child.kill()


@must_not("have or gain a privilege")
def capabilities(wanted: Wanted) -> Held:
    status = dict(
        line.split(":\t", 1)
        for line in pathlib.Path("/proc/thread-self/status").read_text().splitlines()
        if ":\t" in line
    )
    have = [name for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb") if int(status[name], 16)]
    if have or status["NoNewPrivs"] != "1":
        return False, f"has {' '.join(have) or 'no capability'}, NoNewPrivs {status['NoNewPrivs']}"
    return all_refused(
        [
            ("setuid", os.setuid, 0 if os.getuid() else 1),
            ("chroot", os.chroot, "/tmp"),
            ("limits", _raise_limit),
        ]
    )


def _raise_limit() -> None:
    try:
        resource.setrlimit(resource.RLIMIT_NPROC, (10**4, 10**4))
    except ValueError as problem:
        raise OSError(1, str(problem)) from None
