"""Marks as tables, read from nbgrader's gradebook: plain, test by test, and in the formats that
Canvas and Moodle import.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.gradebook_contents import need_all
from grading.engine.course.roster import Roster, left_the_class
from grading.engine.course.submission_reports import read_report, read_reports
from grading.engine.marks import by_hand_record, late_penalties
from grading.engine.marks.reviewed_submissions import Reviews
from grading.engine.safe_text import csv_text
from grading.engine.submission_marks import StudentMark

FACTS = ("student", "status", "total", "penalty", "final", "max", "waiting")
PER_TEST = ("student", "notebook", "grade_id", "test", "status", "points", "max")


def marks(course: Course, assignment: Assignment, *, left: bool = False) -> list[StudentMark]:
    """The mark of every student in the gradebook, sorted by student.

    Args:
        left: also of those who have left the class: see `roster`.

    Raises:
        EnvironmentBroken: the gradebook lacks marks that the reports say.
    """
    from grading.engine.nbgrader.import_nbgrader import MissingEntry

    by_hand_record.settle(course, assignment)
    lateness = late_penalties.apply(course, assignment)
    reports = {one.student: one for one in read_reports(course, assignment)}
    gone = set() if left else left_the_class(course)
    reviews = Reviews(course, assignment)
    rows = []
    with course.book() as book:
        need_all(course, assignment, book, reports.values())
        most = _cells(book, assignment)
        for student in sorted({student.id for student in book.students} - gone):
            mark = StudentMark(student, sum(most.values()), dict.fromkeys(most))
            try:
                submission = book.find_submission(assignment.name, student)
            except MissingEntry:
                rows.append(mark)
                continue
            # a submission whose folder is gone has a report still
            report = reports.get(student) or read_report(course, assignment, student)
            late_by = lateness[student]
            cells, waiting = {**mark.cells}, 0
            for part in submission.notebooks:
                for grade in part.grades:
                    given = grade.manual_score is not None or grade.auto_score is not None
                    label = assignment.label(part.name, grade.name)
                    cells[label] = grade.score if given else None
                    waiting += bool(grade.needs_manual_grade)
            rows.append(
                replace(
                    mark,
                    status=reviews.status(report) if report else "graded",
                    total=round(sum(points for points in cells.values() if points is not None), 2),
                    penalty=late_by.penalty,
                    late_seconds=late_by.seconds_late,
                    waiting=waiting,
                    cells=cells,
                )
            )
    return rows


def _cells(book: Any, assignment: Assignment) -> dict[str, float]:
    """The label of every cell with points, in order, and its maximum."""
    maximum = {}
    for stem in assignment.stems:
        notebook = book.find_notebook(stem, assignment.name)
        graded = [*notebook.grade_cells, *notebook.task_cells]
        points = {cell.name: cell.max_score for cell in graded}
        for cell in notebook.source_cells:
            if cell.name in points:
                maximum[assignment.label(stem, cell.name)] = points[cell.name]
    return maximum


def as_csv(
    rows: Sequence[StudentMark], facts: Sequence[str] = FACTS, **more: Mapping[str, Any]
) -> str:
    """The table with a header line; an empty field is a grade that has not been given yet.

    Args:
        facts: columns before the cells, as `StudentMark.as_json` names them.
        more: further columns: student -> value.
    """
    names = list(rows[0].cells) if rows else []
    lines = []
    for row in rows:
        known, own = row.as_json(), [column.get(row.student) for column in more.values()]
        lines.append([*map(known.get, facts), *own, *map(row.cells.get, names)])
    return csv_text([*facts, *more, *names], lines)


def as_canvas(rows: list[StudentMark], roster: Roster, column: str) -> str:
    """For Canvas's "Import Grades": its five columns and one assignment; empty if nothing was
    handed in or a grade is still missing.

    Canvas finds the assignment by "Name (number)" as its own export spells it; any other name
    creates a new one. (Canvas instructor guide, "How do I import grades in the Gradebook?", 2025.)
    """
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column]
    lines = [["    Points Possible", "", "", "", "", float(rows[0].max_points) if rows else ""]]
    for row in rows:
        student = row.student
        first, last = roster.name(student)
        name = ", ".join(filter(None, (last, first))) or student
        facts = [roster.get(student, column) for column in ("sis_id", "login", "section")]
        lines.append([name, _number(roster, student, "canvas_id"), *facts, _grade(row)])
    return csv_text(header, lines)


def as_moodle(rows: list[StudentMark], roster: Roster) -> str:
    """For Moodle's "Upload grading worksheet", which requires Identifier, Grade and Last modified
    (grade); its grade import uses "Email address".

    (mod/assign/feedback/offline/importgradeslib.php, Moodle 2.4 to 5; "-" is what Moodle writes for
    a grade that was never changed.)
    """
    header = ["Identifier", "Full name", "Email address", "Grade", "Maximum Grade"]
    header += ["Last modified (grade)", "Feedback comments"]
    lines = []
    for row in rows:
        student = row.student
        number = _number(roster, student, "moodle_id")
        who = f"Participant {number}" if number else ""
        name = " ".join(filter(None, roster.name(student))) or student
        grade = [_grade(row), float(row.max_points), "-", _remark(row)]
        lines.append([who, name, roster.get(student, "email"), *grade])
    return csv_text(header, lines)


def _number(roster: Roster, student: str, column: str) -> str:
    """The platform's number of a student; one whom the roster lacks was collected by it."""
    return roster.get(student, column) if student in roster.people else student


def unmatched(rows: list[StudentMark], roster: Roster, platform: str) -> list[str]:
    """Students of the roster in whose rows the platform finds nothing by which it knows them."""
    columns = ("canvas_id", "sis_id", "login") if platform == "canvas" else ("moodle_id", "email")
    return [
        row.student
        for row in rows
        if row.student in roster.people
        and not any(roster.get(row.student, column) for column in columns)
    ]


def _grade(mark: StudentMark) -> float | str:
    """The mark if it is complete; with an ungraded question the number would be too small."""
    return "" if mark.status == "missing" or mark.waiting else float(mark.final)


def _remark(mark: StudentMark) -> str:
    if not mark.penalty:
        return ""
    days = mark.late_seconds / 86_400
    return f"{mark.total:g} points less {mark.penalty:g} for {days:.1f} days late"


def per_test(course: Course, assignment: Assignment, rows: list[StudentMark]) -> str:
    """A line for each test (or promise, where each promise weighs one), and one with an empty
    `test` for each cell as a whole.

    The points of the tests in a contract group add up to the automatic points of the group; the row
    of the cell has the points that count now.
    """
    lines: list[list[Any]] = []
    for student in rows:
        report = read_report(course, assignment, student.student)
        for mark in report.cells if report else ():
            now = student.cells.get(assignment.label(*mark.key))
            differs = abs((now or 0.0) - (mark.points or 0.0)) > 1e-9
            given = now is not None and (mark.kind == "question" or differs)
            place = [student.student, mark.notebook, mark.grade_id]
            lines.append([*place, "", "given" if given else mark.status, now, mark.max_points])
            share = mark.max_points / len(mark.tests) if mark.tests else 0.0
            for test in mark.tests:
                points = round(share, 4) if test.passed else 0.0
                lines.append([*place, mark.name_of(test), test.status, points, round(share, 4)])
    return csv_text(PER_TEST, lines)
