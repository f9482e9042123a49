"""A notebook that may be taken in, which one of a student's counts, and the line that says what
happened to a file.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from grading.engine.course.roster import PLATFORMS
from grading.engine.regrade_requests import Regrade
from grading.engine.safe_text import shown
from tito.files import sha256

# How sure the owner of a file is: a less sure file never replaces a surer one, and a claim (1)
# never replaces anything. "form": a platform's download only by the form of its names.
SURE = {"manifest": 1, "form": 1, "file name": 2, "folder": 3, **dict.fromkeys(PLATFORMS, 3)}
CLAIM = 1


@dataclass(frozen=True)
class Owner:
    """Who handed in a file."""

    student: str
    key: str = ""  # the platform's own id of the submission or person
    platform: str = ""
    known_by: str = ""  # how: a key of `SURE`
    late: bool = False  # Canvas marks late files, but gives no time
    at: datetime | None = None  # Gradescope gives a time
    note: str = ""
    group: str = ""  # its name, or the names of its members, if several people handed this in
    sender: str = ""  # which of them


@dataclass(frozen=True)
class Intake:
    """One line of the list: what happened to a file, or that a student has none."""

    source: str
    student: str | None
    # "taken", "unchanged", "replaced", "older", "duplicate", "refused", "left", "missing",
    # "request"
    status: str
    reason: str = ""
    late_seconds: float = 0.0
    known_by: str = ""  # how the owner is known: a key of SURE
    time_from: str = ""  # who says when it was handed in: see `hand_in_times`
    handed_in: str = ""  # that time

    def __post_init__(self) -> None:
        """Every text can be read and is valid in UTF-8, whatever the file is called."""
        source = self.source.encode("utf-8", "backslashreplace").decode("utf-8")
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "student", self.student and shown(self.student))


@dataclass(frozen=True)
class Asked:
    """The regrade requests of a student in a file of their own."""

    source: str
    student: str
    requests: list[Regrade]


@dataclass(frozen=True)
class Candidate:
    """A notebook that may be taken in. It is kept in a scratch file, because the notebooks of a
    class may not fit in memory.
    """

    source: str
    owner: Owner
    stem: str
    kept: Path
    handed_in: datetime
    time_from: str  # who says when it was handed in: see `hand_in_times`
    note: str
    time_note: str  # what to know about its time
    asked: str = ""  # why a person has to decide whose it is
    renamed: bool = False

    @property
    def student(self) -> str:
        return self.owner.student

    @property
    def known_by(self) -> str:
        return self.owner.known_by

    @property
    def together(self) -> dict[str, str]:
        """Whose hand-in this is, if it is that of a group."""
        owner = self.owner
        return {"group": owner.group, "sender": owner.sender} if owner.group else {}

    @property
    def notebook(self) -> bytes:
        return self.kept.read_bytes()

    def line(self, status: str, reason: str = "", late_seconds: float = 0.0) -> Intake:
        at = f"{self.handed_in.astimezone(timezone.utc):%Y-%m-%d %H:%M:%S} UTC by {self.time_from}"
        who = (self.known_by, self.time_from, at)
        return Intake(self.source, self.student, status, reason, late_seconds, *who)


def choose(
    group: list[Candidate], class_ids: set[str], untimed: tuple[str, ...]
) -> tuple[Candidate | None, list[Intake]]:
    """The file of a student that counts, and a line for each of the other files.

    A claim is dropped first, so that nothing in it (a name, a group, a time) touches a surer file.
    A file without a time of handing in never counts as later than one that has it.

    Args:
        class_ids: the ids of all known members of the class.
        untimed: who says a time that is none of handing in.
    """
    surer = [work for work in group if SURE[work.known_by] > CLAIM]
    if surer and len(surer) < len(group):
        best, lines = choose(surer, class_ids, untimed)
        return best, [_not_theirs(work, surer[0]) for work in group if work not in surer] + lines
    names = {work.student for work in group}
    if len(names) > 1:
        reason = f"ids that differ in case alone would share a folder: {', '.join(sorted(names))}"
        own = names & class_ids if len(names & class_ids) == 1 else set()
        refused = [work.line("refused", reason) for work in group if work.student not in own]
        group = [work for work in group if work.student in own]
        best, lines = choose(group, class_ids, untimed) if group else (None, [])
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
    best = max(
        sure, key=lambda work: (work.time_from not in untimed, work.handed_in, not work.renamed)
    )
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
        elif work.time_from in untimed and best.time_from not in untimed:
            lines.append(
                work.line("older", f"{best.source} has a time of handing in, this has none")
            )
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
