"""Take in what students handed in: zips made by `tito submit`, plain notebooks, or a folder per student.

Only regular files of a sensible size come in; everything else gets a line that says why. Nothing is deleted: a submission
that a later one replaces moves to DIR/replaced, and what was refused stays where it was.
"""

from __future__ import annotations

import codecs
import json
import re
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.engine.course import STUDENT_ID, Course
from grading.engine.files import move_aside, write_json, write_text
from tito.errors import TitoError, UsageError
from tito.files import sha256, write_atomic

if TYPE_CHECKING:
    from tito.course import Module

MAX_BYTES = 25 * 2**20     # one notebook; figures are stored in it as text
MAX_MEMBERS = 20           # files in a zip; `tito submit` writes two
MAX_RATIO = 200            # unpacked / packed; text rarely passes 20
MAX_MANIFEST_BYTES = 2**16


class Refused(Exception):
    """Why a file does not come in."""


@dataclass(frozen=True)
class Intake:
    """One line of the list: what happened to a file, or to a student without one."""

    source: str
    student: str | None
    status: str              # "taken", "unchanged", "replaced", "older", "refused", "missing"
    reason: str = ""
    late_seconds: float = 0.0


@dataclass(frozen=True)
class _Work:
    source: Path
    student: str
    notebook: bytes
    handed_in: datetime
    note: str


def collect(course: Course, module: Module, places: Iterable[Path]) -> list[Intake]:
    """Put every acceptable submission to DIR/submitted/<student>/<assignment>/; list all, also the missing and the refused."""
    course.need_release(module)
    found: list[Intake] = []
    newest: dict[str, _Work] = {}
    for path, owner in _candidates(places):
        student = owner or _guess_student(path, module)
        try:
            work = _open(path, module, student)
        except Refused as problem:
            found.append(Intake(str(path), student, "refused", str(problem)))
            continue
        other = newest.get(work.student)
        if other and other.handed_in > work.handed_in:
            work, other = other, work
        if other:
            found.append(Intake(str(other.source), other.student, "older", f"{work.source} was handed in later"))
        newest[work.student] = work
    due = _due(course, module)
    for work in newest.values():
        found.append(_put(course, module, work, due))
    found += [Intake("", student, "missing", "nothing was handed in") for student in _roster(course) if student not in course.students(module)]
    found.sort(key=lambda line: (line.student or "", line.source))
    write_json(course.reports(module) / "collect.json", {"schema": 1, "intake": [asdict(line) for line in found]})
    return found


def _candidates(places: Iterable[Path]) -> Iterator[tuple[Path, str | None]]:
    """Zips and notebooks; in a folder of folders each belongs to the student that its first folder names. No link is followed."""
    for place in places:
        if not place.exists() and not place.is_symlink():
            raise UsageError(f"collect takes files and folders; {place} does not exist. Check the path, then run it again")
        if place.is_symlink() or not place.is_dir():
            yield place, None
            continue
        for path in sorted(place.rglob("*")):
            parts = path.relative_to(place).parts
            hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
            if not hidden and path.suffix.lower() in (".zip", ".ipynb") and (path.is_symlink() or not path.is_dir()):
                yield path, parts[0] if len(parts) > 1 else None


def _open(path: Path, module: Module, student: str | None) -> _Work:
    """Read one file into memory, within limits.

    Raises:
        Refused: with the reason.
    """
    facts = path.lstat()
    if not stat.S_ISREG(facts.st_mode):
        raise Refused("a submission is a regular file; this is a link or a device")
    if facts.st_size > MAX_BYTES:
        raise Refused(f"a submission has at most {MAX_BYTES // 2**20} MiB; this has {facts.st_size / 2**20:.0f} MiB")
    handed_in = datetime.fromtimestamp(facts.st_mtime, timezone.utc)
    if path.suffix.lower() == ".zip":
        name, notebook, manifest = _unzip(path)
    elif path.suffix.lower() == ".ipynb":
        name, notebook, manifest = path.name, path.read_bytes(), {}
    else:
        raise Refused(f"a submission is a .zip or .ipynb; this is {path.suffix or 'a file without an ending'}")
    wanted = manifest.get("module")
    if isinstance(wanted, str) and wanted != module.name:
        raise Refused(f"this is a submission of {wanted}, not of {module.name}")
    said = manifest.get("student")
    student = said.strip() if isinstance(said, str) and said.strip() else student or ""
    if not STUDENT_ID.fullmatch(student):
        raise Refused(f"a student's id is letters, digits and . _ @ -, at most 64; got {student!r}. Rename the file to ID.zip or ID.ipynb")
    note = "" if Path(name).stem == module.stem else f"the notebook was called {name}"
    if manifest.get("sha256", sha256(notebook)) != sha256(notebook):
        note = "; ".join(part for part in (note, "the notebook was changed after `tito submit` packed it") if part)
    notebook = notebook.removeprefix(codecs.BOM_UTF8)   # some editors write one; nbformat takes it for damage
    return _Work(path, student, notebook, _time(manifest) or handed_in, note)


def _unzip(path: Path) -> tuple[str, bytes, dict[str, Any]]:
    """(name, bytes, manifest) of the one notebook in a zip. Nothing is written, so no path in it can lead anywhere."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(members) > MAX_MEMBERS:
                raise Refused(f"a submission's zip holds at most {MAX_MEMBERS} files; this holds {len(members)}")
            for entry in members:
                _check_member(entry)
            notebooks = [entry for entry in members if entry.filename.lower().endswith(".ipynb")]
            if len(notebooks) != 1:
                raise Refused(f"a submission's zip holds one notebook; this holds {len(notebooks)}")
            data = _read_member(archive, notebooks[0], MAX_BYTES)
            manifests = [entry for entry in members if Path(entry.filename).name == "manifest.json"]
            try:
                manifest = json.loads(_read_member(archive, manifests[0], MAX_MANIFEST_BYTES)) if manifests else {}
            except ValueError:
                manifest = {}
            return Path(notebooks[0].filename).name, data, manifest if isinstance(manifest, dict) else {}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as problem:
        raise Refused(f"the zip cannot be read: {problem}") from None


def _check_member(entry: zipfile.ZipInfo) -> None:
    parts = entry.filename.replace("\\", "/").split("/")
    if entry.filename.startswith(("/", "\\")) or ".." in parts or re.match(r"[A-Za-z]:", entry.filename):
        raise Refused(f"a file in the zip stays inside its folder; {entry.filename!r} leads out of it")
    kind = entry.external_attr >> 16
    if kind and stat.S_IFMT(kind) not in (0, stat.S_IFREG):
        raise Refused(f"a zip holds regular files; {entry.filename!r} is a link or a device")
    if entry.file_size > MAX_BYTES or entry.file_size > MAX_RATIO * max(entry.compress_size, 1) and entry.file_size > 2**20:
        raise Refused(f"a file in the zip unpacks to at most {MAX_BYTES // 2**20} MiB and {MAX_RATIO} times its packed size; "
                      f"{entry.filename!r} says {entry.file_size / 2**20:.0f} MiB from {entry.compress_size} B")


def _read_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    with archive.open(entry) as stream:
        data = stream.read(limit + 1)  # the size that the zip announces may be a lie
    if len(data) > limit:
        raise Refused(f"{entry.filename!r} unpacks to more than {limit} B")
    return data


def _guess_student(path: Path, module: Module) -> str | None:
    """The id in ID.zip, 08_dataloader-ID.zip, ID-08_dataloader.zip or ID/dataloader_dev.ipynb."""
    assignment = rf"({re.escape(module.name)}|{re.escape(module.stem)})"
    for name in (path.stem, path.parent.name):
        name = re.sub(rf"^{assignment}[-_.]?|[-_.]?{assignment}$", "", name)
        if name:
            return name
    return None


def _time(manifest: dict[str, Any]) -> datetime | None:
    """When the student's machine says it was packed; its clock may be wrong, but a file's own time is lost on the way."""
    said = re.sub(r"([+-]\d\d)(\d\d)$", r"\1:\2", str(manifest.get("time")).replace("Z", "+00:00"))  # Python 3.10 wants the colon
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        return None
    return moment.replace(tzinfo=moment.tzinfo or timezone.utc)


def _put(course: Course, module: Module, work: _Work, due: datetime | None) -> Intake:
    folder = course.submitted(work.student, module)
    target = folder / f"{module.stem}.ipynb"
    late = max(0.0, (work.handed_in - due).total_seconds()) if due else 0.0
    reason = "; ".join(part for part in (_broken(work.notebook), work.note) if part)
    if target.is_file() and target.read_bytes() == work.notebook:
        return Intake(str(work.source), work.student, "unchanged", reason, late)
    status = "taken"
    if folder.is_dir() and any(folder.iterdir()):
        status = "replaced"
        move_aside(folder, course.root / "replaced" / module.name / work.student)
    write_text(folder / "timestamp.txt", work.handed_in.astimezone(timezone.utc).strftime("%Y-%m-%d %H:%M:%S.%f UTC") + "\n")
    write_atomic(target, work.notebook)
    return Intake(str(work.source), work.student, status, reason, late)


def _broken(data: bytes) -> str:
    """Why a notebook cannot be graded; it is taken in all the same, so that a person sees it."""
    from tito.notebook import load_ipynb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notebook.ipynb"
        path.write_bytes(data)
        try:
            load_ipynb(path)
        except TitoError as problem:
            return f"broken: {problem}"
    return ""


def _due(course: Course, module: Module) -> datetime | None:
    from grading.engine.nbg import gradebook

    with gradebook(course.db_url) as book:
        due = book.find_assignment(module.name).duedate
    return due.replace(tzinfo=timezone.utc) if due else None


def _roster(course: Course) -> list[str]:
    from grading.engine.nbg import gradebook

    with gradebook(course.db_url) as book:
        return [student.id for student in book.students]
