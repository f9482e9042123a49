"""The contents of the class report, computed by `marks.class_report` and drawn by
`pages.report_page`.

Points are after late penalties unless a name says otherwise.
"""

import math
import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from grading.engine.submission_marks import StudentMark

SLOWEST = 5  # submissions named in the report


class Distribution:
    """Sorted marks, one or more, with their median, mean and quartiles (by the "inclusive" method;
    none of one mark).
    """

    def __init__(self, points: Iterable[float]):
        self.points = tuple(sorted(points))
        self.median = round(statistics.median(self.points), 2)
        self.mean = round(statistics.fmean(self.points), 2)
        quartiles = self.points[1:] and statistics.quantiles(self.points, n=4, method="inclusive")
        self.quartiles = [round(value, 2) for value in quartiles]


@dataclass(frozen=True)
class Tally:
    """How one test of the notebook, or one contract test, went in the class.

    Attributes:
        test: name of a contract test, or a promise; empty for a test cell.
        points: what the cell is worth.
        met: submissions in which the test was run; `not_run` counts the others.
        stub: submissions in which the test called an unsolved exercise; part of `met`.
        said: the most frequent message of a failure, with its count.
        discrimination: point-biserial correlation of passing with the points of all other tests;
            None in a small class, or if all pass or none does.
    """

    cell: str
    test: str
    points: float
    met: int
    passed: int
    stub: int
    not_run: int
    said: tuple[str, int] | None
    discrimination: float | None = None

    @property
    def doubt(self) -> str:
        """Why the test itself may be wrong; empty if nothing speaks against it."""
        if self.met and not self.passed:
            return "nobody passes"
        # two standard errors of a correlation of 0; what is above may be chance
        if self.discrimination is not None and self.discrimination < -2 / math.sqrt(self.met):
            return "good students fail"
        return ""

    @property
    def fraction(self) -> float | None:
        return round(self.passed / self.met, 4) if self.met else None

    @property
    def title(self) -> str:
        """What the test is called in prose."""
        name = self.test or self.cell
        return name if " " in name else name.removeprefix("test_").replace("_", " ")


@dataclass(frozen=True)
class Belief:
    """A misconception that some students seem to have. Several misconceptions that lead to the same
    message are listed together, because the message alone does not tell them apart.
    """

    believed: tuple[str, ...]
    exercises: tuple[str, ...]
    test: str  # the test that caught it
    reads: str
    students: tuple[str, ...]


@dataclass(frozen=True)
class Flagged:
    """Something in a student's submission that looks forged."""

    student: str
    cell: str
    kind: str
    text: str


@dataclass(frozen=True)
class Change:
    """A mark that changed because a submission was graded again.

    Attributes:
        old, new: the points that the machine gives, before penalties.
        cells: each cell whose points changed, with both.
        why: what had changed since the submission was graded before.
    """

    student: str
    old: float
    new: float
    max: float
    cells: str
    why: str
    at: str = ""

    def __str__(self) -> str:
        points = f"{self.old:g} -> {self.new:g} of {self.max:g}"
        return f"{self.student:<20} {points:<22} {self.cells}; because of {self.why}"


@dataclass(frozen=True)
class ClassFacts:
    assignment: str
    students: tuple[StudentMark, ...]
    tests: tuple[Tally, ...]  # those that may be wrong first, then the one that fewest pass
    misconceptions: tuple[Belief, ...]  # the most frequent first
    flagged: tuple[Flagged, ...]
    # student -> why their submission could not be graded completely
    review: dict[str, tuple[str, ...]]
    seconds: dict[str, float]  # grading time of each student's submission
    flags: Counter[str]  # number of flags of each student
    # points of the machine and of people: "contract" (sealed), "test" and "question" -> points
    rests: dict[str, float]
    remarks: dict[str, str]  # cells -> why nbgrader itself gives them other points
    changes: tuple[Change, ...] = ()  # the oldest first
    out_of_date: tuple[str, ...] = ()  # sentences

    @property
    def max_points(self) -> float:
        return self.students[0].max_points if self.students else 0.0

    @property
    def graded(self) -> tuple[StudentMark, ...]:
        return tuple(one for one in self.students if one.status != "missing")

    @property
    def missing(self) -> tuple[str, ...]:
        return tuple(one.student for one in self.students if one.status == "missing")

    @property
    def slowest(self) -> list[tuple[str, float]]:
        """The students whose submissions took longest to grade, with the seconds."""
        taken = ((name, seconds) for name, seconds in self.seconds.items() if seconds)
        return sorted(taken, key=lambda one: -one[1])[:SLOWEST]

    @property
    def late(self) -> tuple[StudentMark, ...]:
        return tuple(one for one in self.students if one.late_seconds > 0)

    @property
    def rests_on(self) -> str:
        """Which points rest on sealed tests, and that the others can be forged."""
        sealed, open_, hand = (self.rests.get(kind, 0) for kind in ("contract", "test", "question"))
        said = (
            f"Of {sealed + open_ + hand:g} points, {sealed:g} rest on sealed tests, {open_:g} on"
            " test cells that run in the student's own process, and"
            f" {hand:g} are given by a person."
        )
        forged = " Code of a student in the same process as a test cell can forge its result."
        return said + forged if open_ else said

    @property
    def doubtful(self) -> tuple[Tally, ...]:
        """The tests that may be wrong themselves."""
        return tuple(one for one in self.tests if one.doubt)

    @property
    def waiting(self) -> int:
        """Cells that a person has yet to grade."""
        return sum(one.waiting for one in self.students)

    @property
    def marks(self) -> Distribution:
        return Distribution(one.final for one in self.graded)
