"""Decide which of the given files becomes whose notebook, or write a line that says why a file may
not be taken in.

The owner of a file is taken from the platform or the instructor's folder, or else from the file's
own name, or else from the manifest inside. Whoever wrote a manifest may claim anything, so a file
whose owner is known only from its manifest never replaces a file with a surer owner. The same holds
for the names in a zip, because a student can make a zip that looks like a platform's download. With
`--from`, the instructor says that it is one. Without it, a download that is given alone is
recognized by the form of all its names, and replaces nobody's file.
"""

import codecs
import contextlib
import difflib
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from grading.engine.bounds import TooMuch, bounded
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import STUDENT_ID
from grading.engine.course.roster import Roster
from grading.engine.intake import hand_in_times as times
from grading.engine.intake.candidate import Candidate, Intake
from grading.engine.intake.downloads import (
    Member,
    Owner,
    Platform,
    Refused,
    file_member,
    folder_members,
    recognize,
    zip_members,
)
from grading.engine.limits import MAX_BYTES, MAX_MANIFEST_BYTES
from grading.engine.texts import shown
from tito.errors import UsageError
from tito.files import sha256

_WORK = (".zip", ".ipynb")


class Reader:
    """Turns files and folders into notebooks and refusals."""

    def __init__(
        self,
        module: Assignment,
        roster: Roster,
        due: datetime | None,
        spool: Path,
        class_ids: set[str],
    ):
        self.module, self.roster, self.due, self.spool = module, roster, due, spool
        self.class_ids = {name.casefold(): name for name in sorted(class_ids)}
        self.stems = module.stems
        self.count = 0

    def place(
        self, place: Path, platform: str | None, *, alone: bool
    ) -> Iterator[Candidate | Intake]:
        if not place.exists() and not place.is_symlink():
            raise UsageError(
                f"collect takes files and folders; {place} does not exist."
                " Check the path, then run it again"
            )
        if place.is_symlink() or not place.is_dir():
            yield from self._file(place, platform, alone)
            return
        members = folder_members(place)
        known, odd = self._platform(place, members, platform, alone)
        if odd:
            yield Intake(str(place), None, "refused", odd)
        elif known:
            yield from self._bulk(str(place), members, known, platform is not None)
        else:
            yield from self._folder(place, members)

    def _folder(self, place: Path, members: list[Member]) -> Iterator[Candidate | Intake]:
        """Every file below a folder. A file that is not a notebook is listed only if it is all
        that one of the class handed in.
        """
        with_work, other = set(), []
        for member in members:
            folder, below, _ = member.path.partition("/")
            source = str(place / member.path)
            if member.suffix in _WORK:
                owner = Owner(folder, known_by="folder") if below else None
                file = Path(member.path).name
                for one in self._notebooks(source, member, file, owner, place.name):
                    with_work.add(one.student)
                    yield one
                continue
            whose = folder if below else self._guess(Path(member.path)) or ""
            student = self.class_ids.get(whose.casefold())
            other.append(Intake(source, student, "refused", _other_kind(member)))
        yield from (one for one in other if one.student and one.student not in with_work)

    def _platform(
        self, place: Path, members: list[Member], platform: str | None, alone: bool
    ) -> tuple[str | None, str]:
        """(platform or None, a note): where the download at `place` comes from.

        Without `--from` the form of all names decides, but only for a place that is given alone and
        whose own name is not the id of a student.
        """
        if platform:
            return (None if platform == "files" else platform), ""
        form = recognize(member.path for member in members)
        if form is None:
            return None, ""
        whose = None if place.is_dir() else self._guess(place)
        if alone and (whose is None or whose.casefold() not in self.class_ids):
            return form, ""
        odd = f"its names look like a download from {form.capitalize()}; if it is one, collect"
        return None, f"{odd} it with --from {form}, else with --from files"

    def _file(self, path: Path, platform: str | None, alone: bool) -> Iterator[Candidate | Intake]:
        member = file_member(path, path.name)
        odd = ""
        if member.suffix == ".zip" and not path.is_symlink() and platform != "files":
            try:
                with _trusting(platform is not None):
                    inside = zip_members(path, bulk=True)
            except (Refused, TooMuch) as problem:
                student = None if platform else self._guess(path)
                yield Intake(str(path), student, "refused", str(problem))
                return
            known, odd = self._platform(path, inside, platform, alone)
            if known:
                yield from self._bulk(str(path), inside, known, platform is not None)
                return
        if member.suffix in _WORK:
            yield from self._notebooks(str(path), member, path.name, None, path.parent.name, odd)
        else:
            yield Intake(str(path), self._guess(path), "refused", _other_kind(member))

    def _bulk(
        self, source: str, members: list[Member], name: str, said: bool
    ) -> Iterator[Candidate | Intake]:
        """Every file of a platform's download. A file that is not a notebook is listed only if its
        owner has no other file.

        Args:
            said: the instructor says that it is one; else only the form of its names does.
        """
        try:
            with _trusting(said):
                platform = Platform(name, members, self.roster, name if said else "form")
        except (Refused, TooMuch) as problem:
            yield Intake(source, None, "refused", str(problem))
            return
        with_work, other = set(), []
        for member in members:
            place = f"{source}: {shown(member.path, 160)}"
            if member.path == platform.metadata:
                continue
            try:
                owners, file = platform.owners(member.path)
            except Refused as problem:
                yield Intake(place, None, "refused", str(problem))
                continue
            for owner in owners:
                if member.suffix in _WORK:
                    with_work.add(owner.student)
                    yield from self._notebooks(place, member, file, owner)
                    continue
                why = f"a submission is a .zip or .ipynb; this is {shown(file)!r}"
                other.append(Intake(place, owner.student, "refused", why, known_by=owner.known_by))
        yield from (line for line in other if line.student not in with_work)

    def _notebooks(
        self,
        source: str,
        member: Member,
        file: str,
        owner: Owner | None,
        above: str = "",
        odd: str = "",
    ) -> Iterator[Candidate | Intake]:
        try:
            if member.problem:
                raise Refused(member.problem)
            manifest: dict[str, Any] = {}
            with bounded("reading it"):
                notebooks = [(file, member.read(MAX_BYTES))]
                if member.suffix == ".zip":
                    notebooks, manifest = self._unzip(notebooks[0][1])
            wanted = manifest.get("module")
            if isinstance(wanted, str) and wanted != self.module.name:
                raise Refused(f"this is a submission of {shown(wanted)}, not of {self.module.name}")
            owner, notes = self._whose(owner, file, manifest, above)
            owners, asked = self._owners(owner)
            file_time = member.at or datetime.now(timezone.utc)
            handed_in, time_from, said = times.when(file_time, manifest, owners[0], self.due)
            notes += filter(None, (odd, said))
            for name, notebook in notebooks:
                stem, own = self._stem(name)
                if manifest.get("sha256", sha256(notebook)) != sha256(notebook):
                    own.append("the notebook was changed after `tito submit` packed it")
                self.count += 1
                kept = self.spool / f"{self.count}.ipynb"
                # some editors write a byte order mark; nbformat treats it as an error
                kept.write_bytes(notebook.removeprefix(codecs.BOM_UTF8))
                note, renamed = "; ".join([*notes, *own]), stem != Path(name).stem
                when = handed_in, time_from
                for one in owners:
                    yield Candidate(source, one, stem, kept, *when, note, asked, renamed)
        except (Refused, TooMuch) as problem:
            reason = "; ".join(filter(None, (str(problem), odd)))
            whose = owner or Owner(self._guess(Path(file)) or "")
            student = whose.student or None
            yield Intake(source, student, "refused", reason, known_by=whose.known_by)

    def _stem(self, name: str) -> tuple[str, list[str]]:
        """Which notebook of the assignment a file is, and a note if it was renamed."""
        stem = Path(name).stem
        if stem in self.stems:
            return stem, []
        if len(self.stems) > 1:
            raise Refused(
                f"a notebook of {self.module.name} is called"
                f" {', '.join(f'{one}.ipynb' for one in self.stems)}; this is {shown(name)!r}"
            )
        return self.stems[0], [f"the notebook was called {shown(name)}"]

    def _unzip(self, data: bytes) -> tuple[list[tuple[str, bytes]], dict[str, Any]]:
        """[(name, bytes)] of the assignment's notebooks in a student's zip, and its manifest."""
        members = zip_members(io.BytesIO(data))
        notebooks = [member for member in members if member.suffix == ".ipynb"]
        right = [member for member in notebooks if Path(member.path).stem in self.stems]
        if len(right) > len(self.stems) or (not right and len(notebooks) != 1):
            several = f"the notebooks {', '.join(self.stems)}"
            what = several if len(self.stems) > 1 else "one notebook"
            raise Refused(f"a submission's zip holds {what}; this holds {len(notebooks)}")
        manifests = [member for member in members if Path(member.path).name == "manifest.json"]
        try:
            manifest = json.loads(manifests[0].read(MAX_MANIFEST_BYTES)) if manifests else {}
        except (ValueError, RecursionError):
            manifest = {}
        found = [(Path(member.path).name, member.read(MAX_BYTES)) for member in right or notebooks]
        return found, manifest if isinstance(manifest, dict) else {}

    def _whose(
        self, owner: Owner | None, file: str, manifest: dict[str, Any], above: str
    ) -> tuple[Owner, list[str]]:
        """(owner, notes): the surest source wins, and a manifest that disagrees is mentioned."""
        said = manifest.get("student")
        claim = said.strip() if isinstance(said, str) else ""
        named, in_class = self._guess(Path(file)), self.class_ids.get(above.casefold())
        if owner is None and named:
            owner = Owner(named, known_by="file name")
        elif owner is None and claim:
            owner = Owner(claim, known_by="manifest")
        elif owner is None and in_class and not manifest:
            owner = Owner(in_class, known_by="folder")
        if owner is None:
            raise Refused(
                f"a file's name says whose it is; {shown(file)!r} is only the assignment's, and no"
                f" student of this course is called {shown(above)!r}. Rename it to ID.ipynb, or put"
                " it into a folder ID and collect the folder above"
            )
        student = owner.student
        if not STUDENT_ID.fullmatch(student):
            raise Refused(
                "a student's id is letters, digits and . _ @ -, at most 64; got"
                f" {shown(student)!r}. Rename the file to ID.zip or ID.ipynb"
            )
        group = student.casefold() in map(str.casefold, self.roster.groups)
        if self.roster.people and student not in self.class_ids.values() and not group:
            self._not_of_the_class(owner)
        notes = [owner.note] if owner.note else []
        known = {
            student.casefold(),
            *map(str.casefold, self.roster.groups.get(student, ())),
            *(value.casefold() for value in self.roster.people.get(student, {}).values()),
        }
        if claim and claim.casefold() not in known:
            says = owner.platform.capitalize() or f"the {owner.known_by}"
            notes.append(f"its manifest claims to be of {shown(claim)!r}; {says} says {student}")
        return owner, notes

    def _owners(self, owner: Owner) -> tuple[list[Owner], str]:
        """Everybody whose hand-in a file of `owner` is, by the groups of the roster, and what a
        person has to decide.
        """
        groups = [] if owner.group else self.roster.groups_of(owner.student)
        if len(groups) != 1:
            asked = f"{owner.student} is in several groups: {', '.join(groups)}" if groups else ""
            return [owner], asked
        name = groups[0]
        shared = replace(owner, key=f"group {name}", group=name, sender=owner.student)
        return [replace(shared, student=member) for member in self.roster.groups[name]], ""

    def _not_of_the_class(self, owner: Owner) -> None:
        """Refuse a file: a course with a roster takes in nobody else."""
        student = owner.student
        forms = {
            form.casefold(): one
            for one, person in self.roster.people.items()
            for form in (one, person.get("email", ""), person.get("name", ""))
            if form
        }
        near = difflib.get_close_matches(student.casefold(), forms, n=3)
        names = ", ".join(dict.fromkeys(forms[form] for form in near)) or "nobody is near"
        column = f" in the column {owner.platform}_id" if owner.platform else ""
        raise Refused(
            f"{shown(student)!r} is not in the roster; nearest: {names}. Rename the file to ID.zip"
            f" or ID.ipynb, or add {shown(student)} to the roster{column}, and collect it again"
        )

    def _guess(self, path: Path) -> str | None:
        """The id in ID.zip, 08_dataloader-ID.zip, ID-08_dataloader.zip; None if the name is only
        that of the assignment.
        """
        names = "|".join(map(re.escape, (self.module.name, *self.stems)))
        name = re.sub(r" ?\(\d+\)$", "", path.stem)
        return re.sub(rf"^({names})[-_.]?|[-_.]?({names})$", "", name) or None


def _trusting(said: bool) -> contextlib.AbstractContextManager[None]:
    """No limit on reading a download that the instructor names as one."""
    return contextlib.nullcontext() if said else bounded("reading it")


def _other_kind(member: Member) -> str:
    kind = member.suffix or "a file without an ending"
    return f"a submission is a .zip or .ipynb; this is {kind}"
