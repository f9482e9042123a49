"""Bulk downloads from a learning platform: who handed in each file, when, and in which form.

A bulk download is a zip, or the folder that it was unpacked to. Three platforms are known:

Canvas ("Download Submissions"; content_zipper.rb of canvas-lms, 2011 to 2025): flat,
`lastnamefirst_[LATE_]USERID_ATTACHMENTID_FILE`;
    with anonymous marking `anon_XXXXX_ATTACHMENTID_FILE`. A file handed in again has -1, -2 before
    its ending. Canvas takes _digits_ out of names, so the first _digits_digits_ is Canvas's own.
Moodle 2.3 to 5 ("Download all submissions"; mod/assign): `Full
Name_1234567_assignsubmission_file_/FILE`, flat without folders as
    `Full Name_1234567_assignsubmission_file_FILE`. Moodle takes the _ out of names. The number is
    the participant's in this assignment, the one in "Participant 1234567" of the grading worksheet.
Gradescope ("Export Submissions", 2019 to 2025): `[assignment_N_export/]submission_123/FILE` and,
beside these folders, `submission_metadata.yml`, which maps
    submission_123 to :submitters: (a list of :name:, :sid:, :email:) and :created_at:.
    Students name everything below submission_123/: a file there says nothing about other students.
"""

import contextlib
import functools
import io
import re
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from grading.engine.course.directory import STUDENT_ID
from grading.engine.course.roster import Roster
from grading.engine.limits import (
    MAX_BULK_BYTES,
    MAX_BULK_MEMBERS,
    MAX_BYTES,
    MAX_MEMBERS,
    MAX_METADATA_BYTES,
    MAX_NAME,
    MAX_RATIO,
    SMALLER,
)
from grading.engine.texts import shown

PLATFORMS = ("canvas", "moodle", "gradescope")

_CANVAS = re.compile(
    r"(?:(?P<name>(?!LATE_)\w*?)_)?(?P<late>LATE_)?(?P<id>\d+|anon_\w+?)_(?P<attachment>\d+)_(?P<file>[^/]+)"
)
_MOODLE = re.compile(
    r"(?P<name>[^_/]+)_(?P<id>\d+)_assignsubmission_(?P<type>[a-z]+)(?:_?/(?:.*/)?|_)(?P<file>[^/]+)"
)
_GRADESCOPE = re.compile(r"(?P<id>submission_\d+)/(?:.*/)?(?P<file>[^/]+)", re.DOTALL)
_FORMS = {"canvas": _CANVAS, "moodle": _MOODLE, "gradescope": _GRADESCOPE}
_METADATA = re.compile(r"(?P<root>(?:(?!submission_\d+/)[^/]+/)?)submission_metadata\.yml")
_NOT_OURS = re.compile(r"(^|/)(\.(?!\.?/)|__MACOSX/|__pycache__/)|(^|/)(Thumbs\.db|desktop\.ini)$")


class Refused(Exception):
    """A file is not taken in; the message says why."""


@dataclass(frozen=True)
class Member:
    """One file of a zip or of a folder, not read yet. `problem` says why it must not be read."""

    path: str
    size: int
    at: datetime | None
    read: Callable[[int], bytes]
    problem: str | None = None

    @property
    def suffix(self) -> str:
        return Path(self.path).suffix.lower()


@dataclass(frozen=True)
class Owner:
    """Who handed in a file."""

    student: str
    key: str = ""  # the platform's own id of the submission or person
    platform: str = ""
    known_by: str = ""  # how: a key of `candidate.SURE`
    late: bool = False  # Canvas marks late files, but gives no time
    at: datetime | None = None  # Gradescope gives a time
    note: str = ""
    group: str = ""  # its name, or the names of its members, if several people handed this in
    sender: str = ""  # which of them


def zip_members(file: Path | io.BytesIO, *, bulk: bool = False) -> list[Member]:
    """The files in a zip. Nothing is written to a disk, so a path in the zip can do no harm.

    Args:
        bulk: the zip is a platform's download, in which a bad file is refused alone; a student's
            zip with a bad file is refused as a whole.
    """
    what, most = ("a download", MAX_BULK_MEMBERS) if bulk else ("a submission", MAX_MEMBERS)
    with _reading():
        archive = zipfile.ZipFile(file)
        files = [entry for entry in archive.infolist() if not entry.is_dir()]
        entries = [entry for entry in files if not _NOT_OURS.search(entry.filename)]
    if len(entries) > most:
        raise Refused(f"{what}'s zip holds at most {most} files; this holds {len(entries)}")
    found = []
    for entry in entries:
        problem = _problem(entry)
        if problem and not bulk:
            raise Refused(problem)
        read = functools.partial(_read_entry, archive, entry)
        found.append(Member(entry.filename, entry.file_size, _moment(entry), read, problem))
    if sum(member.size for member in found if not member.problem) > MAX_BULK_BYTES:
        raise Refused(f"a zip unpacks to at most {MAX_BULK_BYTES // 2**30} GiB; this claims more")
    return found


def folder_members(folder: Path) -> list[Member]:
    """The files below a folder, without hidden files; no link is followed."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir()]
    named = [(path, path.relative_to(folder).as_posix()) for path in files]
    return [file_member(path, name) for path, name in named if not _NOT_OURS.search(name)]


def file_member(path: Path, name: str) -> Member:
    try:
        facts = path.lstat()
    except OSError as trouble:
        why = f"the file cannot be read: {trouble.strerror}"
        return Member(name, 0, None, lambda limit: b"", why)
    problem = None
    if not stat.S_ISREG(facts.st_mode):
        problem = "a submission is a regular file; this is a link or a device"
    elif facts.st_size > MAX_BYTES:
        problem = (
            f"a submission has at most {MAX_BYTES // 2**20} MiB; this has"
            f" {facts.st_size / 2**20:.0f} MiB. {SMALLER}"
        )
    at = datetime.fromtimestamp(facts.st_mtime, timezone.utc)
    return Member(name, facts.st_size, at, functools.partial(_read_file, path), problem)


def _read_file(path: Path, limit: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return _within(file, limit, path.name)
    except OSError as problem:
        raise Refused(f"the file cannot be read: {problem.strerror}") from None


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """Turn every exception that zipfile raises for a damaged, encrypted or exotic zip into Refused.
    A student wrote every byte of the zip, so no list of exceptions would be complete.
    """
    try:
        yield
    except Refused:
        raise
    except Exception as problem:  # noqa: BLE001 - see above
        said = str(problem) or type(problem).__name__
        raise Refused(f"the zip cannot be read: {shown(said, 200)}") from None


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    with _reading(), archive.open(entry) as stream:
        # the size in the zip's directory may be false
        return _within(stream, limit, entry.filename)


def _within(stream: Any, limit: int, name: str) -> bytes:
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise Refused(f"{shown(name)} has more than {limit} B")
    return data


def _problem(entry: zipfile.ZipInfo) -> str | None:
    name, parts = shown(entry.filename), entry.filename.replace("\\", "/").split("/")
    if len(entry.filename) > MAX_NAME:
        return f"a file's path in a zip has at most {MAX_NAME} characters; {name!r} has more"
    if ".." in parts or re.match(r"[/\\]|[A-Za-z]:", entry.filename):
        return f"a file in the zip stays inside its folder; {name!r} leads out of it"
    kind = entry.external_attr >> 16
    if kind and stat.S_IFMT(kind) not in (0, stat.S_IFREG):
        return f"a zip holds regular files; {name!r} is a link or a device"
    if entry.flag_bits & 1:
        return f"a zip is not encrypted; {name!r} is. Ask for it without a password"
    if entry.file_size > MAX_BYTES or (
        entry.file_size > MAX_RATIO * max(entry.compress_size, 1) and entry.file_size > 2**20
    ):
        return (
            f"a file in the zip unpacks to at most {MAX_BYTES // 2**20} MiB and {MAX_RATIO} times"
            f" its packed size; {name!r} says {entry.file_size / 2**20:.0f} MiB from"
            f" {entry.compress_size} B"
        )
    return None


def _moment(entry: zipfile.ZipInfo) -> datetime | None:
    try:
        # a zip stores local time without a time zone
        return datetime(*entry.date_time).astimezone(timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None


def recognize(paths: Iterable[str]) -> str | None:
    """The platform whose naming scheme *every* file of a download follows; a single name is not
    enough.
    """
    files = list(paths)
    if any(len(path) > MAX_NAME for path in files):
        return None
    root = _gradescope_root(files)
    if root is not None:
        rest = (path.removeprefix(root) for path in files if not _METADATA.fullmatch(path))
        if all(map(_GRADESCOPE.fullmatch, rest)):
            return "gradescope"
    for platform in ("moodle", "canvas"):
        if files and all(map(_FORMS[platform].fullmatch, files)):
            return platform
    return None


def _gradescope_root(paths: Iterable[str]) -> str | None:
    """The only folder (or "") that holds submission_metadata.yml beside the submissions."""
    roots = {found["root"] for path in paths if (found := _METADATA.fullmatch(path))}
    if "" in roots:
        return ""
    return roots.pop() if len(roots) == 1 else None


class Platform:
    """Reads the names in one platform's download."""

    def __init__(self, name: str, members: list[Member], roster: Roster, known_by: str = ""):
        self.name, self.roster, self.known_by = name, roster, known_by
        self.title = name.capitalize()
        self._root, self._people = "", {}
        self.metadata: str | None = None  # path of submission_metadata.yml
        if name == "gradescope":
            root = _gradescope_root(member.path for member in members)
            if root is None:
                raise Refused(
                    "Gradescope's download holds submission_metadata.yml beside the folders"
                    " submission_NUMBER; this has none, or several. Export the submissions again,"
                    " and collect each export by itself"
                )
            self._root, self.metadata = root, f"{root}submission_metadata.yml"
            (source, *_) = (member for member in members if member.path == self.metadata)
            self._people = _gradescope_people(source)

    def owners(self, path: str) -> tuple[list[Owner], str]:
        """Who handed in a file (several people for a group), and the file's own name.

        Raises:
            Refused: neither the name nor the metadata says who.
        """
        own = path.removeprefix(self._root)
        found = _FORMS[self.name].fullmatch(own) if len(path) <= MAX_NAME else None
        if not found:
            raise Refused(
                f"{self.title} gives each file a name that says whose it is; {shown(path)!r} has"
                " another form. Rename it to ID.ipynb and collect it by itself"
            )
        if self.name == "gradescope":
            return self._group(found["id"]), found["file"]
        number = found["id"]
        if self.name == "canvas":
            # the number of a file that was handed in again
            file = re.sub(r"-\d+(\.[^.]+)$", r"\1", found["file"])
            known = self.roster.find("canvas_id", number)
            return [self._one(known, number, late=bool(found["late"]))], file
        known = self.roster.find("moodle_id", number) or self.roster.find("name", found["name"])
        return [self._one(known, number)], found["file"]

    def _one(self, known: str | None, number: str, **facts: Any) -> Owner:
        student = known or number
        if not STUDENT_ID.fullmatch(student):
            raise Refused(
                f"a student's id is letters, digits and . _ @ -, at most 64; {self.title} says"
                f" {shown(student)!r}. Map it with --roster"
            )
        strange = self.roster.people and not known
        note = f"{self.title}'s {number} is not in the roster" if strange else ""
        key = f"{self.name} {number}"
        return Owner(student, key, self.name, self.known_by, note=note, **facts)

    def _group(self, folder: str) -> list[Owner]:
        entry: Any = self._people.get(folder)
        people = entry.get(":submitters") if isinstance(entry, dict) else None
        if not isinstance(people, list) or not people:
            raise Refused(
                "submission_metadata.yml names the people of each folder;"
                f" it has nobody for {folder}"
            )
        at = entry.get(":created_at")
        at = at.replace(tzinfo=at.tzinfo or timezone.utc) if isinstance(at, datetime) else None
        owners = []
        for person in people:
            facts = person if isinstance(person, dict) else {}
            sid, email = (str(facts.get(key) or "").strip() for key in (":sid", ":email"))
            known = (
                self.roster.find("gradescope_id", sid or email)
                or self.roster.find("id", sid)
                or self.roster.find("email", email)
            )
            owners.append(self._one(known, sid or email, at=at))
        if len(owners) == 1:
            return owners
        names = ", ".join(owner.student for owner in owners)
        together = f"handed in together: {names}"
        notes = ["; ".join(filter(None, (one.note, together))) for one in owners]
        return [
            replace(one, note=note, group=names, sender=names)
            for one, note in zip(owners, notes, strict=True)
        ]


def _gradescope_people(source: Member) -> dict[str, Any]:
    import yaml

    if source.size > MAX_METADATA_BYTES:
        raise Refused(
            f"submission_metadata.yml has at most {MAX_METADATA_BYTES // 2**20} MiB; this has"
            f" {source.size / 2**20:.0f} MiB"
        )
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # both read plain data only
    try:
        people = yaml.load(source.read(MAX_METADATA_BYTES).decode("utf-8"), Loader=loader)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as problem:
        raise Refused(
            f"submission_metadata.yml cannot be read: {shown(str(problem), 200)}"
        ) from None
    return people if isinstance(people, dict) else {}
