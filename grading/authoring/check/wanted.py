"""How many wrong and other right solutions a module has."""

from grading.authoring.check.structure import tests_by_exercise
from tito.notebook.cells import Cell
from tito.workspace import Module

# How many a module wants, unless its module.toml says `wrong = N` or `right = N`.
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
    stated = {
        kind: (module.meta[kind], "as module.toml says") for kind in default if kind in module.meta
    }
    return default | stated
