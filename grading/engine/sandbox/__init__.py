"""Runs student code isolated from the machine and within limits.

    with sandbox.open_sandbox() as box:  # namespaces, else bubblewrap, else limits only
        process = box.start("sealed", arguments=["tinytorch.core.dataloader"], package=scratch,
                            stdin=..., stdout=...)

`limits` holds the limits of a sandbox, `levels` the three levels, and `process` a running sandbox.
The level `namespaces` uses `zygote` (the pre-imported parent), `supervisor` (one sandbox),
`file_system` (its files), `kernelcalls` and `seccomp` (Linux calls), `cgroup` (memory and
processes) and `programs` (the code that runs inside). `bubblewrap` and `level_without_isolation`
use `spawned` (a fresh Python and the thread that watches it) and `procfs` (facts from /proc).
`variables` is the environment inside; `provisioner` is for jupyter_client; `doctor_probes` tries to
break each limit.
"""

from grading.engine.sandbox import temporary_folders
from grading.engine.sandbox.levels import LEVELS, Sandbox, attach, classes, open_sandbox
from grading.engine.sandbox.limits import SandboxLimits
from grading.engine.sandbox.process import KILLED_OUTSIDE, Connected, Process, SandboxError

__all__ = [
    "KILLED_OUTSIDE",
    "LEVELS",
    "Connected",
    "Process",
    "Sandbox",
    "SandboxError",
    "SandboxLimits",
    "attach",
    "classes",
    "open_sandbox",
    "temporary_folders",
]
