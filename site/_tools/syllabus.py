"""The hours and points on the page for planning a term: tables that follow from the notebooks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tito.console import counted
from tito.notebook import hours
from tito.notebook.cells import read_ipynb
from tito.notebook.exercises import Exercise, exercises

from . import module_page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tito.workspace import Module

_SECTIONS = re.compile(r"<!-- (hours|points) (\d+)-(\d+) -->")


@dataclass(frozen=True)
class Share:
    """A part of a module, or the whole module if it has no parts.

    Attributes:
        part: such as "Part A"; "" for a module without parts.
        minutes: those that its headings state, and those of its text, demos and submission.
    """

    part: str
    minutes: int
    exercises: tuple[Exercise, ...]

    @property
    def points(self) -> float:
        return sum(one.points for one in self.exercises)

    @property
    def points_by_hand(self) -> float:
        return sum(one.points for one in self.exercises if one.is_question)


def shares(module: Module) -> list[Share]:
    """The parts of a module, in order."""
    cells = read_ipynb(module.notebook)
    part, part_of_cell = "", {}
    for cell in cells:
        part = next((one.part for one in hours.headings(cell)[::-1] if one.part), part)
        part_of_cell[cell.index] = part
    inside: dict[str, list[Exercise]] = {}
    for one in exercises(cells):
        inside.setdefault(part_of_cell[one.cells[0].index], []).append(one)
    minutes = hours.minutes(cells)
    return [Share(part, taken, tuple(inside.get(part, ()))) for part, taken in minutes.items()]


def filled(text: str, modules: list[Module]) -> str:
    """`text` with a table or a list in place of `<!-- syllabus modules -->`, `labs`, `by hand` and
    `exercises`; `<!-- syllabus lab hours -->` and `lab points` become what a lab takes and gives.
    `<!-- hours 1-5 -->` becomes the hours of the first module's sections 1 to 5, and
    `<!-- points 1-5 -->` their points.
    """
    if not modules or ("<!-- syllabus" not in text and not _SECTIONS.search(text)):
        return text
    labs = [shares(module) for module in modules if module.after]
    tables = {
        "modules": module_table(modules),
        "labs": _labs(modules),
        "lab hours": _joined(hours.hours(sum(one.minutes for one in parts)) for parts in labs),
        "lab points": _joined(counted(sum(one.points for one in parts), "point") for parts in labs),
        "by hand": question_table(modules),
        "exercises": _exercises(modules),
    }
    for name, table in tables.items():
        text = text.replace(f"<!-- syllabus {name} -->", table)
    listed = exercises(read_ipynb(modules[0].notebook))

    def stated(mark: re.Match[str]) -> str:
        inside = [one for one in listed if int(mark[2]) <= int(one.number[:-1]) <= int(mark[3])]
        if mark[1] == "hours":
            return hours.hours(sum(one.minutes or 0 for one in inside))
        return counted(sum(one.points for one in inside), "point")

    return _SECTIONS.sub(stated, text)


def _joined(values: Iterable[str]) -> str:
    """The values, each once."""
    return " or ".join(dict.fromkeys(values))


def module_table(modules: list[Module]) -> str:
    """A row for each part of each module: hours, points, and the points that a person gives."""
    rows = [
        f"| {_link(module)}{', ' + share.part if share.part else ''} | {hours.hours(share.minutes)}"
        f" | {share.points:g} | {share.points_by_hand:g} |"
        for module in modules
        for share in shares(module)
    ]
    return "\n".join(["| module | hours | points | of these by hand |", "|---|---|---|---|", *rows])


def question_table(modules: list[Module]) -> str:
    """A row for each question that a person grades."""
    rows = [
        f"| {module.number} | {one.number} {one.title} | {one.points:g} |"
        for module in modules
        for one in exercises(read_ipynb(module.notebook))
        if one.is_question
    ]
    return "\n".join(["| module | question | points |", "|---|---|---|", *rows])


def _labs(modules: list[Module]) -> str:
    """What a student can do after each module that builds on another one."""
    labs = [module for module in modules if module.after]
    return "\n".join(
        f"{_link(lab)}\n: {'; '.join(lab.meta.get('objectives', []))}.\n" for lab in labs
    )


def _exercises(modules: list[Module]) -> str:
    """Each module's table of exercises, folded."""
    folded = []
    for module in modules:
        table = module_page.exercise_list(exercises(read_ipynb(module.notebook)))
        rows = table.partition("\n")[2].strip()
        folded.append(f":::{{dropdown}} {module.number} {module.title}\n{rows}\n:::")
    return "\n\n".join(folded)


def _link(module: Module) -> str:
    return f"[{module.number} {module.title}](../modules/{module.name}.md)"
