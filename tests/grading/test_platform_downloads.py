"""Bulk downloads from Canvas, Moodle and Gradescope: who handed in each file and when; and no
student can make another's work disappear.
"""

from __future__ import annotations

import zipfile

import pytest

from grading.engine.intake.platform_downloads import recognize
from helpers.inboxes import LATER, notebook, packed, put, tito_zip

CANVAS = {
    "leeann_101_9001_tiny_dev.ipynb": notebook(1),
    "raybob_LATE_102_9002_07_tiny-bob.zip": tito_zip(2, student="bob"),
    "ooncid_103_9003_tiny_dev-1.ipynb": notebook(3),
    "daydee_104_9004_essay.pdf": "%PDF",
    "müllereva_105_9005_x_106_9006_tiny_dev.ipynb": notebook(5),
}
INSIDE = ["submission_metadata.yml", "submission_11/tiny_dev.ipynb"]
FORM = "{}_assignsubmission_file_/{}"
GRADESCOPE = """---
submission_11:
  :submitters:
  - :name: Ann Lee
    :sid: '101'
    :email: ann@x.org
  :created_at: 2026-11-20 14:00:00.123456 Z
  :score: 1.0
submission_12:
  :submitters:
  - :name: Bob
    :sid: '102'
    :email: bob@x.org
  - :name: Cid
    :email: cid@x.org
  :created_at: 2026-11-20 11:00:00 Z
submission_13:
  :submitters: []
"""


@pytest.fixture
def gather(due_room, inbox):
    """student -> the line about the file in a download; options as for `collect`."""

    def of(members, day=(2026, 11, 20), **options):
        return due_room.by_student(put(inbox / "s.zip", packed(members, day)), **options)

    return of


def taken(lines) -> set[str]:
    return {student for student, line in lines.items() if line.status == "taken"}


@pytest.mark.parametrize("folder", [False, True])
def test_canvas_says_whose_each_file_is_zipped_or_unpacked(due_room, inbox, folder):
    # the zip was downloaded a month later
    path = put(inbox / "submissions.zip", packed(CANVAS, (2026, 12, 24)))
    if folder:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(path := inbox / "all")
    lines = due_room.by_student(path)
    assert taken(lines) == {"101", "102", "103", "105"}
    assert [due_room.number(student) for student in sorted(taken(lines))] == [1, 2, 3, 5]
    assert "called" not in lines["103"].reason  # Canvas added the -1, not the student
    assert lines["104"].status == "refused" and "essay.pdf" in lines["104"].reason
    # The manifest says 10:00, which would be in time; so nobody knows when it was handed in.
    assert {line.late_seconds for line in lines.values()} == {0}
    assert "LATE, without a time" in lines["102"].reason


def test_a_roster_turns_a_platforms_numbers_into_ids(gather, inbox):
    roster = "id,name,canvas_id\nann,Ann Lee,101\nbob,Bob Ray,102\nzoe,Zoe Zed,199\n"
    lines = gather(CANVAS, roster=put(inbox / "r.csv", roster))
    assert taken(lines) == {"ann", "bob"} and lines["zoe"].status == "missing"
    assert lines["103"].status == "refused" and "canvas_id" in lines["103"].reason
    assert "not in the roster" in lines["103"].reason and "claims" not in lines["bob"].reason


def test_the_platform_wins_over_the_manifest_and_the_line_says_so(due_room, gather):
    mallory = tito_zip(2, student="101", time=LATER)
    lines = gather(
        {"leeann_101_9001_a.zip": tito_zip(1, student="101"), "mallory_666_9002_b.zip": mallory}
    )
    assert due_room.number("101") == 1 and due_room.number("666") == 2
    assert "claims to be of '101'; Canvas says 666" in lines["666"].reason


@pytest.mark.parametrize("form", [FORM, "{}_assignsubmission_file/{}", FORM.replace("/", "")])
def test_moodle_with_and_without_folders(due_room, gather, form):
    members = {
        form.format("Ann Lee_1234567", "tiny_dev.ipynb"): notebook(1),
        form.format("Bob O'Neill_1234568", "07_tiny.zip"): tito_zip(2),
        form.format("Zoë Zed_1234569", "a_7_assignsubmission_file_tiny_dev.ipynb"): notebook(3),
    }
    lines = gather(members, (2026, 11, 25))
    assert taken(lines) == {"1234567", "1234568", "1234569"}
    # the time of the upload counts, and not the one that the student's zip states
    assert lines["1234568"].late_seconds > 4 * 86_400
    assert [due_room.number(f"123456{n}") for n in (7, 8, 9)] == [1, 2, 3]


def test_two_people_that_a_roster_takes_for_one_are_both_refused(due_room, inbox):
    """A student may choose a classmate's name as display name."""
    members = {FORM.format(f"Ann Lee_{number}", "tiny_dev.ipynb"): notebook() for number in (1, 2)}
    roster = put(inbox / "r.csv", 'id,name\nann,"Lee, Ann"\n')
    lines = due_room.collect(put(inbox / "s.zip", packed(members)), roster=roster)
    said = [line.reason for line in lines if line.source and line.status == "refused"]
    assert len(said) == 2 and all("several people have the id ann" in reason for reason in said)


def test_gradescopes_metadata_says_who_and_when_also_of_groups(due_room, inbox):
    paths = ("1/tiny_dev.ipynb", "2/sub/tiny_dev.ipynb", "3/tiny_dev.ipynb", "4/tiny_dev.ipynb")
    members = {
        "assignment_9_export/submission_metadata.yml": GRADESCOPE,
        **{
            f"assignment_9_export/submission_1{path}": notebook(number)
            for number, path in enumerate(paths, start=1)
        },
        "__MACOSX/assignment_9_export/._x.ipynb": "junk",
    }
    found = due_room.collect(put(inbox / "e.zip", packed(members)))
    lines = {line.student: line for line in found}
    assert [due_room.number(student) for student in ("101", "102", "cid@x.org")] == [1, 2, 2]
    assert lines["101"].late_seconds == pytest.approx(2 * 3600, abs=1)
    assert lines["102"].late_seconds == 0
    assert "handed in together: 102, cid@x.org" in lines["102"].reason
    assert [line.reason for line in found if line.status == "refused"] == [
        f"submission_metadata.yml names the people of each folder; it has nobody for submission_{n}"
        for n in (13, 14)
    ]


@pytest.mark.parametrize(
    "text", ["!!python/object/apply:os.system ['touch owned']", "a: [" * 5000, "- &a [x]\n- *b"]
)
def test_metadata_that_is_no_plain_data_is_refused_as_a_whole(gather, inbox, text, monkeypatch):
    monkeypatch.chdir(inbox)
    (line,) = gather(dict(zip(INSIDE, (text, notebook()), strict=True))).values()
    assert line.status == "refused" and "cannot be read" in line.reason
    assert not (inbox / "owned").exists()


def test_a_download_among_other_places_is_one_students_file_until_it_is_named(due_room, inbox):
    """With `collect inbox/*.zip`, a student who sends a zip that looks like Canvas's must not be
    able to hand in for others, or to prevent their files from being taken in.
    """
    mallory = put(inbox / "mallory.zip", packed({"leeann_101_9001_tiny_dev.ipynb": notebook(6)}))
    ann = put(inbox / "ann.ipynb", notebook())
    code, text = due_room.here("collect", mallory, ann)
    assert code == 0 and "--from canvas" in text and "--from files" in text
    assert due_room.course.students(due_room.module) == ["ann", "mallory"]
    assert sorted(due_room.by_student(mallory, ann, platform="files")) == ["ann", "mallory"]
    lines = due_room.by_student(mallory, platform="canvas")
    assert lines["101"].status == "taken"


@pytest.mark.parametrize(
    "names, platform",
    [
        (INSIDE, "gradescope"),
        ([*INSIDE, "submission_11/submission_metadata.yml"], "gradescope"),
        # a student can choose the name of a single file
        ([*INSIDE, "tiny_dev.ipynb"], None),
        (["submission_metadata.yml", "ann.zip"], None),
        (["ann/submission_metadata.yml", "bob/tiny_dev.ipynb"], None),
        # a text and an address that were entered in Canvas
        (["leeann_101_9001_a.ipynb", "raybob_102_text.html", "o_LATE_103_link.html"], "canvas"),
        (["leeann_101_9001_a.ipynb", "bob.ipynb"], None),
    ],
)
def test_a_download_is_one_by_the_form_of_all_its_names(names, platform):
    assert recognize(names) == platform
