"""The files of a place (a file, a folder or a zip), not read yet; nothing of a zip is written to a
disk.
"""

import contextlib
import functools
import io
import re
import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from grading.engine.safe_text import shown
from grading.engine.submission_size_and_time import (
    MAX_BULK_BYTES,
    MAX_BULK_MEMBERS,
    MAX_BYTES,
    MAX_MEMBERS,
    MAX_NAME,
    MAX_RATIO,
    SMALLER,
)
from grading.engine.trusted_process_limits import TooMuch, bounded
from tito.errors import UsageError

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
class Place:
    """A file or a folder that is collected.

    Attributes:
        itself: the place as a file.
        inside: the files of a folder, or of a zip that may be a download; None for another file.
        problem: why the files inside cannot be listed.
    """

    path: Path
    itself: Member
    inside: list[Member] | None = None
    problem: str = ""

    @classmethod
    def listed(cls, path: Path, platform: str | None) -> "Place":
        """Raises:
        UsageError: nothing is there.
        """
        if not path.exists() and not path.is_symlink():
            raise UsageError(
                f"collect takes files and folders; {path} does not exist."
                " Check the path, then run it again"
            )
        itself = file_member(path, path.name)
        if path.is_dir() and not path.is_symlink():
            return cls(path, itself, folder_members(path))
        if path.is_symlink() or path.suffix.lower() != ".zip" or platform == "files":
            return cls(path, itself)
        try:
            with trusting(platform is not None):
                return cls(path, itself, zip_members(path, bulk=True))
        except (Refused, TooMuch) as problem:
            return cls(path, itself, problem=str(problem))

    @property
    def is_folder(self) -> bool:
        return self.inside is not None and self.path.is_dir()


def trusting(said: bool) -> contextlib.AbstractContextManager[None]:
    """No limit on reading a download that the instructor names as one."""
    return contextlib.nullcontext() if said else bounded("reading it")


def zip_members(file: Path | io.BytesIO, *, bulk: bool = False) -> list[Member]:
    """The files in a zip. Nothing is written to a disk, so a path in the zip can do no harm.

    Args:
        bulk: the zip is a platform's download, in which a bad file is refused alone; a student's
            zip with a bad file is refused as a whole.
    """
    what, most = ("a download", MAX_BULK_MEMBERS) if bulk else ("a submission", MAX_MEMBERS)
    with _reading(), zipfile.ZipFile(file) as archive:
        files = [entry for entry in archive.infolist() if not entry.is_dir()]
        entries = [entry for entry in files if not _NOT_OURS.search(entry.filename)]
    if len(entries) > most:
        remedy = "" if bulk else ". Unpack it, and collect the notebook in it as ID.ipynb"
        raise Refused(f"{what}'s zip holds at most {most} files; this holds {len(entries)}{remedy}")
    # opened again when it is read: the zips of a class are too many to stay open
    opened = functools.cache(functools.partial(zipfile.ZipFile, file))
    members = []
    for entry in entries:
        problem = _problem(entry)
        if problem and not bulk:
            raise Refused(problem)
        read = functools.partial(_read_entry, opened, entry)
        members.append(Member(entry.filename, entry.file_size, _moment(entry), read, problem))
    if sum(member.size for member in members if not member.problem) > MAX_BULK_BYTES:
        raise Refused(f"a zip unpacks to at most {MAX_BULK_BYTES // 2**30} GiB; this claims more")
    return members


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


def _read_entry(opened: Callable[[], zipfile.ZipFile], entry: zipfile.ZipInfo, limit: int) -> bytes:
    with _reading(), opened().open(entry) as stream:
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
