"""What was made of the marks and leaves the course: feedback pages, exported tables. The marks that
each shows are kept in DIR/reports/A/_sent.json, so that what is out of date can be named.
"""

import json
from pathlib import Path

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.files import changing, read_dict, write_json
from grading.engine.marks import tables
from grading.engine.results import StudentMark
from tito.files import sha256

SCREEN = "the screen"
_PAGES = "feedback"


def _file(course: Course, assignment: Assignment) -> Path:
    return course.reports(assignment) / "_sent.json"


def note(
    course: Course, assignment: Assignment, rows: list[StudentMark], to: Path | None = None
) -> None:
    """Keep which marks an export shows.

    Args:
        to: the file; None for the screen.
    """
    _keep(course, assignment, str(to.resolve()) if to else SCREEN, _marks(rows), add=False)


def note_pages(course: Course, assignment: Assignment, students: list[str]) -> None:
    """Keep which marks the feedback pages of these students show."""
    marks = _marks(tables.marks(course, assignment, left=True))
    mine = {student: marks[student] for student in students if student in marks}
    _keep(course, assignment, _PAGES, mine, add=True)


def _keep(
    course: Course, assignment: Assignment, name: str, marks: dict[str, str], *, add: bool
) -> None:
    path = _file(course, assignment)
    with changing(path):
        known = read_dict(path)
        write_json(path, {**known, name: {**known.get(name, {}), **marks} if add else marks})


def out_of_date(course: Course, assignment: Assignment) -> list[str]:
    """A sentence for each thing that shows other marks than the gradebook has now, with the command
    that makes it anew.
    """
    known = read_dict(_file(course, assignment))
    if not known:
        return []
    now = _marks(tables.marks(course, assignment, left=True))
    sentences = []
    for name, marks in known.items():
        old = [student for student, mark in marks.items() if now.get(student) != mark]
        if name == _PAGES and old:
            sentences.append(
                f"the feedback pages of {_some(old)}: tito grade feedback {assignment.name}"
                f" --course {course.root}"
            )
        elif old:
            to = f" --to {name}" if name != SCREEN else ""
            what = f"the export to {name}, for {_some(old)}"
            sentences.append(
                f"{what}: tito grade export {assignment.name} --course {course.root}{to}"
            )
    return [f"out of date: {one}" for one in sentences]


def _some(students: list[str]) -> str:
    more = f" and {len(students) - 5} more" if len(students) > 5 else ""
    return f"{', '.join(students[:5])}{more}"


def _marks(rows: list[StudentMark]) -> dict[str, str]:
    return {row.student: sha256(json.dumps(row.as_json()))[:16] for row in rows}
