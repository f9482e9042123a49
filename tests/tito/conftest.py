"""The course of `adder_course` in a folder of its own."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from adder_course import CONTRACT, TOML, Course, starter_cells

from tito.notebook.cells import cells_of, code_hash

REPO = Path(__file__).resolve().parents[2]


@pytest.fixture
def course(tmp_path, monkeypatch):
    root = tmp_path / "course"
    folder = root / "modules" / "07_adder"
    (folder / "tests").mkdir(parents=True)
    (folder / ".starter").mkdir()
    (root / "tinytorch" / "core").mkdir(parents=True)
    for name in ("tinytorch/__init__.py", "tinytorch/core/__init__.py"):
        (root / name).touch()
    shutil.copy(REPO / "tinytorch" / "testing.py", root / "tinytorch" / "testing.py")
    (folder / "module.toml").write_text(TOML, encoding="utf-8")
    (folder / "tests" / "test_adder.py").write_text(CONTRACT, encoding="utf-8")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": starter_cells(), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    released = {"released": code_hash(cells_of(notebook))}
    notebook["metadata"] = {"kernelspec": kernel, "tito": released}
    text = json.dumps(notebook, indent=1) + "\n"
    for path in (folder / "adder_dev.ipynb", folder / ".starter" / "adder_dev.ipynb"):
        path.write_text(text, encoding="utf-8", newline="\n")
    monkeypatch.chdir(root)
    monkeypatch.delenv("TITO_WORKSPACE", raising=False)
    return Course(root)


@pytest.fixture
def paired(course):
    """The course with the .py beside the .ipynb."""
    from tito.notebook.pair import script_of

    course.module.script.write_text(script_of(course.module), encoding="utf-8", newline="\n")
    return course


@pytest.fixture
def tito(capsys, course):
    """Run `tito WORDS` here and return (exit code, stdout, stderr)."""
    from tito.cli import main

    def run(*words):
        capsys.readouterr()
        code = main(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def start_verb(course):
    """start_verb("test", "07") starts the verb in a process of its own, which says "ready" first.

    A background job of a shell ignores Ctrl-C, and so do the processes that it starts. The handler
    makes this process react to it again.
    """
    program = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from"
        " tito.cli import main; print('ready', flush=True); sys.exit(main(sys.argv[1:]))"
    )

    def start(*words):
        command, pipe = [sys.executable, "-c", program, *words], subprocess.PIPE
        process = subprocess.Popen(command, cwd=course.root, stdout=pipe, stderr=pipe, text=True)
        process.stdout.readline()
        return process

    return start
