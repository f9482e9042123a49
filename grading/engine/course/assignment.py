"""What a class hands in: an assignment of nbgrader, made here (a module of the course) or
elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from grading.engine.course.references import test_folders
from tito.errors import UsageError
from tito.files import read_toml

if TYPE_CHECKING:
    from tito.workspace import Module


@dataclass(frozen=True)
class Sealed:
    """Contract tests and the package that they test.

    Attributes:
        export: the file of the exported code in a workspace: "tinytorch/core/dataloader.py".
        tests: folders of pytest files whose mark `contract(grade_id)` names the cell that holds the
            points.
        given: a folder of packages that the code may import; None for a module of this course,
            which uses its workspace.
    """

    export: str
    tests: tuple[Path, ...]
    given: Path | None = None

    @property
    def import_name(self) -> str:
        return self.export.removesuffix(".py").replace("/", ".")


@dataclass(frozen=True)
class Assignment:
    """An assignment: its name, its notebooks, and the module that it was made from, if there is
    one.
    """

    name: str
    stems: tuple[str, ...]  # names of the notebooks without .ipynb
    module: Module | None = None
    sealed: Sealed | None = None

    @property
    def stem(self) -> str:
        return self.stems[0]

    def label(self, notebook: str, grade_id: str) -> str:
        """The name of a cell for people: its grade_id, with the notebook's name if there are
        several notebooks.
        """
        return grade_id if len(self.stems) == 1 else f"{notebook}/{grade_id}"

    def cell(self, label: str) -> tuple[str, str]:
        """(notebook, grade_id) of a cell by its label."""
        stem, slash, grade_id = label.partition("/")
        return (stem, grade_id) if slash and stem in self.stems else (self.stem, label)

    @classmethod
    def foreign(cls, name: str, stems: tuple[str, ...], room: Path) -> Assignment:
        """An assignment that was not made here; the folder `room` may hold its sealed tests.

        In room/sealed.toml, `export = "solution.py"` names the file for the exported code: the
        cells that begin with `#| export` or, if there are none, all solution cells of nbgrader.
        room/test_*.py are the tests; the code may import what is in room/given/.
        """
        settings = room / "sealed.toml"
        if not settings.is_file():
            return cls(name, stems)
        export = read_toml(settings, UsageError).get("export")
        name_of = r"[^\W\d]\w*"
        form = rf"({name_of}/)*{name_of}\.py"
        if not isinstance(export, str) or not re.fullmatch(form, export):
            raise UsageError(
                f'`export` in {settings} is a Python file inside a package, such as "solution.py"'
                f' or "pkg/mod.py"; got {export!r}'
            )
        return cls(name, stems, None, Sealed(export, (room,), room / "given"))

    @classmethod
    def of(cls, module: Module | Assignment) -> Assignment:
        """The assignment as which a module is handed in."""
        if isinstance(module, Assignment):
            return module
        tests = tuple(test_folders(module))
        sealed = Sealed(module.export, tests) if tests else None
        return cls(module.name, (module.stem,), module, sealed)
