"""The exercises of a notebook: number, title, minutes, points, and the cells that belong to each.

An exercise begins with a heading such as `### 3a file_ranges`; its first line says
`2 points, about 10 minutes`. It ends with its graded cell, the only one that has points; a question
ends with the locked cell that asks it. The number is a name: `tito hint 08a 3a`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tito.console import counted
from tito.notebook import hours
from tito.notebook.cells import Cell
from tito.notebook.stubs import Stub

_NUMBERED = re.compile(r"^#{2,4} (\d+[a-z]) (.+)$", re.MULTILINE)
_HINT = re.compile(r"\bhint\s*=\s*[\"']\S+ ([^\"'\s]+)[\"']")
_CHECKED = re.compile(r"^check\([\"'](\d+[a-z]+)[\"']\)", re.MULTILINE)
_EMPTY = re.compile(r"(\*Your answer here[^*]*\*)?")
_PLACE = re.compile(r"<!-- points(?: (Part \w+))? -->")


@dataclass(frozen=True)
class Exercise:
    """One exercise, or one question.

    Attributes:
        number: such as "3a".
        cells: from the cell with the heading to the one that holds the points, in order.
    """

    number: str
    title: str
    cells: tuple[Cell, ...]

    @property
    def graded(self) -> Cell | None:
        """The cell that holds the points; None while the exercise has none."""
        last = self.cells[-1]
        return last if last.is_test or last.nbgrader.get("task") else None

    @property
    def is_question(self) -> bool:
        """Whether a person grades it."""
        return bool(self.graded and self.graded.nbgrader.get("task"))

    @property
    def points(self) -> float:
        return float(self.graded.nbgrader.get("points") or 0) if self.graded else 0.0

    @cached_property
    def minutes(self) -> int | None:
        stated = [heading.minutes for cell in self.cells for heading in hours.headings(cell)]
        return sum(number for number in stated if number) or None

    @cached_property
    def name(self) -> str:
        """What its hints are called: in `hint="08a file_ranges"`, or with laws its stub's name."""
        names = _HINT.findall(self.graded.source) if self.graded else []
        if self.graded and checked(self.graded.source) and self.stubs:
            return self.stubs[0].name
        return names[-1] if names else (self.graded.name if self.graded else self.title)

    @property
    def stubs(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.is_solution]

    @property
    def label(self) -> str:
        return f"{self.number} {self.title}"


def checked(source: str) -> str | None:
    """The exercise whose laws a test cell runs: "3a" for `check("3a")`."""
    match = _CHECKED.search(source)
    return match[1] if match else None


def exercises(cells: Iterable[Cell]) -> list[Exercise]:
    """The numbered exercises and questions, in order."""
    numbered: list[Exercise] = []
    number, title = "", ""  # of the exercise that is open
    own: list[Cell] = []
    for cell in cells:
        heading = _NUMBERED.search(cell.source) if cell.kind == "markdown" else None
        if heading:
            if own:
                numbered.append(Exercise(number, title, tuple(own)))
            number, title, own = heading[1], heading[2].strip(), []
        elif not number:
            continue
        own.append(cell)
        if cell.nbgrader.get("task") or (cell.is_test and cell.nbgrader.get("points")):
            numbered.append(Exercise(number, title, tuple(own)))
            number, own = "", []
    if own:
        numbered.append(Exercise(number, title, tuple(own)))
    return numbered


def named(among: Iterable[Exercise], wanted: str) -> Exercise | None:
    """The exercise whose number, name or graded cell is `wanted`."""
    wanted = wanted.strip().lower()
    for exercise in among:
        graded = exercise.graded.name if exercise.graded else ""
        if wanted in (exercise.number, exercise.name.lower(), graded.lower()):
            return exercise
    return None


def meant(among: Iterable[Exercise], wanted: str) -> list[Exercise]:
    """The exercise that `wanted` names; of a plain number such as "3", all of that section."""
    among = list(among)
    if wanted.strip().isdigit():
        return [one for one in among if one.number[:-1] == wanted.strip()]
    one = named(among, wanted)
    return [one] if one else []


@dataclass(frozen=True)
class Answer:
    """The cell in which a student answers a question.

    Attributes:
        question: the name of the cell that asks.
        empty: whether it still says what was handed out.
    """

    question: str
    cell: Cell
    empty: bool


def answers(cells: Iterable[Cell]) -> list[Answer]:
    """The answers of a notebook, in order. Their cells are known by their ids."""
    listed = []
    for cell in cells:
        if cell.kind == "markdown" and cell.id.startswith("answer-"):
            question = cell.id.removeprefix("answer-").replace("-", "_")
            empty = _EMPTY.fullmatch(cell.source.strip()) is not None
            listed.append(Answer(question, cell, empty))
    return listed


def unsolved(among: Iterable[Exercise], stubs: Iterable[Stub]) -> set[str]:
    """The numbers of the exercises that have one of these stubs; else the cell's name."""
    numbers = {cell.index: one.number for one in among for cell in one.cells}
    return {numbers.get(stub.index, stub.cell) for stub in stubs}


def points_filled_in(cells: list[Cell]) -> dict[int, str]:
    """For each text cell with `<!-- points -->`, its index and its text with the number in that
    place: the points of the exercise, or, outside of exercises, of the whole notebook or of the
    part that `<!-- points Part A -->` names.
    """
    own = {cell.index: one for one in exercises(cells) for cell in one.cells}
    parts: dict[str | None, float] = {None: 0.0}
    part = None
    for cell in cells:
        for heading in hours.headings(cell):
            part = heading.part or part
        worth = float(cell.nbgrader.get("points") or 0)
        parts[None] += worth
        if part:
            parts[part] = parts.get(part, 0.0) + worth

    filled = {}
    for cell in cells:
        if cell.kind != "markdown" or not _PLACE.search(cell.source):
            continue

        def stated(mark: re.Match[str], cell: Cell = cell) -> str:
            exercise = own.get(cell.index)
            worth = exercise.points if exercise and not mark[1] else parts.get(mark[1])
            return mark[0] if worth is None else counted(worth, "point")

        filled[cell.index] = _PLACE.sub(stated, cell.source)
    return filled
