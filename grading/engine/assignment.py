"""What a class hands in: an assignment of nbgrader's, made here (a module of the course) or anywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tito.course import Module


@dataclass(frozen=True)
class Sealed:
    """Contract tests and the package that they test.

    Attributes:
        export: where the student's exported code goes in a workspace, such as "tinytorch/core/dataloader.py".
        tests: folders of pytest files whose mark `contract(grade_id)` names the cell that holds the points.
    """

    export: str
    tests: tuple[Path, ...]

    @property
    def import_name(self) -> str:
        return self.export.removesuffix(".py").replace("/", ".")


@dataclass(frozen=True)
class Assignment:
    """An assignment: its name, its notebooks, and the module that it was made from where there is one."""

    name: str
    stems: tuple[str, ...]            # of its notebooks, without .ipynb
    module: Module | None = None
    sealed: Sealed | None = None

    @property
    def stem(self) -> str:
        return self.stems[0]

    def label(self, row: dict[str, Any]) -> str:
        """The name of a cell that people read: its grade_id, with the notebook when there are several."""
        return row["grade_id"] if len(self.stems) == 1 else f"{row.get('notebook', self.stem)}/{row['grade_id']}"

    @classmethod
    def of(cls, module: Module | Assignment) -> Assignment:
        """The assignment that a module is handed in as."""
        if isinstance(module, cls):
            return module
        tests = tuple(folder for folder in (module.tests, module.root / "grading" / "tests" / module.name) if folder.is_dir())
        return cls(module.name, (module.stem,), module, Sealed(module.export, tests) if tests else None)
