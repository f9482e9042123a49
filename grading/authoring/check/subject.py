"""What is checked: a module's source, with the wrong and the other right solutions to it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from grading.authoring import release
from grading.authoring.check.proof import Fault
from grading.authoring.check.report import Proof
from grading.authoring.check.structure import tests_by_exercise
from grading.engine.course import references
from grading.engine.course.variants import read_alternatives, read_misconceptions
from tito.errors import WorkError
from tito.notebook.cells import Cell, read_percent
from tito.workspace import Module

# What a module wants, unless its module.toml says `misconceptions = N` or `alternatives = N`.
MISCONCEPTIONS_PER_EXERCISE = 2
ALTERNATIVES = 3


class Subject:
    """The source, read once.

    Raises:
        WorkError: there is none.
    """

    def __init__(self, module: Module):
        path = references.source_path(module)
        if not path.is_file():
            raise WorkError(
                f"a module is checked from its source; {path} does not exist. Start one:"
                f" tito dev new {module.name}"
            )
        self.module, self.path = module, path
        self.cells = read_percent(path)
        self.misconceptions, self.header_faults = read_misconceptions(self.home("misconceptions"))
        self.alternatives = read_alternatives(self.home("alternatives"))

    def home(self, kind: str) -> Path:
        """The folder of the module's misconceptions or alternatives."""
        return self.module.root / "grading" / kind / self.module.name

    @cached_property
    def edition(self) -> release.Edition:
        return release.build_edition(self.module)

    def count(self, proof: Proof, point: int, kind: str, there: int, file: str) -> list[Fault]:
        """Note how many there are and how many are wanted; the fault if there are too few."""
        wanted, rule = wanted_solutions(self.module, self.cells)[kind]
        proof.note(point, f"{there} {kind}; wanted {wanted}, {rule}")
        if there >= wanted:
            return []
        toml = self.module.folder / "module.toml"
        return [
            Fault(
                point,
                f"{kind}: wanted {wanted}, {rule}; there {'is' if there == 1 else 'are'} {there}",
                f"write {wanted - there} more: {self.home(kind) / file}; or in {toml}:"
                f" {kind} = {there}",
            )
        ]

    def uncovered(self) -> list[Fault]:
        """Exercises that have no misconception."""
        home, bitten = self.home("misconceptions"), {one.exercise for one in self.misconceptions}
        return [
            Fault(3, f"exercise {name} has no misconception", f"write one: {home / name}.py")
            for name in tests_by_exercise(self.cells)
            if name not in bitten
        ]


def wanted_solutions(module: Module, cells: list[Cell]) -> dict[str, tuple[int, str]]:
    """How many misconceptions and alternatives a module wants, and the rule that says so."""
    asked = len(tests_by_exercise(cells))
    default = {
        "misconceptions": (
            MISCONCEPTIONS_PER_EXERCISE * asked,
            f"{MISCONCEPTIONS_PER_EXERCISE} for each exercise",
        ),
        "alternatives": (ALTERNATIVES, f"{ALTERNATIVES} for each module"),
    }
    stated = {
        kind: (module.meta[kind], "as module.toml says") for kind in default if kind in module.meta
    }
    return default | stated
