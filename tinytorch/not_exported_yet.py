"""What is said when code is imported that the student has not exported yet: the command to run."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` and `pathlib` would take time here
    from pathlib import Path
    from typing import Any

_BUILT_HERE = ("tinytorch.core", "tinytorch.data")  # packages that receive exports


def _workspace() -> Path:
    from pathlib import Path

    return Path(__file__).resolve().parent.parent


def defining_file(name: str, pattern: str) -> Path | None:
    """The first file that defines class or function `name` at top level; no code is run."""
    import re

    definition = re.compile(rf"^(?:class|def) {re.escape(name)}\b", re.MULTILINE)
    for path in sorted(_workspace().glob(pattern)):
        if definition.search(path.read_text(encoding="utf-8", errors="replace")):
            return path
    return None


def remedy_for_name(name: str) -> str:
    handout = defining_file(name, "modules/*/*.py")
    return _remedy(handout.parent.name) if handout else ""


def _remedy(module: str) -> str:
    return f"You build it in module {module}; write it to the package with: tito export {module}"


def _module_that_exports(fullname: str, root: Path) -> str | None:
    """The folder of the first module whose export is `fullname` or lies in it, from
    modules/*/module.toml below `root`; None where there is none.
    """
    try:
        if sys.version_info >= (3, 11):
            import tomllib
        else:
            import tomli as tomllib
    except ModuleNotFoundError:  # a copy of the package that was not installed, on Python 3.10
        return None
    for path in sorted(root.glob("modules/*/module.toml")):
        try:
            export = tomllib.loads(path.read_text(encoding="utf-8")).get("export")
        except (OSError, ValueError):  # a damaged module.toml must not hide the missing export
            continue
        place = fullname.replace(".", "/")
        if export == f"{place}.py" or str(export).startswith(f"{place}/"):
            return path.parent.name
    return None


class _Unbuilt:
    """The last finder: for a missing export it raises an error that names the command to run."""

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> None:
        package, _, name = fullname.rpartition(".")
        # Where a command is known, name= is left out: `from package import name` replaces an error
        # that carries that name by its own.
        if package in _BUILT_HERE:
            if module := _module_that_exports(fullname, _workspace()):
                raise ModuleNotFoundError(f"No module named {fullname!r} yet. {_remedy(module)}")
            remedy = "If you build it, write it to the package with: tito export"
            raise ModuleNotFoundError(f"No module named {fullname!r}. {remedy}", name=fullname)
        if (
            package == "tinytorch"
            and not name.startswith("_")
            and (remedy := remedy_for_name(name))
        ):
            raise ModuleNotFoundError(f"cannot import name {name!r} from 'tinytorch' yet. {remedy}")
        if package and not fullname.startswith("tinytorch."):  # perhaps of another course
            _Unbuilt.of_another_course(fullname)
        return None

    @staticmethod
    def of_another_course(fullname: str) -> None:
        from pathlib import Path

        home = getattr(sys.modules.get(fullname.partition(".")[0]), "__file__", None)
        if home and (module := _module_that_exports(fullname, Path(home).resolve().parents[1])):
            raise ModuleNotFoundError(f"No module named {fullname!r} yet. {_remedy(module)}")


# When this file is loaded again, the old finder is replaced, so that there is only one.
sys.meta_path[:] = [
    finder for finder in sys.meta_path if getattr(finder, "__name__", "") != _Unbuilt.__name__
] + [_Unbuilt]
