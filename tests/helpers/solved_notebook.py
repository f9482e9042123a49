"""A student's solved notebook, and what a habit of `odd_habits` needs to change it."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

ANSWER = "Because the caller may change the list later."


@dataclass
class Desk:
    """A student's notebook in the making.

    Attributes:
        released: the notebook as handed out; `solved`: grade_id -> the source of a right solution.
        exercises: (grade_id of the solution, grade_id of its test); questions: (grade_id of the
            question, id of its answer cell).
        data: the bytes of the file, if a habit writes them in another way.
    """

    released: dict[str, Any]
    solved: dict[str, str]
    chance: random.Random
    notebook: dict[str, Any] = field(init=False)
    exercise: tuple[str, str] = ("", "")
    question: tuple[str, str] = ("", "")
    file: str = ""
    data: Callable[[str], bytes] | None = None

    def __post_init__(self) -> None:
        self.notebook = plain(self.released)
        for cell in self.cells:
            cell["source"] = self.solved.get(label(cell), cell["source"])
            if cell["id"] in dict(self.questions).values():
                cell["source"] = ANSWER

    @property
    def cells(self) -> list[dict[str, Any]]:
        return self.notebook["cells"]

    @property
    def exercises(self) -> list[tuple[str, str]]:
        labels = [label(cell) for cell in self.released["cells"]]
        tests = [name for name in labels if name.startswith("test_")]
        return [
            (name, next(test for test in tests if labels.index(test) > labels.index(name)))
            for name in labels
            if name in self.solved
        ]

    @property
    def questions(self) -> list[tuple[str, str]]:
        tasks = [cell for cell in self.released["cells"] if flags(cell).get("task")]
        return [(label(cell), f"answer-{cell['id']}") for cell in tasks]

    @property
    def stub(self) -> str:
        names = [label(cell) for cell in self.released["cells"]]
        return "".join(self.released["cells"][names.index(self.exercise[0])]["source"])

    @property
    def work(self) -> dict[str, Any]:
        return self.cells[self.place(self.exercise[0])]

    @property
    def test(self) -> dict[str, Any]:
        return self.cells[self.place(self.exercise[1])]

    @property
    def asked(self) -> dict[str, Any]:
        return self.cells[self.place(self.question[0])]

    @property
    def answer(self) -> dict[str, Any]:
        return next(cell for cell in self.cells if cell.get("id") == self.question[1])

    def place(self, name: str) -> int:
        return [label(cell) for cell in self.cells].index(name)

    def put(self, source: str, beside: dict[str, Any], *, after: bool = True, **more: Any) -> None:
        """Insert a cell of the student's own, or with the given metadata, beside another one."""
        kind = more.pop("cell_type", "code")
        made = {
            "cell_type": kind,
            "id": f"own-{self.chance.randrange(10**9)}",
            "metadata": copy.deepcopy(more.get("metadata", {})),
            "source": source,
            **({"outputs": [], "execution_count": None} if kind == "code" else {}),
        }
        where = next(place for place, cell in enumerate(self.cells) if cell is beside)
        self.cells.insert(where + after, made)

    def back_to_stub(self) -> str:
        """Empty the exercise's own cell again; returns the solution."""
        source, self.work["source"] = self.work["source"], self.stub
        return source


def plain(notebook: dict[str, Any]) -> dict[str, Any]:
    made = json.loads(json.dumps(notebook))
    for cell in made["cells"]:
        cell["source"] = "".join(cell["source"])
    return made


def flags(cell: dict[str, Any]) -> dict[str, Any]:
    return cell["metadata"].get("nbgrader", {})


def label(cell: dict[str, Any]) -> str:
    return flags(cell).get("grade_id", "")


def without_export(source: str) -> str:
    return source.replace("#| export\n", "", 1)
