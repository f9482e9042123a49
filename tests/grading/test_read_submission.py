"""Reading a submission folder: regular files within limits, the right notebook under any name, and
a note about every other file.
"""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grading.engine.intake import submission
from grading.engine.intake.submission import Submission, read_submission
from helpers.inboxes import put

WANTED = {"tiny_dev": {"double", "test_double", "box"}}


def notebook(*grade_ids: str) -> bytes:
    cells = [
        {"cell_type": "code", "source": "", "metadata": {"nbgrader": {"grade_id": grade_id}}}
        for grade_id in grade_ids
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def read(folder, files: dict[str, bytes | str], wanted=None) -> Submission:
    for name, data in files.items():
        put(folder / name, data)
    return read_submission(folder, "ann", wanted or WANTED)


OWN = {"tiny_dev.ipynb": notebook("double")}


def test_files_beside_the_notebook_come_along_and_a_second_notebook_never(tmp_path):
    """It may be a copy with hidden tests, and a kernel's folder must not hold a notebook. Hidden
    files and checkpoints say nothing.
    """
    beside = {"data/x.csv": b"1,2\n", "helper.py": b"a = 1\n"}
    other = {
        "timestamp.txt": "2026-11-20 12:00:00 UTC\n",
        "other.ipynb": notebook("double"),
        ".ipynb_checkpoints/tiny_dev-checkpoint.ipynb": notebook("double"),
        ".DS_Store": b"x",
    }
    found = read(tmp_path, {**OWN, **beside, **other})
    assert found.notebooks == {"tiny_dev": notebook("double")} and found.files == beside
    assert (found.timestamp, found.notes, found.missing) == ("2026-11-20 12:00:00 UTC", [], {})


@pytest.mark.parametrize(
    "files, expected",
    [
        ({"mine.ipynb": notebook("double")}, "mine.ipynb"),
        ({"mine.ipynb": notebook("double"), "scratch.ipynb": notebook()}, "mine.ipynb"),
        ({"mine.ipynb": notebook("double", "box"), "half.ipynb": notebook("box")}, "mine.ipynb"),
        ({"empty.ipynb": notebook()}, "empty.ipynb"),  # the only one there is
        ({"a.ipynb": notebook("double"), "b.ipynb": notebook("double")}, None),
        ({"a.ipynb": notebook(), "b.ipynb": notebook()}, None),
        ({}, None),
    ],
)
def test_a_renamed_notebook_is_known_by_its_cells(tmp_path, files, expected):
    found = read(tmp_path, files)
    if expected:
        assert found.notebooks == {"tiny_dev": files[expected]} and found.notes == [
            f"the notebook was called {expected}, not tiny_dev.ipynb"
        ]
    else:
        assert found.notebooks == {} and "tiny_dev.ipynb" in found.missing["tiny_dev"]


def test_of_two_notebooks_each_is_known_by_its_own_cells(tmp_path):
    first, second = notebook("a", "b"), notebook("c", "d", "a")
    wanted = {"p1": {"a", "b"}, "p2": {"c", "d"}}
    found = read(tmp_path / "two", {"x.ipynb": second, "y.ipynb": first}, wanted)
    assert found.notebooks == {"p1": first, "p2": second}
    found = read(tmp_path / "strange", {"x.ipynb": notebook("q")}, wanted)
    assert found.notebooks == {} and sorted(found.missing) == ["p1", "p2"]


def test_links_and_devices_are_left_out_and_named(tmp_path):
    secret, folder = put(tmp_path / "secret", notebook("double")), tmp_path / "submitted"
    folder.mkdir()
    for name, target in (("soft", secret), ("tiny_dev.ipynb", secret), ("room", tmp_path)):
        (folder / name).symlink_to(target)
    os.link(secret, folder / "hard")
    os.mkfifo(folder / "pipe")
    found = read(folder, {})
    names = ["hard", "pipe", "room", "soft", "tiny_dev.ipynb"]
    assert found.files == found.notebooks == {}
    assert sorted(note.split()[0] for note in found.notes) == names
    assert all("is a link or a device and was left out" in note for note in found.notes)
    assert found.missing["tiny_dev"] == "there is no notebook tiny_dev.ipynb in the submission"


def test_too_large_too_many_too_deep(tmp_path, monkeypatch):
    monkeypatch.setattr(submission, "MAX_BYTES", 1000)
    monkeypatch.setattr(submission, "MAX_FILES", 5)
    monkeypatch.setattr(submission, "MAX_DEPTH", 2)
    many = {f"n{number}": b"" for number in range(6)}
    found = read(tmp_path, {**OWN, "large": b"x" * 1001, "1/2/3/file": b"", **many})
    assert len(found.files) == 5 and "n5" not in found.files and "tiny_dev" not in found.missing
    (tmp_path / "n5").unlink()
    notes = found.notes + read(tmp_path, {}).notes
    for said in (
        "large has 0 MiB",
        "a submission has at most 5 files",
        "1/2/3 lies more than 2 folders deep",
    ):
        assert any(said in note for note in notes)


@given(
    st.binary(max_size=20).filter(
        lambda name: name.strip(b"./") and not set(name) & set(b"/\0") and not name.startswith(b".")
    )
)
def test_any_file_name_is_read_and_any_note_can_be_printed(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("names")
    os.symlink(b"/etc/passwd", os.fsencode(folder) + b"/" + name)
    found = read(folder, {})
    assert found.files == {} and found.digest("kit")
    assert all(note.isprintable() for note in found.notes)


@example({"a": b"x"}, {"b": b"x"})
@given(
    st.dictionaries(st.text("abc", min_size=1, max_size=3), st.binary(max_size=9), max_size=4),
    st.dictionaries(st.text("abc", min_size=1, max_size=3), st.binary(max_size=9), max_size=4),
)
def test_two_submissions_have_one_digest_only_when_they_are_equal(one, other):
    digest = Submission("ann", notebooks={"n": b"x"}, files=one).digest("kit")
    assert (digest == Submission("bob", notebooks={"n": b"x"}, files=other).digest("kit")) == (
        one == other
    )
    assert digest != Submission("ann", notebooks={"n": b"x"}, files=one).digest("another kit")
