"""Find out which limits hold on this machine by trying to break each of them in a real sandbox.
Used by `tito grade doctor`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grading.engine.sandbox import attempts_to_break_out, cgroup, file_system, temporary_folders
from grading.engine.sandbox.levels import Sandbox, open_sandbox
from grading.engine.sandbox.limits import MiB, SandboxLimits
from grading.engine.sandbox.process import Process, SandboxError
from tito.errors import EnvironmentBroken
from tito.workspace import find_workspace

LIMITS = SandboxLimits(
    memory_bytes=256 * MiB,
    cpu_seconds=3,
    processes=40,
    file_bytes=8 * MiB,
    open_files=128,
    tmp_bytes=24 * MiB,
)
BUSY = dataclasses.replace(LIMITS, cpu_seconds=60, processes=48)  # for the attempt `neighbor`
# One thread of 45 would keep 4% on two processors; with one weight for each sandbox, a half.
FAIR_SHARE = 0.2
ANSWER_SECONDS = 60


@dataclass(frozen=True)
class Finding:
    """The result of one attempt."""

    level: str
    probe: str
    text: str  # what must not be possible
    held: bool | None  # None: it could not be tried
    detail: str


def probe_level(level: str) -> Iterator[Finding]:
    """Try to break every limit of this level.

    Raises:
        SandboxError: the level cannot be started here.
    """
    with open_sandbox(level) as sandbox, outside(sandbox) as known:
        for name, text in attempts_to_break_out.TEXTS.items():
            held, detail = attempt(sandbox, name, known)
            yield Finding(level, name, text, held, detail)


@contextlib.contextmanager
def outside(sandbox: Sandbox) -> Iterator[dict]:
    """Facts about the outside that an attempt is told: servers to reach, files to read, a secret to
    find.
    """
    secret, abstract = uuid.uuid4().hex, f"tito-doctor-{uuid.uuid4().hex}"
    answers: list[str] = []
    os.environ["TITO_DOCTOR"] = secret
    with contextlib.suppress(EnvironmentBroken):  # there may be no course here
        answers = [str(find_workspace().root / "grading" / "modules")]
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as local,
        tempfile.NamedTemporaryFile("w", prefix="tito-secret-") as file,
    ):
        if sys.platform == "linux":
            local.bind("\0" + abstract)
            local.listen()
        try:
            yield {
                "port": server.getsockname()[1],
                "abstract": abstract,
                "engine": os.getpid(),
                "secret_value": secret,
                "isolated": sandbox.isolated,
                "read_only": ["/usr", sys.prefix, sys.base_prefix],
                "secret": [file.name, "/etc/shadow", str(Path.home()), *answers],
                "share_seconds": 3,
                **dataclasses.asdict(LIMITS),
            }
        finally:
            del os.environ["TITO_DOCTOR"]


def attempt(sandbox: Sandbox, name: str, known: dict) -> tuple[bool | None, str]:
    try:
        if name == "neighbor":
            return _neighbor(sandbox, known)
        with _attempting(sandbox, name, known) as (process, read):
            return _judge(name, process, read)
    except SandboxError as problem:
        return None, str(problem)


@contextlib.contextmanager
def _attempting(sandbox: Sandbox, name: str, known: dict) -> Iterator[tuple[Process, int]]:
    """A sandbox that runs one attempt, and the pipe on which its answer comes."""
    with temporary_folders.folder("doctor") as folder:
        place = Path(attempts_to_break_out.__file__).parent
        shutil.copytree(place, folder / place.name, ignore=shutil.ignore_patterns("__pycache__"))
        # On some machines home is a parent of Python's own directories. Then it may be listed, but
        # shows nothing else.
        known = {**known, "secret": [place for place in known["secret"] if not _on_the_way(place)]}
        text = f"from {place.name} import main\nmain({name!r}, {known!r})\n"
        (folder / "student.py").write_text(text, encoding="utf-8")
        with contextlib.ExitStack() as stack:
            read, write = os.pipe()
            hold, held_open = os.pipe()  # a sealed worker ends when its input is closed
            for end in (read, held_open):
                stack.callback(os.close, end)
            try:
                process = sandbox.start(
                    "sealed",
                    arguments=["student"],
                    package=folder,
                    limits=BUSY if name in ("neighbor", "share") else LIMITS,
                    stdin=hold,
                    stderr=write,
                )
            finally:
                os.close(write)
                os.close(hold)
            yield stack.enter_context(process), read


def _neighbor(sandbox: Sandbox, known: dict) -> tuple[bool | None, str]:
    """Whether a neighbor keeps a fair part of its processor time beside a busy sandbox. The measure
    is what it gets without one, so that whatever else runs here slows both.
    """
    alone = _share(sandbox, known)
    with _attempting(sandbox, "neighbor", known) as (_, busy):
        if _line(busy, time.monotonic() + ANSWER_SECONDS) is None:
            return None, "it did not become busy"
        kept = _share(sandbox, known) / max(alone, 0.01)
    return kept >= FAIR_SHARE, f"the neighbor keeps {kept:.0%} of its processor time"


def _share(sandbox: Sandbox, known: dict) -> float:
    with _attempting(sandbox, "share", known) as (_, read):
        answer = _line(read, time.monotonic() + ANSWER_SECONDS)
        return float(answer[1]) if answer else 0.0


def _on_the_way(place: str) -> bool:
    return any(Path(shared).is_relative_to(place) for shared in file_system.shared_places())


def _judge(name: str, process: Process, read: int) -> tuple[bool | None, str]:
    deadline = time.monotonic() + ANSWER_SECONDS
    if name == "interrupt":
        _line(read, deadline)  # the attempt waits
        process.send_signal(signal.SIGINT)
    answer = _line(read, deadline)
    if answer is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        if process.ended_by:
            return True, f"killed, limit: {process.ended_by}"
        return None, f"no answer, exit code {process.returncode}"
    held, text = answer
    if name == "daemon":
        process.kill()
        gone = _line(read, time.monotonic() + 5) is None and _at_end(read)
        return gone, "killed with the sandbox" if gone else "it lives on"
    return held, text


def _line(read: int, deadline: float) -> list | None:
    """The next answer; None at the end of the pipe or after the deadline. Other lines, which Python
    printed, are ignored.
    """
    data = b""
    while (left := deadline - time.monotonic()) > 0 and select.select([read], [], [], left)[0]:
        byte = os.read(read, 1)
        if not byte:
            return None
        data += byte
        if byte == b"\n":
            with contextlib.suppress(ValueError):
                answer = json.loads(data)
                if isinstance(answer, list):
                    return answer
            data = b""
    return None


def _at_end(read: int) -> bool:
    return bool(select.select([read], [], [], 0)[0]) and os.read(read, 1) == b""


def advice(level: str) -> list[str]:
    """Settings of this machine that keep the level from working, each with the command that
    changes it.
    """

    def setting(path: str) -> str:
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError:
            return ""

    if sys.platform != "linux":
        said = ["only Linux has namespaces; use a virtual machine or container with Linux"]
        return said if level != "limits" else []
    sentences = []
    isolates = level in ("namespaces", "bubblewrap")
    if isolates and os.getuid() != 0:
        if setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
            sentences.append(
                "AppArmor keeps ordinary users from user namespaces: sudo sysctl -w"
                " kernel.apparmor_restrict_unprivileged_userns=0 (bubblewrap alone can be allowed"
                " by a profile: sudo apt install apparmor-profiles)"
            )
        if setting("/proc/sys/kernel/unprivileged_userns_clone") == "0":
            sentences.append(
                "user namespaces are off for ordinary users: sudo sysctl -w"
                " kernel.unprivileged_userns_clone=1"
            )
    if isolates and setting("/proc/sys/user/max_user_namespaces") == "0":
        sentences.append("user namespaces are off: sudo sysctl -w user.max_user_namespaces=15000")
    if level == "bubblewrap" and not shutil.which("bwrap"):
        sentences.append("bubblewrap is not installed: sudo apt install bubblewrap")
    if sentences == [] and level != "limits" and Path("/.dockerenv").exists():
        sentences.append(
            "this is a container: docker run --security-opt seccomp=unconfined --security-opt"
            " systempaths=unconfined ..."
        )
    return sentences


def counted_by() -> str:
    """How memory is counted on this machine, and what would count it better."""
    where = cgroup.available()
    if where:
        return f"control groups, {where}"
    text = (
        "a check every 0.1 s (no control group can be made here): what a sandbox takes and gives"
        " back in between is not seen, and the kernel's own records of its mappings, locks and"
        " files are not counted"
    )
    if shutil.which(cgroup.SCOPE[0]) and Path("/run/systemd/system").is_dir():
        text += f". A control group for a class: {' '.join(cgroup.SCOPE)} tito grade ..."
    return text
