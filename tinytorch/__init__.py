"""tinytorch: the package a student finishes. NumPy loads when a module that computes is imported, not here.

`from tinytorch import DataLoader` finds the class in `tinytorch.core`, once `tito export` has written it there.
"""

from __future__ import annotations

import sys

_BUILT_HERE = ("tinytorch.core.", "tinytorch.data.")   # packages that receive exports


def __getattr__(name: str):
    """Give `__version__`, or a public class or function of `tinytorch.core`, imported when it is first asked for (PEP 562)."""
    if name == "__version__":
        value = _version()
    elif name.startswith("_") or (home := _defining_file(name, "tinytorch/core/*.py")) is None:
        raise AttributeError(f"module 'tinytorch' has no attribute {name!r}. {_remedy_for_name(name)}".rstrip())
    else:
        import importlib

        value = getattr(importlib.import_module(f"tinytorch.core.{home.stem}"), name)
    globals()[name] = value
    return value


def _version() -> str:
    """The installed version, whose one home is pyproject.toml."""
    from importlib import metadata

    try:
        return metadata.version("tinytorch-course")
    except metadata.PackageNotFoundError:
        return "0+not.installed"


def _workspace():
    from pathlib import Path

    return Path(__file__).resolve().parent.parent


def _defining_file(name: str, pattern: str):
    """The first file, by name, that has `class name` or `def name` at its margin; read as text, so nothing runs."""
    import re

    definition = re.compile(rf"^(?:class|def) {re.escape(name)}\b", re.MULTILINE)
    for path in sorted(_workspace().glob(pattern)):
        if definition.search(path.read_text(encoding="utf-8", errors="replace")):
            return path
    return None


def _remedy_for_name(name: str) -> str:
    handout = _defining_file(name, "modules/*/*.py")
    return f"You build it in {handout.parent.name}; then: tito export {handout.parent.name}" if handout else ""


def _remedy_for_module(fullname: str) -> str:
    """The command that writes the file of `fullname`, from modules/*/module.toml where the workspace has it."""
    try:
        import tomllib
    except ModuleNotFoundError:   # Python 3.10
        import tomli as tomllib
    for path in sorted(_workspace().glob("modules/*/module.toml")):
        try:
            export = tomllib.loads(path.read_text(encoding="utf-8")).get("export")
        except (OSError, ValueError):   # a damaged description must not hide what is missing
            continue
        if export == fullname.replace(".", "/") + ".py":
            return f"You build it in {path.parent.name}; then: tito export {path.parent.name}"
    return "If it is a module you build, write it with: tito export"


class _Unbuilt:
    """The last finder on sys.meta_path: it finds nothing, and says what to do about an export that is missing."""

    @staticmethod
    def find_spec(fullname: str, path=None, target=None):
        if fullname.startswith(_BUILT_HERE):
            raise ModuleNotFoundError(f"No module named {fullname!r} yet. {_remedy_for_module(fullname)}", name=fullname)
        package, _, name = fullname.rpartition(".")
        if package == "tinytorch" and not name.startswith("_") and (remedy := _remedy_for_name(name)):
            # Reached by `from tinytorch import X`. Python drops this error if it carries the name that was asked for.
            raise ModuleNotFoundError(f"cannot import name {name!r} from 'tinytorch' yet. {remedy}", name="tinytorch")
        return None


# One finder, also when this package is loaded again.
sys.meta_path[:] = [finder for finder in sys.meta_path if getattr(finder, "__name__", "") != _Unbuilt.__name__] + [_Unbuilt]
