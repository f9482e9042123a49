"""The class roster: a CSV file that maps the names and numbers of a learning platform to the ids in
the gradebook.

Columns, in any order; only `id` is required: id, name ("Last, First" or "First Last"), email,
canvas_id (the number in Canvas's file names), sis_id, login, section (Canvas's columns of those
names), moodle_id (the number of "Participant 1234567"), gradescope_id, group (one hand-in with that
name, or of any member, is everybody's in the group). A copy is kept in DIR/roster.csv for later
commands.

Who was in an earlier roster and is not in the newest one has left the class: DIR/left.csv has the
ids with the day. They are in no table, nobody waits for their work, and nothing of theirs is
deleted; a roster that has them again undoes it.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

from grading.engine.course.directory import ID_RULE, STUDENT_ID, Course
from grading.engine.safe_text import csv_text
from tito.errors import UsageError
from tito.files import supersede

PLATFORMS = ("canvas", "moodle", "gradescope")  # whose downloads collect reads
COLUMNS = tuple(
    "id name email canvas_id sis_id login section moodle_id gradescope_id group".split()
)
MAX_BYTES = 4 * 2**20


@dataclass
class Roster:
    """The people of the class by id; empty if no roster was given."""

    people: dict[str, dict[str, str]] = field(default_factory=dict)

    def find(self, column: str, value: str) -> str | None:
        """The id of the only person with this value (upper and lower case are equal); None if
        nobody or several people have it.
        """
        wanted = value.strip().casefold()
        return self._only(wanted, lambda one: self.get(one, column).casefold())

    def called(self, name: str) -> str | None:
        """The same for the person whose name has these words, in any order and case."""
        return self._only(_words(name), lambda one: _words(self.get(one, "name")))

    def _only(self, wanted: Any, fact: Callable[[str], Any]) -> str | None:
        matches = [one for one in self.people if fact(one) == wanted]
        return matches[0] if wanted and len(matches) == 1 else None

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """The members of each group, by its name; "a; b" in the column names two groups."""
        students_of: dict[str, list[str]] = {}
        for student in self.people:
            for name in filter(None, map(str.strip, self.get(student, "group").split(";"))):
                students_of.setdefault(name, []).append(student)
        return {name: tuple(members) for name, members in students_of.items()}

    def groups_of(self, wanted: str) -> list[str]:
        """The groups of a student; the name of a group means that group."""
        return [
            name
            for name, members in self.groups.items()
            if wanted in members or wanted.casefold() == name.casefold()
        ]

    def get(self, student: str, column: str) -> str:
        return self.people.get(student, {}).get(column, "")

    def name(self, student: str) -> tuple[str, str]:
        """(first, last) name; empty if the roster has none."""
        name = self.get(student, "name")
        if "," in name:
            last, _, first = name.partition(",")
            return first.strip(), last.strip()
        first, _, last = name.rpartition(" ")
        return first.strip(), last.strip()


def _words(name: str) -> list[str]:
    plain = unicodedata.normalize("NFC", name).casefold()
    return sorted(re.findall(r"[^\W_]+", plain))


def read_roster(path: Path) -> Roster:
    """Read a roster; UsageError says what is wrong with its file."""
    if not path.is_file():
        raise UsageError(
            f"--roster takes a CSV file; {path} is not a file. Its columns: {', '.join(COLUMNS)}"
        )
    if path.stat().st_size > MAX_BYTES:
        raise UsageError(
            f"a roster has at most {MAX_BYTES // 2**20} MiB; {path} has"
            f" {path.stat().st_size / 2**20:.0f}"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as problem:
        raise UsageError(
            f'a roster is a CSV file in UTF-8; {path} is not: {problem}. Save it again as "CSV'
            ' UTF-8"'
        ) from None
    header = [name.strip().lower() for name in lines[0]] if lines else []
    if "id" not in header:
        raise UsageError(
            f"a roster has a column id; {path} has {', '.join(header) or 'no columns'}. Columns"
            f" that are read: {', '.join(COLUMNS)}"
        )
    roster, taken = Roster(), set()
    for number, line in enumerate(lines[1:], start=2):
        pairs = zip(header, line, strict=False)
        person = {name: value.strip() for name, value in pairs if name in COLUMNS}
        student = person.get("id", "")
        if not any(person.values()):
            continue
        if not STUDENT_ID.fullmatch(student):
            raise UsageError(f"{ID_RULE}; line {number} of {path} has {student!r}")
        if student.casefold() in taken:
            raise UsageError(
                f"each id occurs once in a roster (case does not count); line {number} of {path}"
                f" has {student!r} again"
            )
        taken.add(student.casefold())
        roster.people[student] = person
    return roster


def course_roster(course: Course, given: Path | None = None) -> Roster:
    """The roster in the file `given` (a copy is kept in the course), or else the copy that the
    course has.
    """
    kept = course.root / "roster.csv"
    if given is None:
        return read_roster(kept) if kept.is_file() else Roster()
    roster = read_roster(given)
    before = read_roster(kept) if kept.is_file() else Roster()
    _note_who_left(course, before, roster)
    # formgrader and lists of the class have everybody
    with course.book() as book:
        for student in roster.people:
            first, last = roster.name(student)
            facts = {"first_name": first, "last_name": last, "email": roster.get(student, "email")}
            book.update_or_create_student(
                student, **{key: value for key, value in facts.items() if value}
            )
    supersede(kept, given.read_text(encoding="utf-8-sig"), course.root / "replaced")
    return roster


def left_the_class(course: Course) -> set[str]:
    """The ids of those who have left."""
    return set(_left(course))


def _left(course: Course) -> dict[str, str]:
    """The day since when each of them is gone."""
    path = course.root / "left.csv"
    if not path.is_file():
        return {}
    with open(path, encoding="utf-8", newline="") as file:
        return {row["id"]: row["since"] for row in csv.DictReader(file)}


def _note_who_left(course: Course, before: Roster, now: Roster) -> None:
    gone = dict.fromkeys(before.people, f"{date.today()}") | _left(course)
    rows = sorted((student, day) for student, day in gone.items() if student not in now.people)
    path = course.root / "left.csv"
    if rows or path.is_file():
        supersede(path, csv_text(("id", "since"), rows), course.root / "replaced")
