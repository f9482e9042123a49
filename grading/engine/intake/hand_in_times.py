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
CORRECTED = "timestamp.txt"  # a person wrote into it
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


def entry(at: datetime, source: str) -> dict[str, str]:
    return {"at": at.astimezone(timezone.utc).isoformat(), "from": source}


def together(entry: dict[str, str]) -> dict[str, str]:
    """Whose hand-in an entry is, if it is that of a group."""
    return {name: entry[name] for name in ("group", "sender") if name in entry}


def better(source: str, than: str) -> bool:
    """Whether a time from this source replaces one from the other."""
    return _RANK.get(source, 2) > _RANK.get(than, 2)


def read_moment(data: bytes, notes: list[str]) -> str | None:
    """A time that nbgrader can read; None, with a note, for anything else."""
    from grading.engine.nbgrader.import_nbgrader import parse_utc

    text = data[:100].decode("utf-8", "replace").strip()
    with contextlib.suppress(ValueError, OverflowError):
        if _TIME.fullmatch(text) and parse_utc(text):
            return text
    notes.append(f"timestamp.txt does not hold a time and was left out: {shown(text[:40])}")
    return None


class HandInTimes:
    """The times of one assignment's submissions.

    Attributes:
        path: the file that holds `entries`.
        entries: student -> {"at": time, "from": who says so} for the submissions that were
            collected, as they were when the file was read.
    """

    def __init__(self, course: Course, module: HandedIn):
        self._course, self._module = course, module
        self.path = course.reports(module) / "_times.json"
        self.entries: dict[str, dict[str, str]] = read_dict(self.path)

    def groups(self) -> dict[str, tuple[str, ...]]:
        """student -> the members of the group whose submission is one and the same hand-in."""
        students_of: dict[tuple[str, ...], list[str]] = {}
        for student, entry in sorted(self.entries.items()):
            if shared := together(entry):
                students_of.setdefault(tuple(shared.values()), []).append(student)
        return {student: tuple(group) for group in students_of.values() for student in group}

    def stamped(self, student: str) -> datetime | None:
        """The time in timestamp.txt, which a person may have corrected; None if there is none."""
        from grading.engine.nbgrader.import_nbgrader import parse_utc

        try:
            text = read_moment(self._stamp(student).read_bytes(), [])
        except OSError:
            return None
        return parse_utc(text).replace(tzinfo=timezone.utc) if text else None

    def order_of(self, student: str) -> datetime | None:
        """The time by which the submission that is in comes before or after another file."""
        known = self.entries.get(student, {}).get("at")
        try:
            return datetime.fromisoformat(known) if known else self.stamped(student)
        except (TypeError, ValueError):
            return self.stamped(student)

    def whose_clock(self, student: str) -> str:
        """Who says when a student handed in."""
        known = self.entries.get(student, {})
        at = self.stamped(student)
        if not (at and known):
            return CORRECTED
        same = abs(at - datetime.fromisoformat(known["at"])) < timedelta(seconds=1)
        return known["from"] if same else CORRECTED

    def write_stamp(self, student: str, at: datetime | None) -> None:
        """Write timestamp.txt; None: without a time there is no such file. An earlier one is kept
        in DIR/replaced.
        """
        path = self._stamp(student)
        text = f"{at.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S.%f} UTC\n" if at else ""
        aside = self._course.root / "replaced" / self._module.name / student
        if at:
            supersede(path, text, aside)
        elif path.is_file():
            move_aside(path, aside)

    def set(self, student: str, text: str) -> tuple[str, ...]:
        """Keep the time that the instructor gives, and return the students to whom it applies: the
        student, and the other members of a group if the student handed in as one of it.
        """
        self._course.need_student(student, self._module)
        at = time_in(text)
        if at is None:
            raise UsageError(
                f"a time of handing in reads like 2026-11-20T12:00+01:00; got {text!r}. Try: tito"
                f" grade late {self._module.name} --handed-in {student} 2026-11-20T12:00+01:00"
            )
        members = self.groups().get(student, (student,))
        for name in members:
            self.write_stamp(name, at)
            self.entries[name] = {**self.entries.get(name, {}), **entry(at, INSTRUCTOR)}
        write_json(self.path, self.entries)
        return members

    def stated(self, student: str) -> datetime | None:
        """The time that the instructor has stated, here or in timestamp.txt; None without one."""
        by_hand = self.whose_clock(student) in (INSTRUCTOR, CORRECTED)
        return self.stamped(student) if by_hand else None

    def renew(self, submissions: list[Any]) -> None:
        """Bring the gradebook's times up to date with timestamp.txt, which may be corrected."""
        for submission in submissions:
            student = submission.student_id
            unknown = self.entries.get(student, {}).get("from") in UNTIMED
            if at := self.stamped(student):
                submission.timestamp = at.replace(tzinfo=None)
            elif unknown and not self._stamp(student).exists():
                submission.timestamp = None

    def remarks(self) -> list[str]:
        """Sentences about submissions whose time a person has to give."""
        sentences = []
        name, root = self._module.name, self._course.root
        for student in self._course.students(self._module):
            given = self._stamp(student).is_file()
            again = f"tito grade late {name} --handed-in {student} TIME --course {root}"
            if given and self.stamped(student) is None:
                sentences.append(f"{student}: timestamp.txt does not hold a time. Say it: {again}")
            elif not given and self.entries.get(student, {}).get("from") == MARKED_LATE:
                late = f"{student}: late by Canvas's mark, without a time"
                sentences.append(f"{late}. Say it: {again}")
        return sentences

    def _stamp(self, student: str) -> Path:
        return self._course.submitted(student, self._module) / "timestamp.txt"
