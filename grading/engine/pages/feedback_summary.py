"""The top of a feedback page: what cost points and why, what a person still has to grade, and what
has full points.
"""

from dataclasses import dataclass
from typing import Any

from grading.engine.pages.render import rendered
from grading.engine.results import LABELS, CellMark
from tito.outcome import Outcome

_STATES = {
    "your_turn": "This cell still holds its stub.",
    "timeout": "It did not finish within its time limit.",
    "not_run": "It was not run.",
}


@dataclass(frozen=True)
class Said:
    """The message of one test, or of several tests that call the same stub."""

    title: str
    lines: list[tuple[str, str]]  # (name or "", text)


@dataclass(frozen=True)
class Entry:
    """A cell with its current points in the gradebook.

    Attributes:
        mark: the result of automatic grading.
        score: None until it is graded.
        given: whether a person gave the points.
        comment: the comment of a person.
        exercise: its number and title, such as "3a file_ranges"; None without a number.
    """

    mark: CellMark
    score: float | None
    given: bool = False
    comment: str | None = None
    exercise: str | None = None

    @property
    def label(self) -> str:
        """What the reader calls it."""
        return self.exercise or self.mark.grade_id

    @property
    def max_points(self) -> float:
        return self.mark.max_points

    @property
    def stub(self) -> bool:
        """Whether the cell's test called an unsolved exercise."""
        results = self.mark.tests or (self.mark.outcome,)
        unwritten = all(one.status == "your_turn" for one in results)
        return unwritten and self.mark.kind != "question" and not self.given

    @property
    def lost(self) -> bool:
        """Whether the machine took points."""
        return not self.given and self.score is not None and self.score < self.max_points

    @property
    def passed(self) -> str:
        """Such as "1 of 2 tests pass", for a contract group that lost points."""
        tests = self.mark.tests
        kind = "promises are kept" if self.mark.by_promise else "tests pass"
        passed = sum(test.passed for test in tests)
        return f"{passed} of {len(tests)} {kind}" if tests and self.lost else ""

    @property
    def said(self) -> list[Said]:
        if not self.lost:
            return []
        failed = [test for test in self.mark.tests if not test.passed]
        return _by_reason(failed) if self.mark.tests else [_said(self.mark.outcome)]


def summary(entries: list[Entry], remarks: list[str], *, review: bool, penalty: float = 0.0) -> str:
    """HTML of the summary.

    Args:
        entries: one for each cell with points, in order.
        remarks: sentences about the submission as a whole.
        review: whether a person has to look at the submission.
        penalty: the late penalty in points.
    """
    facts = {"remarks": remarks, "review": review, "penalty": penalty, **_sorted(entries)}
    return rendered("feedback_summary.html.j2", links=True, **facts)


def ungraded_page(
    title: str, why: str, entries: list[Entry], remarks: list[str], *, penalty: float = 0.0
) -> str:
    """The whole page of a submission whose notebook cannot be shown: the reason, and the summary
    without links to cells. The other arguments are those of `summary`.
    """
    facts = {"remarks": remarks, "review": True, "penalty": penalty, **_sorted(entries)}
    return rendered("ungraded.html.j2", title=title, why=why, links=False, **facts)


def _sorted(entries: list[Entry]) -> dict[str, Any]:
    """The points, and the cells grouped by result."""
    graded = [(entry, entry.score) for entry in entries if entry.score is not None]
    lost = [entry for entry, score in graded if score < entry.max_points]
    return {
        "total": sum(score for _, score in graded),
        "most": sum(entry.max_points for entry in entries),
        "waiting": [entry for entry in entries if entry.score is None],
        "wrong": [entry for entry in lost if not entry.stub],
        "stubs": [entry for entry in lost if entry.stub],
        "full": [entry for entry, score in graded if score >= entry.max_points],
    }


def _by_reason(failed: list[Outcome]) -> list[Said]:
    """The failed tests; tests that call the same stub share a line."""
    stubs = [test for test in failed if test.status == "your_turn"]
    said = [_said(test) for test in failed if test.status != "your_turn"]
    if stubs:
        reasons = dict.fromkeys(test.promise or test.message or "your turn" for test in stubs)
        meet = "tests meet" if len(stubs) > 1 else "test meets"
        said.append(Said(f"{len(stubs)} {meet} a stub", [("", ", ".join(reasons))]))
    return said


def _said(found: Outcome) -> Said:
    title = found.promise or _STATES.get(found.status, "It ended with an error.")
    lines = [(name, getattr(found, key)) for name, key in LABELS.items()]
    if not found.promise or not any(text for _, text in lines):
        lines.append(("said", found.message))
    return Said(title, [(name, str(text)) for name, text in lines if text and text != title])
