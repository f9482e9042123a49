"""The command line tito, run for a notebook: as a process, as in a terminal. In the browser, where
there are no processes, it runs in this one. This package does not import it.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

IN_THE_BROWSER = sys.platform == "emscripten"
TEST_SECONDS = 600.0  # `tito test` has limits of its own, and names the cell that never ends


class Said(NamedTuple):
    """What tito wrote."""

    stdout: str
    stderr: str


def tito(words: list[str], seconds: float) -> Said:
    """Run `tito WORDS`.

    Raises:
        subprocess.TimeoutExpired: there is no answer within `seconds`; in the browser there is no
            limit.
    """
    if IN_THE_BROWSER:
        return _here(words)
    done = subprocess.run(
        [sys.executable, "-m", "tito", *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
        timeout=seconds,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"},
    )
    return Said(done.stdout, done.stderr)


def _here(words: list[str]) -> Said:
    output, errors, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["tito", *words]
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            runpy.run_module("tito", run_name="__main__")
    except SystemExit:  # how a command line ends
        pass
    except ImportError as problem:
        errors.write(str(problem))
    finally:
        sys.argv = before
    return Said(output.getvalue(), errors.getvalue())


def words_of(line: str, magic: str) -> list[str] | None:
    """The words of a magic's line; None, after a sentence, where a quotation mark is open."""
    try:
        return shlex.split(line, comments=True)
    except ValueError as problem:
        print(f"{magic} cannot read {line.strip()!r}: {problem}")
        return None


def test(line: str) -> None:
    """Run the public tests of an exercise on the notebook as you saved it (Ctrl-S).

    %test 3a               the tests of exercise 3a: its cell, and those on the exported package
    %test 3a --laws        the laws themselves, one for each promise
    %test                  all tests of this notebook's module
    """
    words = words_of(line, "%test")
    if words is None:
        return
    shown = ["--laws"] if "--laws" in words else []
    *module, part = [word for word in words if word not in shown] or [""]
    here = Path.cwd()
    if not module and (here / "module.toml").is_file():
        module = [here.name]
    try:
        picked = ["-k", part] if part else []
        said = tito(["test", *module, *picked, *shown], TEST_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"tito test gave no answer in {TEST_SECONDS:.0f} s; try it in a terminal")
        return
    print(in_a_cell(said.stdout + said.stderr).rstrip())


def in_a_cell(text: str) -> str:
    """What tito wrote, with a notebook's own commands where there are some."""
    text = re.sub(r"tito test \S+( -k)?", "%test", text)
    text = re.sub(r"^(next: )(?=tito (?!hint))", r"\1in a terminal: ", text, flags=re.MULTILINE)
    return text.replace("tito hint", "%hint")
