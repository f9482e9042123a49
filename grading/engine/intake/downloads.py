"""What came in: the files of a place, the platform whose names they have, and what is in each.

A bulk download is a zip, or the folder that it was unpacked to. Three platforms are known:

Canvas ("Download Submissions"; content_zipper.rb of canvas-lms, 2011 to 2025): flat,
`lastnamefirst_[LATE_]USERID_ATTACHMENTID_FILE`;
    with anonymous marking `anon_XXXXX_ATTACHMENTID_FILE`; a text or an address that was entered is
    `lastnamefirst_USERID_text.html`, `..._link.html`. A file handed in again has -1, -2 before its
    ending. Canvas takes _digits_ out of names, so the first _digits_digits_ is Canvas's own.
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
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.roster import Roster
from grading.engine.intake.arrived_files import (
    Member,
    Refused,
    file_member,
    folder_members,
    module_named,
    notebooks_in,
    zip_members,
)
from grading.engine.regrades import MOST_BYTES, Regrade, in_file, name_without
from grading.engine.safe_text import shown
from grading.engine.submission_limits import MAX_BYTES, MAX_METADATA_BYTES, MAX_NAME
from grading.engine.trusted_process_limits import TooMuch, bounded
from tito.errors import UsageError

_WORK = (".zip", ".ipynb")
_ENDINGS = re.compile(
    r"(\.(zip|ipynb|tar))+$", re.IGNORECASE
)  # of "ann.ipynb.zip" without the last
_RENAMED = (".txt", ".json", "")  # what browsers and mail programs make of .ipynb
_PACKED = (".7z", ".rar", ".gz", ".tgz", ".bz2", ".xz", ".tar")
_CANVAS = re.compile(
    r"(?:(?P<name>(?!LATE_)\w*?)_)?(?P<late>LATE_)?(?P<id>\d+|anon_\w+?)_"
    r"(?:(?P<attachment>\d+)_(?P<file>[^/]+)|(?:text|link)\.html)"
)
_MOODLE = re.compile(
    r"(?P<name>[^_/]+)_(?P<id>\d+)_assignsubmission_(?P<type>[a-z]+)(?:_?/(?:.*/)?|_)(?P<file>[^/]+)"
)
_GRADESCOPE = re.compile(r"(?P<id>submission_\d+)/(?:.*/)?(?P<file>[^/]+)", re.DOTALL)
_FORMS = {"canvas": _CANVAS, "moodle": _MOODLE, "gradescope": _GRADESCOPE}
_METADATA = re.compile(r"(?P<root>(?:(?!submission_\d+/)[^/]+/)?)submission_metadata\.yml")


@dataclass(frozen=True)
class Expected:
    """The assignment that is collected, and who hands it in."""

    module: Assignment
    roster: Roster
    due: datetime | None
    class_ids: dict[str, str]  # lower case -> the id of each known member of the class

    def id_in(self, file: str) -> str:
        """The id in ID.zip, 08_dataloader-ID.zip, ID-08_dataloader.zip; empty if the name is only
        that of the assignment. JupyterLite downloads a notebook under the name of its whole path.
        """
        file = name_without(file) or file
        name, stems = self.module.name, self.module.stems
        downloaded = (f"modules_{name}_{stem}" for stem in stems)
        names = "|".join(map(re.escape, (*downloaded, name, *stems)))
        name = re.sub(r" ?\(\d+\)$", "", _ENDINGS.sub("", Path(file).stem))
        return re.sub(rf"^({names})[-_.]?|[-_.]?({names})$", "", name).strip()

    def posted(self, path: str) -> "Posted | None":
        """What the path says if it has the form of a platform that knows a person of the roster by
        the number or the name in it.
        """
        for platform in ("moodle", "canvas"):
            match = _FORMS[platform].fullmatch(path) if len(path) <= MAX_NAME else None
            parts = match.groupdict() if match else {}
            known = self.roster.find(f"{platform}_id", parts.get("id") or "")
            if known or (platform == "moodle" and self.roster.called(parts.get("name") or "")):
                return Download(platform, said=False).posted(path)
        return None


@dataclass(frozen=True)
class Posted:
    """What a platform says about a file of its download."""

    platform: str  # a name of `roster.PLATFORMS`
    said: bool  # the instructor says that it is one; else only the form of its names does
    file: str  # the file's own name; its path, if that has another form than the platform's
    parts: Mapping[str, Any]  # of the path; empty if it has another form
    people: Any = None  # who handed it in, and when, as Gradescope's metadata says

    @property
    def title(self) -> str:
        return self.platform.capitalize()


@dataclass(frozen=True)
class Download:
    """A platform's download. Gradescope's has metadata: the folder that holds it, and for each
    folder of a submission who handed it in, and when.
    """

    platform: str
    said: bool
    root: str = ""
    people: dict[str, Any] | None = None

    @classmethod
    def of(cls, platform: str, members: list[Member], *, said: bool) -> "Download":
        """Raises:
        Refused: the metadata cannot be read.
        """
        if platform != "gradescope":
            return cls(platform, said)
        root = _gradescope_root(member.path for member in members)
        if root is None:
            raise Refused(
                "Gradescope's download holds submission_metadata.yml beside the folders"
                " submission_NUMBER; this has none, or several. Export the submissions again,"
                " and collect each export by itself"
            )
        (source, *_) = (one for one in members if one.path == f"{root}submission_metadata.yml")
        return cls(platform, said, root, _gradescope_people(source))

    def posted(self, path: str) -> Posted | None:
        """What the path of a file says; None for the metadata."""
        own = path.removeprefix(self.root)
        if self.people is not None and own == "submission_metadata.yml":
            return None
        match = _FORMS[self.platform].fullmatch(own) if len(path) <= MAX_NAME else None
        parts: dict[str, Any] = match.groupdict() if match else {}
        file = parts.get("file") or path
        if match and self.platform == "canvas":  # the number of a file that was handed in again
            file = re.sub(r"-\d+(\.[^.]+)$", r"\1", file)
        people = (self.people or {}).get(parts.get("id", ""))
        return Posted(self.platform, self.said, file, parts, people)


@dataclass(frozen=True)
class Arrival:
    """A file that came in, and what is in it; whose it is is not known yet."""

    source: str  # where it lies, as the list of collect says it
    name: str = ""  # its own name; empty for a whole place
    named: str = ""  # the id in its name
    posted: Posted | None = None  # what a platform says, in a platform's download
    folder: str | None = None  # its folder directly below the place; None if it was given alone
    above: str = ""  # the name of the folder around it
    note: str = ""  # what a person should know about its place
    is_work: bool = False  # it is a notebook or a zip
    problem: str = ""  # why it is not taken in
    at: datetime | None = None
    notebooks: list[tuple[str, bytes]] = field(default_factory=list)  # name, content
    requests: list[Regrade] = field(default_factory=list)  # to grade something again
    module: str = ""  # the module that its manifest or its notebook names
    manifest: dict[str, Any] = field(default_factory=dict)


def arrivals(
    place: Path, expected: Expected, platform: str | None, *, alone: bool
) -> Iterator[Arrival]:
    """Every file of a place, opened; what cannot be opened has a problem.

    Args:
        platform: what the instructor says: a name of `roster.PLATFORMS`, or "files" for none. None:
            the form of all names decides, but only for a place that is given alone, or among
            downloads alone, and whose own name is not the id of a student.
    """
    for member, arrival in _listed(place, expected, platform, alone=alone):
        posted = expected.posted(member.path) if member and not arrival.posted else None
        if posted:
            arrival = replace(arrival, name=posted.file, posted=posted, folder=None)
        arrival = replace(arrival, named=expected.id_in(arrival.name))
        yield _opened(member, arrival, expected.module.stems) if member else arrival


def _listed(
    place: Path, expected: Expected, platform: str | None, *, alone: bool
) -> Iterator[tuple[Member | None, Arrival]]:
    """Every file of a place and what its place says; without a member if it must not be opened."""
    if not place.exists() and not place.is_symlink():
        raise UsageError(
            f"collect takes files and folders; {place} does not exist."
            " Check the path, then run it again"
        )
    given, said = file_member(place, place.name), platform is not None
    is_folder = place.is_dir() and not place.is_symlink()
    around = Arrival(str(place), place.name, above=place.parent.name)
    try:
        inside = _inside(place, platform)
    except (Refused, TooMuch) as problem:
        yield None, replace(around, name="" if said else place.name, problem=str(problem))
        return
    if inside is None:
        yield given, around
        return
    form = platform or recognize(member.path for member in inside)
    if form and not said and (_a_students(place, expected) or not alone):
        says = f"its names look like a download from {form.capitalize()}; if it is one, collect"
        note = f"{says} it with --from {form}, else with --from files"
        if is_folder:
            yield None, Arrival(str(place), problem=note)
        else:
            yield given, replace(around, note=note)
    elif form in _FORMS:
        try:
            with _trusting(said):
                download = Download.of(form, inside, said=said)
        except (Refused, TooMuch) as problem:
            yield None, Arrival(str(place), problem=str(problem))
            return
        for member in inside:
            if posted := download.posted(member.path):
                source = f"{place}: {shown(member.path, 160)}"
                yield member if posted.parts else None, Arrival(source, posted.file, posted=posted)
    elif not is_folder:
        yield given, around
    else:
        for member in inside:
            folder, below, _ = member.path.partition("/")
            here = Arrival(str(place / member.path), Path(member.path).name, above=place.name)
            yield member, replace(here, folder=folder if below else "")


def _inside(place: Path, platform: str | None) -> list[Member] | None:
    """The files of a folder, or of a zip that may be a download; None for another file."""
    if place.is_symlink() or not (place.is_dir() or place.suffix.lower() == ".zip"):
        return None
    if place.is_dir():
        return folder_members(place)
    if platform == "files":
        return None
    with _trusting(platform is not None):
        return zip_members(place, bulk=True)


def _a_students(place: Path, expected: Expected) -> bool:
    """Whether a file has the name of a student."""
    return not place.is_dir() and expected.id_in(place.name).casefold() in expected.class_ids


def are_downloads(places: Iterable[Path], expected: Expected) -> bool:
    """Whether each place is a download by the form of its names, and none is a student's file:
    among files of students, a zip that looks like a download may be theirs.
    """
    for place in places:
        try:
            inside = _inside(place, None) or []
        except (Refused, TooMuch):
            return False
        if not recognize(member.path for member in inside) or _a_students(place, expected):
            return False
    return True


def _opened(member: Member, arrival: Arrival, stems: tuple[str, ...]) -> Arrival:
    """What arrived, with what is in its file."""
    kind = member.suffix or "a file without an ending"
    arrival = replace(arrival, at=member.at, is_work=kind in _WORK or _is_notebook(member))
    if name_without(arrival.name) is not None and not member.problem:
        try:
            asked = in_file(member.read(MOST_BYTES))
            return replace(arrival, is_work=True, requests=asked)
        except Refused as problem:
            return replace(arrival, problem=str(problem))
    if not arrival.is_work:
        this = repr(shown(arrival.name)) if arrival.posted else kind
        remedy = "Ask for the notebook"
        if kind in _PACKED:
            remedy = "Unpack it, and collect the notebook in it as ID.ipynb"
        why = f"a submission is a .zip or .ipynb; this is {this}. {remedy}"
        return replace(arrival, problem=why)
    try:
        with bounded("reading it"):
            notebooks, manifest = notebooks_in(member, arrival.name, stems)
            named = [manifest.get("module"), *(module_named(data) for _, data in notebooks)]
    except (Refused, TooMuch) as problem:
        return replace(arrival, problem=str(problem))
    module = next((one for one in named if isinstance(one, str) and one), "")
    return replace(arrival, notebooks=notebooks, manifest=manifest, module=module)


def _is_notebook(member: Member) -> bool:
    """Whether a file whose ending was changed holds a notebook."""
    if member.problem or member.suffix not in _RENAMED or member.size > MAX_BYTES:
        return False
    try:
        with bounded("reading it"):
            document = json.loads(member.read(MAX_BYTES))
    except (Refused, TooMuch, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "nbformat" in document


def _trusting(said: bool) -> contextlib.AbstractContextManager[None]:
    """No limit on reading a download that the instructor names as one."""
    return contextlib.nullcontext() if said else bounded("reading it")


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
    roots = {match["root"] for path in paths if (match := _METADATA.fullmatch(path))}
    if "" in roots:
        return ""
    return roots.pop() if len(roots) == 1 else None


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
