"""Look for what may be wrong outside your code: Python, packages, kernel, terminal, disk, exports.

Each line that reports a problem names its fix. The exit code is 3 when a line says FAIL.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tito import console
from tito.child_processes import finished
from tito.errors import TitoError
from tito.workspace import Module, Workspace, find_workspace

_INSTALL = 'pip install -e ".[notebook]"'  # quotes that every system's shell takes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="one JSON document on stdout, to paste into a question"
    )


def run(args: argparse.Namespace) -> int:
    findings = _findings()
    failed = any(finding.level == "FAIL" for finding in findings)
    if args.json:
        rows = [vars(finding) for finding in findings]
        console.emit("doctor", {"ok": not failed, "findings": rows})
        return 3 if failed else 0
    for finding in findings:
        color = {"ok": "green", "warn": "yellow", "FAIL": "red"}[finding.level]
        level = console.paint(f"{finding.level:<4}", color)
        console.say(f"{level}  {finding.what}: {finding.found}")
        if finding.level != "ok":
            console.say(f"        fix: {finding.fix}")
    repair, none = "Repair what says FAIL, then: tito doctor", "Nothing is wrong. Next: tito"
    console.say(f"\n{repair if failed else none}")
    return 3 if failed else 0


# The checks: one function for each line, with a fix for each problem that it finds


@dataclass(frozen=True)
class Finding:
    """One line of the doctor."""

    level: str  # "ok", "warn" or "FAIL"
    what: str
    found: str
    fix: str = ""


def _findings() -> list[Finding]:
    """Every finding about this machine and the workspace at the current directory."""
    findings = [_python(), *_packages()]
    try:
        workspace = find_workspace()
        modules = workspace.modules()
    except TitoError as problem:
        lost = Finding("FAIL", "workspace", str(problem), "cd into your copy of the course")
        return [*findings, lost]
    findings.append(Finding("ok", "workspace", str(workspace.root)))
    findings += _package(workspace), _kernel(), _encoding(), _disk(workspace), _state(workspace)
    for module in modules:
        findings += _module(module)
    return findings


def _python() -> Finding:
    version = f"{sys.version.split()[0]} at {sys.executable}"
    inside = sys.prefix != sys.base_prefix
    found = version + ("" if inside else ", not in an environment of its own")
    repair = f"{_environment()}, then {_INSTALL}"
    return Finding("ok" if inside else "warn", "python", found, repair)


def _environment() -> str:
    """The commands that make an environment and activate it, in this system's shell."""
    if os.name == "nt":
        return "python -m venv .venv, then .venv\\Scripts\\activate"
    return "python3 -m venv .venv, then . .venv/bin/activate"


def _packages() -> Iterator[Finding]:
    for name, level, needed in (
        ("numpy", "FAIL", "everything"),
        ("pytest", "FAIL", "tito test"),
        ("jupyterlab", "warn", "tito start"),
        ("ipykernel", "warn", "notebooks"),
        ("jupytext", "warn", "opening the .py as a notebook"),
        ("matplotlib", "warn", "plots"),
    ):
        there = find_spec(name) is not None  # not imported: some packages take seconds to import
        state = "installed" if there else f"missing; needed for {needed}"
        yield Finding("ok" if there else level, name, state, _INSTALL)


def _package(workspace: Workspace) -> Finding:
    name = workspace.package.name
    command = [sys.executable, "-c", f"import {name}; print({name}.__file__)"]
    try:
        done = finished(command, workspace.root / "modules", os.environ, timeout_seconds=30)
    except OSError as problem:
        said = f"{sys.executable} cannot be started: {problem.strerror}"
        again = f"make a new environment: {_environment()}, then {_INSTALL}"
        return Finding("FAIL", "python", said, again)
    except subprocess.TimeoutExpired:
        said, repair = "importing it takes more than 30 s", "look for a loop at the top of a file"
        return Finding("FAIL", name, said, f"{repair} in {name}/")
    repair = f"cd {workspace.root} && {_INSTALL}"
    if done.returncode:
        said = done.stderr.strip() or "cannot be imported"
        return Finding("FAIL", name, said.splitlines()[-1], repair)
    place = Path(done.stdout.strip()).resolve()
    mine = place.is_relative_to(workspace.root.resolve())
    where = f"imported from {place.parent}" + ("" if mine else ", which is not this workspace")
    return Finding("ok" if mine else "FAIL", name, where, repair)


def _kernel() -> Finding:
    """The kernel a notebook gets when it asks for python3, without starting Jupyter."""
    repair = f"{sys.executable} -m ipykernel install --sys-prefix"
    for folder in _kernel_folders():
        spec = folder / "python3" / "kernel.json"
        try:
            program = json.loads(spec.read_text(encoding="utf-8"))["argv"][0]
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            return Finding("warn", "kernel", f"{spec} is damaged", repair)
        python = shutil.which(program) or program
        # ipykernel writes `python` alone for "the Python that Jupyter runs on".
        same = program in ("python", "python3") or (
            os.path.realpath(python) == os.path.realpath(sys.executable)
            and Path(python).parent == Path(sys.executable).parent
        )
        said = f"python3 runs {program}" + ("" if same else f", but tito runs {sys.executable}")
        return Finding("ok" if same else "FAIL", "kernel", said, repair)
    none = "no kernel named python3 is registered"
    return Finding("warn", "kernel", none, f"{_INSTALL}, then {repair}")


def _kernel_folders() -> list[Path]:
    """Where Jupyter looks for kernels, in its order; nowhere without Jupyter."""
    try:
        from jupyter_core.paths import jupyter_path
    except ImportError:
        return []
    return [Path(folder) for folder in jupyter_path("kernels")]


def _encoding() -> Finding:
    encoding = (sys.stdout.encoding or "unknown").lower()
    utf8 = encoding.replace("-", "") == "utf8"
    found = f"encoding {encoding}" + ("" if utf8 else ": marks are shown as [ok] and [x]")
    return Finding("ok" if utf8 else "warn", "terminal", found, "set PYTHONUTF8=1")


def _disk(workspace: Workspace) -> Finding:
    free = shutil.disk_usage(workspace.root).free
    level = "FAIL" if free < 20e6 else "warn" if free < 1e9 else "ok"
    repair = f"free some space; old copies lie in {workspace.backups}"
    return Finding(level, "disk", f"{free / 1e9:.1f} GB free", repair)


def _state(workspace: Workspace) -> Finding:
    place = workspace.state_dir if workspace.state_dir.exists() else workspace.root
    ok = os.access(place, os.W_OK)
    said = f"{place} can {'' if ok else 'not '}be written"
    return Finding("ok" if ok else "FAIL", "folder", said, f"chmod u+w {place}")


def _module(module: Module) -> Iterator[Finding]:
    from tito.notebook.reset_notebook import missing
    from tito.student_work.exporter import is_generated
    from tito.student_work.read_progress import progress

    row = progress(module)
    if row.problem:
        lines = row.problem.splitlines()
        yield Finding("FAIL", module.name, lines[0], lines[-1])
    elif row.exported == "behind the notebook":
        said = f"{module.export} is older than the notebook"
        yield Finding("warn", module.name, said, f"tito export {module.number}")
    elif module.export_path.exists() and not is_generated(module.export_path):
        said = f"{module.export} was not written by tito export"
        yield Finding("warn", module.name, said, "move it away, then export")
    elif problem := missing(module):
        what, _, repair = problem.rpartition(". ")
        yield Finding("warn", module.name, f"{what}, so tito reset cannot restore it", repair)
    else:
        yield Finding("ok", module.name, f"{row.state}, exported: {row.exported}")
