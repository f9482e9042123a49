"""When each submission was handed in, and who says so.

The time that counts is in submitted/S/A/timestamp.txt, as in nbgrader; without that file no
time is known, and nobody is late. Where the time came from is in reports/A/_times.json. What
changes a file's modification time (a download, a copy, a new save) has nothing to do with handing
in, so that time does not count unless the instructor says so.
"""

import contextlib
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from grading.engine.course.directory import Course, HandedIn
from grading.engine.intake.which_file_counts import Owner
from grading.engine.safe_text import shown
from tito.errors import UsageError
from tito.files import move_aside, read_dict, supersede, write_json

INSTRUCTOR = "the instructor"
PACKED = "the clock of the student's machine"
FILE = "the file's modification time"
MARKED_LATE = "Canvas's mark LATE"
UNTIMED = (FILE, MARKED_LATE)  # no time of handing in
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?( ?(UTC|Z|[+-]\d\d:?\d\d)|"
    r" [A-Za-z]+/[A-Za-z_/]+| [A-Z]{3,5})?"
)
# a time from a better source replaces one from a worse source; a platform's own is between them
_RANK = {MARKED_LATE: 0, FILE: 0, PACKED: 1, INSTRUCTOR: 3}


def when(
    file_time: datetime, manifest: dict[str, Any], owner: Owner, due: datetime | None
) -> tuple[datetime, str, str]:
    """(the time, who says so, a note). Where the source is in UNTIMED, the time only puts several
    files of one student in order. Canvas gives no time, only LATE, and its zip has the time of the
    download.
    """
    packed = time_of(manifest)
    said, source = (packed, PACKED) if packed else (file_time, FILE)
    if owner.at:
        return owner.at, owner.platform.capitalize(), ""
    if owner.platform == "moodle":
        return file_time, "Moodle", ""
    if owner.late:
        if packed and due and packed > due:
            return packed, PACKED, "Canvas marks it LATE, without a time"
        note = "Canvas marks it LATE, without a time, so it costs nothing until you say when:"
        return said, MARKED_LATE, f"{note} tito grade late --handed-in {owner.student} TIME"
    if owner.platform == "canvas" and due:
        return min(said, due), source, ""
    if source == FILE and due and file_time > due:
        note = (
            f"no time of handing in; the file was last changed {file_time:%Y-%m-%d %H:%M} UTC,"
            " after the due date, which costs nothing. If that is when it was handed in: collect"
            " --file-times"
        )
        return said, FILE, note
    return said, source, ""


def time_of(manifest: dict[str, Any]) -> datetime | None:
    """When the zip was packed by the clock of the student's machine."""
    # Python 3.10 requires the colon
    said = re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", str(manifest.get("time")))
    return time_in(said, timezone.utc)


def time_in(text: str, zone: timezone | None = None) -> datetime | None:
    """The time that a text says, in UTC; without a time zone it is in `zone`, or else in this
    machine's.
    """
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        return moment.replace(tzinfo=moment.tzinfo or zone).astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


def times_file(course: Course, module: HandedIn) -> Path:
    return course.reports(module) / "_times.json"


def read_times(course: Course, module: HandedIn) -> dict[str, dict[str, str]]:
    """student -> {"at": time, "from": who says so} for the submissions that were collected."""
    return read_dict(times_file(course, module))


def entry(at: datetime, source: str) -> dict[str, str]:
    return {"at": at.astimezone(timezone.utc).isoformat(), "from": source}


def together(entry: dict[str, str]) -> dict[str, str]:
    """Whose hand-in an entry is, if it is that of a group."""
    return {name: entry[name] for name in ("group", "sender") if name in entry}


def groups(course: Course, module: HandedIn) -> dict[str, tuple[str, ...]]:
    """student -> the members of the group whose submission is one and the same hand-in."""
    students_of: dict[tuple[str, ...], list[str]] = {}
    for student, entry in sorted(read_times(course, module).items()):
        if shared := together(entry):
            students_of.setdefault(tuple(shared.values()), []).append(student)
    return {student: tuple(members) for members in students_of.values() for student in members}


def better(source: str, than: str) -> bool:
    """Whether a time from this source replaces one from the other."""
    return _RANK.get(source, 2) > _RANK.get(than, 2)


def order_of(course: Course, module: HandedIn, student: str) -> datetime | None:
    """The time by which the submission that is in comes before or after another file."""
    known = read_times(course, module).get(student, {}).get("at")
    try:
        return datetime.fromisoformat(known) if known else stamped(course, module, student)
    except (TypeError, ValueError):
        return stamped(course, module, student)


def read_moment(data: bytes, notes: list[str]) -> str | None:
    """A time that nbgrader can read; None, with a note, for anything else."""
    from grading.engine.nbgrader.library import parse_utc

    text = data[:100].decode("utf-8", "replace").strip()
    with contextlib.suppress(ValueError, OverflowError):
        if _TIME.fullmatch(text) and parse_utc(text):
            return text
    notes.append(f"timestamp.txt does not hold a time and was left out: {shown(text[:40])}")
    return None


def stamped(course: Course, module: HandedIn, student: str) -> datetime | None:
    """The time in timestamp.txt, which may have been corrected by hand; None if there is none."""
    from grading.engine.nbgrader.library import parse_utc

    path = course.submitted(student, module) / "timestamp.txt"
    try:
        text = read_moment(path.read_bytes(), [])
    except OSError:
        return None
    return parse_utc(text).replace(tzinfo=timezone.utc) if text else None


def write_stamp(course: Course, module: HandedIn, student: str, at: datetime | None) -> None:
    """Write timestamp.txt; None: without a time there is no such file. An earlier one is kept in
    DIR/replaced.
    """
    path = course.submitted(student, module) / "timestamp.txt"
    text = f"{at.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S.%f} UTC\n" if at else ""
    aside = course.root / "replaced" / module.name / student
    if at:
        supersede(path, text, aside)
    elif path.is_file():
        move_aside(path, aside)


def set_handed_in(course: Course, module: HandedIn, student: str, text: str) -> None:
    course.need_student(student, module)
    at = time_in(text)
    if at is None:
        raise UsageError(
            f"a time of handing in reads like 2026-11-20T12:00+01:00; got {text!r}. Try: tito grade"
            f" late {module.name} --handed-in {student} 2026-11-20T12:00+01:00"
        )
    write_stamp(course, module, student, at)
    times = read_times(course, module)
    times[student] = {**times.get(student, {}), **entry(at, INSTRUCTOR)}
    write_json(times_file(course, module), times)


def renew(course: Course, module: HandedIn, submissions: list[Any]) -> None:
    """Bring the gradebook's times up to date with timestamp.txt, which may have been corrected."""
    times = read_times(course, module)
    for submission in submissions:
        student = submission.student_id
        at = stamped(course, module, student)
        unknown = times.get(student, {}).get("from") in UNTIMED
        path = course.submitted(student, module) / "timestamp.txt"
        if at:
            submission.timestamp = at.replace(tzinfo=None)
        elif unknown and not path.exists():
            submission.timestamp = None


def whose_clock(course: Course, module: HandedIn, student: str) -> str:
    """Who says when a student handed in."""
    known = read_times(course, module).get(student, {})
    at = stamped(course, module, student)
    if not (at and known):
        return "timestamp.txt"
    same = abs(at - datetime.fromisoformat(known["at"])) < timedelta(seconds=1)
    return known["from"] if same else "timestamp.txt"


def remarks(course: Course, module: HandedIn) -> list[str]:
    """Sentences about submissions whose time a person has to give."""
    sentences = []
    times = read_times(course, module)
    for student in course.students(module):
        path = course.submitted(student, module) / "timestamp.txt"
        again = f"tito grade late {module.name} --handed-in {student} TIME --course {course.root}"
        if path.is_file() and stamped(course, module, student) is None:
            sentences.append(f"{student}: timestamp.txt does not hold a time. Say it: {again}")
        elif not path.is_file() and times.get(student, {}).get("from") == MARKED_LATE:
            sentences.append(f"{student}: late by Canvas's mark, without a time. Say it: {again}")
    return sentences
