"""Run by hatchling for every wheel: a wheel never carries what somebody exported to the package,
whichever modules there are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

SITE = ("conf.py", "_tools/**/*", "_ext/*", "_templates/**/*", "_static/*.[cjs]*")
MADE_BY_EXPORT = "# Made by `tito export"  # how tito/student_work/exporter.py begins a file


def exports(root: Path) -> list[str]:
    """The files of the package that are exports: named by a module.toml, or marked as made by
    `tito export` (the module may be gone).
    """
    named = [
        tomllib.loads(path.read_text(encoding="utf-8-sig"))["export"]
        for path in root.glob("modules/*/module.toml")
    ]
    marked = [
        path.relative_to(root).as_posix()
        for path in root.glob("tinytorch/**/*.py")
        if path.read_text(encoding="utf-8", errors="replace").startswith(MADE_BY_EXPORT)
    ]
    return sorted({*named, *marked})


class LeaveExportsOut(BuildHookInterface):
    """Adds the exports to `exclude`, and refuses to build if that has no effect."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        found = exports(Path(self.root))
        settings = self.build_config.target_config
        settings["exclude"] = [*settings.get("exclude", []), *(f"/{path}" for path in found)]
        kept = [path for path in found if not self.build_config.path_is_excluded(path)]
        # An editable install reads both from the checkout. In site-packages they would be an
        # importable `tito`, also where a sandbox hides the checkout.
        if self.target_name == "wheel" and version == "standard":
            # a notebook alone with the installed package finds its laws there: tinytorch/laws.py
            for path in Path(self.root).glob("modules/*/tests/*"):
                if (path.parent / "contracts.json").is_file() and path.is_file():
                    inside = path.relative_to(self.root).as_posix()
                    build_data["force_include"][str(path)] = f"tinytorch/{inside}"
            # what every course's site is made with; tito/verbs.py finds it there
            for place in SITE:
                for path in (Path(self.root) / "site").glob(place):
                    if path.is_file() and "__pycache__" not in path.parts:
                        inside = path.relative_to(self.root).as_posix()
                        build_data["force_include"][str(path)] = f"tito/_{inside}"
        if kept:
            raise RuntimeError(
                f"a {self.target_name} carries no exports; hatchling would pack {', '.join(kept)}."
                " Move them away, then build again"
            )
