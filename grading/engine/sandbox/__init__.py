"""Runs student code where it can reach nothing and use only so much.

    with sandbox.open_sandbox() as box:  # namespaces, else bubblewrap, else limits only
        process = box.start("sealed", arguments=["tinytorch.core.dataloader"], package=scratch,
                            stdin=..., stdout=...)

`limits` what one may use; `levels` the three ways; `process` the running one. Behind the first
level: `zygote` the pre-imported parent, `supervisor` one sandbox, `tree` its files, `kernelcalls`
and `seccomp` Linux, `cgroup` memory and processes, `programs` what runs inside. Behind the others,
`bubblewrap` and `limits_only`: `spawned` a fresh Python and its watch, `procfs` what /proc says.
`variables` are the environment inside; `provisioner` is for jupyter_client; `probes` try to break
each limit.
"""

from grading.engine.sandbox.levels import LEVELS, Sandbox, attach, open_sandbox
from grading.engine.sandbox.limits import SandboxLimits
from grading.engine.sandbox.process import (
    KILLED_OUTSIDE,
    Connected,
    Process,
    SandboxError,
)

__all__ = [
    "KILLED_OUTSIDE",
    "LEVELS",
    "Connected",
    "Process",
    "Sandbox",
    "SandboxError",
    "SandboxLimits",
    "attach",
    "open_sandbox",
]
