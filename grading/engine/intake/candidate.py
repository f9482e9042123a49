"""A notebook that may be taken in, and the line that says what happened to a file."""

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from grading.engine.intake.downloads import PLATFORMS, Owner

# How sure the owner of a file is: a less sure file never replaces a surer one, and a claim (1)
# never replaces anything. "form": a platform's download only by the form of its names.
SURE = {"manifest": 1, "form": 1, "file name": 2, "folder": 3, **dict.fromkeys(PLATFORMS, 3)}
CLAIM = 1


@dataclass(frozen=True)
class Intake:
    """One line of the list: what happened to a file, or that a student has none."""

    source: str
    student: str | None
    # "taken", "unchanged", "replaced", "older", "duplicate", "refused", "missing"
    status: str
    reason: str = ""
    late_seconds: float = 0.0
    known_by: str = ""  # how the owner is known: a key of SURE
    time_from: str = ""  # who says when it was handed in: see `times`
    handed_in: str = ""  # that time


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
    time_from: str  # who says when it was handed in: see `times`
    note: str
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
