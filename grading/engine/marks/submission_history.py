"""What is kept about one student's submission, as lines for whoever answers a complaint: when it
came, from which file and by whose clock, what was graded, and what cost points.
"""

import textwrap
from datetime import datetime, timezone

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.submission_reports import read_report
from grading.engine.intake.hand_in_times import HandInTimes
from grading.engine.intake.store import read_log
from grading.engine.marks import export_tables
from grading.engine.marks.reviewed_submissions import Reviews
from grading.engine.safe_text import grades_wait, shown
from grading.engine.submission_marks import CellMark, StudentMark, test_lines
from tito.notebook.cells import read_ipynb
from tito.notebook.exercises import exercises


def one_student(course: Course, assignment: Assignment, student: str) -> list[str]:
    course.need_student(student, assignment)
    rows = {one.student: one for one in export_tables.marks(course, assignment, left=True)}
    row = rows.get(student)
    report = read_report(course, assignment, student)
    lines = [*_handed_in(course, assignment, student, row), ""]
    if report is None or row is None:
        again = f"tito grade autograde {assignment.name} --course {course.root}"
        return [*lines, f"not graded yet: {again}"]
    wait = f"; {grades_wait(row.waiting)}" if row.waiting else ""
    lines.append(f"{row.final:g} of {row.max_points:g} points{wait}")
    lines += [f"graded in part: {reason}" for reason in report.reasons]
    lines += [f"flagged: {flag}" for flag in report.flags]
    lines += [f"note: {note}" for note in report.notes]
    if Reviews(course, assignment).holds(report):
        lines.append("a person has looked at it and lets the points stand")
    comments = _comments(course, assignment, student)
    names = _exercises(course, assignment)
    for mark in report.cells:
        lines += _cell(names.get(mark.key, ""), assignment, mark, row, comments.get(mark.key, ""))
    whole = sum(
        row.cells.get(assignment.label(*mark.key)) == mark.max_points for mark in report.cells
    )
    return [*lines, f"{whole} of {len(report.cells)} cells have all their points"]


def _handed_in(
    course: Course, assignment: Assignment, student: str, row: StudentMark | None
) -> list[str]:
    times = HandInTimes(course, assignment)
    at, due = times.stamped(student), course.due(assignment)
    source = times.whose_clock(student)
    lines = [f"handed in: {_time(at)}, by {source}" if at else "handed in: no time is known"]
    lines.append(f"due:       {_time(due)}" if due else "due:       no date")
    if row and row.late_seconds:
        hours = f"{row.late_seconds / 3600:.1f} h, extensions counted"
        lines.append(f"late:      {hours}; it costs {row.penalty:g} points")
    if members := times.groups().get(student):
        lines.append(f"group:     {', '.join(members)}")
    for entry in read_log(course, assignment):
        if entry["student"] == student:
            came = f", handed in {entry['handed_in']}" if entry["handed_in"] else ""
            said = f"{came}: {entry['reason']}" if entry["reason"] else came
            source = shown(entry["source"], 200)
            lines.append(f"{entry['at']}  {entry['status']:<9} {source}{said}")
    kept = sorted((course.root / "replaced" / assignment.name / student).glob("*"))
    return [*lines, *(f"kept: {path}" for path in kept)]


def _cell(
    name: str, assignment: Assignment, mark: CellMark, row: StudentMark, comment: str
) -> list[str]:
    """A cell that lost points, with every test or promise that failed."""
    label = assignment.label(*mark.key)
    points = row.cells.get(label)
    if points == mark.max_points:
        return []
    if points is None:
        return ["", f"{name}{label}: waits for a person, 0 to {mark.max_points:g} points"]
    hand = mark.points is None or abs(points - mark.points) > 1e-9
    by = ", by a person" if hand else ""
    lines = ["", f"{name}{label}: {points:g} of {mark.max_points:g}{by}"]
    if comment:
        lines.append(textwrap.indent(comment, "  "))
    failed = [test for test in mark.tests or (mark.outcome,) if not test.passed]
    if mark.kind != "question":
        lines += [textwrap.indent(test_lines(test), "  ") for test in failed]
    return lines


def _exercises(course: Course, assignment: Assignment) -> dict[tuple[str, str], str]:
    """The number and title of the exercise to which a cell with points belongs."""
    return {
        (stem, one.graded.name): f"{one.label}, "
        for stem in assignment.stems
        for one in exercises(read_ipynb(course.released(assignment, stem)))
        if one.graded
    }


def _comments(course: Course, assignment: Assignment, student: str) -> dict[tuple[str, str], str]:
    with course.book() as book:
        notebooks = book.find_submission(assignment.name, student).notebooks
        return {
            (notebook.name, comment.name): comment.comment or ""
            for notebook in notebooks
            for comment in notebook.comments
        }


def _time(at: datetime) -> str:
    return f"{at.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S} UTC"
