"""The top of a feedback page: what cost points and why, what a person still has to grade, and what
has full points.
"""

from __future__ import annotations

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


@dataclass(frozen=True)
class Said:
    """The message of one test, or of several tests that call the same stub."""

    title: str
    lines: list[tuple[str, str]]  # (name or "", text)


@dataclass(frozen=True)
class Line:
    """A cell with points, as the page shows it."""

    grade_id: str
    label: str  # what the reader calls it
    score: float | None
    max_points: float
    given: bool  # whether a person gave the points
    comment: str | None
    stub: bool  # whether the cell's test called an unsolved exercise
    passed: str  # such as "1 of 2 tests pass", for a contract group that lost points
    said: list[Said]

    @classmethod
    def of(cls, entry: Entry) -> Line:
        mark = entry.mark
        results = mark.tests or (mark.outcome,)
        unwritten = all(one.status == "your_turn" for one in results)
        stub = unwritten and mark.kind != "question" and not entry.given
        passed, said = "", []
        lost = entry.score is not None and entry.score < mark.max_points
        if lost and not entry.given:
            failed = [test for test in mark.tests if not test.passed]
            whole = len(mark.tests)
            kind = "promises are kept" if mark.by_promise else "tests pass"
            passed = f"{whole - len(failed)} of {whole} {kind}" if whole else ""
            said = _by_reason(failed) if whole else [_said(mark.outcome)]
        label, points = entry.exercise or mark.grade_id, (entry.score, mark.max_points)
        hand = (entry.given, entry.comment)
        return cls(mark.grade_id, label, *points, *hand, stub, passed, said)


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
    lines = [Line.of(entry) for entry in entries]
    graded = [(line, line.score) for line in lines if line.score is not None]
    lost = [line for line, score in graded if score < line.max_points]
    return {
        "total": sum(score for _, score in graded),
        "most": sum(line.max_points for line in lines),
        "waiting": [line for line in lines if line.score is None],
        "wrong": [line for line in lost if not line.stub],
        "stubs": [line for line in lost if line.stub],
        "full": [line for line, score in graded if score >= line.max_points],
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
