"""Whose each file is that came in, and which of the assignment's notebooks it is; or a line that
says why it is not taken in.

The owner of a file is taken from the platform or the instructor's folder, or else from the file's
own name, or else from the manifest inside. Whoever wrote a manifest may claim anything, so a file
whose owner is known only from its manifest never replaces a file with a surer owner. The same holds
for the names in a zip, because a student can make a zip that looks like a platform's download. With
`--from`, the instructor says that it is one. Without it, a download that is given alone is
recognized by the form of all its names, and replaces nobody's file.
"""

import codecs
import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from grading.engine.course.directory import ID_RULE, STUDENT_ID
from grading.engine.course.roster import Roster
from grading.engine.intake import hand_in_times as times
from grading.engine.intake.arrived_files import Refused
from grading.engine.intake.platform_downloads import Arrival, Expected, Posted
from grading.engine.intake.which_file_counts import Asked, Candidate, Intake, Owner
from grading.engine.safe_text import shown
from tito.files import sha256


def candidates(
    arrivals: Iterable[Arrival], expected: Expected, scratch: Path
) -> Iterator[Candidate | Asked | Intake]:
    """The notebooks and the regrade requests of one place, and a line for each file that is not
    taken in. In a folder and in a download, a file of another kind is listed only if its owner has
    no other file.

    Args:
        scratch: a folder that keeps the notebooks until one of each student is chosen.
    """
    with_work, others = set(), []
    for arrival in arrivals:
        try:
            owners = _by_place(arrival, expected.roster)
        except Refused as problem:
            yield Intake(arrival.source, None, "refused", str(problem))
            continue
        for owner in owners:
            if arrival.is_work or (arrival.posted is None and arrival.folder is None):
                for line in _of_owner(arrival, owner, expected, scratch):
                    with_work.add(owner.student if owner and arrival.posted else line.student)
                    yield line
                continue
            name = owner.student if owner else arrival.named
            student = name if arrival.posted else expected.class_ids.get(name.casefold())
            if student:
                others.append(Intake(arrival.source, student, "refused", arrival.problem))
            elif not arrival.folder:
                why = f"{arrival.problem}; and its name is no student's"
                yield Intake(arrival.source, None, "left", why)
    yield from (line for line in others if line.student not in with_work)


def _by_place(arrival: Arrival, roster: Roster) -> list[Owner] | list[None]:
    """Who handed in a file by the place where it lies; [None] if that does not say."""
    if arrival.posted:
        return by_platform(arrival.posted, roster)
    if not arrival.folder:
        return [None]
    return [Owner(roster.called(arrival.folder) or arrival.folder, known_by="folder")]


def by_platform(posted: Posted, roster: Roster) -> list[Owner]:
    """Who handed in a file of a platform's download: several people for a group.

    Raises:
        Refused: neither the name nor the metadata says who.
    """
    if not posted.parts:
        raise Refused(
            f"{posted.title} gives each file a name that says whose it is; {shown(posted.file)!r}"
            " has another form. Rename it to ID.ipynb and collect it by itself"
        )
    number = posted.parts["id"] or ""
    if posted.platform == "gradescope":
        return _of_gradescope(posted, number, roster)
    called = {f"{posted.platform}_id": number}
    if posted.platform == "moodle":
        called["name"] = posted.parts["name"] or ""
    return [_posted_by(posted, called, roster, late=bool(posted.parts.get("late")))]


def _of_gradescope(posted: Posted, folder: str, roster: Roster) -> list[Owner]:
    entry = posted.people if isinstance(posted.people, dict) else {}
    people = entry.get(":submitters")
    if not isinstance(people, list) or not people:
        raise Refused(
            f"submission_metadata.yml names the people of each folder; it has nobody for {folder}"
        )
    at = entry.get(":created_at")
    at = at.replace(tzinfo=at.tzinfo or timezone.utc) if isinstance(at, datetime) else None
    owners = []
    for person in people:
        facts = person if isinstance(person, dict) else {}
        sid, email = (str(facts.get(key) or "").strip() for key in (":sid", ":email"))
        called = {"gradescope_id": sid or email, "id": sid, "email": email}
        owners.append(_posted_by(posted, called, roster, at=at))
    if len(owners) == 1:
        return owners
    names = ", ".join(owner.student for owner in owners)
    notes = ["; ".join(filter(None, (o.note, f"handed in together: {names}"))) for o in owners]
    pairs = zip(owners, notes, strict=True)
    return [replace(owner, note=note, group=names, sender=names) for owner, note in pairs]


def _posted_by(posted: Posted, called: dict[str, str], roster: Roster, **facts: Any) -> Owner:
    """The person whom a platform calls so.

    Args:
        called: column of the roster -> the value in it; the first one is the platform's own.
    """
    number, title = next(iter(called.values())), posted.title
    known = next(filter(None, (roster.find(*column) for column in called.items())), None)
    known = known or roster.called(called.get("name", ""))
    student = known or number
    if not STUDENT_ID.fullmatch(student):
        raise Refused(f"{ID_RULE}; {title} says {shown(student)!r}. Map it with --roster")
    note = f"{title}'s {number} is not in the roster" if roster.people and not known else ""
    known_by, key = posted.platform if posted.said else "form", f"{posted.platform} {number}"
    return Owner(student, key, posted.platform, known_by, note=note, **facts)


def _of_owner(
    arrival: Arrival, owner: Owner | None, expected: Expected, scratch: Path
) -> Iterator[Candidate | Asked | Intake]:
    """The notebooks of a file for everybody whose hand-in it is, or a line that refuses it."""
    try:
        if arrival.problem:
            raise Refused(arrival.problem)
        owner, notes = _whose(owner, arrival, expected)
        owners, asked = _group_of(owner, expected.roster)
        for one in owners if arrival.requests else ():
            yield Asked(arrival.source, one.student, arrival.requests)
        module, at = expected.module, arrival.member and arrival.member.at
        file_time = at or datetime.now(timezone.utc)
        handed_in, time_from, said = times.when(
            file_time, arrival.manifest, owners[0], expected.due
        )
        if arrival.note:
            notes.append(arrival.note)
        for name, notebook in arrival.notebooks:
            stem, own = Path(name).stem, []
            if stem not in module.stems:
                if len(module.stems) > 1:
                    names = ", ".join(f"{one}.ipynb" for one in module.stems)
                    raise Refused(
                        f"a notebook of {module.name} is called {names}; this is {shown(name)!r}"
                    )
                stem, own = module.stems[0], [f"the notebook was called {shown(name)}"]
            digest = sha256(notebook)
            if arrival.manifest.get("sha256", digest) != digest:
                own.append("the notebook was changed after `tito submit` packed it")
            kept = scratch / f"{digest}.ipynb"
            # some editors write a byte order mark; nbformat treats it as an error
            kept.write_bytes(notebook.removeprefix(codecs.BOM_UTF8))
            facts = ("; ".join([*notes, *own]), said, asked, stem != Path(name).stem)
            for one in owners:
                yield Candidate(arrival.source, one, stem, kept, handed_in, time_from, *facts)
    except Refused as problem:
        reason = "; ".join(filter(None, (str(problem), arrival.note)))
        whose = owner or Owner(arrival.named)
        yield Intake(
            arrival.source, whose.student or None, "refused", reason, known_by=whose.known_by
        )


def _whose(owner: Owner | None, arrival: Arrival, expected: Expected) -> tuple[Owner, list[str]]:
    """(owner, notes): the surest source wins, and a manifest that disagrees is mentioned."""
    roster, class_ids = expected.roster, expected.class_ids
    said = arrival.manifest.get("student")
    claim = said.strip() if isinstance(said, str) else ""
    named, in_class = arrival.named, class_ids.get(arrival.above.casefold())
    if owner is None and roster.people and named not in class_ids.values():
        # no student's file has such a name by accident, but one could choose it
        near = class_ids.get(named.casefold()) or roster.find("email", named)
        owner = Owner(near, known_by="form") if near else None
        named = roster.called(named) or named
    if owner is None and named:
        owner = Owner(named, known_by="file name")
    elif owner is None and claim:
        owner = Owner(claim, known_by="manifest")
    elif owner is None and in_class and not arrival.manifest:
        owner = Owner(in_class, known_by="folder")
    if owner is None:
        raise Refused(
            f"a file's name says whose it is; {shown(arrival.name)!r} is only the assignment's, and"
            f" no student of this course is called {shown(arrival.above)!r}. Rename it to ID.ipynb,"
            " or put it into a folder ID and collect the folder above"
        )
    student = owner.student
    if not STUDENT_ID.fullmatch(student):
        near = f"; nearest: {_near(owner, roster)}" if roster.people else ""
        raise Refused(f"{ID_RULE}; got {shown(student)!r}{near}. {_renamed(owner, arrival)}")
    group = student.casefold() in map(str.casefold, roster.groups)
    if roster.people and student not in class_ids.values() and not group:
        column = f" in the column {owner.platform}_id" if owner.platform else ""
        raise Refused(
            f"{shown(student)!r} is not in the roster; nearest: {_near(owner, roster)}."
            f" {_renamed(owner, arrival)}, or add {shown(student)} to the roster{column}, and"
            " collect it again"
        )
    notes = [owner.note] if owner.note else []
    known = {
        student.casefold(),
        *map(str.casefold, roster.groups.get(student, ())),
        *(value.casefold() for value in roster.people.get(student, {}).values()),
    }
    if claim and claim.casefold() not in known:
        says = owner.platform.capitalize() or f"the {owner.known_by}"
        notes.append(f"its manifest claims to be of {shown(claim)!r}; {says} says {student}")
    return owner, notes


def _group_of(owner: Owner, roster: Roster) -> tuple[list[Owner], str]:
    """Everybody whose hand-in a file of `owner` is, by the groups of the roster, and what a person
    has to decide.
    """
    groups = [] if owner.group else roster.groups_of(owner.student)
    if len(groups) != 1:
        asked = f"{owner.student} is in several groups: {', '.join(groups)}" if groups else ""
        return [owner], asked
    name = groups[0]
    shared = replace(owner, key=f"group {name}", group=name, sender=owner.student)
    return [replace(shared, student=member) for member in roster.groups[name]], ""


def _renamed(owner: Owner, arrival: Arrival) -> str:
    """What to rename, so that it says whose a file is."""
    if owner.known_by == "folder":
        return f"Rename the folder {shown(owner.student)} to ID"
    return f"Rename the file to ID{Path(arrival.name).suffix}, or put it into a folder ID"


def _near(owner: Owner, roster: Roster) -> str:
    """The people of the roster whose id, name or address is a word of the owner's name, or else
    those whose it nearly is.
    """
    student = owner.student
    forms = {
        form.casefold(): one
        for one, person in roster.people.items()
        for form in (one, person.get("email", ""), person.get("name", ""))
        if form
    }
    words = re.split(r"[^\w.@]+|_", student.casefold())
    near = [word for word in words if word in forms]
    near = near or difflib.get_close_matches(student.casefold(), forms, n=3)
    return ", ".join(dict.fromkeys(forms[form] for form in near)) or "nobody is near"
