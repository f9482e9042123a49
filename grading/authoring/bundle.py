"""The student's room for a class, as one zip: no grading/, no history, no exports, no tests of the
machinery.

The same commit gives the same bytes: names are sorted, all times are the commit's, modes are equal.
The zip is written in one step.
"""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

from grading.authoring.leaks import Leak, scan_bytes
from grading.engine.sandbox import temporary_folders
from tito.child_processes import finished
from tito.console import counted
from tito.errors import UsageError, WorkError
from tito.files import write_atomic
from tito.notebook.pair import script_of
from tito.notebook.reset_notebook import pristine
from tito.run import runner
from tito.workspace import TOOLS, Module, Workspace

NO_COMMIT_TIME = 1577836800  # 2020-01-01, of a course that git does not know
TOP_FILES = ("tito.toml", "pyproject.toml", "hatch_build.py", "constraints.txt", "LICENSE")
LAUNCH = (".binder", ".devcontainer")  # so that a published bundle opens in Binder and Codespaces
_NEVER = ("__pycache__", ".ipynb_checkpoints", ".pytest_cache", ".tito", ".gitignore")
START_SECONDS = 60.0

README = """# {title}

Python 3.10 or newer:

```
python3 -m venv .venv
.venv/bin/python -m pip install{limits} -e ".[notebook]"
. .venv/bin/activate
tito start {number}
```

(Windows: `.venv\\Scripts\\` in place of `.venv/bin/`, and `.venv\\Scripts\\activate` without the
point.) A second terminal needs the `activate` line, too. The notebook is
`modules/*/*_dev.ipynb`; the `.py` beside it holds the same code as text.

`tito` alone says where you are and what is next; `tito test` tests your notebook, `tito hint` helps
a little, `tito export` writes your code into the package `{package}`, `tito submit` packs it.

| module | first reading |
|---|---|
{rows}
"""


def build(workspace: Workspace, modules: list[Module]) -> bytes:
    """The zip with these modules.

    Raises:
        WorkError: a module has no student edition yet.
    """
    for module in modules:
        if not module.notebook.is_file():
            raise WorkError(
                f"a bundle holds student editions; {module.notebook} does not exist. Make it: tito"
                f" grade release {module.name}"
            )
    out, moment = io.BytesIO(), _moment(workspace.root)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in sorted(_contents(workspace, modules).items()):
            entry = zipfile.ZipInfo(name, moment)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _moment(root: Path) -> tuple[int, int, int, int, int, int]:
    """When the course was last committed (UTC): JupyterLab shows it beside each file."""
    words = ["git", "-C", str(root), "log", "-1", "--format=%ct"]
    try:
        said = subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:  # there is no git
        said = ""
    at = datetime.fromtimestamp(int(said or NO_COMMIT_TIME), timezone.utc)
    return (at.year, at.month, at.day, at.hour, at.minute, at.second)


def _contents(workspace: Workspace, modules: list[Module]) -> dict[str, bytes]:
    root = workspace.root
    exports = {module.export for module in workspace.modules()}
    package = workspace.package.name
    rooms = (f"modules/{module.name}" for module in modules)
    folders = {package, TOOLS, "tito", "wheels", *LAUNCH, *rooms}
    paths = [path for folder in folders for path in _files(root / folder)]
    paths += [path for name in TOP_FILES if (path := root / name).is_file()]
    contents = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    _open_first(contents, modules[0])
    for module in modules:
        contents[module.starter.relative_to(root).as_posix()] = _starter(module)
        script = module.script.relative_to(root).as_posix()  # which git does not keep
        contents[script] = script_of(module).encode("utf-8")
    pages = ((m.name, f"modules/{m.name}/ABOUT.md") for m in modules)
    limits = " -c constraints.txt" if "constraints.txt" in contents else ""
    if any(name.startswith("wheels/") for name in contents):
        limits += " --find-links wheels"
    text = README.format(
        title=", ".join(m.title for m in modules),
        number=modules[0].number,
        limits=limits,
        package=package,
        rows="\n".join(f"| {name} | [{page}]({page}) |" for name, page in pages),
    )
    contents["README.md"] = text.encode("utf-8")
    return {name: data for name, data in contents.items() if name not in exports}


def _open_first(contents: dict[str, bytes], module: Module) -> None:
    """A dev container of the bundle opens a notebook that the bundle has."""
    name = ".devcontainer/devcontainer.json"
    if name in contents:
        settings = json.loads(contents[name])
        opened = module.notebook.relative_to(module.root).as_posix()
        settings["customizations"]["codespaces"]["openFiles"] = [opened]
        contents[name] = (json.dumps(settings, indent=2) + "\n").encode("utf-8")


def _starter(module: Module) -> bytes:
    """The untouched student edition, which a bundle carries whether this clone has it or not."""
    data = module.starter.read_bytes() if module.starter.is_file() else pristine(module)
    if data is None:
        raise WorkError(
            f"a bundle holds the untouched notebook too; {module.starter} does not exist, and"
            f" {module.notebook.name} was worked in. Make it: tito grade release {module.name}"
        )
    return data


def _files(folder: Path) -> Iterable[Path]:
    for path in folder.rglob("*"):
        hidden = any(part in _NEVER for part in path.parts) or path.suffix in (".pyc", ".tmp")
        if path.is_file() and not path.is_symlink() and not hidden:
            yield path


def released(workspace: Workspace) -> list[Module]:
    """The modules that have a student edition."""
    return [module for module in workspace.modules() if module.notebook.is_file()]


def prove(data: bytes, wanted: dict[str, str], name: str) -> None:
    """Search the zip for answers, and run it.

    Args:
        wanted: secret lines, each with where it comes from.

    Raises:
        WorkError: a line of an answer is in the zip, or `tito status` fails in the unpacked copy.
    """
    leaked = leaks(data, wanted, name)
    if leaked:
        rows = [f"  {one.place} holds a line of {one.origin}: {one.line}" for one in leaked[:10]]
        first = f"a bundle holds no answers; {counted(len(leaked), 'line', 'do')}:"
        last = "Nothing was written. To see all: tito dev check --only 5"
        raise WorkError("\n".join([first, *rows, last]))
    try_out(data)


def leaks(data: bytes, wanted: dict[str, str], name: str = "bundle.zip") -> list[Leak]:
    """Secret lines in the bundle, and files that have no business in it."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
    rooms = ("grading/", ".git/", "tests/")
    tools = f"{name}!wheels/tinytorch_course-"  # whose sample module has an answer, which is known
    strange = [one for one in names if one.startswith(rooms) or one.endswith(".pyc")]
    what = "the whole file", "a room that is not a student's"
    leaked = [leak for leak in scan_bytes(name, data, wanted) if not leak.place.startswith(tools)]
    return [Leak(f"{name}!{one}", *what) for one in strange] + leaked


def try_out(data: bytes) -> None:
    """Unpack the bundle and run `tito status` from it.

    Raises:
        WorkError: the command does not end with 0.
    """
    with temporary_folders.folder("bundle") as folder:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            archive.extractall(folder)
        environment = runner.environment(folder)
        environment.pop("TITO_WORKSPACE", None)
        # Only what was unpacked: -S would hide NumPy too, so the unpacked copy merely comes first.
        # The bundle of another course holds no tools: its students install them.
        place = folder.resolve()
        own = [path.parent.name for path in sorted(place.glob("*/__init__.py"))]
        script = (
            f"import runpy, sys; import {', '.join(['tito', *own])}; assert"
            f" all(sys.modules[name].__path__[0].startswith({str(place)!r}) for name in {own});"
            " sys.argv[0:] = ['tito', 'status']; runpy.run_module('tito', run_name='__main__')"
        )
        environment["PYTHONPATH"] = str(place)
        words = [sys.executable, "-c", script]
        done = finished(words, place, environment, timeout_seconds=START_SECONDS)
    if done.returncode:
        raise WorkError(
            f"an unpacked bundle answers `tito status` with 0; it gave {done.returncode}:"
            f" {(done.stderr or done.stdout)[-1500:]}"
        )


def write(path: Path, data: bytes) -> None:
    """Write the zip in one step.

    Raises:
        UsageError: the name does not end in .zip, or its folder does not exist.
    """
    if path.suffix != ".zip":
        raise UsageError(f"a bundle is a .zip file; --out names {path}. Try --out {path}.zip")
    if not path.parent.is_dir():
        raise UsageError(
            f"--out names a file in a folder that exists; {path.parent} does not. Make it:"
            f" mkdir -p {path.parent}"
        )
    write_atomic(path, data)
