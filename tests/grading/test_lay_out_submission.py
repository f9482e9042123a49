"""A submission is laid out for grading whatever its files are called: a file that cannot be laid
out is left out with a reason, the files of the release are not replaced, and nothing is written
elsewhere.
"""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grading.engine.course.assignment import Assignment
from grading.engine.run import grade_submission
from grading.engine.run.grading_kit import Kit
from helpers.inboxes import put

RELEASE = {
    "tiny_dev.ipynb": b"{}",
    "numbers.csv": b"1,2\n",
    "data/table.csv": b"3,4\n",
    "data/deep/x": b"5",
}


@pytest.fixture(scope="module")
def kit(tmp_path_factory) -> Kit:
    root = tmp_path_factory.mktemp("kit")
    for name, data in RELEASE.items():
        put(root / "release" / "07_tiny" / name, data)
    put(root / "gradebook.db", b"marks")
    return Kit(root, Assignment("07_tiny", ("tiny_dev",)), {}, "digest", 7, [], [], {})


def contents(root: Path) -> dict[str, bytes]:
    """Every file below a folder, by its name in bytes, because a name may not be valid text."""
    found = {}
    for folder, _, files in os.walk(os.fsencode(root)):
        for name in files:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, os.fsencode(root))] = Path(os.fsdecode(path)).read_bytes()
    return found


def laid_out(kit: Kit, files: dict[str, bytes]) -> tuple[dict[str, bytes], list[str]]:
    """(the files beside the notebook, reasons); nothing else in the scratch folder is new."""
    with tempfile.TemporaryDirectory() as folder:
        outer = Path(folder)
        place = outer / "place"
        place.mkdir()
        reasons = grade_submission.lay_out(
            place, kit, {"tiny_dev": b"work"}, files, "2026-11-20 12:00:00"
        )
        found = contents(outer)
    room = os.fsencode("place/files/")
    elsewhere = {name: data for name, data in found.items() if not name.startswith(room)}
    base = b"place/course/"
    assert elsewhere == {
        base + b"gradebook.db": b"marks",
        base + b"submitted/student/07_tiny/tiny_dev.ipynb": b"work",
        base + b"submitted/student/07_tiny/timestamp.txt": b"2026-11-20 12:00:00\n",
        **{base + b"release/07_tiny/" + name.encode(): data for name, data in RELEASE.items()},
    }
    beside = {
        name.removeprefix(room): data for name, data in found.items() if name.startswith(room)
    }
    return beside, reasons


part = st.one_of(
    st.sampled_from(
        (
            *("data", "table.csv", "numbers.csv", "deep", "Data", "course", "files", "release"),
            *("request.json", "gradebook.db", "..", ".", "", "con", "x" * 256, "x" * 300),
            *("a\0b", "\ud800", os.fsdecode(b"\xff"), "a\nb", "é", "e\u0301"),
        )
    ),
    st.text(st.characters(exclude_characters="/"), min_size=1, max_size=5),
)
names = st.lists(part, min_size=1, max_size=4).map("/".join)


@given(st.dictionaries(names, st.binary(max_size=4), max_size=8))
@example({"data": b"x"})
@example({"numbers.csv/x": b"x"})
@example({"a": b"x", "a/b": b"y"})
@example({"a/b": b"x", "a": b"y"})
@example({"/etc/tito-was-here": b"x", "../escaped": b"x", "data/../../escaped": b"x"})
def test_any_names_are_laid_out_or_said(kit, files):
    beside, reasons = laid_out(kit, files)
    released = {name.encode(): data for name, data in RELEASE.items()}
    released[b"tiny_dev.ipynb"] = b"work"  # another notebook of the assignment may read it
    assert {name: beside.get(name) for name in released} == released
    # Each file is laid out, or the release has a file of this name, or there is a reason.
    standing = len(beside) - len(released)
    same = sum(str(PurePosixPath(name)).encode("utf-8", "replace") in released for name in files)
    assert len(files) - same <= standing + len(reasons) <= len(files)
    assert all(reason.isprintable() and "was left out" in reason for reason in reasons)


def test_a_full_disk_is_no_reason_of_a_submission(kit, monkeypatch):
    """As a reason it would be recorded with 0 points. Instead the run stops, and the next run
    continues when the disk has room.
    """

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(grade_submission, "open", full, raising=False)
    with pytest.raises(OSError, match="No space left"):
        laid_out(kit, {"helper.py": b"y"})
