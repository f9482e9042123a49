"""The top of a feedback page: what cost points and why, what still waits for a person, and what
is complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grading.engine.pages.render import rendered
from grading.engine.results import CellMark
from tito.outcome import Outcome

_STATES = {
    "your_turn": "This cell still holds its stub.",
    "timeout": "It did not come to an end in its time.",
    "not_run": "It was not run.",
}
_NAMES = (("called", "call"), ("got", "got"), ("wanted", "want"), ("look at", "look"))


@dataclass(frozen=True)
class Entry:
    """A cell with points as the gradebook has it now.

    Attributes:
        mark: what the machine found.
        score: None while nobody graded it.
        given: the points were given by a person.
        comment: a person's.
    """

    mark: CellMark
    score: float | None
    given: bool = False
    comment: str | None = None


@dataclass(frozen=True)
class Said:
    """What one test said, or several that wait for the same stub."""

    title: str
    lines: list[tuple[str, str]]  # a name, empty where the text stands alone, and the text


@dataclass(frozen=True)
class Line:
    """A cell with points, as the page shows it."""

    grade_id: str
    score: float | None
    max_points: float
    given: bool  # by a person
    comment: str | None
    stub: bool  # the cell's test met an unsolved exercise
    passed: str  # such as "1 of 2", of a cell with tests of its own that lost points
    said: list[Said]

    @classmethod
    def of(cls, entry: Entry) -> Line:
        mark = entry.mark
        stub = mark.kind == "test" and mark.status == "your_turn" and not entry.given
        passed, said = "", []
        lost = entry.score is not None and entry.score < mark.max_points
        if lost and not entry.given:
            failed = [test for test in mark.tests if not test.passed]
            whole = len(mark.tests)
            passed = f"{whole - len(failed)} of {whole}" if whole else ""
            said = _by_reason(failed) if whole else [_said(mark.outcome)]
        return cls(
            mark.grade_id,
            entry.score,
            mark.max_points,
            entry.given,
            entry.comment,
            stub,
            passed,
            said,
        )


def summary(entries: list[Entry], remarks: list[str], *, review: bool, penalty: float = 0.0) -> str:
    """HTML of the summary.

    Args:
        entries: one for each cell with points, in order.
        remarks: about the submission as a whole.
        review: a person has to look at the submission.
        penalty: points that lateness costs.
    """
    return rendered(
        "feedback_summary.html.j2",
        remarks=remarks,
        review=review,
        penalty=penalty,
        links=True,
        **_sorted(entries),
    )


def ungraded_page(
    title: str,
    why: str,
    entries: list[Entry],
    remarks: list[str],
    *,
    penalty: float = 0.0,
) -> str:
    """The whole page of a submission whose notebook cannot be shown: why, and the summary without
    links to cells; the other arguments are those of `summary`.
    """
    return rendered(
        "ungraded.html.j2",
        title=title,
        why=why,
        remarks=remarks,
        review=True,
        penalty=penalty,
        links=False,
        **_sorted(entries),
    )


def _sorted(entries: list[Entry]) -> dict[str, Any]:
    """The points, and the cells by what became of them."""
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
    """Each failed test; those that wait for the same stub share a line."""
    stubs = [test for test in failed if test.status == "your_turn"]
    said = [_said(test) for test in failed if test.status != "your_turn"]
    if stubs:
        reasons = dict.fromkeys(test.promise or test.message or "your turn" for test in stubs)
        meet = "tests meet" if len(stubs) > 1 else "test meets"
        said.append(Said(f"{len(stubs)} {meet} a stub", [("", ", ".join(reasons))]))
    return said


def _said(found: Outcome) -> Said:
    title = found.promise or _STATES.get(found.status, "It ended with an error.")
    lines = [(name, getattr(found, key)) for name, key in _NAMES]
    if not found.promise or not any(text for _, text in lines):
        lines.append(("said", found.message))
    return Said(title, [(name, str(text)) for name, text in lines if text and text != title])
