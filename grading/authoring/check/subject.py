"""What is checked: a module's source, with the wrong and the other right solutions to it."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from grading.authoring import release
from grading.authoring.check.proof import Fault
from grading.authoring.check.report import Proof
from grading.authoring.check.structure import tests_by_exercise
from grading.engine.course import references
from grading.engine.course.variants import Variant, read_alternatives, read_misconceptions
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

    def tried(self, variants: list[Variant]) -> list[Variant]:
        """Those of the variants that are run: all of them. A test suite may run a sample."""
        return variants

    def home(self, kind: str) -> Path:
        """The folder of the module's misconceptions or alternatives."""
        return self.module.root / "grading" / kind / self.module.name

    @cached_property
    def edition(self) -> release.Edition:
        return release.build_edition(self.module)

    def count(self, proof: Proof, point: int, kind: str, pattern: str) -> list[Fault]:
        """Note how many there are and how many are wanted; the fault if there are too few."""
        wanted, rule = wanted_solutions(self.module, self.cells)[kind]
        home = self.home(kind)
        there = len(list(home.glob(pattern)))
        proof.note(point, f"{there} {kind}; wanted {wanted}, {rule}")
        if there >= wanted:
            return []
        name = pattern.replace("*/", "EXERCISE/").replace("*", "NAME")
        toml = self.module.folder / "module.toml"
        return [
            Fault(
                point,
                f"{kind}: wanted {wanted}, {rule}; there {'is' if there == 1 else 'are'} {there}",
                f"write {wanted - there} more: {home / name}; or in {toml}: {kind} = {there}",
            )
        ]

    def uncovered(self) -> list[Fault]:
        """Exercises that no misconception belongs to, and folders that belong to no exercise."""
        asked, solutions = (
            tests_by_exercise(self.cells),
            {cell.grade_id for cell in self.cells if cell.is_solution},
        )
        home = self.home("misconceptions")
        bitten = {variant.exercise for variant in self.misconceptions} | {
            name
            for name, tests in asked.items()
            for variant in self.misconceptions
            if variant.caught_by in {test.grade_id for test in tests}
        }
        faults = [
            Fault(3, f"exercise {name} has no misconception", f"write one: {home / name}/NAME.py")
            for name in asked
            if name not in bitten
        ]
        return faults + [
            Fault(
                3,
                f"{home / folder} belongs to no exercise",
                f"rename it to one of: {', '.join(asked)}",
            )
            for folder in sorted(
                {variant.exercise for variant in self.misconceptions} - set(asked) - solutions
            )
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
