"""Wrong and other right solutions of a module, as their files describe them.

The wrong solutions of an exercise are in one file, grading/modules/MODULE/wrong/EXERCISE.py:

    # %% lower_limit_only: Values are too small or they are fine. (promise 1)
    def clip_values(values, low, high):
        ...

Each begins with its name, what a student believed, and the promise that the student reads as
broken; `(promises 1, 4)` names others that break, too.
Another right solution is a file of its own, MODULE/right/NAME.py, without such a line.
"""

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tito.notebook.exercises import Exercise
from tito.notebook.promises import Promise, promises

HEADER = "# %% NAME: WHAT A STUDENT BELIEVED. (promise N)"
_BEGIN = re.compile(r"^#\s*%%", re.MULTILINE)
_HEADER = re.compile(
    r"# %% (?P<name>\w+): (?P<believed>.+) \(promises? (?P<numbers>\d+(?:, \d+)*)\)"
)


HeaderFault = tuple[Path, int, str]  # a file, a line of it, and what is wrong there


@dataclass(frozen=True)
class Variant:
    """The definitions that differ from the reference's.

    Attributes:
        text: these, as they are in the file, so that lines have their numbers.
        label: of a wrong solution.
        numbers: the promises that a wrong solution breaks; the student reads the first one.
    """

    path: Path
    text: str
    label: str = ""
    believed: str = ""
    numbers: tuple[int, ...] = ()

    @property
    def exercise(self) -> str:
        """The exercise of a wrong solution, which its file is named after."""
        return self.path.stem

    @property
    def name(self) -> str:
        return f"{self.exercise}/{self.label}" if self.label else self.exercise

    @property
    def line(self) -> int:
        """The line of the file that begins it."""
        return len(self.text) - len(self.text.lstrip("\n")) + 1

    @property
    def place(self) -> str:
        """Where it stands, for a message."""
        return f"{self.path}: {self.label}" if self.label else str(self.path)

    def breaks(self, listed: Iterable[Exercise]) -> tuple[Exercise, list[Promise]] | None:
        """The exercise of a wrong solution and the promises that it breaks; None where it has no
        such exercise or promise.
        """
        for one in listed:
            if one.name == self.exercise and one.graded:
                said = dict(enumerate(promises(one), start=1))
                broken = [said[number] for number in self.numbers if number in said]
                return (one, broken) if len(broken) == len(self.numbers) else None
        return None


def read_wrong(folder: Path) -> tuple[list[Variant], list[HeaderFault]]:
    """The wrong solutions in the files of `folder`, and what is wrong with headers."""
    good: list[Variant] = []
    faults: list[HeaderFault] = []
    for path in sorted(path for path in folder.glob("*.py") if path.is_file()):
        variants, wrong = _read_file(path)
        good += variants
        faults += wrong
    return good, faults


def _read_file(path: Path) -> tuple[list[Variant], list[HeaderFault]]:
    good: list[Variant] = []
    faults: list[HeaderFault] = []
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        return [], [(path, 1, f"the text is UTF-8; byte {problem.start} is not")]
    begins = [match.start() for match in _BEGIN.finditer(text)]
    for begin, end in itertools.pairwise([*begins, len(text)]):
        head, line = _head(text[begin:end]), text.count("\n", 0, begin)
        match = _HEADER.fullmatch(head)
        if match:
            own = "\n" * line + text[begin:end].rstrip() + "\n"
            numbers = tuple(map(int, match["numbers"].split(", ")))
            good.append(Variant(path, own, match["name"], match["believed"], numbers))
        else:
            said = f"a wrong solution begins with {HEADER}; got {head!r}"
            faults.append((path, line + 1, said))
    if not begins or text[: begins[0]].strip():
        faults.append((path, 1, f"a file of wrong solutions begins with {HEADER}"))
    return good, faults


def _head(block: str) -> str:
    """The comment lines at the top of a block, as one."""
    lines: list[str] = []
    for line in block.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# ") if lines else line)
    return " ".join(lines)


def find_wrong(folder: Path, name: str) -> Variant | None:
    """The wrong solution "EXERCISE/LABEL"."""
    return next((one for one in read_wrong(folder)[0] if one.name == name), None)


def read_right(folder: Path) -> list[Variant]:
    return [read_variant(path) for path in sorted(folder.glob("*.py"))]


def read_variant(path: Path) -> Variant:
    return Variant(path, path.read_text(encoding="utf-8"))
