"""What was made of the marks and leaves the course: feedback pages, exported tables. The marks that
each shows are kept in DIR/reports/A/_sent.json, so that what is out of date can be named.
"""

import json
from pathlib import Path

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.roster import left_the_class
from grading.engine.marks import export_tables
from grading.engine.safe_text import some
from grading.engine.submission_marks import StudentMark
from tito.files import changing, read_dict, sha256, write_json

_PAGES = "feedback pages"


def note(
    course: Course,
    assignment: Assignment,
    rows: list[StudentMark],
    command: str,
    to: Path | None = None,
) -> None:
    """Keep which marks a table shows.

    Args:
        command: makes it anew, without --course and --to.
        to: the file or folder; None for the screen.
    """
    again = f"{command} --course {course.root}" + (f" --to {to.resolve()}" if to else "")
    name = f"the table {to.resolve()}" if to else f"what {command} printed"
    _keep(course, assignment, name, again, _marks(rows))


def note_pages(course: Course, assignment: Assignment, students: list[str]) -> None:
    """Keep which marks the feedback pages of these students show."""
    marks = _marks(export_tables.marks(course, assignment, left=True))
    mine = {student: marks[student] for student in students if student in marks}
    known = read_dict(_file(course, assignment)).get(_PAGES, {}).get("marks", {})
    again = f"tito grade feedback {assignment.name} --course {course.root}"
    _keep(course, assignment, _PAGES, again, known | mine)


def pages_are_made(course: Course, assignment: Assignment) -> bool:
    """Whether a page was made for everybody who handed in, with the marks that count now."""
    shown = read_dict(_file(course, assignment)).get(_PAGES, {}).get("marks", {})
    rows = [row for row in export_tables.marks(course, assignment) if row.status != "missing"]
    return _marks(rows).items() <= shown.items()


def _file(course: Course, assignment: Assignment) -> Path:
    return course.reports(assignment) / "_sent.json"


def _keep(
    course: Course, assignment: Assignment, name: str, again: str, marks: dict[str, str]
) -> None:
    path = _file(course, assignment)
    with changing(path):
        write_json(path, {**read_dict(path), name: {"again": again, "marks": marks}})


def out_of_date(course: Course, assignment: Assignment) -> list[str]:
    """A sentence for each thing that shows other marks than the gradebook has now, or other
    students than the class, with the command that makes it anew.
    """
    known = read_dict(_file(course, assignment))
    if not known:
        return []
    everybody = _marks(export_tables.marks(course, assignment, left=True))
    gone = left_the_class(course)
    sentences = []
    for name, one in known.items():
        of_class = {student: mark for student, mark in everybody.items() if student not in gone}
        now = everybody if name == _PAGES else of_class
        students = one["marks"] if name == _PAGES else sorted({**one["marks"], **now})
        old = [student for student in students if now.get(student) != one["marks"].get(student)]
        if old:
            sentences.append(f"out of date: {name}, for {some(old)}: {one['again']}")
    return sentences


def _marks(rows: list[StudentMark]) -> dict[str, str]:
    return {row.student: sha256(json.dumps(row.as_json()))[:16] for row in rows}
