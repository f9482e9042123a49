"""How long a module takes: the minutes below its headings, the text between them, the demos, export
and submission, and the hours that follow.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tito.console import counted
from tito.notebook.cells import Cell

_HEADING = re.compile(r"^(#+) (?!(?:BEGIN|END) MARK SCHEME)(.*)$(?:\n+(?!#)(.*)$)?", re.MULTILINE)
_PART = re.compile(r"Part \w+")
_STATED = re.compile(r"(?:.* points?|<!-- points -->), about (\d+) minutes\b")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# Half of what Brysbaert (2019), doi 10.1016/j.jml.2019.104047, found for non-fiction, 238: the text
# is technical.
WORDS_PER_MINUTE = 120
DEMO_MINUTES = 3  # to run it, look at its picture and read on
HAND_IN_MINUTES = 10  # to test everything, export and submit
_PLACE = re.compile(r"<!-- hours(?: (Part \w+))? -->")


@dataclass(frozen=True)
class Heading:
    """A heading of a notebook, such as `### 2a collate`."""

    level: int  # 1 for `#`
    text: str
    below: str = ""  # the first line below it, such as "3 points, about 15 minutes"

    @property
    def part(self) -> str | None:
        """The name "Part A" of a heading `# Part A`; None for every other heading."""
        match = _PART.match(self.text) if self.level == 1 else None
        return match[0] if match else None

    @property
    def minutes(self) -> int | None:
        match = _STATED.match(self.below)
        return int(match[1]) if match else None


def headings(cell: Cell) -> list[Heading]:
    """The headings in a Markdown cell; an empty list for a code cell."""
    if cell.kind != "markdown":
        return []
    return [
        Heading(len(marks), text, below) for marks, text, below in _HEADING.findall(cell.source)
    ]


def minutes(cells: Iterable[Cell]) -> dict[str, int]:
    """The minutes of each part of the notebook: those that lines below headings state, and those of
    the text that belongs to no such heading, of the demos and, in the last part, of the submission.

    A heading `# Part A` begins the part "Part A"; what comes before the first one is read in it. A
    notebook without parts has the part "". Without a heading that states minutes there is no part.
    """
    part, asked = "", False
    stated: dict[str, int] = {}
    words: Counter[str] = Counter()
    demos: Counter[str] = Counter()
    for cell in cells:
        for heading in headings(cell):
            part = heading.part or part
            asked = heading.minutes is not None
            stated[part] = stated.get(part, 0) + (heading.minutes or 0)
        demos[part] += "demo" in cell.tags
        if cell.kind == "markdown" and not asked:
            words[part] += len(_COMMENT.sub("", cell.source).split())
    with_minutes = [name for name, total in stated.items() if total]
    if not with_minutes:
        return {}
    total = {name: stated[name] for name in with_minutes}
    for name in {*words, *demos}:
        read = -(-words[name] // WORDS_PER_MINUTE) + DEMO_MINUTES * demos[name]
        total[name if name in total else with_minutes[0]] += read
    total[with_minutes[-1]] += HAND_IN_MINUTES
    return total


def hours(total_minutes: int) -> str:
    """The range of hours for a sum of stated minutes, such as "3 to 4 hours" for 240.

    The minutes are for a student who works with care; a fast student needs three quarters of them.
    Both ends are rounded up to the half hour.
    """
    least, most = (-(-part // 120) / 2 for part in (3 * total_minutes, 4 * total_minutes))
    if least == most:
        return counted(most, "hour")
    return f"{least:g} to {most:g} hours"


def summary(parts: dict[str, int]) -> str:
    """The hours of a module, part by part: "Part A 3 to 4 hours, Part B 1.5 to 2 hours"."""
    return ", ".join(f"{part} {hours(total)}".strip() for part, total in parts.items())


def filled_in(text: str, parts: dict[str, int]) -> str:
    """`text` with the hours in place of `<!-- hours -->` (the whole module) and of
    `<!-- hours Part A -->`. The mark of a part that does not exist is left as it is.
    """

    def spent(mark: re.Match[str]) -> str:
        total = parts.get(mark[1]) if mark[1] else sum(parts.values())
        return hours(total) if total else mark[0]

    return _PLACE.sub(spent, text)
