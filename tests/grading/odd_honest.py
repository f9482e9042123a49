"""Odd but honest submissions: a solved notebook with one to three habits of `odd_habits`, at
different exercises, chosen by its number.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

from desk import ANSWER, Desk, plain
from odd_habits import AT_EXERCISE, AT_QUESTION, WHOLE

__all__ = ["ANSWER", "Handed", "count", "lines_of", "submission"]


@dataclass(frozen=True)
class Handed:
    """A submission. `wrote` are the lines that the student wrote."""

    name: str
    file: str
    data: bytes
    wrote: frozenset[str]
    question: str


def lines_of(notebook: Any) -> set[str]:
    """The lines of all cells, without white space and comment signs around them, and of some
    length.
    """
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"])
    return {line.strip(" \t#") for line in text.splitlines() if len(line.strip(" \t#\"'")) > 3}


def submission(
    number: int, released: dict[str, Any], solved: dict[str, str], *, file: str, most: int = 3
) -> Handed:
    """Submission `number`: its first habit is the next one in order, others are drawn."""
    chance = random.Random(number)
    desk = Desk(plain(released), solved, chance, file=file)
    tables = (AT_EXERCISE, AT_QUESTION, WHOLE)
    order = [(table, name) for table in tables for name in table]
    chosen = [order[number % len(order)]]
    for table in chance.sample(tables, k=chance.randint(0, most - 1)):
        if table is AT_EXERCISE or table is not chosen[0][0]:
            chosen.append((table, chance.choice(list(table))))
    # what changes the file as a whole comes last; each habit has an exercise of its own
    chosen.sort(key=lambda one: tables.index(one[0]))
    at = desk.exercises
    chance.shuffle(at)
    names = []
    for table, name in chosen:
        if table is AT_EXERCISE:
            if not at:
                continue
            desk.exercise = at.pop()
        elif table is AT_QUESTION:
            desk.question = chance.choice(desk.questions)
        names.append(f"{name} ({desk.exercise[0]})" if table is AT_EXERCISE else name)
        table[name](desk)
    text = json.dumps(desk.notebook, indent=1)
    data = desk.data(text) if desk.data else text.encode()
    wrote = frozenset(lines_of(desk.notebook) - lines_of(released))
    return Handed("; ".join(names), desk.file, data, wrote, desk.question[0])


def count() -> int:
    return len(AT_EXERCISE) + len(AT_QUESTION) + len(WHOLE)
