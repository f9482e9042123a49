"""Read one submission folder into memory: only regular files within limits; no link is followed.

The folder was filled by `tito grade collect`, by nbgrader's exchange or by hand; nothing in it is
trusted.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grading.engine.intake.hand_in_times import read_moment
from grading.engine.safe_text import shown as _shown
from grading.engine.submission_size_and_time import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    SMALLER,
)
from grading.engine.submitted_notebook.read_submitted_cells import readable

_GRADE_ID = re.compile(rb'"grade_id"\s*:\s*"([^"\\]{1,200})"')


@dataclass
class Submission:
    """What a student handed in.

    Attributes:
        files: relative path -> bytes, for files that the notebook may read; without notebooks.
        notebooks: stem -> bytes, for the notebooks of the assignment.
        notes: oddities that were corrected or left out; none of them costs a point.
        missing: stem -> why there is no notebook of this name.
        asked: why a person has to decide whose it is; empty if that is clear.
        content: `digest`, which a batch computes once.
    """

    student: str
    notebooks: dict[str, bytes] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    timestamp: str | None = None
    notes: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    asked: str = ""
    content: str = ""

    def digest(self, kit_digest: str) -> str:
        """A digest that changes when the submission or the kit changes, and only then."""
        total = hashlib.sha256(kit_digest.encode())
        for room in (self.notebooks, self.files):
            for name, data in sorted(room.items()):
                total.update(name.encode("utf-8", "surrogatepass") + b"\0")
                total.update(hashlib.sha256(data).digest())
        said = "\n".join([*self.notes, *self.missing.values(), self.asked])
        total.update(said.encode("utf-8", "surrogatepass"))
        return total.hexdigest()[:32]


def read_submission(folder: Path, student: str, wanted: dict[str, set[str]]) -> Submission:
    """The submission in `folder`.

    Args:
        wanted: stem of each notebook of the assignment -> its grade_ids, by which a renamed
            notebook is recognized.
    """
    submission = Submission(student)
    strange: dict[str, bytes] = {}
    total = 0
    for path, name in _walk(folder, submission.notes):
        data = _read(path, name, submission.notes)
        if data is None:
            continue
        if name.lower().endswith(".ipynb"):
            data, note = readable(data)
            submission.notes += [note] if note else []
        total += len(data)
        if total > MAX_TOTAL_BYTES or len(submission.files) + len(strange) >= MAX_FILES:
            submission.notes.append(
                f"a submission has at most {MAX_FILES} files and {MAX_TOTAL_BYTES // 2**20} MiB;"
                f" the rest was left out, from {_shown(name)} on"
            )
            break
        if name == "timestamp.txt":
            submission.timestamp = read_moment(data, submission.notes)
        elif not name.lower().endswith(".ipynb"):
            submission.files[name] = data
        elif name.removesuffix(".ipynb") in wanted:
            submission.notebooks[name.removesuffix(".ipynb")] = data
        else:
            strange[name] = data
    for stem in wanted.keys() - submission.notebooks.keys():
        _match(submission, strange, stem, wanted)
    return submission


def _match(
    submission: Submission, strange: dict[str, bytes], stem: str, wanted: dict[str, set[str]]
) -> None:
    """Find a renamed notebook: the only one in the submission, or the only one with cells of this
    notebook.
    """
    shared = {
        name: len({i.decode("utf-8", "replace") for i in _GRADE_ID.findall(data)} & wanted[stem])
        for name, data in strange.items()
    }
    best = [name for name, count in shared.items() if count and count == max(shared.values())]
    if not best and len(strange) == 1 and len(wanted) == 1:
        best = list(strange)
    if len(best) == 1:
        submission.notebooks[stem] = strange.pop(best[0])
        submission.notes.append(f"the notebook was called {_shown(best[0])}, not {stem}.ipynb")
        return
    submission.missing[stem] = f"there is no notebook {stem}.ipynb in the submission"
    if strange:
        names = ", ".join(_shown(name) for name in sorted(strange)[:5])
        submission.missing[stem] = (
            f"none of the {len(strange)} notebooks is called {stem}.ipynb: {names}"
        )


def _walk(
    folder: Path, notes: list[str], prefix: str = "", depth: int = 0
) -> Iterator[tuple[Path, str]]:
    try:
        entries = sorted(os.scandir(folder), key=_notebooks_first)
    except OSError as problem:
        notes.append(f"{_shown(prefix or '.')} could not be read: {problem.strerror}")
        return
    for count, entry in enumerate(entries):
        name = f"{prefix}{entry.name}"
        if entry.name.startswith(".") or entry.name in ("__MACOSX", "__pycache__"):
            continue
        if count > 10 * MAX_FILES:
            much = f"holds more than {10 * MAX_FILES} entries; the rest was left out"
            notes.append(f"{_shown(prefix or '.')} {much}")
            return
        if entry.is_file(follow_symlinks=False):
            yield Path(entry.path), name
        elif not entry.is_dir(follow_symlinks=False):
            notes.append(f"{_shown(name)} is a link or a device and was left out")
        elif depth < MAX_DEPTH:
            yield from _walk(Path(entry.path), notes, f"{name}/", depth + 1)
        else:
            notes.append(f"{_shown(name)} lies more than {MAX_DEPTH} folders deep and was left out")


def _notebooks_first(entry: os.DirEntry) -> tuple:
    """Sort notebooks first, so that other files cannot push the work itself over a limit."""
    return (
        entry.is_dir(follow_symlinks=False),
        not entry.name.endswith((".ipynb", "timestamp.txt")),
        entry.name,
    )


def _read(path: Path, name: str, notes: list[str]) -> bytes | None:
    """The bytes of a regular file with one hard link; None, with a note, for anything else."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as problem:
        notes.append(f"{_shown(name)} could not be read: {problem.strerror}")
        return None
    with os.fdopen(fd, "rb") as file:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
            notes.append(f"{_shown(name)} is a link or a device and was left out")
        elif facts.st_size > MAX_BYTES:
            size = f"{facts.st_size / 2**20:.0f} MiB, at most {MAX_BYTES // 2**20} are taken"
            notes.append(f"{_shown(name)} has {size}; it was left out. {SMALLER}")
        else:
            return file.read(MAX_BYTES)
    return None
