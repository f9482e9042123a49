"""Collect submissions: zips made by `tito submit`, notebooks, a folder per student, or a platform's
bulk download.

Only regular files within a size limit are taken in; every other file gets a line that says why.
Nothing is deleted: a notebook that a later one replaces moves to DIR/replaced, and a refused file
stays where it was.

The content of one file can neither stop a collect nor affect other students' files.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timezone
from pathlib import Path

from grading.engine.bounds import bounded
from grading.engine.course.directory import Course, HandedIn
from grading.engine.course.roster import course_roster
from grading.engine.files import move_aside, write_json
from grading.engine.intake import times
from grading.engine.intake.candidate import CLAIM, SURE, Candidate, Intake
from grading.engine.intake.which_file import Reader
from grading.engine.sandbox import owned
from grading.engine.submitted import readable, why_unreadable
from grading.engine.texts import shown
from tito.console import counted
from tito.errors import TitoError, disk_full
from tito.files import sha256, stamp, write_atomic


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
    with owned.folder("collect") as folder:
        class_ids = {*people.people, *_everybody(course), *_folders(course)}
        reader = Reader(module, people, due, folder, class_ids)
        works: dict[tuple[str, str], list[Candidate]] = {}
        for place in places:
            for one in reader.place(place, platform, alone=len(places) == 1):
                if isinstance(one, Intake):
                    found.append(one)
                else:
                    works.setdefault((one.student.casefold(), one.stem), []).append(one)
        before, at = _known_before(course, module), times.read_times(course, module)
        untimed = (times.MARKED_LATE,) if file_times else times.UNTIMED
        try:
            for group in works.values():
                work, lines = _choose(group, class_ids)
                found += lines
                if work:
                    try:
                        found.append(_put(course, module, work, due, before, at, untimed))
                    except OSError as problem:
                        if disk_full(problem):
                            raise
                        reason = f"it cannot be written: {problem.strerror}: {problem.filename}"
                        found.append(work.line("refused", reason))
        except KeyboardInterrupt:
            taken = sum(line.status in ("taken", "replaced") for line in found)
            raise KeyboardInterrupt(
                f"{counted(taken, 'submission')} of {module.name} went into {course.root}; your"
                " files are as they were. To take in the rest, run the same command again"
            ) from None
        finally:  # also after Ctrl-C: these notebooks are in their places
            times.write_times(course, module, at)
            _write_down(course, module, found, before)
            _log(course, module, found)
    there = set(course.students(module))
    found += [
        Intake("", student, "missing", "nothing was handed in")
        for student in _everybody(course)
        if student not in there
    ]
    found = sorted(map(_writable, found), key=lambda line: (line.student or "", line.source))
    _write_down(course, module, found, before)
    return found


def _log(course: Course, module: HandedIn, found: list[Intake]) -> None:
    """Add the lines to collect.log, where no later collection replaces them."""
    names = ("student", "status", "source", "handed_in", "reason")
    with open(course.reports(module) / "collect.log", "a", encoding="utf-8") as file:
        for line in map(_writable, found):
            if line.status != "unchanged":
                entry = {"at": stamp(), **{name: getattr(line, name) for name in names}}
                file.write(json.dumps(entry) + "\n")


def read_log(course: Course, module: HandedIn) -> list[dict[str, str]]:
    """What happened to every file in every collection, the oldest first."""
    path = course.reports(module) / "collect.log"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def _write_down(
    course: Course, module: HandedIn, found: list[Intake], before: dict[str, str]
) -> None:
    """Keep the lines, and how each owner is known, for later collections."""
    known_by = dict(before)
    for line in found:
        if not line.student:
            continue
        same = line.status == "unchanged" and SURE.get(before.get(line.student, ""), 0)
        if line.status in ("taken", "replaced") or (same and same < SURE[line.known_by]):
            known_by[line.student] = line.known_by
    write_json(
        course.reports(module) / "_collect.json",
        {
            "schema": 2,
            "intake": [asdict(_writable(line)) for line in found],
            "known_by": known_by,
        },
    )


def _writable(line: Intake) -> Intake:
    """The line with every text readable and valid in UTF-8, whatever the file is called."""
    source = line.source.encode("utf-8", "backslashreplace").decode("utf-8")
    return replace(line, source=source, student=line.student and shown(line.student))


def _choose(group: list[Candidate], class_ids: set[str]) -> tuple[Candidate | None, list[Intake]]:
    """The file of a student that counts, and a line for each of the other files.

    A claim is dropped first, so that nothing in it (a name, a group, a time) touches a surer file.

    Args:
        class_ids: the ids of all known members of the class.
    """
    surer = [work for work in group if SURE[work.known_by] > CLAIM]
    if surer and len(surer) < len(group):
        reason = "only its {} says {}; " + f"{surer[0].source} is surely theirs"
        claims = [
            work.line("refused", reason.format(work.known_by, work.student))
            for work in group
            if work not in surer
        ]
        best, lines = _choose(surer, class_ids)
        return best, claims + lines
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
    keys = {work.owner.key for work in sure if not work.owner.group}
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
    others = [
        work.source
        for work in group
        if work.together != best.together and work.notebook != best.notebook
    ]
    if others:
        asked = f"besides {best.source} there is {', '.join(others)}, alone or for another group"
        best, first = replace(best, asked=asked), best
        group = [best if work is first else work for work in group]
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
    displaced = _displace_claims(course, module, work, before, at)
    earlier_entry = at.get(work.student, {})
    asked = work.asked
    new = not target.is_file() or target.read_bytes() != data
    if not asked and new and target.is_file() and times.together(earlier_entry) != work.together:
        asked = "another one came before, alone or for another group; it is kept in replaced/"
    entry = times.entry(work.handed_in, work.time_from) | work.together
    entry |= {"asked": asked} if asked else {}
    notes = [_broken(data), work.note, f"NEEDS A PERSON: {asked}" if asked else ""]
    if work.owner.key.startswith("group "):  # a platform's own groups have a note already
        notes.append(f"handed in by {work.owner.sender} for group {work.owner.group}")
    reason = "; ".join(filter(None, notes))
    if twin := _twin(course, work.student):
        return work.line(
            "refused",
            f"ids that differ in case alone would share a folder; {twin} has handed in before",
        )
    if target.is_file() and target.read_bytes() == data:
        earlier = times.whose_clock(course, module, work.student)
        stands = times.stamped(course, module, work.student)
        if (not stands and known) or (earlier and times.better(work.time_from, earlier)):
            times.write_stamp(course, module, work.student, work.handed_in)
            at[work.student] = entry
        elif stands and due:
            late = max(0.0, (stands - due).total_seconds())
        if work.together or asked:
            said = {"asked": asked} if asked else {}
            at[work.student] = {**entry, **at.get(work.student, {}), **work.together, **said}
        return work.line("unchanged", reason, late)
    status = "replaced" if displaced else "taken"
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


def _displace_claims(
    course: Course,
    module: HandedIn,
    work: Candidate,
    before: dict[str, str],
    at: dict[str, dict[str, str]],
) -> bool:
    """Move to DIR/replaced what stands in the place of a surer file only because a manifest claimed
    so, also under the id in another case. So a claim keeps nobody's file out: neither by the name,
    nor by the time or the group that it states.
    """
    found = False
    for name in filter(None, (work.student, _twin(course, work.student))):
        place = course.submitted(name, module)
        claimed = SURE.get(before.get(name, ""), 2) == CLAIM
        if SURE[work.known_by] > CLAIM and claimed and place.is_dir():
            move_aside(place, course.root / "replaced" / module.name / work.student)
            with contextlib.suppress(OSError):  # it holds other assignments
                place.parent.rmdir()
            before.pop(name)
            at.pop(name, None)
            found = True
    return found


def _twin(course: Course, student: str) -> str | None:
    """The id in another case under which something was handed in."""
    names = (name for name in _folders(course) if name.casefold() == student.casefold())
    return next((name for name in names if name != student), None)


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
