"""What each file is that came in: the platform whose names it has, and what is in it.

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

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.roster import Roster
from grading.engine.intake.arrived_files import Member, Place, Refused, trusting, zip_members
from grading.engine.regrade_requests import MOST_BYTES, REQUESTS, Regrade, in_file
from grading.engine.safe_text import shown
from grading.engine.submission_size_and_time import (
    MAX_BYTES,
    MAX_MANIFEST_BYTES,
    MAX_METADATA_BYTES,
    MAX_NAME,
)
from grading.engine.trusted_process_limits import TooMuch, bounded

_WORK = (".zip", ".ipynb")
# of "ann.ipynb.zip" without the last
_ENDINGS = re.compile(r"(\.(zip|ipynb|tar))+$", re.IGNORECASE)
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
        file = REQUESTS.sub("", file) or file
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
            posted = Download(platform, said=False).posted(path)
            parts = posted.parts if posted else {}
            known = self.roster.find(f"{platform}_id", parts.get("id") or "")
            if known or (platform == "moodle" and self.roster.called(parts.get("name") or "")):
                return posted
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
    member: Member | None = None  # None if it must not be opened
    posted: Posted | None = None  # what a platform says, in a platform's download
    folder: str | None = None  # its folder directly below the place; None if it was given alone
    above: str = ""  # the name of the folder around it
    note: str = ""  # what a person should know about its place
    is_work: bool = False  # it is a notebook or a zip, or asks for a regrade
    problem: str = ""  # why it is not taken in
    notebooks: list[tuple[str, bytes]] = field(default_factory=list)  # name, content
    requests: list[Regrade] = field(default_factory=list)  # to grade something again
    manifest: dict[str, Any] = field(default_factory=dict)


def arrivals(
    place: Place, expected: Expected, platform: str | None, *, alone: bool
) -> Iterator[Arrival]:
    """Every file of a place, opened; what cannot be opened has a problem.

    Args:
        platform: what the instructor says: a name of `roster.PLATFORMS`, or "files" for none. None:
            the form of all names decides, but only for a place that is given alone, or among
            downloads alone, and whose own name is not the id of a student.
    """
    for arrival in _listed(place, expected, platform, alone=alone):
        member = arrival.member
        posted = expected.posted(member.path) if member and not arrival.posted else None
        if posted:
            arrival = replace(arrival, name=posted.file, posted=posted, folder=None)
        yield _opened(replace(arrival, named=expected.id_in(arrival.name)), expected.module)


def _listed(
    place: Place, expected: Expected, platform: str | None, *, alone: bool
) -> Iterator[Arrival]:
    """Every file of a place and what its place says."""
    said, path = platform is not None, place.path
    whole = Arrival(str(path), path.name, member=place.itself, above=path.parent.name)
    if place.problem:
        name = "" if said else path.name
        yield replace(whole, name=name, member=None, problem=place.problem)
        return
    form = platform or recognize(member.path for member in place.inside or ())
    if place.inside is None:
        yield whole
    elif form and not said and (_a_students(place, expected) or not alone):
        says = f"its names look like a download from {form.capitalize()}; if it is one, collect"
        note = f"{says} it with --from {form}, else with --from files"
        one_file = replace(whole, note=note)
        yield Arrival(str(path), problem=note) if place.is_folder else one_file
    elif form in _FORMS:
        yield from _posted(place, form, said=said)
    elif not place.is_folder:
        yield whole
    else:
        for member in place.inside:
            folder, below, _ = member.path.partition("/")
            here = Arrival(str(path / member.path), Path(member.path).name, above=path.name)
            yield replace(here, member=member, folder=folder if below else "")


def _posted(place: Place, form: str, *, said: bool) -> Iterator[Arrival]:
    """The files of a platform's download."""
    inside = place.inside or []
    try:
        with trusting(said):
            download = Download.of(form, inside, said=said)
    except (Refused, TooMuch) as problem:
        yield Arrival(str(place.path), problem=str(problem))
        return
    for member in inside:
        if posted := download.posted(member.path):
            here = Arrival(f"{place.path}: {shown(member.path, 160)}", posted.file, posted=posted)
            yield replace(here, member=member if posted.parts else None)


def _a_students(place: Place, expected: Expected) -> bool:
    """Whether a file has the name of a student."""
    return not place.is_folder and expected.id_in(place.path.name).casefold() in expected.class_ids


def is_download(place: Place, expected: Expected) -> bool:
    """Whether a place is a download by the form of its names, and no student's file: among files of
    students, a zip that looks like a download may be theirs.
    """
    names = [member.path for member in place.inside or ()]
    return recognize(names) is not None and not _a_students(place, expected)


def _opened(arrival: Arrival, wanted: Assignment) -> Arrival:
    """What arrived, with what is in its file."""
    member = arrival.member
    if member is None:
        return arrival
    kind, asks = member.suffix, REQUESTS.search(arrival.name)
    is_work = kind in _WORK
    try:
        if is_work or asks or kind in _RENAMED:
            with bounded("reading it"):
                if member.problem:
                    raise Refused(member.problem)
                data = member.read(MOST_BYTES if asks else MAX_BYTES)
                if asks:
                    return replace(arrival, is_work=True, requests=in_file(data))
                is_work = is_work or _is_notebook(data)
                if is_work:
                    name = "" if kind == ".zip" else arrival.name
                    notebooks, manifest = _notebooks_in(data, name, wanted)
                    return replace(arrival, is_work=True, notebooks=notebooks, manifest=manifest)
    except (Refused, TooMuch) as problem:
        if is_work or asks:
            return replace(arrival, is_work=is_work, problem=str(problem))
    this = repr(shown(arrival.name)) if arrival.posted else kind or "a file without an ending"
    remedy = "Ask for the notebook"
    if kind in _PACKED:
        remedy = "Unpack it, and collect the notebook in it as ID.ipynb"
    return replace(arrival, problem=f"a submission is a .zip or .ipynb; this is {this}. {remedy}")


def _is_notebook(data: bytes) -> bool:
    """Whether a file whose ending was changed holds a notebook."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and "nbformat" in document


def _notebooks_in(
    data: bytes, name: str, wanted: Assignment
) -> tuple[list[tuple[str, bytes]], dict[str, Any]]:
    """[(name, bytes)] of the assignment's notebooks in a student's file, and the manifest of a zip.

    Args:
        name: of a notebook, without what a platform adds; empty for a zip.

    Raises:
        Refused: there are others, or they say that they are of another module.
    """
    read, manifest = ([(name, data)], {}) if name else _unpacked(data, wanted.stems)
    named = [manifest.get("module"), *(_module_named(notebook) for _, notebook in read)]
    module = next((one for one in named if isinstance(one, str) and one), wanted.name)
    if module != wanted.name:
        raise Refused(
            f"this is a submission of {shown(module)}, not of {wanted.name}. Collect it with"
            f" --module {shown(module)}"
        )
    return read, manifest


def _unpacked(
    data: bytes, stems: tuple[str, ...]
) -> tuple[list[tuple[str, bytes]], dict[str, Any]]:
    """The notebooks and the manifest in a student's zip, or in the zip that is all it holds."""
    for depth in (1, 2):
        members = zip_members(io.BytesIO(data))
        notebooks = [one for one in members if one.suffix == ".ipynb"]
        zips = [one for one in members if one.suffix == ".zip"]
        if len(zips) != 1 or notebooks or depth == 2:
            break
        data = zips[0].read(MAX_BYTES)
    right = [one for one in notebooks if Path(one.path).stem in stems]
    if len(right) > len(stems) or (not right and len(notebooks) != 1):
        what = f"the notebooks {', '.join(stems)}" if len(stems) > 1 else "one notebook"
        remedy = "Unpack it, and collect the right one as ID.ipynb" if notebooks else "Ask for it"
        raise Refused(f"a submission's zip holds {what}; this holds {len(notebooks)}. {remedy}")
    manifests = [one for one in members if Path(one.path).name == "manifest.json"]
    try:
        manifest = json.loads(manifests[0].read(MAX_MANIFEST_BYTES)) if manifests else {}
    except (ValueError, RecursionError):
        manifest = {}
    read = [(Path(one.path).name, one.read(MAX_BYTES)) for one in right or notebooks]
    return read, manifest if isinstance(manifest, dict) else {}


def _module_named(notebook: bytes) -> str:
    """The module that a notebook's metadata names, as a release wrote them; empty without."""
    try:
        return json.loads(notebook)["metadata"]["tito"]["module"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return ""


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
