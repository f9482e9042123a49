"""Late penalties: the course's policy is applied, and the penalties are written to nbgrader's
gradebook.

    DIR/late.toml
        grace_minutes = 15       # no penalty; later, days count from the due date
        percent_per_day = 10     # of the earned points, for each day begun
        cap_percent = 50         # at most
        [extensions]             # days, for one student; of these and those that
                                 # `tito grade late --extend` grants, the longer one counts
        ann = 2
        ["08_dataloader"]        # settings for one assignment
        percent_per_day = 20
        ["08_dataloader".extensions]
        bob = 7

`SubmittedNotebook.late_submission_penalty` holds the result, as nbgrader's own AssignLatePenalties
would write it: nbgrader's feedback and export subtract it. After a change of the policy, the next
command that shows marks applies it; nothing has to be graded again.
"""

import difflib
import math
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.intake.hand_in_times import HandInTimes, time_in
from tito.errors import UsageError
from tito.files import changing, read_dict, read_toml, write_json

DAY_SECONDS = 86_400
# maximum of each setting
_NUMBERS = {"grace_minutes": math.inf, "percent_per_day": 100.0, "cap_percent": 100.0}


@dataclass(frozen=True)
class Policy:
    """The late penalty. Times are in minutes and days, costs in percent of the earned points."""

    grace_minutes: float = 0.0
    percent_per_day: float = 0.0
    cap_percent: float = 100.0
    extensions: dict[str, float] = field(default_factory=dict)

    def percent(self, seconds_late: float) -> float:
        """0 within the grace time, then `percent_per_day` for each day begun, at most the cap."""
        if seconds_late <= self.grace_minutes * 60:
            return 0.0
        return min(self.cap_percent, self.percent_per_day * math.ceil(seconds_late / DAY_SECONDS))

    def penalty(self, points: float, seconds_late: float) -> float:
        """Points to subtract, rounded to 0.01, from 0 to `points`."""
        return min(max(points, 0.0), round(max(points, 0.0) * self.percent(seconds_late) / 100, 2))

    def seconds_late(
        self, student: str, seconds_after_due: float, extension_days: float = 0.0
    ) -> float:
        """Seconds after the student's own due date; of the extension in the gradebook and the
        policy's, the longer one counts.
        """
        days = max(extension_days, self.extensions.get(student, 0.0), 0.0)
        return max(0.0, seconds_after_due - days * DAY_SECONDS)

    def __str__(self) -> str:
        more = f"; {len(self.extensions)} extensions in late.toml" if self.extensions else ""
        return (
            f"{self.percent_per_day:g} % of the points for each day that has begun, at most"
            f" {self.cap_percent:g} %, free for {self.grace_minutes:g} minutes{more}"
        )


@dataclass(frozen=True)
class Late:
    """One submission's lateness: `before` - `penalty` = `after`, in points."""

    student: str
    seconds_late: float
    before: float
    penalty: float

    @property
    def after(self) -> float:
        return round(self.before - self.penalty, 2)


def read_policy(course: Course, assignment: Assignment) -> Policy | None:
    """The course's policy for an assignment; None when it has no late.toml.

    Raises:
        UsageError: the file is not TOML, has an unknown key, or a number out of its range.
    """
    path = course.root / "late.toml"
    if not path.is_file():
        return None
    table = read_toml(path, UsageError)
    own = table.get(assignment.name, {})
    values: dict[str, Any] = {}
    for part in (table, own):
        for key, value in part.items():
            if key == "extensions" and isinstance(value, dict):
                for name, days in value.items():
                    number = _number(path, f"extensions.{name}", days)
                    values.setdefault("extensions", {})[name] = number
            elif part is table and isinstance(value, dict):
                continue  # another assignment's
            elif key in _NUMBERS:
                values[key] = _number(path, key, value, _NUMBERS[key])
            else:
                raise UsageError(
                    f"{path} may set {', '.join(_NUMBERS)} and the table extensions;"
                    f" {key!r} is none of them"
                )
    return Policy(**values)


def _number(path: Any, key: str, value: Any, most: float = math.inf) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
        limit = "" if most == math.inf else f" to {most:g}"
        raise UsageError(f"{key} in {path} is a number from 0{limit}; it is {value!r}")
    return float(value)


def apply(course: Course, assignment: Assignment) -> dict[str, Late]:
    """Write every submission's penalty by the current policy and the current timestamp.txt; return
    them by student. Without a late.toml no penalty is written.
    """
    policy = read_policy(course, assignment)
    granted = read_dict(_before_grading(course, assignment))
    plugin = course.settings.late_plugin if policy is None else None
    lateness = {}
    with course.book() as book:
        submissions = book.assignment_submissions(assignment.name)
        HandInTimes(course, assignment).renew(submissions)
        for submission in submissions:
            student = submission.student_id
            early = granted.get(student, 0.0)
            seconds = _seconds_late(submission, policy or Policy(), early)
            total = penalty = 0.0
            for notebook in submission.notebooks:
                points = notebook.score or 0.0
                if policy is not None:
                    notebook.late_submission_penalty = policy.penalty(points, seconds) or None
                elif plugin is not None:
                    notebook.late_submission_penalty = _by_plugin(plugin, student, points, seconds)
                total += points
                penalty += min(notebook.late_submission_penalty or 0.0, max(points, 0.0))
            lateness[student] = Late(student, seconds, round(total, 2), round(penalty, 2))
        book.db.commit()
    return lateness


def _by_plugin(plugin: Any, student: str, points: float, seconds: float) -> float | None:
    """The penalty of the course's own plugin, which nbgrader asks only about late submissions."""
    if seconds <= 0:
        return None
    cost = plugin.late_submission_penalty(student, points, seconds)
    return None if cost is None else float(cost)


def _seconds_late(submission: Any, policy: Policy, early: float) -> float:
    due = submission.assignment.duedate
    if due is None or submission.timestamp is None:
        return 0.0
    after = (submission.timestamp - due).total_seconds()
    granted = (submission.extension or timedelta()).total_seconds() / DAY_SECONDS
    return policy.seconds_late(submission.student_id, after, max(granted, early))


def without_due_date(course: Course, assignment: Assignment) -> str:
    """A warning if the course has late penalties and the gradebook has no due date (one that was
    made anew has lost it); otherwise "".
    """
    policy = read_policy(course, assignment)
    if policy is None:
        costs = course.settings.late_plugin is not None
    else:
        costs = policy.percent_per_day > 0 and policy.cap_percent > 0
    if not costs or course.due(assignment):
        return ""
    return (
        f"{assignment.name} has no due date, so no late penalty is applied."
        f" {how_to_set_due(course, assignment)}"
    )


def how_to_set_due(course: Course, assignment: Assignment) -> str:
    return f"Set it: tito grade late {assignment.name} --due TIME --course {course.root}"


def set_due(course: Course, assignment: Assignment, text: str) -> None:
    """Set the due date; a time without a time zone is in this machine's zone."""
    due = time_in(text)
    if due is None:
        raise UsageError(f"a due date reads like 2026-11-20T12:00+01:00; got {text!r}")
    with course.book() as book:
        # nbgrader stores UTC without a time zone
        book.find_assignment(assignment.name).duedate = due.replace(tzinfo=None)
        book.db.commit()


def extend(course: Course, assignment: Assignment, student: str, days: str) -> None:
    """Grant an extension in nbgrader's gradebook, or, to whom has no submission in it yet, beside
    the reports; 0 days removes it.
    """
    from grading.engine.nbgrader.import_nbgrader import MissingEntry

    try:
        number = float(days)
        if not 0 <= number <= 3650:
            raise ValueError
    except ValueError:
        raise UsageError(f"an extension is a number of days from 0 to 3650; got {days!r}") from None
    known = {*course.everybody(), *course.students(assignment)}
    if known and student not in known:
        near = ", ".join(difflib.get_close_matches(student, known, 3) or sorted(known)[:3])
        raise UsageError(
            f"an extension is of a student of the class; {student!r} is none. Near: {near}"
        )
    path = _before_grading(course, assignment)
    with changing(path):
        waiting = {name: kept for name, kept in read_dict(path).items() if name != student}
        with course.book() as book:
            try:
                book.grant_extension(assignment.name, student, days=number)
            except MissingEntry:
                waiting |= {student: number} if number else {}
        write_json(path, waiting)


def _before_grading(course: Course, assignment: Assignment) -> Path:
    """The file of extensions, in days, of students that had no submission in the gradebook."""
    return course.reports(assignment) / "_extensions.json"
