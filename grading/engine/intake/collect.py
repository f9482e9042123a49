"""Collect submissions: zips made by `tito submit`, notebooks, a folder per student, or a platform's
bulk download.

Only regular files within a size limit are taken in; every other file gets a line that says why.
Nothing is deleted: a notebook that a later one replaces moves to DIR/replaced, and a refused file
stays where it was.

The content of one file can neither stop a collect nor affect other students' files.
"""

import contextlib
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from grading.engine.bounds import bounded
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course, HandedIn
from grading.engine.course.roster import course_roster
from grading.engine.files import move_aside, read_dict, write_json
from grading.engine.intake import hand_in_times as times
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
    due, everybody = course.due(module), course.everybody()
    class_ids = {*people.people, *everybody, *_folders(course)}
    places = list(places)
    found: list[Intake] = []
    with owned.folder("collect") as folder:
        reader = Reader(Assignment.of(module), people, due, folder, class_ids)
        works: dict[tuple[str, str], list[Candidate]] = {}
        for place in places:
            for one in reader.place(place, platform, alone=len(places) == 1):
                if isinstance(one, Intake):
                    found.append(one)
                else:
                    works.setdefault((one.student.casefold(), one.stem), []).append(one)
        desk = _Desk(
            course,
            module,
            due,
            (times.MARKED_LATE,) if file_times else times.UNTIMED,
        )
        try:
            for group in works.values():
                work, lines = _choose(group, class_ids)
                found += lines
                if work:
                    found.append(desk.put_or_say_why(work))
        except KeyboardInterrupt:
            taken = sum(line.status in ("taken", "replaced") for line in found)
            raise KeyboardInterrupt(
                f"{counted(taken, 'submission')} of {module.name} went into {course.root}; your"
                " files are as they were. To take in the rest, run the same command again"
            ) from None
        finally:  # also after Ctrl-C: these notebooks are in their places
            found = [_writable(line) for line in found]
            desk.close(found)
    missing = sorted({*everybody} - {*course.students(module)})
    found += [Intake("", student, "missing", "nothing was handed in") for student in missing]
    return sorted(found, key=lambda line: (line.student or "", line.source))


def read_log(course: Course, module: HandedIn) -> list[dict[str, str]]:
    """What happened to every file in every collection, the oldest first."""
    path = course.reports(module) / "collect.log"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


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
        best, lines = _choose(surer, class_ids)
        return best, [_not_theirs(work, surer[0]) for work in group if work not in surer] + lines
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
    reason = ""
    if len(keys) > 1:
        reason = (
            f"several people have the id {sure[0].student}: {', '.join(sorted(keys))}. Tell them"
            " apart with --roster"
        )
    elif sure[0].known_by == "manifest" and len({sha256(work.notebook) for work in sure}) > 1:
        reason = (
            f"{len(sure)} different files claim the id {sure[0].student} in their manifests, and"
            " nothing else says whose they are. Rename the right one to ID.zip"
        )
    if reason:
        return None, [work.line("refused", reason) for work in group]
    best = max(sure, key=lambda work: (work.handed_in, not work.renamed))
    others = [
        work.source
        for work in group
        if work.together != best.together and work.notebook != best.notebook
    ]
    lines = []
    for work in group:
        if work is best:
            continue
        if SURE[work.known_by] < surest:
            lines.append(_not_theirs(work, best))
        elif work.notebook == best.notebook:
            lines.append(work.line("duplicate", f"the same as {best.source}"))
        elif work.handed_in < best.handed_in:
            lines.append(work.line("older", f"{best.source} was handed in later"))
        else:
            lines.append(work.line("duplicate", f"{best.source} was taken; look at both"))
    if others:
        asked = f"besides {best.source} there is {', '.join(others)}, alone or for another group"
        best = replace(best, asked=asked)
    return best, lines


def _not_theirs(work: Candidate, best: Candidate) -> Intake:
    reason = f"only its {work.known_by} says {work.student}; {best.source} is surely theirs"
    return work.line("refused", reason)


class _Desk:
    """Takes in notebooks, and keeps what later collections have to know.

    Attributes:
        at: student -> the entry of `times`.
        before: student -> how the owner of the submission that is in was known.
        untimed: sources whose time does not count.
    """

    def __init__(
        self, course: Course, module: HandedIn, due: datetime | None, untimed: tuple[str, ...]
    ):
        self.course, self.module, self.due, self.untimed = course, module, due, untimed
        self.at = times.read_times(course, module)
        self.known_by = course.reports(module) / "_collect.json"
        known = read_dict(self.known_by).get("known_by")
        self.before: dict[str, str] = known if isinstance(known, dict) else {}

    def put_or_say_why(self, work: Candidate) -> Intake:
        try:
            return self._put(work)
        except OSError as problem:
            if disk_full(problem):
                raise
            reason = f"it cannot be written: {problem.strerror}: {problem.filename}"
            return work.line("refused", reason)

    def _put(self, work: Candidate) -> Intake:
        course, module, student, data = self.course, self.module, work.student, work.notebook
        target = course.submitted(student, module) / f"{work.stem}.ipynb"
        displaced = self._displace_claims(work)
        if twin := _twin(course, student):
            reason = "ids that differ in case alone would share a folder; "
            return work.line("refused", f"{reason}{twin} has handed in before")
        known = work.time_from not in self.untimed
        late = self._late(work.handed_in) if known else 0.0
        same = target.is_file() and target.read_bytes() == data
        asked = work.asked
        other_group = times.together(self.at.get(student, {})) != work.together
        if not asked and target.is_file() and not same and other_group:
            asked = "another one came before, alone or for another group; it is kept in replaced/"
        said = {"asked": asked} if asked else {}
        entry = {**times.entry(work.handed_in, work.time_from), **work.together, **said}
        notes = [_broken(data), work.note, f"NEEDS A PERSON: {asked}" if asked else ""]
        if work.owner.key.startswith("group "):  # a platform's own groups have a note already
            notes.append(f"handed in by {work.owner.sender} for group {work.owner.group}")
        reason = "; ".join(filter(None, notes))
        if same:
            earlier = times.whose_clock(course, module, student)
            stands = times.stamped(course, module, student)
            if (not stands and known) or (earlier and times.better(work.time_from, earlier)):
                times.write_stamp(course, module, student, work.handed_in)
                self.at[student] = entry
            elif stands:
                late = self._late(stands) if self.due else late
            if work.together or asked:
                self.at[student] = {**entry, **self.at.get(student, {}), **work.together, **said}
            return work.line("unchanged", reason, late)
        status = "replaced" if displaced or target.is_file() else "taken"
        if target.is_file():
            sure = SURE[work.known_by]
            if sure == CLAIM or sure < SURE.get(self.before.get(student, "file name"), 2):
                return work.line("refused", _less_sure(work))
            stands = times.order_of(course, module, student)
            if stands and stands > work.handed_in:
                return work.line("older", "the one collected before was handed in later")
            move_aside(target, course.root / "replaced" / module.name / student)
        times.write_stamp(course, module, student, work.handed_in if known else None)
        self.at[student] = entry
        write_atomic(target, data)
        return work.line(status, reason, late)

    def _late(self, handed_in: datetime) -> float:
        return max(0.0, (handed_in - self.due).total_seconds()) if self.due else 0.0

    def _displace_claims(self, work: Candidate) -> bool:
        """Move to DIR/replaced what stands in the place of a surer file only because a manifest
        claimed so, also under the id in another case. So a claim keeps nobody's file out: neither
        by the name, nor by the time or the group that it states.
        """
        found = False
        for name in filter(None, (work.student, _twin(self.course, work.student))):
            place = self.course.submitted(name, self.module)
            claimed = SURE.get(self.before.get(name, ""), 2) == CLAIM
            if SURE[work.known_by] > CLAIM and claimed and place.is_dir():
                move_aside(place, self.course.root / "replaced" / self.module.name / work.student)
                with contextlib.suppress(OSError):  # it holds other assignments
                    place.parent.rmdir()
                self.before.pop(name)
                self.at.pop(name, None)
                found = True
        return found

    def close(self, found: list[Intake]) -> None:
        """Keep the times, the lines, and how each owner is known."""
        times.write_times(self.course, self.module, self.at)
        known_by = dict(self.before)
        for line in found:
            if line.student:
                same = line.status == "unchanged" and SURE.get(self.before.get(line.student, ""), 0)
                if line.status in ("taken", "replaced") or 0 < same < SURE[line.known_by]:
                    known_by[line.student] = line.known_by
        write_json(self.known_by, {"schema": 2, "known_by": known_by})
        names = ("student", "status", "source", "handed_in", "reason")
        with open(self.known_by.with_name("collect.log"), "a", encoding="utf-8") as log:
            for line in found:
                if line.status != "unchanged":
                    entry = {"at": stamp(), **{name: getattr(line, name) for name in names}}
                    log.write(json.dumps(entry) + "\n")


def _less_sure(work: Candidate) -> str:
    platform = work.owner.platform
    remedy = f"Rename it to {work.student}.zip if it is theirs"
    if platform:
        remedy = f"If this is a download of {platform.capitalize()}: --from {platform}"
    who = f"only its {work.known_by} says {work.student}, who has handed in before"
    return f"{who}. {remedy}"


def _twin(course: Course, student: str) -> str | None:
    """The id in another case under which something was handed in."""
    names = (name for name in _folders(course) if name.casefold() == student.casefold())
    return next((name for name in names if name != student), None)


def _folders(course: Course) -> list[str]:
    return [path.name for path in (course.root / "submitted").glob("*")]


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
