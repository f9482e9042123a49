"""The checks of `tito doctor`: one function for each line, with a fix for each problem it finds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tito.errors import TitoError
from tito.workspace import Module, Workspace, find_workspace

_INSTALL = 'pip install -e ".[notebook]"'  # quotes that every system's shell takes


@dataclass(frozen=True)
class Finding:
    """One line of the doctor."""

    level: str  # "ok", "warn" or "FAIL"
    what: str
    found: str
    fix: str = ""


def diagnose() -> list[Finding]:
    """Every finding about this machine and the workspace at the current directory."""
    findings = [_python(), *_packages()]
    try:
        workspace = find_workspace()
        modules = workspace.modules()
    except TitoError as problem:
        return [
            *findings,
            Finding("FAIL", "workspace", str(problem), "cd into your copy of the course"),
        ]
    findings += [
        Finding("ok", "workspace", str(workspace.root)),
        _tinytorch(workspace),
        _kernel(),
        _encoding(),
        _disk(workspace),
        _state(workspace),
    ]
    for module in modules:
        findings += _module(module)
    return findings


def _python() -> Finding:
    found = f"{sys.version.split()[0]} at {sys.executable}"
    if sys.version_info < (3, 10):  # noqa: UP036 - only pip refuses an older Python, a clone does not
        return Finding("FAIL", "python", found, "use Python 3.10 or newer")
    inside = sys.prefix != sys.base_prefix
    return Finding(
        "ok" if inside else "warn",
        "python",
        found + ("" if inside else ", not in an environment of its own"),
        f"{_environment()}, then {_INSTALL}",
    )


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
        yield Finding(
            "ok" if there else level,
            name,
            "installed" if there else f"missing; needed for {needed}",
            _INSTALL,
        )


def _tinytorch(workspace: Workspace) -> Finding:
    script = "import tinytorch; print(tinytorch.__file__)"
    try:
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=30,
            cwd=workspace.state_dir.parent / "modules",
            check=False,
        )
    except OSError as problem:
        return Finding(
            "FAIL",
            "python",
            f"{sys.executable} cannot be started: {problem.strerror}",
            f"make a new environment: {_environment()}, then {_INSTALL}",
        )
    except subprocess.TimeoutExpired:
        return Finding(
            "FAIL",
            "tinytorch",
            "importing it takes more than 30 s",
            "look for a loop at the top of a file in tinytorch/",
        )
    if done.returncode:
        return Finding(
            "FAIL",
            "tinytorch",
            done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "cannot be imported",
            f"cd {workspace.root} && {_INSTALL}",
        )
    place = Path(done.stdout.strip()).resolve()
    mine = place.is_relative_to(workspace.root.resolve())
    return Finding(
        "ok" if mine else "FAIL",
        "tinytorch",
        f"imported from {place.parent}" + ("" if mine else ", which is not this workspace"),
        f"cd {workspace.root} && {_INSTALL}",
    )


def _kernel() -> Finding:
    """The kernel a notebook gets when it asks for python3, without starting Jupyter."""
    for folder in _kernel_folders():
        spec = folder / "python3" / "kernel.json"
        try:
            program = json.loads(spec.read_text(encoding="utf-8"))["argv"][0]
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            return Finding(
                "warn",
                "kernel",
                f"{spec} is damaged",
                f"{sys.executable} -m ipykernel install --sys-prefix",
            )
        found = shutil.which(program) or program
        # ipykernel writes `python` alone for "the Python that Jupyter runs on".
        same = program in ("python", "python3") or (
            os.path.realpath(found) == os.path.realpath(sys.executable)
            and Path(found).parent == Path(sys.executable).parent
        )
        return Finding(
            "ok" if same else "FAIL",
            "kernel",
            f"python3 runs {program}" + ("" if same else f", but tito runs {sys.executable}"),
            f"{sys.executable} -m ipykernel install --sys-prefix",
        )
    return Finding(
        "warn",
        "kernel",
        "no kernel named python3 is registered",
        f"{_INSTALL}, then {sys.executable} -m ipykernel install --sys-prefix",
    )


def _kernel_folders() -> list[Path]:
    """Where Jupyter looks, in its order (jupyter_core.paths.jupyter_path: the environment first
    when there is one).
    """
    home = Path.home()
    user = {
        "darwin": home / "Library" / "Jupyter",
        "win32": Path(os.environ.get("APPDATA", home)) / "jupyter",
    }.get(
        sys.platform, Path(os.environ.get("XDG_DATA_HOME", home / ".local" / "share")) / "jupyter"
    )
    named = [Path(p) for p in os.environ.get("JUPYTER_PATH", "").split(os.pathsep) if p]
    own = Path(sys.prefix) / "share" / "jupyter"
    rest = [own, user] if sys.prefix != sys.base_prefix else [user, own]
    return [
        folder / "kernels"
        for folder in [*named, *rest, Path("/usr/local/share/jupyter"), Path("/usr/share/jupyter")]
    ]


def _encoding() -> Finding:
    encoding = (sys.stdout.encoding or "unknown").lower()
    utf8 = encoding.replace("-", "") == "utf8"
    return Finding(
        "ok" if utf8 else "warn",
        "terminal",
        f"encoding {encoding}" + ("" if utf8 else ": marks are shown as [ok] and [x]"),
        "set PYTHONUTF8=1",
    )


def _disk(workspace: Workspace) -> Finding:
    free = shutil.disk_usage(workspace.root).free
    level = "FAIL" if free < 20e6 else "warn" if free < 1e9 else "ok"
    return Finding(
        level,
        "disk",
        f"{free / 1e9:.1f} GB free",
        f"free some space; old copies lie in {workspace.backups}",
    )


def _state(workspace: Workspace) -> Finding:
    place = workspace.state_dir if workspace.state_dir.exists() else workspace.root
    ok = os.access(place, os.W_OK)
    return Finding(
        "ok" if ok else "FAIL",
        "folder",
        f"{place} can {'' if ok else 'not '}be written",
        f"chmod u+w {place}",
    )


def _module(module: Module) -> Iterator[Finding]:
    from tito.exporter import is_generated
    from tito.notebook.starter import missing
    from tito.progress import progress

    row = progress(module)
    if row.problem:
        yield Finding(
            "FAIL", module.name, row.problem.splitlines()[0], row.problem.splitlines()[-1]
        )
    elif row.exported == "behind the notebook":
        yield Finding(
            "warn",
            module.name,
            f"{module.export} is older than the notebook",
            f"tito export {module.number}",
        )
    elif module.export_path.exists() and not is_generated(module.export_path):
        yield Finding(
            "warn",
            module.name,
            f"{module.export} was not written by tito export",
            "move it away, then export",
        )
    elif problem := missing(module):
        what, _, repair = problem.rpartition(". ")
        yield Finding("warn", module.name, f"{what}, so tito reset cannot restore it", repair)
    else:
        yield Finding("ok", module.name, f"{row.state}, exported: {row.exported}")
