"""The notebooks in the browser: JupyterLite and Pyodide with the student edition of every module
and the package. An open page fetches nothing from elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tarfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tito.child_processes import finished
from tito.errors import EnvironmentBroken, WorkError
from tito.workspace import Module, Workspace

from .module_page import start_button
from .wheels import Wheel, lean, packed, read

VARIABLE = "COURSE_PYODIDE"
PYODIDE = "314.0.6"  # the version that the pinned jupyterlite-pyodide-kernel expects
ADDRESS = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"
CORE = {
    "pyodide.mjs": "69e3f6ccec3e14b465df60be577ca62f536251406b9a00cce019eac5252a2495",
    "pyodide.asm.mjs": "2ac5eba365ec12839c75c03b39b3be1dd63b798852cc460b014b52238be042f7",
    "pyodide.asm.wasm": "3a0a00dfeaa348ac20f9ef09904233d32d33f644339662d4af368f8a2010f37a",
    "python_stdlib.zip": "80c5be6babfe03297069703410c3c29404dcf2525d2b128746bae5536f94831f",
    "pyodide-lock.json": "3fdaef09e9e365c85e002737720f8d0ab8f278c1c244a2dde6a37663cf488ad4",
}
LOCK = "pyodide-lock.json"
ARCHIVE = f"pyodide-{PYODIDE}.tgz"
# Wheels that only Pyodide has; the first two have to be there, the others are taken where they are.
NEEDED, WELCOME = ("numpy", "micropip"), ("matplotlib", "pillow", "pyyaml", "duckdb")
# What the kernel and the tests import, packed from what is installed here.
INSTALLED = ("comm", "ipython", "jedi", "pytest")
KERNEL = "@jupyterlite/pyodide-kernel-extension"
REMEDY = (
    f"Name a folder with {ARCHIVE} (`npm pack pyodide@{PYODIDE}`) and the wheels of numpy and"
    f" micropip for Pyodide: tito site build --browser --pyodide DIR, or set {VARIABLE}"
)
_START = """## In the browser, with nothing installed

{button}

The first cell runs after some seconds. `%load_ext tinytorch` adds `%hint 1a` and `%test 1a`; save
first (Ctrl-S). Your work stays in this browser until you clear its data. File > Download gives you
the notebook; `tito test` and `tito submit` take it from the module's folder. Tests that need
processes, threads or memory maps, and plots where matplotlib is missing, say so and are left out.
The button works on a web server, not in pages opened from a folder: `tito site serve`.

## On your machine
"""


def address(module: Module, up: str) -> str:
    """The link that opens a module's notebook, from a page that is `up` below the site's top."""
    path = f"modules/{module.name}/{module.notebook.name}"
    return f"{up}lite/lab/index.html?path={quote(path)}"


def start(module: Module) -> str:
    """The section of the page Start on the notebooks in the browser."""
    return _START.format(button=start_button(address(module, "")))


def given(folder: str | os.PathLike | None, cache: Path) -> Path:
    """The folder with Pyodide and the wheels that only Pyodide has: the one that `folder` or the
    variable COURSE_PYODIDE names, else `cache`, after fetching what it lacks by checksum.

    Raises:
        EnvironmentBroken: the folder lacks something, or it cannot be fetched.
    """
    named = folder or os.environ.get(VARIABLE)
    place = Path(named) if named else cache
    try:
        if not named:
            _fetch(place)
        there = {read(path).name for path in place.glob("*.whl")}
    except (OSError, ValueError, ImportError) as problem:
        raise EnvironmentBroken(f"Pyodide cannot be fetched: {problem}. {REMEDY}") from None
    core = (place / ARCHIVE).is_file() or all((place / name).is_file() for name in CORE)
    missing = [*([] if core else [ARCHIVE]), *(name for name in NEEDED if name not in there)]
    if missing:
        raise EnvironmentBroken(f"{place} lacks {', '.join(missing)}. {REMEDY}")
    return place


def _fetch(cache: Path) -> None:
    import pooch

    def take(name: str, sha256: str) -> None:
        pooch.retrieve(ADDRESS + name, f"sha256:{sha256}", fname=name, path=cache)

    pooch.get_logger().setLevel("ERROR")
    for name, sha256 in CORE.items():
        take(name, sha256)
    packages = json.loads((cache / LOCK).read_text(encoding="utf-8"))["packages"]
    wanted = [*NEEDED, *WELCOME]
    for name in wanted:
        wanted += [one for one in packages[name]["depends"] if one not in wanted]
        take(packages[name]["file_name"], packages[name]["sha256"])


def make(root: Path, parts: Path, folder: Path, html: Path) -> int:
    """Make JupyterLite in `html`; return its size in bytes.

    Args:
        parts: what `given` returned.
        folder: where what it is made from is put together.

    Raises:
        EnvironmentBroken: JupyterLite or a package of the kernel is not installed.
        WorkError: JupyterLite or the wheel of the course cannot be built.
    """
    source = folder / "lite"
    for place in (source, html):
        shutil.rmtree(place, ignore_errors=True)
    static = source / "static" / "pyodide"
    static.mkdir(parents=True)
    _core(parts, static)
    wheels = _wheels(root, parts, static)
    lock = json.loads((static / LOCK).read_text(encoding="utf-8"))
    lock["packages"] = {name: _entry(wheel) for name, wheel in sorted(wheels.items())}
    _files(root, source / "files")
    # The kernel's extension alone: those of JupyterLab that are installed here ask for a server.
    config = {"ignore_sys_prefix": True, "federated_extensions": [str(_kernel())]}
    for path, content in (
        (static / LOCK, lock),
        (source / "jupyter-lite.json", _settings(sorted(wheels))),
        (source / "jupyter_lite_config.json", {"LiteBuildConfig": config}),
    ):
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    words = ["jupyterlite_core.app", "build", "--lite-dir", source, "--output-dir", html]
    _run([*words, "--contents", source / "files", "--no-sourcemaps"], source)
    return sum(path.stat().st_size for path in html.rglob("*") if path.is_file())


def _core(parts: Path, static: Path) -> None:
    if not (parts / ARCHIVE).is_file():
        for name in CORE:
            shutil.copy(parts / name, static)
        return
    with tarfile.open(parts / ARCHIVE) as archive:
        for name in CORE:
            file = archive.extractfile(f"package/{name}")
            assert file is not None  # not a folder
            (static / name).write_bytes(file.read())


def _kernel() -> Path:
    folder = Path(sys.prefix) / "share" / "jupyter" / "labextensions" / KERNEL
    if not folder.is_dir():
        raise EnvironmentBroken(
            "the notebooks in the browser need JupyterLite, which is not installed. Run: python -m"
            ' pip install -c constraints.txt -e ".[browser]"'
        )
    return folder


def _wheels(root: Path, parts: Path, static: Path) -> dict[str, Wheel]:
    """Every wheel that a page loads, by name: of the kernel, of the course, and what they need."""
    own = (_kernel() / "static" / "pypi").glob("*.whl")
    for path in (*parts.glob("*.whl"), *(path for path in own if "widgets" not in path.name)):
        lean(path, static)
    _run(["hatchling", "build", "--target", "wheel", "--directory", static], root)
    wheels = {wheel.name: wheel for wheel in map(read, static.glob("*.whl"))}
    wanted = [*wheels, *INSTALLED]
    for name in wanted:
        if name not in wheels:
            wheels[name] = packed(name, static)
        wanted += [one for one in wheels[name].depends if one not in wanted]
    return wheels


def _entry(wheel: Wheel) -> dict[str, Any]:
    """A package as Pyodide's lock file lists it."""
    return {
        "name": wheel.name,
        "version": wheel.version,
        "file_name": wheel.path.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.path.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": wheel.imports,
        "depends": wheel.depends,
        "unvendored_tests": False,
    }


def _files(root: Path, files: Path) -> None:
    """The student's workspace: what `tito` needs of it."""
    for module in Workspace(root).modules():
        place, left_out = files / "modules" / module.name, shutil.ignore_patterns("__pycache__")
        place.mkdir(parents=True)
        shutil.copy(module.notebook, place)
        shutil.copy(module.folder / "module.toml", place)
        if module.tests.is_dir():
            shutil.copytree(module.tests, place / "tests", ignore=left_out)
    (files / "tinytorch").mkdir(parents=True)
    said = "`tito export` writes your modules into this folder.\n"
    (files / "tinytorch" / "README.md").write_text(said, encoding="utf-8")


def _settings(packages: list[str]) -> dict[str, Any]:
    kernel = {
        "pyodideUrl": "./static/pyodide/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": packages},
    }
    data = {"appName": "Build a DataLoader", "litePluginSettings": {f"{KERNEL}:kernel": kernel}}
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}


def _run(words: list[Any], place: Path) -> None:
    command = [sys.executable, "-m", *map(str, words)]
    ended = finished(command, place, {**os.environ, "PYTHONUTF8": "1"}, together=True)
    if ended.returncode:
        raise WorkError(
            f"`python -m {words[0]}` could not make the notebooks in the browser:\n"
            f"{ended.stdout[-3000:]}"
        )
