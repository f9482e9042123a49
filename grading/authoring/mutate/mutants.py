"""Mutants of a module: the reference with one small change, made by rule, or a wrong solution."""

import ast
import difflib
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from grading.authoring.mutate.mutmut_operators import library_mutants
from grading.authoring.mutate.our_operators import our_mutants
from grading.authoring.mutate.solution_code import Code, difference, without_prose
from grading.authoring.variants.splice import splice
from grading.engine.course.wrong_and_right_solutions import Variant
from tito.errors import WorkError
from tito.notebook.cells import Cell
from tito.notebook.exercises import Exercise, exercises


@dataclass(frozen=True)
class Mutant:
    """The reference with some cells changed.

    Attributes:
        name: "exercise/operator-2", or "exercise/function/operator-2" where the function is not
            called like its exercise; of a wrong solution, its own.
        exercise: the name of the one whose cells change.
        changes: the new text of each changed cell, by the cell's index.
        every_test: whether all contract tests run on it, not only those up to the first that fails.
    """

    name: str
    exercise: str
    changes: dict[int, str]
    olds: dict[int, str]
    every_test: bool = False

    def in_place_of(self, cells: Sequence[Cell]) -> list[Cell]:
        """The cells of the reference with this mutant's text."""
        changed = self.changes
        return [replace(one, source=changed.get(one.index, one.source)) for one in cells]

    @cached_property
    def change(self) -> str:
        """The lines that differ, each with its - or +."""
        return self.diff(0)

    def diff(self, context: int = 1) -> str:
        """The lines of code that differ in more than their indentation, with some around them."""
        lines: list[str] = []
        for index, new in self.changes.items():
            old_lines, new_lines = (
                [line for line in without_prose(text).splitlines() if line.strip() != '""']
                for text in (self.olds[index], new)
            )
            match = difflib.SequenceMatcher(
                None,
                [line.strip() for line in old_lines],
                [line.strip() for line in new_lines],
                autojunk=False,
            )
            for group in match.get_grouped_opcodes(context):
                for kind, begin, end, new_begin, new_end in group:
                    if kind == "equal":
                        lines += [f"  {line}" for line in old_lines[begin:end]]
                    else:
                        lines += [f"- {line}" for line in old_lines[begin:end]]
                        lines += [f"+ {line}" for line in new_lines[new_begin:new_end]]
        return "\n".join(lines)


def asked(cells: Sequence[Cell]) -> list[Exercise]:
    """The exercises that tests grade, in order."""
    return [one for one in exercises(cells) if one.graded and not one.is_question]


def generate(cells: Sequence[Cell]) -> list[Mutant]:
    """All mutants of the reference's solutions, in the order of the notebook."""
    return [
        mutant
        for exercise in asked(cells)
        for cell in exercise.stubs
        for mutant in _of_cell(cell, exercise)
    ]


def _of_cell(cell: Cell, exercise: Exercise) -> Iterator[Mutant]:
    if cell.tree is None:
        return
    code = Code(cell.source)
    seen = {ast.dump(code.tree)}
    changes: list[tuple[int, int, str, str]] = []
    for operator, text in (*library_mutants(cell.source), *our_mutants(code)):
        begin, end = difference(cell.source, text)
        if not code.may_change(begin, end):
            continue
        tree = _compiled(text)
        if tree is not None and (shape := ast.dump(tree)) not in seen:
            seen.add(shape)
            changes.append((begin, end, operator, text))
    made: Counter[str] = Counter()
    for begin, _, operator, text in sorted(changes):
        function = code.name_at(begin)
        parts = [exercise.name, *([function] if function != exercise.name else []), operator]
        name = "/".join(part for part in parts if part)
        made[name] += 1
        yield Mutant(
            f"{name}-{made[name]}", exercise.name, {cell.index: text}, {cell.index: cell.source}
        )


def _compiled(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
            compile(tree, "mutant", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
    return tree


def from_variant(cells: Sequence[Cell], variant: Variant) -> Mutant:
    """A wrong solution as a mutant of its exercise.

    Raises:
        WorkError: it cannot be put into the notebook, or changes nothing that is graded.
    """
    homes = {cell.index: one.name for one in asked(cells) for cell in one.stubs}
    old = {cell.index: cell.source for cell in cells}
    new = splice(cells, variant)
    changes = {one.index: one.source for one in new if one.source != old[one.index]}
    if not homes.keys() & changes.keys():
        raise WorkError(
            f"a wrong solution changes what an exercise asks for; {variant.place} does not."
            f" Exercises: {', '.join(dict.fromkeys(homes.values()))}"
        )
    olds = {index: old[index] for index in changes}
    return Mutant(variant.name, variant.exercise, changes, olds, len(variant.numbers) > 1)
