"""One sandbox of each level for all tests; tests of a level that this machine does not have are
skipped, with the reason.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from grading.engine import sandbox
from helpers.patience import PATIENCE_SECONDS

SAY = """import os

def say(*words):
    os.write(2, (' '.join(map(str, words)) + '\\n').encode())

"""


@pytest.fixture(scope="session")
def boxes() -> Iterator[Callable[[str], sandbox.Sandbox]]:
    opened: dict[str, sandbox.Sandbox | str] = {}

    def box(level: str) -> sandbox.Sandbox:
        if level not in opened:
            try:
                opened[level] = sandbox.open_sandbox(level)
            except sandbox.SandboxError as problem:
                opened[level] = f"level {level} is not available here: {problem}"
        found = opened[level]
        if isinstance(found, str):
            pytest.skip(found)
        return found

    yield box
    for one in opened.values():
        if not isinstance(one, str):
            one.close()


@pytest.fixture
def namespaces(boxes) -> sandbox.Sandbox:
    return boxes("namespaces")


@dataclass
class Running:
    """Code that runs as a sealed module and writes to stderr, which `line` returns line by line."""

    process: sandbox.Process
    fds: list[int] = field(default_factory=list)
    text: bytes = b""

    def line(self) -> str:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while b"\n" not in self.text:
            ready = select.select([self.fds[0]], [], [], max(0, deadline - time.monotonic()))[0]
            data = os.read(self.fds[0], 4096) if ready else b""
            if not data:
                raise AssertionError(f"no line came, {self.process.poll()} {self.process.ended_by}")
            self.text += data
        line, self.text = self.text.split(b"\n", 1)
        return line.decode()

    def close(self) -> None:
        self.process.kill()
        for fd in self.fds:
            os.close(fd)


@pytest.fixture
def run(tmp_path) -> Iterator[Callable[..., Running]]:
    """Start source code in a sandbox: run(box, source, ...)."""
    started = []

    def start(box: sandbox.Sandbox, source: str, **options: object) -> Running:
        package = tmp_path / f"package{len(started)}"
        package.mkdir()
        (package / "student.py").write_text(SAY + source, encoding="utf-8")
        read, write = os.pipe()
        stdin, held = os.pipe()
        try:
            options |= {"package": package, "stdin": stdin, "stderr": write}
            process = box.start("sealed", arguments=["student"], **options)
        finally:
            os.close(write)
            os.close(stdin)
        started.append(Running(process, [read, held]))
        return started[-1]

    yield start
    for one in started:
        one.close()
