"""The name and contents of one student's file harm nobody else: the lines and the work of the other
students are the same with and without it, and a collect always finishes.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from grading.engine.course.roster import Roster
from grading.engine.intake.arrived_files import Member, Refused
from grading.engine.intake.owners import by_platform
from grading.engine.intake.platform_downloads import Download, recognize
from helpers.inboxes import LATER, manifest, notebook, packed, put, tito_zip
from helpers.written_marks import blank

CLASS = ("101", "102", "ann")
ROSTER = "id,name\n101,Lee Ann\n102,Bob Ray\nann,Ann Zed\n"
METADATA = "".join(
    f"submission_{name}:\n  :submitters:\n  - :sid: '{name}'\n  :created_at: {LATER}\n"
    for name in CLASS
)

# Names that a student may choose although other students, a platform, the engine or the instructor
# use them.
FORMS = (
    "{}_{}_9001_tiny_dev.ipynb",
    "Lee Ann_{1}_assignsubmission_file_/tiny_dev.ipynb",
    "Lee Ann_{1}_assignsubmission_file_tiny_dev.ipynb",
    "submission_{1}/tiny_dev.ipynb",
    "submission_9/submission_{1}/tiny_dev.ipynb",
    "assignment_1_export/submission_{1}/tiny_dev.ipynb",
    "{0}/{1}.ipynb",
    "{1}.ipynb",
    "{1}.zip",
    "07_tiny-{1}.zip",
)
names = st.one_of(
    st.builds(str.format, st.sampled_from(FORMS), st.just("leeann"), st.sampled_from(CLASS)),
    st.sampled_from(
        "tiny_dev.ipynb manifest.json submission_metadata.yml x/submission_metadata.yml"
        " submission_101/submission_metadata.yml timestamp.txt roster.csv _collect.json".split()
    ),
    # zipfile ends a name at its first NUL, and cannot write an empty one
    st.text(min_size=1, max_size=12).filter(lambda name: not name.startswith("\0")),
)
contents = st.one_of(
    st.builds(notebook, st.integers(min_value=100, max_value=999)),
    st.builds(
        lambda student: manifest(student=student, time=LATER),
        st.sampled_from(CLASS) | st.integers() | st.text(max_size=8),
    ),
    st.sampled_from((METADATA, "submission_101: &a [*a]\n", "!!python/name:os.system\n", "{", "")),
    st.binary(max_size=40),
)
members = st.lists(st.tuples(names, contents), max_size=5)
# Zips that look exactly like a platform's download, with work for others.
DOWNLOADS = [
    [(form.format("leeann", name), notebook(666)) for name in CLASS[:2]]
    for form in (FORMS[0], FORMS[1], FORMS[3])
]
DOWNLOADS[2].append(("submission_metadata.yml", METADATA))
files = st.one_of(
    members.map(packed),
    st.sampled_from(DOWNLOADS).map(packed),
    st.builds(
        lambda zipped, cut, more: zipped[:cut] + more,
        members.map(packed),
        st.integers(-30, -1),
        st.binary(),
    ),
    contents.map(lambda content: content.encode() if isinstance(content, str) else content),
)
odd_names = st.binary(max_size=30).map(lambda name: os.fsdecode(name.translate(None, b"/\0")))
file_names = st.one_of(
    st.sampled_from(("mallory.zip", "mallory.ipynb", "07_tiny.zip", "submissions.zip", "ANN.zip")),
    odd_names.map(lambda name: f"{name}.zip"),
)


def inboxes(folder: Path) -> dict[str, Path]:
    """The files of three other students, each of whom is known in a different way."""
    return {
        "101": put(folder / "101.zip", tito_zip(1, student="101")),
        "102": put(folder / "102.ipynb", notebook(2)),
        "ann": put(folder / "ann" / "ann.ipynb", notebook(3)),
    }


@pytest.mark.parametrize("way", ["in the inbox", "among other places", "alone, later"])
@settings(max_examples=25)
@given(name=file_names, data=files)
@example(
    name="mallory.zip",
    data=packed([("tiny_dev.ipynb", notebook(6)), ("submission_metadata.yml", METADATA)]),
)
@example(name="mallory.zip", data=packed([("leeann_101_9001_tiny_dev.ipynb", notebook(6))]))
@example(name="submissions.zip", data=packed([("leeann_101_9001_tiny_dev.ipynb", notebook(6))]))
@example(name="ANN.zip", data=packed([("tiny_dev.ipynb", notebook(6))]))
@example(name="x.ipynb", data=b"{")
def test_neighbors_do_not_notice_a_hostile_file(workspace, way, name, data):
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        room, inbox = blank(workspace, place), place / "inbox"
        own, roster = inboxes(inbox), put(place / "roster.csv", ROSTER)
        if way == "alone, later":
            room.collect(inbox, roster=roster)
        hostile = inbox / name
        assume(not hostile.exists())
        hostile.write_bytes(data)
        places = {"in the inbox": [inbox], "alone, later": [hostile]}
        lines = room.collect(*places.get(way, sorted(inbox.iterdir())), roster=roster)
        # a line about the hostile file may name another student, if it refuses the file
        found = {line.source: line.status for line in lines}
        wanted = None if way == "alone, later" else "taken"
        for number, (student, path) in enumerate(own.items(), start=1):
            assert (found.get(str(path)), room.number(student)) == (wanted, number), lines


# In a platform's download the student 666 chooses every name below these prefixes; beside it is
# the file of 101.
BELOW = (
    ("canvas", "mallory_666_9009_"),
    ("moodle", "Mal Lory_666_assignsubmission_file_/"),
    ("gradescope", "submission_666/"),
    ("gradescope", "assignment_9_export/submission_666/"),
)


@pytest.mark.parametrize("name, prefix", BELOW)
@given(below=names)
def test_in_a_download_no_name_below_a_student_is_somebody_elses(name, prefix, below):
    # Canvas keeps no folders
    path = prefix + (below.replace("/", "_") if name == "canvas" else below)
    own = prefix.replace("666", "101") + "tiny_dev.ipynb"
    paths = {path: b"", own: b""}
    if name == "gradescope":
        metadata = METADATA + "submission_666:\n  :submitters:\n  - :sid: '666'\n"
        paths[prefix.replace("submission_666/", "submission_metadata.yml")] = metadata.encode()
    members = [
        Member(path, len(data), None, lambda limit, data=data: data)
        for path, data in sorted(paths.items())
    ]
    download = Download.of(name, members, said=True)
    with contextlib.suppress(Refused):
        owners = by_platform(download.posted(path), Roster())
        assert [owner.student for owner in owners] == ["666"]
    assert [owner.student for owner in by_platform(download.posted(own), Roster())] == ["101"]
    if name == "gradescope" and not path.endswith("/"):
        assert recognize(paths) == "gradescope"
