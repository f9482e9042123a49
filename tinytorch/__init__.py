"""tinytorch: the package that students complete. Importing it does not import NumPy; that happens
with the first module that computes.

`from tinytorch import DataLoader` finds the class in `tinytorch.core`, once `tito export` has
written it there.
"""

from __future__ import annotations

from tinytorch.not_exported_yet import defining_file as _defining_file
from tinytorch.not_exported_yet import remedy_for_name as _remedy_for_name

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` would take time here
    from typing import Any


def __getattr__(name: str) -> Any:
    """Return `__version__`, or a public class or function of `tinytorch.core`, which is imported
    only now (PEP 562).
    """
    if name == "__version__":
        return _version()
    if name in ("load_ipython_extension", "unload_ipython_extension"):  # %load_ext tinytorch
        from tinytorch import notebook

        return getattr(notebook, name)
    if name.startswith("_"):
        raise AttributeError(f"module 'tinytorch' has no attribute {name!r}")
    home = _defining_file(name, "tinytorch/core/*.py")
    if home is None:
        raise AttributeError(
            f"module 'tinytorch' has no attribute {name!r}. {_remedy_for_name(name)}".rstrip()
        )
    import importlib

    # Not stored in globals(), so that after another export and a reload the new class is found.
    return getattr(importlib.import_module(f"tinytorch.core.{home.stem}"), name)


def _version() -> str:
    """The installed version, which is stated only in pyproject.toml."""
    from importlib import metadata

    try:
        return metadata.version("tinytorch-course")
    except metadata.PackageNotFoundError:
        return "0+not.installed"
