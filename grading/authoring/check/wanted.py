"""What is checked: a module's source, with the wrong and the other right solutions to it."""

from functools import cached_property
from pathlib import Path

from grading.authoring import release
from grading.authoring.check.report import Proof
from grading.authoring.check.structure import tests_by_exercise
from grading.authoring.variants.proof import Fault
from grading.engine.course import references
from grading.engine.course.variants import read_right, read_wrong
from tito.notebook.cells import Cell
from tito.workspace import Module

# How many solutions a module wants, unless its module.toml says `wrong = N` or `right = N`.
WRONG_PER_EXERCISE = 2
RIGHT = 3
MOST_WRONG = 8  # of one exercise: each has a screen of its own, and a person reads them


def wanted_solutions(module: Module, cells: list[Cell]) -> dict[str, tuple[int, str]]:
    """How many wrong and other right solutions a module wants, and the rule that says so."""
    asked = len(tests_by_exercise(cells))
    default = {
        "wrong": (WRONG_PER_EXERCISE * asked, f"{WRONG_PER_EXERCISE} for each exercise"),
        "right": (RIGHT, f"{RIGHT} for each module"),
    }
    said = "as module.toml says"
    return default | {k: (module.meta[k], said) for k in default if k in module.meta}


class Subject:
    """The source, read once.

    Raises:
        WorkError: there is none.
    """

    def __init__(self, module: Module):
        self.module = module
        self.cells = references.read_source(module, "a module is checked from its source")
        self.path = references.source_path(module)
        self.wrong, self.header_faults = read_wrong(self.home("wrong"))
        self.right = read_right(self.home("right"))

    def home(self, kind: str) -> Path:
        """The folder of the module's "wrong" or other "right" solutions."""
        return references.secrets_of(self.module) / kind

    @cached_property
    def edition(self) -> release.Edition:
        return release.build_edition(self.module)

    def count(self, proof: Proof, point: int, kind: str, there: int, file: str) -> list[Fault]:
        """Note how many there are and how many are wanted; the fault if there are too few."""
        wanted, rule = wanted_solutions(self.module, self.cells)[kind]
        proof.note(point, f"{there} {kind} solutions; wanted {wanted}, {rule}")
        if there >= wanted:
            return []
        toml = self.module.folder / "module.toml"
        return [
            Fault(
                point,
                f"{kind} solutions: wanted {wanted}, {rule}; there"
                f" {'is' if there == 1 else 'are'} {there}",
                f"write {wanted - there} more: {self.home(kind) / file}; or in {toml}:"
                f" {kind} = {there}",
            )
        ]

    def uncovered(self) -> list[Fault]:
        """Exercises that have no wrong solution."""
        home, bitten = self.home("wrong"), {one.exercise for one in self.wrong}
        return [
            Fault(3, f"exercise {name} has no wrong solution", f"write one: {home / name}.py")
            for name in tests_by_exercise(self.cells)
            if name not in bitten
        ]
