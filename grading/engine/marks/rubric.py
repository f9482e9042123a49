"""Rubric items: points and a comment that are written once and applied by a key.

DIR/rubrics/A/QUESTION.json holds {"a": {"points": 1.5, "comment": "Names the copy."}, ...}; it is
meant to be read and edited. An item's points may be negative.
"""

import json
import math
import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.marks.answers_to_grade import Answer
from tito.errors import UsageError, WorkError
from tito.files import changing, write_json

_KEY = re.compile(r"[a-z][a-z0-9-]{0,19}")
_LETTERS = [*string.ascii_lowercase, *(f"item-{number}" for number in range(1, 1000))]


@dataclass(frozen=True)
class Item:
    """What one key stands for."""

    points: float
    comment: str

    def __str__(self) -> str:
        return f"{self.points:+g}  {self.comment}"


@dataclass(frozen=True)
class Again:
    """A grade that an edited item changes: the answer with its grade, and the new one."""

    answer: Answer
    points: float
    comment: str


class Rubric:
    """The items of one question."""

    def __init__(self, course: Course, assignment: Assignment, question: str):
        self.question = question
        self.path: Path = course.root / "rubrics" / assignment.name / f"{question}.json"
        self.refresh()

    def refresh(self) -> None:
        """Read the items, also those that another grader has written."""
        self.items: dict[str, Item] = {}
        if not self.path.is_file():
            return
        try:
            document = json.loads(self.path.read_text(encoding="utf-8"))
            for key, one in document.items():
                self.items[key] = Item(float(one["points"]), one["comment"])
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise WorkError(
                'a rubric is JSON such as {"a": {"points": 1, "comment": "Names the copy."}};'
                f" {self.path} is not ({problem}). Repair it, or move it away"
            ) from None

    def add(self, key: str, points: float, comment: str, *, replace: bool = False) -> None:
        """Write an item down, beside those that other graders have written; `replace`: also in
        place of one that has this key.
        """
        if not _KEY.fullmatch(key):
            raise UsageError(
                f"a key is a lower-case letter, then letters, digits or -; got {key!r}. Try: a"
            )
        if not math.isfinite(points):
            raise UsageError(f"points are a number; got {points}. Try: 1.5")
        with changing(self.path):
            self.refresh()
            item, there = Item(points, comment), self.items.get(key)
            if there not in (None, item) and not replace:
                free = next(letter for letter in _LETTERS if letter not in self.items)
                raise UsageError(
                    f"each item has its own key; {key} is {there}. Take another key, such as"
                    f" {free}, or replace it: tito grade mark --question {self.question} --add"
                    f" {key} {points:g} {comment!r} --replace"
                )
            self.items[key] = item
            write_json(self.path, {name: asdict(item) for name, item in self.items.items()})

    def applied(self, keys: Sequence[str], most: float) -> tuple[float, str]:
        """The points and the comment that these keys give together; points stay within 0..most."""
        unknown = [key for key in keys if key not in self.items]
        if unknown:
            known = ", ".join(self.items) or "none yet"
            raise UsageError(
                f"no item of {self.question} is called {unknown[0]!r}; there are: {known}. Write"
                f" one: tito grade mark --question {self.question} --add {unknown[0]} 1 'A COMMENT'"
            )
        chosen = [self.items[key] for key in dict.fromkeys(keys)]
        points = sum(item.points for item in chosen)
        return max(0.0, min(most, points)), "\n".join(item.comment for item in chosen)

    def again(self, key: str, before: Item, answers: Iterable[Answer], most: float) -> list[Again]:
        """The grades that rest on an item as it was, and what they are with the item as it is. A
        grade rests on the items whose comments are lines of its comment.
        """
        offers, now = [], self.items[key]
        own = {one.comment: one.points for one in (*self.items.values(), before)}
        for one in answers:
            lines = one.comment.splitlines()
            if one.points is None or before.comment not in lines or before == now:
                continue
            new = [now.comment if line == before.comment else line for line in lines]
            points = one.points + now.points - before.points
            if all(line in own for line in lines):  # the limits may have cut the sum
                points = sum(now.points if line == before.comment else own[line] for line in lines)
            offers.append(Again(one, max(0.0, min(most, points)), "\n".join(new)))
        return offers

    def lines(self) -> list[str]:
        """The items as they are listed."""
        return [f"{key:<4} {item}" for key, item in sorted(self.items.items())]
