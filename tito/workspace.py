"""The modules of the course, read from its folders: which there are, where their files lie, and
which one the student means. Standard library only.
"""

import contextlib
import json
import keyword
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from tito.errors import EnvironmentBroken, UsageError, WorkError
from tito.files import read_toml

FILE = "tito.toml"
TOOLS = "tinytorch"  # the package of laws, tests and the profiler, which any course may import
COURSE = f"a folder that holds {FILE} and modules/"
# the texts of a hint in [hints] of module.toml, in order
HINT_LAYERS = ("the idea", "the function to use", "a line that is almost finished")
STATE_FOLDER = ".tito"  # in the workspace, ignored by git: backups, state.json, the last error


@dataclass(frozen=True)
class Settings:
    """The keys of tito.toml, each with what holds where it is absent.

    Attributes:
        title: of the course, as pages show it.
        package: the package that students finish: a folder of the course, imported by this name.
        license: the SPDX name of the course's license.
        repository_url: where students fetch the course: a public repository with what `tito dev
            bundle` writes, never one with answers. Launch buttons and the notebooks' first cell for
            Colab are made from it, and left out while it is empty.
        site_url: where the pages are published; empty stands for the pages that GitHub or GitLab
            serve for that repository.
    """

    title: str = ""
    package: str = TOOLS
    license: str = ""
    repository_url: str = ""
    site_url: str = ""


def read_settings(root: Path) -> Settings:
    """What tito.toml in the folder `root` says; the defaults where there is no such file.

    Raises:
        EnvironmentBroken: it cannot be read, has another key, a value that is no text, or a package
            that Python cannot import.
    """
    path = root / FILE
    if not path.is_file():
        return Settings()
    table = read_toml(path, EnvironmentBroken)
    known = [field.name for field in fields(Settings)]
    for key, value in table.items():
        if key not in known:
            raise EnvironmentBroken(f"{path} has the keys {', '.join(known)}; remove {key!r}")
        if not isinstance(value, str):
            raise EnvironmentBroken(f"{key} in {path} is a text; it is {value!r}. Repair it there")
    package = table.get("package", TOOLS)
    if not package.isidentifier() or keyword.iskeyword(package):
        raise EnvironmentBroken(
            f"package in {path} is a name that Python can import, such as numerics; it is"
            f" {package!r}. Repair it there"
        )
    return Settings(**table)


@dataclass(frozen=True)
class Module:
    """One folder under modules/ and what its module.toml says."""

    root: Path  # the workspace
    name: str  # "08_dataloader"
    number: str  # "08"
    short: str  # "dataloader"
    title: str
    export: str  # "tinytorch/core/dataloader.py", relative to the workspace
    stem: str  # "dataloader_dev"
    needs: tuple[str, ...] = ()  # import paths
    after: tuple[str, ...] = ()  # course modules with folders
    hints: dict[str, list[str]] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)  # the whole of module.toml

    @property
    def folder(self) -> Path:
        return self.root / "modules" / self.name

    @property
    def notebook(self) -> Path:
        return self.folder / f"{self.stem}.ipynb"

    @property
    def script(self) -> Path:
        return self.folder / f"{self.stem}.py"

    @property
    def starter(self) -> Path:
        """The student edition as it was released; only `tito grade release` writes it."""
        return self.folder / ".starter" / f"{self.stem}.ipynb"

    @property
    def state_dir(self) -> Path:
        return self.root / STATE_FOLDER

    @property
    def tests(self) -> Path:
        return self.folder / "tests"

    @property
    def export_path(self) -> Path:
        return self.root / self.export

    @property
    def import_name(self) -> str:
        return self.export.removesuffix(".py").replace("/", ".")


@dataclass(frozen=True)
class Workspace:
    """A directory that holds a course: modules/, the package that students finish, tito.toml."""

    root: Path

    @property
    def settings(self) -> Settings:
        return read_settings(self.root)

    @property
    def package(self) -> Path:
        """The folder of the package that students finish."""
        return self.root / self.settings.package

    @property
    def state_dir(self) -> Path:
        return self.root / STATE_FOLDER

    @property
    def backups(self) -> Path:
        return self.state_dir / "backups"

    def modules(self) -> list[Module]:
        """All modules of the course, ordered by folder name."""
        paths = sorted((self.root / "modules").glob("*/module.toml"))
        return [read_module(path.parent) for path in paths]

    def module(self, text: str | None = None) -> Module:
        """The module that `8`, `08`, `dataloader` or `08_dataloader` names; None means the current
        one.

        The current module is the one whose folder contains the current directory, else the one last
        worked on, else the first.
        """
        modules = self.modules()
        if not modules or text is None:
            return self.current(modules)
        wanted = text.strip().rstrip("/\\").lower()
        called = {
            name.lower(): module
            for module in reversed(modules)  # of two with the same name the first counts
            for name in (module.name, module.short, module.number, module.number.lstrip("0"))
        }
        if wanted in called:
            return called[wanted]
        import difflib

        close = difflib.get_close_matches(wanted, called, n=1, cutoff=0.5)
        suggestion = (
            f"did you mean {called[close[0]].name}?"
            if close
            else f"there are: {', '.join(module.name for module in modules)}"
        )
        raise UsageError(f"no module is called {text!r}; {suggestion}")

    def before(self, module: Module) -> list[Module]:
        """The modules that `module` builds on, directly or through others, earliest first."""
        modules = {m.name: m for m in self.modules()}
        needed: dict[str, Module] = {}

        def visit(names: tuple[str, ...], path: tuple[str, ...]) -> None:
            for name in names:
                if name in modules and name not in needed and name not in path:
                    visit(modules[name].after, (*path, name))
                    needed[name] = modules[name]

        visit(module.after, (module.name,))
        return list(needed.values())

    def copy_package(self, destination: Path, exports_of: Iterable[Module] = ()) -> None:
        """Copy the course's package and tinytorch/ into the folder `destination`, without the
        files that were exported to them. So no stale or foreign export is tested, graded or
        published by accident.

        What the workspace lacks is copied from where tito is: tinytorch/ of another course, and
        the package in the browser, where the workspace holds the exports alone.

        Args:
            exports_of: modules whose exports are copied all the same.
        """
        import shutil

        installed = Path(__file__).resolve().parents[1]
        destination.mkdir(parents=True, exist_ok=True)
        for name in {TOOLS, self.package.name}:
            whole = name != TOOLS or (self.root / name / "__init__.py").is_file()
            _copy_without_exports(self.root if whole else installed, name, destination)
        for place in (FILE, *(module.export for module in exports_of)):
            if (self.root / place).is_file():
                (destination / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.root / place, destination / place)

    def gaps(self, module: Module) -> list[Module]:
        """The modules that `module` needs and whose export is missing, earliest first."""
        imported, missing = set(module.needs), []
        for one in reversed(self.before(module)):
            if one.import_name in imported:
                imported.update(one.needs)
                missing += [] if one.export_path.is_file() else [one]
        return missing[::-1]

    def refuse_gaps(self, module: Module) -> None:
        """Raise a WorkError that names the command, when there are gaps below `module`."""
        missing = self.gaps(module)
        if missing:
            commands = [f"tito export {one.number}" for one in missing]
            raise WorkError(
                f"{module.name} uses what you built in {' and '.join(one.name for one in missing)},"
                f" which is not in the package yet. Run: {' and '.join(commands)}",
                next=commands[0],
            )

    def current(self, modules: list[Module]) -> Module:
        """The current module among `modules`: see `module`."""
        if not modules:
            raise EnvironmentBroken(
                f"a course has a folder modules/NN_name/module.toml; there is none in {self.root}. "
                "Clone the course again, or set TITO_WORKSPACE to its folder"
            )
        here = Path.cwd().resolve()
        for module in modules:
            if here.is_relative_to(module.folder.resolve()):
                return module
        last = None
        with contextlib.suppress(OSError, ValueError, AttributeError):
            # written by `state.remember`
            state = json.loads((self.state_dir / "state.json").read_text(encoding="utf-8"))
            last = state.get("current")
        return next((module for module in modules if module.name == last), modules[0])


def _copy_without_exports(source: Path, package: str, destination: Path) -> None:
    import shutil

    never = {source / module.export for module in Workspace(source).modules()}
    never.add(source / TOOLS / "modules")  # the laws of the course that installed tools came with

    def left_out(folder: str, names: list[str]) -> set[str]:
        unwanted = ("__pycache__", ".gitignore")
        return {name for name in names if name in unwanted or Path(folder, name) in never}

    if (source / package).is_dir():
        shutil.copytree(
            source / package, destination / package, ignore=left_out, dirs_exist_ok=True
        )


def read_module(folder: Path) -> Module:
    """Read modules/NN_name/module.toml.

    Raises:
        EnvironmentBroken: the file cannot be read or names no number, title, export or notebook.
    """
    path = folder / "module.toml"
    meta = read_toml(path, EnvironmentBroken)
    for wrong in _faults(meta):
        raise EnvironmentBroken(
            f"{wrong}. Repair {path}, or take it from a fresh copy of the course"
        )
    return Module(
        root=folder.parent.parent,
        name=folder.name,
        number=meta["number"],
        short=folder.name.partition("_")[2] or folder.name,
        title=meta["title"],
        export=meta["export"],
        stem=meta["notebook"],
        needs=tuple(meta.get("needs", ())),
        after=tuple(meta.get("after", ())),
        hints=meta.get("hints", {}),
        meta=meta,
    )


def _faults(meta: dict[str, Any]) -> Iterator[str]:
    for key in ("number", "title", "export", "notebook"):
        if not isinstance(meta.get(key), str) or not meta[key].strip():
            yield f"module.toml needs the text {key!r}; it has {meta.get(key)!r}"
    if "/" in meta.get("notebook", "") or "\\" in meta.get("notebook", ""):
        yield f"`notebook` is a file name without its extension; it is {meta['notebook']!r}"
    for key in ("points", "wrong", "right"):
        value = meta.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            yield f"`{key}` is a number, 0 or more; it is {value!r}"
    for key in ("needs", "after"):
        if not _are_texts(meta.get(key, [])):
            yield f"`{key}` is a list of texts; it is {meta[key]!r}"
    hints = meta.get("hints", {})
    if not isinstance(hints, dict):
        yield f"[hints] holds EXERCISE = [texts]; it is {hints!r}"
    else:
        yield from (
            f"the hints of {name} are a list of texts; they are {value!r}"
            for name, value in hints.items()
            if not value or not _are_texts(value)
        )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def find_workspace(start: Path | str | None = None) -> Workspace:
    """The workspace around `start` (default: the current directory), else $TITO_WORKSPACE, else the
    checkout tito runs from.

    Raises:
        EnvironmentBroken: none of the three is a course.
    """
    start = Path(start or Path.cwd()).resolve()
    named = os.environ.get("TITO_WORKSPACE")
    if named and not _is_workspace(Path(named)):
        raise EnvironmentBroken(
            f"TITO_WORKSPACE must be {COURSE}; it is {named!r}. Unset it or repair it"
        )
    for place in (*_around(start), Path(__file__).resolve().parents[1]):
        if _is_workspace(place):
            return Workspace(place)
    raise EnvironmentBroken(
        f"tito works in {COURSE}; none is at or above {start}. "
        "Change into your copy of the course (cd COURSE), or make one of your own: tito"
        " new-course NAME"
    )


def find_course(verb: str) -> Workspace:
    """The course whose answers an author's or an instructor's verb needs: the workspace around the
    current directory, or $TITO_WORKSPACE, never the one that tito was installed from.

    Raises:
        EnvironmentBroken: there is none, or it holds no grading/modules/.
    """
    here = Path.cwd().resolve()
    above = next(filter(_is_workspace, _around(here)), None)
    if above and (above / "grading" / "modules").is_dir():
        return Workspace(above)
    raise EnvironmentBroken(
        f"`{verb}` works in a course with its answers, {COURSE}, and grading/modules/;"
        f" {f'{above} lacks the last' if above else f'none is at or above {here}'}. Change into"
        " yours (cd COURSE), or make one: tito new-course NAME"
    )


def _around(start: Path) -> list[Path]:
    """Where a workspace may be: at or above `start`, and what $TITO_WORKSPACE names."""
    named = os.environ.get("TITO_WORKSPACE")
    return [start, *start.parents, *([Path(named).resolve()] if named else [])]


def _is_workspace(place: Path) -> bool:
    # tinytorch/ alone is enough, so that a copy without tito.toml is a workspace too
    named = (place / FILE).is_file() or (place / TOOLS).is_dir()
    return named and (place / "modules").is_dir()
