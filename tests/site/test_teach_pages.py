"""The commands on the instructor's pages are run in a scratch copy, in order, and their output is
compared with the page.
"""

import doctest
import os
import re
import sys
import urllib.request
from pathlib import Path

import pytest

from helpers.patience import PATIENCE_SECONDS
from helpers.serving import serving
from tito.child_processes import finished

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "site" / "teach"
# Commands that the test does not run: its own environment replaces the installation, and
# tests/grading tests the doctor.
NOT_RUN = (
    "python3 -m venv",
    ".venv/bin/python -m pip",
    ". .venv/bin/activate",
    "tito grade doctor",
)


def commands(page: str) -> list[tuple[str, str]]:
    """(command, its output according to the page) for each `$` line in the page's text blocks."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE):
        for line in block.splitlines(keepends=True):
            if line.startswith("$ "):
                found.append((line[2:].strip(), ""))
            else:
                found[-1] = (found[-1][0], found[-1][1] + line)
    return found


def differs(want: str, got: str) -> str:
    """How the output differs from the page, where `...` stands for anything; empty if it does
    not.
    """
    example, checker = doctest.Example("", want), doctest.OutputChecker()
    if checker.check_output(want, got, doctest.ELLIPSIS):
        return ""
    return checker.output_difference(example, got, doctest.ELLIPSIS)


def run(command: str, place: Path, environment: dict[str, str]) -> str:
    """The standard output of the command followed by its standard error; it must succeed."""
    words = ["sh", "-c", command]
    ended = finished(words, place, environment, timeout_seconds=PATIENCE_SECONDS)
    said = ended.stdout + ended.stderr
    assert ended.returncode == 0, f"`{command}` ended with {ended.returncode}:\n{said}"
    return said


def serve(command: str, place: Path, environment: dict[str, str]) -> str:
    """The output of a server until its address answers; then it is ended."""
    words = ["sh", "-c", f"exec {command}"]
    with (
        serving(words, place, environment, place / "server.log", lines=2) as server,
        urllib.request.urlopen(server.address, timeout=PATIENCE_SECONDS) as answer,
    ):
        assert b"nbgrader" in answer.read()
        return server.printed


@pytest.mark.parametrize(
    "last", [" collect ", pytest.param(None, marks=pytest.mark.long)], ids=["to collect", "all"]
)
def test_without_jupyterhub_every_command_does_what_the_page_says(tmp_path, last):
    """The usual suite runs the commands up to the first `collect`; grading and the rest take a
    minute.
    """
    pytest.importorskip("nbgrader.api", reason="nbgrader is in the extra [instructor]")
    from grading.authoring.demo import set_stage
    from grading.engine.sandbox import open_sandbox

    with open_sandbox() as box:
        if not box.isolated:
            pytest.skip("NOT ISOLATED here: the page's class of two is refused")
    stage = set_stage(ROOT, tmp_path)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    place, environment = stage.workspace, {**stage.environment, "PATH": path}
    told = commands((PAGES / "without_jupyterhub.md").read_text(encoding="utf-8"))
    assert len(told) > 10
    for command, want in told:
        if command.startswith(NOT_RUN):
            continue
        got = (serve if " formgrade " in command else run)(command, place, environment)
        assert not differs(want, got), f"$ {command}\n{differs(want, got)}"
        if last and last in command:
            return
    assert last is None
