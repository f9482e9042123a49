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

WANTED = {"tiny_dev": {"double", "test_double", "box"}}


def notebook(*grade_ids: str) -> bytes:
    cells = [
        {"cell_type": "code", "source": "", "metadata": {"nbgrader": {"grade_id": grade_id}}}
        for grade_id in grade_ids
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def read(folder, wanted=None) -> Submission:
    return read_submission(folder, "ann", wanted or WANTED)


def test_files_beside_the_notebook_come_along(tmp_path):
    (tmp_path / "tiny_dev.ipynb").write_bytes(notebook("double"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x.csv").write_bytes(b"1,2\n")
    (tmp_path / "helper.py").write_bytes(b"a = 1\n")
    (tmp_path / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC\n", encoding="utf-8")
    found = read(tmp_path)
    assert found.notebooks == {"tiny_dev": notebook("double")}
    assert found.files == {"data/x.csv": b"1,2\n", "helper.py": b"a = 1\n"}
    assert (found.timestamp, found.notes, found.missing) == ("2026-11-20 12:00:00 UTC", [], {})


def test_a_second_notebook_never_comes_along(tmp_path):
    """It may be a copy with hidden tests, and a kernel's folder must not hold a notebook."""
    (tmp_path / "tiny_dev.ipynb").write_bytes(notebook("double"))
    (tmp_path / "other.ipynb").write_bytes(notebook("double"))
    found = read(tmp_path)
    assert list(found.notebooks) == ["tiny_dev"] and found.files == {}


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
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    found = read(tmp_path)
    if expected:
        assert found.notebooks == {"tiny_dev": files[expected]} and found.notes == [
            f"the notebook was called {expected}, not tiny_dev.ipynb"
        ]
    else:
        assert found.notebooks == {} and "tiny_dev.ipynb" in found.missing["tiny_dev"]


def test_of_two_notebooks_each_is_known_by_its_own_cells(tmp_path):
    wanted = {"p1": {"a", "b"}, "p2": {"c", "d"}}
    (tmp_path / "x.ipynb").write_bytes(notebook("c", "d", "a"))
    (tmp_path / "y.ipynb").write_bytes(notebook("a", "b"))
    found = read(tmp_path, wanted)
    assert found.notebooks == {"p1": notebook("a", "b"), "p2": notebook("c", "d", "a")}


def test_a_strange_notebook_is_neither_of_two(tmp_path):
    (tmp_path / "x.ipynb").write_bytes(notebook("q"))
    found = read(tmp_path, {"p1": {"a"}, "p2": {"c"}})
    assert found.notebooks == {} and sorted(found.missing) == ["p1", "p2"]


def test_links_and_devices_are_left_out_and_named(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"answers")
    folder = tmp_path / "submitted"
    folder.mkdir()
    (folder / "tiny_dev.ipynb").write_bytes(notebook("double"))
    (folder / "soft").symlink_to(secret)
    (folder / "room").symlink_to(tmp_path)
    os.link(secret, folder / "hard")
    os.mkfifo(folder / "pipe")
    found = read(folder)
    assert found.files == {} and sorted(note.split()[0] for note in found.notes) == [
        "hard",
        "pipe",
        "room",
        "soft",
    ]
    assert all("is a link or a device and was left out" in note for note in found.notes)


def test_a_notebook_that_is_a_link_is_no_notebook(tmp_path):
    (tmp_path / "elsewhere").write_bytes(notebook("double"))
    folder = tmp_path / "submitted"
    folder.mkdir()
    (folder / "tiny_dev.ipynb").symlink_to(tmp_path / "elsewhere")
    found = read(folder)
    assert (
        found.notebooks == {}
        and found.missing["tiny_dev"] == "there is no notebook tiny_dev.ipynb in the submission"
    )


def test_too_large_too_many_too_deep(tmp_path, monkeypatch):
    monkeypatch.setattr(submission, "MAX_BYTES", 1000)
    monkeypatch.setattr(submission, "MAX_FILES", 5)
    monkeypatch.setattr(submission, "MAX_DEPTH", 2)
    (tmp_path / "tiny_dev.ipynb").write_bytes(notebook("double"))
    (tmp_path / "large").write_bytes(b"x" * 1001)
    deep = tmp_path / "1" / "2" / "3"
    deep.mkdir(parents=True)
    (deep / "file").write_bytes(b"")
    for number in range(6):
        (tmp_path / f"n{number}").write_bytes(b"")
    found = read(tmp_path)
    assert len(found.files) == 5 and "n5" not in found.files and "tiny_dev" not in found.missing
    assert [note for note in found.notes if note.startswith("large has 0 MiB")] and [
        note for note in found.notes if "a submission has at most 5 files" in note
    ]
    (tmp_path / "n5").unlink()
    assert any("1/2/3 lies more than 2 folders deep" in note for note in read(tmp_path).notes)


def test_hidden_files_and_checkpoints_say_nothing(tmp_path):
    (tmp_path / "tiny_dev.ipynb").write_bytes(notebook("double"))
    (tmp_path / ".ipynb_checkpoints").mkdir()
    (tmp_path / ".ipynb_checkpoints" / "tiny_dev-checkpoint.ipynb").write_bytes(notebook("double"))
    (tmp_path / ".DS_Store").write_bytes(b"x")
    found = read(tmp_path)
    assert (found.files, found.notes) == ({}, [])


@given(
    st.binary(max_size=20).filter(
        lambda name: name.strip(b"./") and not set(name) & set(b"/\0") and not name.startswith(b".")
    )
)
def test_any_file_name_is_read_and_any_note_can_be_printed(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("names")
    os.symlink(b"/etc/passwd", os.fsencode(folder) + b"/" + name)
    found = read(folder)
    assert (
        found.files == {}
        and all(note.isprintable() for note in found.notes)
        and found.digest("kit")
    )


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
