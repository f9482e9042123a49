"""A kernel provisioner for jupyter_client: every notebook kernel of this process starts in a
sandbox.

    provisioner.register()
    name = provisioner.write_kernel_spec(folder, address=box.address, package=scratch)
    # then JUPYTER_PATH=folder, and c.Execute.kernel_name = name

https://jupyter-client.readthedocs.io/en/stable/provisioning.html
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import shutil
import signal
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from jupyter_client.provisioning import KernelProvisionerBase, KernelProvisionerFactory
from traitlets import Dict, Unicode

from grading.engine.sandbox import levels, programs, temporary_folders
from grading.engine.sandbox.limits import SandboxLimits
from grading.engine.sandbox.process import Process

NAME = "tito-sandbox"


def register() -> None:
    """Register the provisioner with jupyter_client in this process; an entry point would need an
    installed package.
    """
    factory = KernelProvisionerFactory.instance()
    factory.provisioners[NAME] = EntryPoint(
        NAME, f"{__name__}:SandboxProvisioner", KernelProvisionerFactory.GROUP_NAME
    )


def write_kernel_spec(
    folder: Path,
    *,
    address: str,
    package: Path,
    files: Path | None = None,
    limits: SandboxLimits | None = None,
) -> str:
    """Write `folder`/kernels/NAME/kernel.json and return NAME, the name of the kernel."""
    config = {
        "address": address,
        "package": str(package),
        "files": str(files or ""),
        "limits": dataclasses.asdict(limits or SandboxLimits()),
    }
    spec = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3 (sandbox)",
        "language": "python",
        "metadata": {"kernel_provisioner": {"provisioner_name": NAME, "config": config}},
    }
    place = Path(folder, "kernels", NAME)
    place.mkdir(parents=True, exist_ok=True)
    (place / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    return NAME


class SandboxProvisioner(KernelProvisionerBase):
    """Starts the kernel of a manager with `Sandbox.start`."""

    # the parameters of `write_kernel_spec`; `files` is empty for none
    address = Unicode().tag(config=True)
    package = Unicode().tag(config=True)
    files = Unicode().tag(config=True)
    limits = Dict().tag(config=True)

    process: Process | None = None
    run: str | None = None
    # How the last kernel ended, so that the reason is known after the manager has cleaned up.
    ended_by: str | None = None
    returncode: int | None = None
    peak_memory_bytes: int | None = None

    @property
    def has_process(self) -> bool:
        return self.process is not None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Give the manager ipc sockets with short absolute paths; by default it would make them in
        the working directory.
        """
        manager: Any = self.parent
        if self.run is None:
            self.run = str(temporary_folders.make("k"))
            manager.transport, manager.ip = "ipc", os.path.join(self.run, programs.SOCKETS)
            manager.connection_file = os.path.join(self.run, programs.CONNECTION_FILE)
        for argument in ("extra_arguments", "transport_encryption"):
            # the sockets are files that only this user can reach
            kwargs.pop(argument, None)
        manager.write_connection_file()
        self.connection_info = manager.get_connection_info()
        return await super().pre_launch(cmd=list(self.kernel_spec.argv), **kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        assert self.run  # pre_launch made it
        self.process = levels.attach(self.address).start(
            "kernel",
            package=Path(self.package),
            files=Path(self.files) if self.files else None,
            run=Path(self.run),
            limits=SandboxLimits(**self.limits),
        )
        return self.connection_info

    async def poll(self) -> int | None:
        if self.process is None:
            return 0
        code = self.process.poll()
        if code is not None:
            self._note()
        return code

    async def wait(self) -> int | None:
        while (code := await self.poll()) is None:
            await asyncio.sleep(0.01)
        self.process = None
        return code

    async def send_signal(self, signum: int) -> None:
        if self.process is not None:
            self.process.send_signal(signum)

    async def kill(self, restart: bool = False) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)

    async def terminate(self, restart: bool = False) -> None:
        await self.kill(restart)

    async def cleanup(self, restart: bool = False) -> None:
        if self.process is not None:
            self.process.kill()
            self._note()
            self.process = None
        if self.run is not None and not restart:
            shutil.rmtree(self.run, ignore_errors=True)
            self.run = None

    def _note(self) -> None:
        if self.process is not None:
            self.returncode, self.ended_by = self.process.returncode, self.process.ended_by
            self.peak_memory_bytes = self.process.peak_memory_bytes

    def get_shutdown_wait_time(self, recommended: float = 5.0) -> float:
        return min(recommended, 0.5)  # nothing in a sandbox is worth waiting for

    async def get_provisioner_info(self) -> dict[str, Any]:
        pid = self.process.pid if self.process else None
        return {**await super().get_provisioner_info(), "pid": pid}
