"""The feedback page of one student. Its first screen says how many points there are, what cost the
most and what to do next. Below it, each exercise is one line that opens: every promise that is
broken, the student's own code with its outputs, and a person's comment.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from grading.engine.pages.render import rendered
from grading.engine.submission_marks import LABELS, CellMark
from tito.outcome import Outcome

COSTLIEST = 3  # mistakes on the first screen
_STATES = {
    "your_turn": "It still meets a stub.",
    "timeout": "It did not finish within its time limit.",
    "not_run": "It was not run.",
}


@dataclass(frozen=True)
class Said:
    """The message of one test, or of several tests that meet the same stub."""

    title: str
    lines: list[tuple[str, str]]  # (name or "", text)


@dataclass(frozen=True)
class Work:
    """A cell of the student as HTML that is safe to show.

    Attributes:
        title: such as "One right answer"; "" for the student's own cell.
    """

    code: str
    outputs: tuple[str, ...] = ()
    title: str = ""


@dataclass(frozen=True)
class Entry:
    """A cell with its current points in the gradebook.

    Attributes:
        mark: the result of automatic grading.
        score: None until it is graded.
        given: whether a person gave the points.
        comment: the comment of a person.
        exercise: its number and title, such as "3a file_ranges"; "" without a number.
        stub: whether all code of the exercise is still as it was handed out.
        work: the student's cells that belong to it.
    """

    mark: CellMark
    score: float | None
    given: bool = False
    comment: str | None = None
    exercise: str = ""
    stub: bool = False
    work: tuple[Work, ...] = ()

    @property
    def label(self) -> str:
        """What the reader calls it."""
        return self.exercise or self.mark.grade_id

    @property
    def number(self) -> str:
        """What `%hint` takes; "" without a number."""
        return self.exercise.partition(" ")[0]

    @property
    def lost(self) -> float:
        """The points that it lacks, to the machine or to a person."""
        return 0.0 if self.score is None else max(0.0, self.mark.max_points - self.score)

    @property
    def state(self) -> str:
        if self.score is None:
            return "a person will grade it"
        if self.stub and not self.given and self.lost:
            return "not written yet"
        return "graded by a person" if self.given else ""

    @property
    def kept(self) -> str:
        """Such as "1 of 2 tests pass", for a group of tests that lost points."""
        tests = self.mark.tests
        kind = "promises are kept" if self.mark.by_promise else "tests pass"
        passed = sum(test.passed for test in tests)
        return f"{passed} of {len(tests)} {kind}" if tests and self.lost and not self.given else ""

    @property
    def said(self) -> list[Said]:
        if self.given or not self.lost:
            return []
        failed = [test for test in self.mark.tests if not test.passed]
        return _by_reason(failed) if self.mark.tests else [_said(self.mark.outcome)]


@dataclass(frozen=True)
class Page:
    """What a feedback page says.

    Attributes:
        name: the student's name, or the id where no name is known.
        entries: one for each cell with points, in order.
        remarks: sentences about the submission as a whole.
        review: whether a person has to look at the submission.
        penalty: the late penalty in points.
        due: when the assignment is due.
        now: the time at which the page is made.
        more: the student's cells that belong to no exercise.
    """

    name: str
    student: str
    assignment: str
    entries: list[Entry]
    remarks: list[str] = field(default_factory=list)
    review: bool = False
    penalty: float = 0.0
    due: datetime | None = None
    now: datetime | None = None
    more: tuple[Work, ...] = ()

    @property
    def total(self) -> float:
        return sum(entry.score or 0.0 for entry in self.entries)

    @property
    def most(self) -> float:
        return sum(entry.mark.max_points for entry in self.entries)

    @property
    def waiting(self) -> float:
        """The points that a person has not given yet."""
        return sum(entry.mark.max_points for entry in self.entries if entry.score is None)

    @property
    def wrong(self) -> list[Entry]:
        """What lost points and was written, the most points first."""
        lost = [one for one in self.entries if one.lost and one.state != "not written yet"]
        return sorted(lost, key=lambda one: -one.lost)

    @property
    def stubs(self) -> list[Entry]:
        return [one for one in self.entries if one.state == "not written yet"]

    @property
    def open(self) -> bool:
        """Whether the student may still hand in."""
        return bool(self.due and self.now and self.now < self.due)

    @property
    def next_hint(self) -> str:
        """The exercise whose hint helps most; "" where nothing that has hints is left to do."""
        todo = [*self.wrong, *self.stubs]
        return next((one.number for one in todo if one.number and not one.given), "")


def feedback_page(page: Page, colors: str = "") -> str:
    """The whole page as HTML, without scripts and with nothing to fetch. `colors` is the style
    sheet of the students' code.
    """
    title = f"{page.name}: {page.assignment}"
    facts = {"title": title, "page": page, "costliest": COSTLIEST, "colors": colors}
    return rendered("feedback.html.j2", **facts)


def _by_reason(failed: list[Outcome]) -> list[Said]:
    """The failed tests; tests that meet the same stub share a line."""
    stubs = [test for test in failed if test.status == "your_turn"]
    said = [_said(test) for test in failed if test.status != "your_turn"]
    if stubs:
        reasons = dict.fromkeys(test.promise or test.message or "your turn" for test in stubs)
        meet = "tests meet" if len(stubs) > 1 else "test meets"
        said.append(Said(f"{len(stubs)} {meet} a stub", [("", reason) for reason in reasons]))
    return said


def _said(outcome: Outcome) -> Said:
    title = outcome.promise or _STATES.get(outcome.status, "It ended with an error.")
    lines = [(name, getattr(outcome, key)) for name, key in LABELS.items()]
    if not outcome.promise or not any(text for _, text in lines):
        lines.append(("said", outcome.message))
    return Said(title, [(name, str(text)) for name, text in lines if text and text != title])
