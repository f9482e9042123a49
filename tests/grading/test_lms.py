"""Bulk downloads from Canvas, Moodle and Gradescope: who handed in each file and when; and no
student can make another's work disappear.
"""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from paper import blank, set_due

from grading.engine.course.roster import Roster
from grading.engine.intake import collect, downloads

NOTEBOOK = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@pytest.fixture
def room(workspace, tmp_path):
    made = blank(workspace, tmp_path)
    set_due(made)
    return made


def notebook(number: int) -> str:
    return json.dumps({"cells": [], "metadata": {"n": number}, "nbformat": 4, "nbformat_minor": 5})


def tito_zip(number: int, student: str = "", time: str = "2026-11-20T10:00:00+00:00") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tiny_dev.ipynb", notebook(number))
        archive.writestr(
            "manifest.json", json.dumps({"module": "07_tiny", "student": student, "time": time})
        )
    return out.getvalue()


def bulk(path, members, date_time=(2026, 11, 20, 9, 0, 0)):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, date_time), data)
    return path


def unpacked(path, folder):
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return folder


def gather(room, *places, **options):
    return {
        line.student: line for line in collect.collect(room.course, room.module, places, **options)
    }


def content(room, student):
    return json.loads(
        (room.course.submitted(student, room.module) / "tiny_dev.ipynb").read_text(encoding="utf-8")
    )["metadata"].get("n")


CANVAS = {
    "leeann_101_9001_tiny_dev.ipynb": notebook(1),
    "raybob_LATE_102_9002_07_tiny-bob.zip": tito_zip(2, "bob"),
    "ooncid_103_9003_tiny_dev-1.ipynb": notebook(3),
    "daydee_104_9004_essay.pdf": "%PDF",
    "müllereva_105_9005_x_106_9006_tiny_dev.ipynb": notebook(5),
}
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


@pytest.mark.parametrize("folder", [False, True])
def test_canvas_says_whose_each_file_is_zipped_or_unpacked(room, inbox, folder):
    path = bulk(inbox / "submissions.zip", CANVAS)
    lines = gather(room, unpacked(path, inbox / "all") if folder else path)
    assert {student: line.status for student, line in lines.items()} == {
        "101": "taken",
        "102": "taken",
        "103": "taken",
        "104": "refused",
        "105": "taken",
    }
    assert [content(room, student) for student in ("101", "102", "103", "105")] == [1, 2, 3, 5]
    assert "called" not in lines["103"].reason  # Canvas added the -1, not the student
    assert "essay.pdf" in lines["104"].reason


def test_canvas_marks_the_late_ones_and_no_clock_of_a_student_says_otherwise(room, inbox):
    # the zip was downloaded a month later
    lines = gather(room, bulk(inbox / "s.zip", CANVAS, (2026, 12, 24, 9, 0, 0)))
    # The manifest says 10:00, which would be in time; so nobody knows when it was handed in.
    assert lines["102"].late_seconds == 0 and "LATE, without a time" in lines["102"].reason
    assert "tito grade late --handed-in 102 TIME" in lines["102"].reason
    assert lines["101"].late_seconds == 0 and lines["105"].late_seconds == 0


def test_a_roster_turns_a_platforms_numbers_into_ids(room, inbox):
    (inbox / "r.csv").write_text(
        "id,name,canvas_id\nann,Ann Lee,101\nbob,Bob Ray,102\nzoe,Zoe Zed,199\n", encoding="utf-8"
    )
    lines = gather(room, bulk(inbox / "s.zip", CANVAS), roster=inbox / "r.csv")
    assert (lines["ann"].status, lines["bob"].status, lines["zoe"].status) == (
        "taken",
        "taken",
        "missing",
    )
    assert lines["103"].status == "refused" and "canvas_id" in lines["103"].reason
    assert "not in the roster" in lines["103"].reason and "claims" not in lines["bob"].reason


def test_the_platform_wins_over_the_manifest_and_the_line_says_so(room, inbox):
    members = {
        "leeann_101_9001_a.zip": tito_zip(1, "101"),
        "mallory_666_9002_b.zip": tito_zip(2, "101", "2026-11-20T11:00:00+00:00"),
    }
    lines = gather(room, bulk(inbox / "s.zip", members))
    assert content(room, "101") == 1 and content(room, "666") == 2
    assert (
        "claims to be of '101'" in lines["666"].reason and "Canvas says 666" in lines["666"].reason
    )


@pytest.mark.parametrize(
    "form",
    ["{}_assignsubmission_file_/{}", "{}_assignsubmission_file/{}", "{}_assignsubmission_file_{}"],
)
def test_moodle_with_and_without_folders(room, inbox, form):
    members = {
        form.format("Ann Lee_1234567", "tiny_dev.ipynb"): notebook(1),
        form.format("Bob O'Neill_1234568", "07_tiny.zip"): tito_zip(2),
        form.format("Zoë Zed_1234569", "a_7_assignsubmission_file_tiny_dev.ipynb"): notebook(3),
    }
    lines = gather(room, bulk(inbox / "Course-Tiny-42.zip", members))
    assert sorted(lines) == ["1234567", "1234568", "1234569"] and {
        line.status for line in lines.values()
    } == {"taken"}
    assert [content(room, student) for student in sorted(lines)] == [1, 2, 3]


def test_moodles_time_of_upload_counts_and_not_the_students(room, inbox):
    bulk(
        inbox / "s.zip",
        {
            "Ann Lee_1234567_assignsubmission_file_/a.zip": tito_zip(
                1, time="2026-11-20T10:00:00+00:00"
            )
        },
        (2026, 11, 25, 12, 0, 0),
    )
    assert gather(room, inbox / "s.zip")["1234567"].late_seconds > 4 * 86_400


def test_two_people_that_a_roster_takes_for_one_are_both_refused(room, inbox):
    """A student may choose a classmate's name as display name."""
    (inbox / "r.csv").write_text("id,name\nann,Ann Lee\n", encoding="utf-8")
    members = {
        f"Ann Lee_{number}_assignsubmission_file_/tiny_dev.ipynb": notebook(number)
        for number in (1, 2)
    }
    lines = collect.collect(
        room.course, room.module, [bulk(inbox / "s.zip", members)], roster=inbox / "r.csv"
    )
    assert [line.status for line in lines if line.source] == [
        "refused",
        "refused",
    ] and "several people have the id ann" in lines[0].reason + lines[1].reason


def test_gradescopes_metadata_says_who_and_when_also_of_groups(room, inbox):
    members = {
        "assignment_9_export/submission_metadata.yml": GRADESCOPE,
        "assignment_9_export/submission_11/tiny_dev.ipynb": notebook(1),
        "assignment_9_export/submission_12/sub/tiny_dev.ipynb": notebook(2),
        "assignment_9_export/submission_13/tiny_dev.ipynb": notebook(3),
        "assignment_9_export/submission_14/tiny_dev.ipynb": notebook(4),
        "__MACOSX/assignment_9_export/._x.ipynb": "junk",
    }
    found = collect.collect(room.course, room.module, [bulk(inbox / "e.zip", members)])
    lines = {line.student: line for line in found}
    assert [content(room, student) for student in ("101", "102", "cid@x.org")] == [1, 2, 2]
    assert (
        lines["101"].late_seconds == pytest.approx(2 * 3600, abs=1)
        and lines["102"].late_seconds == 0
    )
    assert "handed in together: 102, cid@x.org" in lines["102"].reason
    assert [line.reason for line in found if line.status == "refused"] == [
        f"submission_metadata.yml names the people of each folder; it has nobody for submission_{n}"
        for n in (13, 14)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.system ['touch owned']",
        "a: [" * 5000,
        "{",
        "- &a [x]\n- *b",
        "\x00",
    ],
)
def test_metadata_that_is_no_plain_data_is_refused_as_a_whole(room, inbox, text, monkeypatch):
    monkeypatch.chdir(inbox)
    bulk(
        inbox / "e.zip", {"submission_metadata.yml": text, "submission_11/tiny_dev.ipynb": NOTEBOOK}
    )
    (line,) = collect.collect(room.course, room.module, [inbox / "e.zip"])
    assert (
        line.status == "refused"
        and "cannot be read" in line.reason
        and not (inbox / "owned").exists()
    )


def test_one_bad_file_in_a_download_costs_only_its_owner(room, inbox):
    members = {
        "leeann_101_9001_tiny_dev.ipynb": notebook(1),
        "raybob_102_9002_tiny_dev.ipynb": " " * (40 * 2**20),
        "ooncid_103_9003_a.zip": b"PK no zip",
        "daydee_104_9004_b.zip": (
            bulk(inbox / "x.tmp", {f"{n}.txt": "" for n in range(3000)}).read_bytes()
        ),
    }
    lines = gather(room, bulk(inbox / "s.zip", members))
    assert {student: line.status for student, line in lines.items()} == {
        "101": "taken",
        "102": "refused",
        "103": "refused",
        "104": "refused",
    }
    assert (
        "unpacks to at most" in lines["102"].reason
        and "cannot be read" in lines["103"].reason
        and "at most 20 files; this holds 3000" in lines["104"].reason
    )


def test_a_download_among_other_places_is_one_students_file_until_it_is_named(room, inbox):
    """With `collect inbox/*.zip`, a student who sends a zip that looks like Canvas's must not be
    able to hand in for others, or to prevent their files from being taken in.
    """
    bulk(inbox / "mallory.zip", {"leeann_101_9001_tiny_dev.ipynb": notebook(6)})
    (inbox / "ann.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    code, text = room.tito(
        "collect",
        str(inbox / "mallory.zip"),
        str(inbox / "ann.ipynb"),
        "--course",
        str(room.course.root),
    )
    assert code == 0 and "--from canvas" in text and "--from files" in text
    assert room.course.students(room.module) == ["ann", "mallory"]
    lines = gather(room, inbox)  # inside a folder it counts as one student's zip
    assert lines["mallory"].status == "unchanged" and "101" not in lines
    lines = gather(room, inbox / "mallory.zip", inbox / "ann.ipynb", platform="files")
    assert sorted(lines) == ["ann", "mallory"]
    lines = gather(room, inbox / "mallory.zip", platform="canvas")
    assert lines["101"].status == "taken"


def test_a_folder_in_the_form_of_a_download_among_other_places_is_refused_alone(room, inbox):
    unpacked(bulk(inbox / "submissions.zip", CANVAS), inbox / "all")
    (inbox / "ann.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    found = collect.collect(room.course, room.module, [inbox / "all", inbox / "ann.ipynb"])
    assert [(line.student, line.status) for line in found] == [(None, "refused"), ("ann", "taken")]
    assert "--from canvas" in found[0].reason


def test_an_export_of_gradescope_is_one_by_the_form_of_all_its_names():
    """A student can choose the name of a single file."""
    inside = ["submission_metadata.yml", "submission_11/tiny_dev.ipynb"]
    assert downloads.recognize(inside) == "gradescope"
    assert downloads.recognize([f"assignment_9_export/{path}" for path in inside]) == "gradescope"
    assert downloads.recognize([*inside, "tiny_dev.ipynb"]) is None
    assert downloads.recognize(["submission_metadata.yml", "ann.zip"]) is None
    assert downloads.recognize(["ann/submission_metadata.yml", "bob/tiny_dev.ipynb"]) is None
    assert downloads.recognize([*inside, "submission_11/submission_metadata.yml"]) == "gradescope"


def test_one_odd_name_in_an_inbox_gives_nobody_a_platforms_authority():
    assert downloads.recognize(["leeann_101_9001_a.ipynb", "bob.ipynb"]) is None
    assert downloads.recognize(["leeann_101_9001_a.ipynb"]) == "canvas"
    assert (
        downloads.recognize(["tiny_dev.ipynb", "manifest.json"]) is None
        and downloads.recognize([]) is None
    )


def test_canvas_takes_the_first_numbers_for_a_student_chooses_the_rest():
    platform = downloads.Platform("canvas", [], Roster())
    (owner,), file = platform.owners("leeann_101_9001_LATE_102_9002_x.ipynb")
    assert (owner.student, owner.late, file) == ("101", False, "LATE_102_9002_x.ipynb")
    (owner,), file = platform.owners("LATE_anon_xY3z_9001_x.ipynb")
    assert (owner.student, owner.late, file) == ("anon_xY3z", True, "x.ipynb")


def test_names_outside_ascii_and_control_characters_are_shown_on_one_line(room, inbox):
    odd = "leeann_101_9001_\x1b[31mred\u202egpj.txt"
    lines = gather(
        room, bulk(inbox / "s.zip", {odd: "x", "müllereva_105_9005_tiny_dev.ipynb": notebook(1)})
    )
    assert lines["105"].status == "taken"
    assert (
        "\x1b" not in lines["101"].reason + lines["101"].source
        and "\u202e" not in lines["101"].reason + lines["101"].source
    )
