"""Puts notebooks into DIR/submitted, and keeps what later collections have to know.

Nothing is deleted: a notebook that a later one replaces moves to DIR/replaced.
"""

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from grading.engine.course.directory import Course, HandedIn
from grading.engine.intake.hand_in_times import (
    INSTRUCTOR,
    UNTIMED,
    HandInTimes,
    better,
    entry,
    together,
)
from grading.engine.intake.which_file_counts import CLAIM, SURE, Candidate, Intake
from grading.engine.regrade_requests import Regrade, Regrades, in_notebook, same_work
from grading.engine.submitted_notebook.read_submitted_cells import readable, why_unreadable
from grading.engine.trusted_process_limits import bounded
from tito.errors import TitoError, disk_full
from tito.files import json_lines, move_aside, read_dict, stamp, supersede, write_json


def read_log(course: Course, module: HandedIn) -> list[dict[str, str]]:
    """What happened to every file in every collection, the oldest first."""
    return json_lines(course.reports(module) / "collect.log")


class Store:
    """Takes in notebooks, and keeps what later collections have to know.

    Attributes:
        times: as earlier collections left them.
        at: student -> the entry of `times.entries`, or this collection's.
        before: student -> how the owner of the submission that is in was known.
        untimed: sources whose time does not count.
        lines: what happened to each file of this collection.
    """

    def __init__(
        self, course: Course, module: HandedIn, due: datetime | None, untimed: tuple[str, ...]
    ):
        self.course, self.module, self.due, self.untimed = course, module, due, untimed
        self.times = HandInTimes(course, module)
        self.files = self.times.path, course.reports(module) / "_collect.json"
        self.at, kept = dict(self.times.entries), read_dict(self.files[1])
        known = kept.get("known_by")
        self.before: dict[str, str] = known if isinstance(known, dict) else {}
        self.lines: list[Intake] = []
        self.requests = Regrades(course.root, module.name)

    @staticmethod
    @contextlib.contextmanager
    def open(
        course: Course, module: HandedIn, due: datetime | None, untimed: tuple[str, ...]
    ) -> Iterator["Store"]:
        """The store of an assignment. What it has to know is written at the end, also after
        Ctrl-C, when some notebooks are in their places.
        """
        store = Store(course, module, due, untimed)
        try:
            yield store
        finally:
            store._write()

    def put(self, work: Candidate) -> None:
        """Take a notebook in, unless it must not replace the one that is in."""
        try:
            self.lines.append(self._put(work))
        except OSError as problem:
            if disk_full(problem):
                raise
            reason = f"it cannot be written: {problem.strerror}: {problem.filename}"
            self.lines.append(work.line("refused", reason))

    def ask(self, source: str, student: str, wanted: list[Regrade]) -> None:
        """Keep the regrade requests of a student that are new."""
        if self.requests.add(student, wanted):
            names = ", ".join(dict.fromkeys(one.question or "no question" for one in wanted))
            reason = f"to grade again: {names}; see: tito grade mark {student}"
            self.lines.append(Intake(source, student, "request", reason))

    def _put(self, work: Candidate) -> Intake:
        course, module, student, data = self.course, self.module, work.student, work.notebook
        target = course.submitted(student, module) / f"{work.stem}.ipynb"
        same = target.is_file() and same_work(target.read_bytes(), data)
        displaced = self._displace_claims(work, same)
        same = same and target.is_file()
        if twin := _twin(course, student):
            reason = "ids that differ in case alone would share a folder; "
            return work.line("refused", f"{reason}{twin} has handed in before")
        known = work.time_from not in self.untimed
        late = self._late(work.handed_in) if known else 0.0
        self.ask(work.source, student, in_notebook(data))
        asked = work.asked
        other_group = together(self.at.get(student, {})) != work.together
        if not asked and target.is_file() and not same and other_group:
            asked = "another one came before, alone or for another group; it is kept in replaced/"
        said = {"asked": asked} if asked else {}
        new = {**entry(work.handed_in, work.time_from), **work.together, **said}
        if known and work.time_from in UNTIMED:
            work = replace(work, time_note="")  # that it does not count: with --file-times it does
        if same:
            earlier = self.times.whose_clock(student)
            stands = self.times.stamped(student)
            if (not stands and known) or (earlier and better(work.time_from, earlier)):
                self.times.write_stamp(student, work.handed_in)
                self.at[student] = new
            elif stands:
                work = replace(work, handed_in=stands, time_from=earlier, time_note="")
                late = self._late(stands)
            if work.together or asked:
                self.at[student] = {**new, **self.at.get(student, {}), **work.together, **said}
            return work.line("unchanged", _reason(work, data, asked), late)
        reason = _reason(work, data, asked)
        status = "replaced" if displaced or target.is_file() else "taken"
        if target.is_file():
            sure, before = SURE[work.known_by], SURE.get(self.before.get(student, "file name"), 2)
            if sure == CLAIM or sure < before:
                return work.line("refused", _less_sure(work, before))
            stands = self.times.order_of(student)
            timed = self.at.get(student, {}).get("from") not in self.untimed
            if stands and stands > work.handed_in and (timed or not known):
                return work.line("older", "the one collected before was handed in later")
        self.times.write_stamp(student, work.handed_in if known else None)
        self.at[student] = new
        supersede(target, data, course.root / "replaced" / module.name / student)
        return work.line(status, reason, late)

    def _late(self, handed_in: datetime) -> float:
        return max(0.0, (handed_in - self.due).total_seconds()) if self.due else 0.0

    def _displace_claims(self, work: Candidate, same: bool) -> bool:
        """Move to DIR/replaced what stands in the place of a surer file only because a manifest
        claimed so, also under the id in another case. So a claim keeps nobody's file out: neither
        by the name, nor by the time or the group that it states. What holds the same work, and has
        a time that the instructor stated, stays, and is a claim no longer.
        """
        displaced = False
        for name in filter(None, (work.student, _twin(self.course, work.student))):
            place = self.course.submitted(name, self.module)
            claimed = SURE.get(self.before.get(name, ""), 2) == CLAIM
            if SURE[work.known_by] > CLAIM and claimed and place.is_dir():
                if name == work.student and same and (at := self.times.stated(name)):
                    self.at[name], self.before[name] = entry(at, INSTRUCTOR), work.known_by
                    continue
                move_aside(place, self.course.root / "replaced" / self.module.name / work.student)
                with contextlib.suppress(OSError):  # it holds other assignments
                    place.parent.rmdir()
                self.before.pop(name)
                self.at.pop(name, None)
                displaced = True
        return displaced

    def _write(self) -> None:
        """Keep the times, the lines, and how each owner is known."""
        known_by = dict(self.before)
        for line in self.lines:
            if line.student:
                same = line.status == "unchanged" and SURE.get(self.before.get(line.student, ""), 0)
                if line.status in ("taken", "replaced") or 0 < same < SURE[line.known_by]:
                    known_by[line.student] = line.known_by
        for path, facts in zip(
            self.files, (self.at, {"schema": 2, "known_by": known_by}), strict=True
        ):
            write_json(path, facts)
        names = ("student", "status", "source", "handed_in", "reason")
        with (self.files[0].parent / "collect.log").open("a", encoding="utf-8") as log:
            for line in self.lines:
                if line.status != "unchanged":
                    entry = {"at": stamp(), **{name: getattr(line, name) for name in names}}
                    log.write(json.dumps(entry) + "\n")


def _reason(work: Candidate, data: bytes, asked: str) -> str:
    """What a person should know about a notebook."""
    notes = [_broken(data), work.note, work.time_note, f"NEEDS A PERSON: {asked}" if asked else ""]
    if work.owner.key.startswith("group "):  # a platform's own groups have a note already
        notes.append(f"handed in by {work.owner.sender} for group {work.owner.group}")
    return "; ".join(filter(None, notes))


def _less_sure(work: Candidate, before: int) -> str:
    """Why a file is refused, and what makes it as sure as the one that is in."""
    platform = work.owner.platform
    remedy = f"If it is theirs, rename it to {work.student}{Path(work.source).suffix}"
    if platform:
        remedy = f"If this is a download of {platform.capitalize()}: --from {platform}"
    elif before > SURE["file name"]:
        folder = f"a folder {work.student}"
        remedy = f"If it is theirs, put it alone into {folder} and collect the folder above"
    who = f"only its {work.known_by} says {work.student}, who has handed in before"
    return f"{who}; the earlier one stays and counts. {remedy}"


def _twin(course: Course, student: str) -> str | None:
    """The id in another case under which something was handed in."""
    names = (path.name for path in (course.root / "submitted").glob("*"))
    same = (name for name in names if name.casefold() == student.casefold())
    return next((name for name in same if name != student), None)


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
