"""The whole term: each student's points in every assignment, and one total.

    DIR/term.toml
        [weights]              # without this file, the total is the sum of all points
        "08_dataloader" = 60   # an assignment's share of the total; the shares are relative
        "09_spatial" = 40      # an assignment without a weight is shown and does not count

With weights, the total is in percent. An assignment that a student did not hand in counts 0; as
long as a grade of a student waits for a person, the student has no total.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.roster import Roster
from grading.engine.marks import export_tables
from grading.engine.safe_text import csv_text
from grading.engine.submission_marks import StudentMark
from tito.errors import UsageError
from tito.files import read_toml

PERCENT = 100.0
_OF_EACH = ("", " max", " penalty", " hours late")  # columns of an assignment, after its name


@dataclass(frozen=True)
class Term:
    """The marks of each assignment that somebody's work was graded in, and the weights.

    Attributes:
        marks: assignment -> student -> mark; each has the same students.
        left_out: assignments in which nobody has a mark yet.
    """

    marks: dict[str, dict[str, StudentMark]]
    left_out: tuple[str, ...]
    weights: dict[str, float]

    @property
    def totals(self) -> list[StudentMark]:
        """The total of every student, by student; `cells` has the points of each assignment."""
        students = {student for marks in self.marks.values() for student in marks}
        return [self._total(student) for student in sorted(students)]

    def _total(self, student: str) -> StudentMark:
        mine = {name: marks[student] for name, marks in self.marks.items()}
        scale = self._scale(mine)
        total = sum(scale[name] * one.total for name, one in mine.items())
        final = sum(scale[name] * one.final for name, one in mine.items())
        counted = [one for name, one in mine.items() if scale[name]]
        return StudentMark(
            student,
            round(sum(scale[name] * one.max_points for name, one in mine.items()), 2),
            {name: points(one) for name, one in mine.items()},
            status="missing" if all(one.status == "missing" for one in counted) else "graded",
            total=round(total, 2),
            penalty=round(total - final, 2),
            waiting=sum(one.waiting for one in counted),
            late_seconds=sum(one.late_seconds for one in counted),
        )

    def _scale(self, mine: dict[str, StudentMark]) -> dict[str, float]:
        """By what the points of each assignment are multiplied."""
        if not self.weights:
            return dict.fromkeys(mine, 1.0)
        whole = sum(self.weights.get(name, 0.0) for name in mine)
        return {
            name: PERCENT * self.weights.get(name, 0.0) / whole / one.max_points
            if whole and one.max_points
            else 0.0
            for name, one in mine.items()
        }


def points(mark: StudentMark) -> float | None:
    """The points after the penalty; None if nothing was handed in, or a grade waits."""
    return None if mark.status == "missing" or mark.waiting else mark.final


def term(
    course: Course, assignments: Sequence[Assignment], weights: dict[str, float] | None = None
) -> Term:
    """The term's marks of everybody in the class.

    Args:
        weights: see `read_weights`.

    Raises:
        EnvironmentBroken: the gradebook lacks marks that the reports say.
    """
    marks = {
        one.name: {mark.student: mark for mark in export_tables.marks(course, one)}
        for one in assignments
    }
    empty = [
        name
        for name, mine in marks.items()
        if all(mark.status == "missing" for mark in mine.values())
    ]
    kept = {name: mine for name, mine in marks.items() if name not in empty}
    return Term(kept, tuple(empty), weights or {})


def read_weights(path: Path, known: Sequence[str]) -> dict[str, float]:
    """The weights in a file: assignment -> a number above 0.

    Raises:
        UsageError: the file is not TOML, or names an assignment that the course has not released.
    """
    table = read_toml(path, UsageError)
    weights = table.get("weights")
    if not isinstance(weights, dict) or len(table) > 1 or not weights:
        raise UsageError(
            f'{path} has one table [weights] with lines such as "{known[0] if known else "08"}" ='
            f" 60; got {', '.join(table) or 'nothing'}"
        )
    for name, weight in weights.items():
        if name not in known:
            raise UsageError(
                f"a weight is of a released assignment: {', '.join(known) or 'none'}; {path} has"
                f" {name!r}"
            )
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not weight > 0:
            raise UsageError(f"a weight is a number above 0; {name} in {path} has {weight!r}")
    return {name: float(weight) for name, weight in weights.items()}


def as_csv(whole: Term, roster: Roster) -> str:
    """A line for each student. An empty field is nothing handed in, or a grade that waits."""
    header = ["student", "name", "total", "max", "missing", "waiting"]
    header += [f"{name}{what}" for name in whole.marks for what in _OF_EACH]
    lines = []
    for row in whole.totals:
        mine = [marks[row.student] for marks in whole.marks.values()]
        missing = sum(one.status == "missing" for one in mine)
        total = None if row.waiting else row.final
        name = " ".join(filter(None, roster.name(row.student)))
        line = [row.student, name, total, row.max_points, missing, row.waiting]
        for one in mine:
            hours = round(one.late_seconds / 3600, 1)
            line += [points(one), one.max_points, one.penalty, hours]
        lines.append(line)
    return csv_text(header, lines)
