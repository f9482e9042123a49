"""A server that prints its address: started, waited for, and ended."""

from __future__ import annotations

import contextlib
import re
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from helpers.patience import PATIENCE_SECONDS, until


@dataclass(frozen=True)
class Server:
    """A server that answers: its address with the token, and the lines in which it printed it."""

    address: str
    printed: str


@contextlib.contextmanager
def serving(
    words: Sequence[str], place: Path, environment: Mapping[str, str], log: Path, *, lines: int = 1
) -> Iterator[Server]:
    """The server, from when its address answers. It prints the address in one of so many lines;
    `log` gets what it writes to stderr.
    """
    with (
        log.open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            words,
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
        ) as server,
    ):
        try:
            printed = "".join(server.stdout.readline() for _ in range(lines))
            found = re.search(r"http://\S+", printed)
            assert found, printed + log.read_text(encoding="utf-8", errors="replace")[-3000:]
            until(lambda: server.poll() is not None or answers(found.group()))
            yield Server(found.group(), printed)
        finally:
            end(server)


def end(server: subprocess.Popen) -> None:
    """Let the server end what it started, and end it itself if it does not."""
    server.terminate()
    try:
        server.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def answers(address: str) -> bool:
    """Whether a server answers there."""
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE_SECONDS):
            return True
    except OSError:  # urllib's own errors are subclasses
        return False
