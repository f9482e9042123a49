"""What one submission earned and why. The report, the gradebook and the feedback use the same
marks. Between processes and on disk the marks are JSON.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tito.notebook.stubs import YOUR_TURN
from tito.outcome import Outcome
from tito.run.points_earned import by_promise, paid

KILLED = "killed"  # the status of a sealed run that neither the student nor the grader ended
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
LABELS = {"called": "call", "got": "got", "wanted": "want", "look at": "look"}
_TEXT_LIMIT = 4000  # characters kept of each text that a student's program wrote


def kind_of(cell: Any) -> str | None:
    """Why a released cell has points: "test" or "question"; None without points."""
    flags = cell["metadata"].get("nbgrader", {})
    if flags.get("task") or (flags.get("grade") and flags.get("solution")):
        # nbgrader's two kinds of cells that a person grades
        return "question"
    return "test" if flags.get("grade") else None


def graded_cells(released: Any) -> list[tuple[str, str, float]]:
    """(grade_id, kind, max_points) of every cell with points, in order."""
    rows = []
    for cell in released["cells"]:
        kind = kind_of(cell)
        if kind:
            flags = cell["metadata"]["nbgrader"]
            rows.append((flags["grade_id"], kind, float(flags.get("points") or 0)))
    return rows


@dataclass(frozen=True)
class CellMark:
    """What one cell with points earned in one submission, and why.

    Attributes:
        kind: "test", "contract" or "question".
        points: None until a person gives them.
        outcome: the outcome of the cell; for a contract group, that of the first test that fails.
        tests: the outcomes of a contract group, one for each promise if `by_promise`.
        by_promise: whether each promise of the Contract weighs one, instead of each test.
        review: a person has to look, because the run of the group, or an earlier cell, was stopped.
        remark: how nbgrader itself scores the cell, if it gives other points.
    """

    notebook: str
    grade_id: str
    kind: str
    max_points: float
    points: float | None
    outcome: Outcome
    tests: tuple[Outcome, ...] = ()
    review: bool = False
    by_promise: bool = False
    remark: str = ""

    @property
    def status(self) -> str:
        return self.outcome.status

    def name_of(self, one: Outcome) -> str:
        """What weighs one in a contract group: a promise, or a test."""
        return (one.promise if self.by_promise else one.test) or ""

    @property
    def key(self) -> tuple[str, str]:
        return self.notebook, self.grade_id

    def as_json(self) -> dict[str, Any]:
        own = ("notebook", "grade_id", "kind", "max_points", "points", "status")
        return {
            **{name: getattr(self, name) for name in own},
            **self.outcome.texts(),
            "stderr": self.outcome.stderr or None,
            "tests": [test.as_json() for test in self.tests],
            **({"review": self.review} if self.tests or self.review else {}),
            **({"by_promise": True} if self.by_promise else {}),
            **({"remark": self.remark} if self.remark else {}),
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> CellMark:
        own = ("notebook", "grade_id", "kind", "max_points", "points")
        return cls(
            **{name: document[name] for name in own},
            outcome=Outcome.from_json({**document, "grade_id": None}),
            tests=tuple(Outcome.from_json(test) for test in document["tests"]),
            review=bool(document.get("review")),
            by_promise=bool(document.get("by_promise")),
            remark=document.get("remark", ""),
        )


def sealed_text(mark: CellMark) -> str:
    """The results of the sealed tests of one cell, as text."""
    lines = [test_lines(test) for test in mark.tests]
    return "\n\n".join(lines) or f"not run: {mark.outcome.message}"


def test_lines(test: Outcome) -> str:
    """One contract test as the five short lines that `tito test` prints."""
    title = test.promise or (test.test or "").removeprefix("test_").replace("_", " ")
    if test.passed:
        return f"ok      {title}"
    rows = [(label, getattr(test, name)) for label, name in LABELS.items()]
    rows.append(("said", None if test.got or title in (test.message or "") else test.message))
    states = {"your_turn": "your turn", "timeout": "no end", "not_run": "not run"}
    lines = [f"        {label:<8} {text}" for label, text in rows if text]
    return "\n".join([f"{states.get(test.status, 'not ok'):<7} {title}", *lines])


def unmarked(notebook: str, grade_id: str, kind: str, points: float, outcome: Outcome) -> CellMark:
    """The mark of a cell that has no result: 0 points, or none where a person gives them."""
    return CellMark(notebook, grade_id, kind, points, None if kind == "question" else 0.0, outcome)


@dataclass(frozen=True)
class Flag:
    """Something that looks forged, for a person to check; without a `grade_id` it is about the
    whole notebook.
    """

    grade_id: str | None
    kind: str
    text: str
    notebook: str

    def __str__(self) -> str:
        return f"{self.grade_id or 'notebook'}: {self.text}"

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Flag:
        return cls(
            document["grade_id"], document.get("kind", ""), document["text"], document["notebook"]
        )


@dataclass(frozen=True)
class Verdict:
    """What grading one submission found.

    Attributes:
        reasons: why a person has to look at the submission as a whole.
        stages: "contract" and "notebook", with the wall and CPU seconds that each took.
        notes: what was put right before the notebook was graded; none of it costs a point.
        killed_outside: a sandbox was killed by neither the student's code nor the grader, so the
            submission has to be graded again.
    """

    marks: tuple[CellMark, ...] = ()
    reasons: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    stages: dict[str, list[float]] = field(default_factory=dict)
    killed_outside: bool = False
    notes: tuple[str, ...] = ()

    @property
    def broke_off(self) -> bool:
        """Whether a test did not run or end within its time, or ran after a stopped cell."""
        outcomes = [one for mark in self.marks for one in (mark.outcome, *mark.tests)]
        stopped = any(mark.review for mark in self.marks)
        return stopped or any(one.status in ("not_run", "timeout") for one in outcomes)

    def joined(self, other: Verdict) -> Verdict:
        """The two verdicts as one, in this order."""
        return Verdict(
            (*self.marks, *other.marks),
            (*self.reasons, *other.reasons),
            (*self.flags, *other.flags),
            {**self.stages, **other.stages},
            self.killed_outside or other.killed_outside,
            (*self.notes, *other.notes),
        )

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "marks": [mark.as_json() for mark in self.marks]}

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Verdict:
        return cls(
            tuple(CellMark.from_json(mark) for mark in document["marks"]),
            tuple(document["reasons"]),
            tuple(Flag.from_json(flag) for flag in document["flags"]),
            document["stages"],
            document["killed_outside"],
            tuple(document.get("notes", ())),
        )


@dataclass(frozen=True)
class StudentMark:
    """One student's mark for an assignment, as the gradebook has it.

    Attributes:
        cells: points of each cell by its label; None for a question that is not graded yet, so that
            it cannot be mistaken for a zero.
        status: "graded", "needs_review" or "missing".
        waiting: cells that a person has yet to grade.
    """

    student: str
    max_points: float
    cells: dict[str, float | None]
    status: str = "missing"
    total: float = 0.0
    penalty: float = 0.0
    waiting: int = 0
    late_seconds: float = 0.0

    @property
    def final(self) -> float:
        """The total minus the late penalty."""
        return round(self.total - self.penalty, 2)

    def as_json(self) -> dict[str, Any]:
        own = vars(self) | {"final": self.final, "max": self.max_points}
        names = "student status total penalty final max waiting late_seconds cells"
        return {name: own[name] for name in names.split()}


def read_cell(cell: Any) -> Outcome:
    """The outcome of one executed test cell, from what it wrote."""
    outputs = cell.get("outputs", [])
    streams = (out for out in outputs if out.output_type == "stream")
    stderr = _cut("".join(out.text for out in streams if out.name == "stderr"))
    errors = [out for out in outputs if out.output_type == "error"]
    if not errors:
        return Outcome("pass", stderr=stderr)
    error = errors[0]
    message = _cut(_ANSI.sub("", error.evalue or ""))
    if any(other.ename == "CellTimeoutError" for other in errors):
        message = "the cell did not finish within its time limit"
        return Outcome("timeout", message=message, stderr=stderr)
    if error.ename == "NotRun":
        return Outcome("not_run", message=message, stderr=stderr)
    if error.ename in ("PromiseBroken", "YourTurn"):
        status = "your_turn" if error.ename == "YourTurn" else "fail"
        return Outcome(status, message=message, stderr=stderr, **_promise(message))
    said = f"{error.ename}: {message}"
    if error.ename == "NotImplementedError" and message.startswith(YOUR_TURN):
        return Outcome("your_turn", promise=message, message=said, stderr=stderr)
    return Outcome("error", message=said, stderr=stderr)


def _promise(message: str) -> dict[str, Any]:
    """The five lines of a PromiseBroken message as fields."""
    first, *rest = message.splitlines() or [""]
    texts = {"promise": re.sub(r"^\s*(✗|\[x\])\s*", "", first)}
    for line in rest:
        label, text = line[2:11].strip(), line[12:].strip()
        if label in LABELS:
            texts[LABELS[label]] = text
    return texts


def contract_mark(
    notebook: str,
    grade_id: str,
    max_points: float,
    tests: list[Outcome],
    promises: Sequence[str] = (),
) -> CellMark:
    """The mark of one group of contract tests, rounded to 0.01: points x promises kept / promises;
    without promises points x tests passed / collected.

    Args:
        tests: every collected test of the group, including those that were not run. A group without
            tests needs a person.
        promises: the exercise's promises that the tests guard, in the plain form.
    """
    if not tests:
        none = Outcome("not_run", message="no contract test carries this mark")
        return CellMark(notebook, grade_id, "contract", max_points, 0.0, none, review=True)
    tests = by_promise(tests, promises)
    # what a hidden test names and did not come to say is for no report
    tests = [replace(test, kept=(), asks=()) for test in tests]
    passed = sum(test.passed for test in tests)
    worst = next((test for test in tests if not test.passed), Outcome("pass"))
    points = paid(max_points, passed, len(tests))
    worst = replace(worst, test=None, grade_id=None, seed=None)
    place = (notebook, grade_id, "contract", max_points)
    return CellMark(*place, points, worst, tuple(tests), by_promise=bool(promises))


def _cut(text: str) -> str:
    more = len(text) - _TEXT_LIMIT
    return f"{text[:_TEXT_LIMIT]}\n... {more} more characters" if more > 0 else text
