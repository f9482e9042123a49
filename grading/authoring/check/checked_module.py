"""What is checked: a module's source with its laws, wrong and other right solutions, and where
each of them is.
"""

import ast
import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from grading.authoring import release
from grading.engine.course import references
from grading.engine.course.cell_lines import parts_of
from grading.engine.course.wrong_and_right_solutions import Variant, read_right, read_wrong
from tito.contract.facts_of_tests import ContractTest, tests_in
from tito.errors import WorkError
from tito.notebook import percent_format
from tito.notebook.cells import Cell, cells_of_parts
from tito.notebook.exercises import Exercise, exercises, meant
from tito.notebook.ipynb_format import read_text
from tito.workspace import Module

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# What is wrong: its place, "file:line" or a cell; the fault; its repair.
Findings = Iterator[tuple[str | Cell, str, str]]


class Subject:
    """The source, read once.

    Attributes:
        named: the exercises that are checked: those that are named, or every one.
        whole: whether none was named.

    Raises:
        WorkError: the source cannot be read, or has no exercise that is named.
    """

    def __init__(self, module: Module, named: Sequence[str] = ()):
        self.module = module
        self.path = references.need_source(module, "a module is checked from its source")
        text = read_text(self.path)
        self.cells = cells_of_parts(parts_of(text, self.path))
        self._lines, self._begins = text.split("\n"), percent_format.begins(text)
        self.asked = [one for one in exercises(self.cells) if one.graded and not one.is_question]
        self.named, self.whole = self._named(named), not named
        self.all_wrong, self.header_faults = read_wrong(self.home("wrong"))
        self.right = read_right(self.home("right"))

    def _named(self, wanted: Sequence[str]) -> list[Exercise]:
        for one in wanted:
            if not meant(self.asked, one):
                there = ", ".join(f"{one.number} {one.name}" for one in self.asked)
                raise WorkError(
                    f"--only takes points, 1 to 8, and exercises; {one!r} is none of: {there}"
                )
        return [one for name in wanted for one in meant(self.asked, name)] or self.asked

    def home(self, kind: str) -> Path:
        """The folder of the module's "wrong" or other "right" solutions."""
        return references.secrets_of(self.module) / kind

    @property
    def wrong(self) -> list[Variant]:
        """The wrong solutions of the exercises that are checked."""
        names = {one.name for one in self.named}
        return [one for one in self.all_wrong if one.exercise in names]

    @cached_property
    def edition(self) -> release.Edition:
        return release.build_edition(self.module)

    @cached_property
    def tests(self) -> list[ContractTest]:
        return all_tests(self.module)

    def cell_of(self, test: ContractTest) -> set[str]:
        """The names of the graded cells whose points a law or contract test earns. A law's follows
        from the number of its exercise, also before the first release.
        """
        if not test.is_law:
            return set(test.grade_ids)
        return {one.graded.name for one in self.asked if one.graded and one.number == test.exercise}

    @property
    def targets(self) -> list[Path]:
        """Files with tests of the exercises that are checked; each folder, if these are all."""
        if self.whole:
            return references.test_folders(self.module)
        graded = {one.graded.name for one in self.named if one.graded}
        return [*dict.fromkeys(test.path for test in self.tests if graded & self.cell_of(test))]

    def to_run(self, cells: Sequence[Cell]) -> list[Cell]:
        """The cells without tests of exercises that are not checked."""
        left = {cell.name for one in self.asked if one not in self.named for cell in one.cells}
        return [cell for cell in cells if not (cell.runs_tests and cell.name in left)]

    # Where an author edits, as "file:line"

    def at(self, where: Cell | Path, line: int = 0) -> str:
        """The place of a line in a cell or in a file; of the line `# %%` that begins the cell
        without it.
        """
        if isinstance(where, Path):
            return f"{self._relative(where)}:{max(line, 1)}"
        number = self._begins[where.index - 1]
        if line and where.kind == "markdown" and self._lines[number].strip() in ('"""', 'r"""'):
            number += 1  # the quotes that open a text
        return f"{self._relative(self.path)}:{number + line}"

    def of_file(self, variant: Variant, line: int = 0) -> str:
        return self.at(variant.path, line or variant.line)

    def key(self, name: str) -> str:
        """The place of a key in module.toml."""
        path = self.module.folder / "module.toml"
        lines = path.read_text(encoding="utf-8").splitlines()
        lines_of_key = (
            n for n, line in enumerate(lines, 1) if line.partition("=")[0].strip() == name
        )
        return self.at(path, next(lines_of_key, 1))

    def answer(self, exercise: Exercise) -> str:
        """The place of an exercise's answer."""
        for cell in exercise.stubs:
            for number, line in enumerate(cell.source.split("\n"), start=1):
                if "### BEGIN SOLUTION" in line:
                    return self.at(cell, number)
        return self.at(exercise.cells[0])

    def _relative(self, path: Path) -> str:
        root = self.module.root
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def all_tests(module: Module) -> list[ContractTest]:
    """Every law and contract test of a module, public ones first.

    Raises:
        WorkError: a file is no Python, or holds laws and its name says no exercise.
    """
    tests: list[ContractTest] = []
    for folder in references.test_folders(module):
        for path in sorted(folder.glob("test_*.py")):
            try:
                tests += tests_in(path)
            except SyntaxError as problem:
                raise WorkError(
                    f"laws and contract tests are plain Python; {path}, line {problem.lineno}:"
                    f" {problem.msg}. Repair that line, then: tito dev check {module.name}"
                ) from None
    for test in tests:
        if test.is_law and test.exercise is None:
            name = test.path.name.removeprefix("test_")
            raise WorkError(
                "the name of a file of laws begins with the exercise's number, such as"
                f" test_1a_{name}; that of {test.path} does not. Rename it, then:"
                f" tito dev check {module.name} --release"
            )
    return tests


def exported_names(cells: Iterable[Cell]) -> list[str]:
    """The functions and classes that the package file will hold."""
    bodies = (cell.tree.body for cell in cells if cell.exported and cell.tree)
    return [
        node.name
        for node in itertools.chain.from_iterable(bodies)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef))
    ]
