"""The promises of an exercise: the numbered sentences of its Contract.

    **Contract.** `take(n)` -> a list.

    1. It has n items.
    2. A negative n is a ValueError that says n.

Each sentence has an id, the exercise's number and its own: `3a.2`. A test names the promise that it
guards by this very sentence, so the student reads one sentence in the Contract, in the red cell and
on the feedback page.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tito.notebook.exercises import Exercise

_CONTRACT = re.compile(r"^\*\*Contract\.\*\*(.*?)(?=^\*\*\w|\Z)", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"^(\d+)\. (.+(?:\n {2,}\S.*)*)", re.MULTILINE)


@dataclass(frozen=True)
class Promise:
    """One sentence of a Contract.

    Attributes:
        id: such as "3a.2".
        text: the sentence as the notebook has it, on one line.
    """

    id: str
    text: str

    @property
    def plain(self) -> str:
        return plain(self.text)


def plain(sentence: str) -> str:
    """A sentence as it is compared: on one line, without the marks of code."""
    return " ".join(sentence.replace("`", "").split())


def promises(exercise: Exercise) -> list[Promise]:
    """The promises of an exercise, in order; an empty list where its Contract has no numbers."""
    return [
        Promise(f"{exercise.number}.{number}", " ".join(text.split()))
        for cell in exercise.cells
        if cell.kind == "markdown"
        for contract in _CONTRACT.findall(cell.source)
        for number, text in _ITEM.findall(contract)
    ]


def by_sentence(exercises: Iterable[Exercise]) -> dict[str, list[Promise]]:
    """Each sentence, in its plain form -> the promises that it is, of one exercise or several."""
    promises_of: dict[str, list[Promise]] = {}
    for exercise in exercises:
        for promise in promises(exercise):
            promises_of.setdefault(promise.plain, []).append(promise)
    return promises_of
