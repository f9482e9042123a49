"""Collect submissions: zips made by `tito submit`, notebooks, a folder per student, or a platform's
bulk download.

Only regular files within a size limit are taken in; every other file gets a line that says why.
Nothing is deleted: a notebook that a later one replaces moves to DIR/replaced, and a refused file
stays where it was.

The content of one file can neither stop a collect nor affect other students' files.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timezone
from pathlib import Path

from grading.engine.bounds import bounded
from grading.engine.course.directory import Course, HandedIn
from grading.engine.course.roster import course_roster
from grading.engine.files import move_aside, write_json
from grading.engine.intake import times
from grading.engine.intake.which_file import CLAIM, SURE, Candidate, Intake, Reader
from grading.engine.submitted import readable, why_unreadable
from grading.engine.texts import shown
from tito.errors import TitoError
from tito.files import sha256, write_atomic


def collect(
    course: Course,
    module: HandedIn,
    places: Iterable[Path],
    *,
    roster: Path | None = None,
    platform: str | None = None,
    file_times: bool = False,
) -> list[Intake]:
    """Put every acceptable notebook in DIR/submitted/<student>/<assignment>/; list all files,
    including the refused ones, and students without a submission.

    Args:
        roster: a CSV file that maps the platform's numbers and names to ids; a copy is kept in the
            course.
        platform: "canvas", "moodle" or "gradescope" if the places are bulk downloads, "files" if
            none is; None: decide by the names in a place that is given alone.
        file_times: a file's modification time counts as the time of handing in, if no better one is
            known.
    """
    course.need_release(module)
    people = course_roster(course, roster)
    due = _due(course, module)
    places = list(places)
    found: list[Intake] = []
    with tempfile.TemporaryDirectory(prefix="tito-collect-") as folder:
        class_ids = {*people.people, *_everybody(course), *_folders(course)}
        reader = Reader(module, people, due, Path(folder), class_ids)
        works: dict[tuple[str, str], list[Candidate]] = {}
        for place in places:
            for one in reader.place(place, platform, alone=len(places) == 1):
                if isinstance(one, Intake):
                    found.append(one)
                else:
                    works.setdefault((one.student.casefold(), one.stem), []).append(one)
        before, at = _known_before(course, module), times.read_times(course, module)
        untimed = (times.MARKED_LATE,) if file_times else times.UNTIMED
        for group in works.values():
            work, lines = _choose(group, class_ids)
            found += lines
            if work:
                try:
                    found.append(_put(course, module, work, due, before, at, untimed))
                except OSError as problem:
                    reason = f"it cannot be written: {problem.strerror}: {problem.filename}"
                    found.append(work.line("refused", reason))
        times.write_times(course, module, at)
    there = set(course.students(module))
    found += [
        Intake("", student, "missing", "nothing was handed in")
        for student in _everybody(course)
        if student not in there
    ]
    found = sorted(map(_writable, found), key=lambda line: (line.student or "", line.source))
    known_by = dict(before)
    for line in found:
        if not line.student:
            continue
        same = line.status == "unchanged" and SURE.get(before.get(line.student, ""), 0)
        if line.status in ("taken", "replaced") or (same and same < SURE[line.known_by]):
            known_by[line.student] = line.known_by
    write_json(
        course.reports(module) / "_collect.json",
        {"schema": 2, "intake": [asdict(line) for line in found], "known_by": known_by},
    )
    return found


def _writable(line: Intake) -> Intake:
    """The line with every text readable and valid in UTF-8, whatever the file is called."""
    source = line.source.encode("utf-8", "backslashreplace").decode("utf-8")
    return replace(line, source=source, student=line.student and shown(line.student))


def _choose(group: list[Candidate], class_ids: set[str]) -> tuple[Candidate | None, list[Intake]]:
    """The file of a student that counts, and a line for each of the other files.

    Args:
        class_ids: the ids of all known members of the class.
    """
    names = {work.student for work in group}
    if len(names) > 1:
        reason = f"ids that differ in case alone would share a folder: {', '.join(sorted(names))}"
        own = names & class_ids if len(names & class_ids) == 1 else set()
        refused = [work.line("refused", reason) for work in group if work.student not in own]
        group = [work for work in group if work.student in own]
        best, lines = _choose(group, class_ids) if group else (None, [])
        return best, refused + lines
    surest = max(SURE[work.known_by] for work in group)
    sure = [work for work in group if SURE[work.known_by] == surest]
    keys = {work.owner.key for work in sure}
    contents = {sha256(work.notebook) for work in sure}
    if len(keys) > 1:
        return None, [
            work.line(
                "refused",
                f"several people have the id {work.student}: {', '.join(sorted(keys))}. Tell them"
                " apart with --roster",
            )
            for work in group
        ]
    if sure[0].known_by == "manifest" and len(contents) > 1:
        return None, [
            work.line(
                "refused",
                f"{len(sure)} different files claim the id {work.student} in their manifests, and"
                " nothing else says whose they are. Rename the right one to ID.zip",
            )
            for work in group
        ]
    best = max(sure, key=lambda work: (work.handed_in, not work.renamed))
    lines = []
    for work in group:
        if work is best:
            continue
        if SURE[work.known_by] < surest:
            lines.append(
                work.line(
                    "refused",
                    f"only its {work.known_by} says {work.student}; {best.source} is surely theirs",
                )
            )
        elif work.notebook == best.notebook:
            lines.append(work.line("duplicate", f"the same as {best.source}"))
        elif work.handed_in < best.handed_in:
            lines.append(work.line("older", f"{best.source} was handed in later"))
        else:
            lines.append(work.line("duplicate", f"{best.source} was taken; look at both"))
    return best, lines


def _put(
    course: Course,
    module: HandedIn,
    work: Candidate,
    due: datetime | None,
    before: dict[str, str],
    at: dict[str, dict[str, str]],
    untimed: Sequence[str],
) -> Intake:
    """Take in one notebook; its time goes to `at`. A time from a source in `untimed` does not
    count.
    """
    target, data = course.submitted(work.student, module) / f"{work.stem}.ipynb", work.notebook
    known = work.time_from not in untimed
    late = max(0.0, (work.handed_in - due).total_seconds()) if due and known else 0.0
    entry = times.entry(work.handed_in, work.time_from)
    reason = "; ".join(part for part in (_broken(data), work.note) if part)
    twin = next(
        (
            name
            for name in _folders(course)
            if name != work.student and name.casefold() == work.student.casefold()
        ),
        None,
    )
    if twin:
        return work.line(
            "refused",
            f"ids that differ in case alone would share a folder; {twin} has handed in before",
        )
    if target.is_file() and target.read_bytes() == data:
        earlier = times.source_of(course, module, work.student)
        stands = times.stamped(course, module, work.student)
        if (not stands and known) or (earlier and times.better(work.time_from, earlier)):
            times.write_stamp(course, module, work.student, work.handed_in)
            at[work.student] = entry
        elif stands and due:
            late = max(0.0, (stands - due).total_seconds())
        return work.line("unchanged", reason, late)
    status = "taken"
    if target.is_file():
        earlier = before.get(work.student, "file name")
        sure = SURE[work.known_by]
        if sure == CLAIM or sure < SURE.get(earlier, 2):
            platform = work.owner.platform
            return work.line(
                "refused",
                f"only its {work.known_by} says {work.student}, who has handed in before. "
                + (
                    f"If this is a download of {platform.capitalize()}: --from {platform}"
                    if platform
                    else f"Rename it to {work.student}.zip if it is theirs"
                ),
            )
        stands = times.order_of(course, module, work.student)
        if stands and stands > work.handed_in:
            return work.line("older", "the one collected before was handed in later")
        status = "replaced"
        move_aside(target, course.root / "replaced" / module.name / work.student)
    times.write_stamp(course, module, work.student, work.handed_in if known else None)
    at[work.student] = entry
    write_atomic(target, data)
    return work.line(status, reason, late)


def _folders(course: Course) -> list[str]:
    place = course.root / "submitted"
    return [path.name for path in place.iterdir()] if place.is_dir() else []


def _broken(data: bytes) -> str:
    """What is odd about a notebook's file. One that cannot be graded is taken in anyway, so that a
    person sees it.
    """
    try:
        with bounded("reading it"):
            why = why_unreadable(data)
            return f"broken: {why}" if why else readable(data)[1]
    except TitoError as problem:
        return f"broken: {problem}"


def _known_before(course: Course, module: HandedIn) -> dict[str, str]:
    """student -> how the owner of the current submission was known, from earlier collections."""
    try:
        found = json.loads(
            (course.reports(module) / "_collect.json").read_text(encoding="utf-8")
        ).get("known_by")
    except (OSError, ValueError, AttributeError):
        return {}
    return found if isinstance(found, dict) else {}


def _due(course: Course, module: HandedIn) -> datetime | None:
    from grading.engine.nbgrader.library import gradebook

    with gradebook(course.db_url) as book:
        due = book.find_assignment(module.name).duedate
    return due.replace(tzinfo=timezone.utc) if due else None


def _everybody(course: Course) -> list[str]:
    from grading.engine.nbgrader.library import gradebook

    with gradebook(course.db_url) as book:
        return [student.id for student in book.students]
