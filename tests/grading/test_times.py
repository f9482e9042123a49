"""When a submission was handed in: who says so, what costs points, and how it is corrected. And
whose a file is, if its name does not say so.
"""

from __future__ import annotations

import json
import os
import zipfile
from datetime import datetime, timezone

import pytest
from paper import blank, hand_in, set_due
from test_collect import NOTEBOOK, only, other, submission

from grading.engine.intake import collect, times
from grading.engine.marks import late

LATE = datetime(2026, 11, 22, 12, tzinfo=timezone.utc).timestamp()  # two days after the due date


@pytest.fixture
def room(workspace, tmp_path):
    made = blank(workspace, tmp_path)
    set_due(made)
    return made


def saved(path, text=NOTEBOOK, at=LATE):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (at, at))
    return path


def stamp(room, student="ann"):
    path = room.course.submitted(student, room.module) / "timestamp.txt"
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None


def tito(room, verb, *arguments):
    return room.tito(verb, *map(str, arguments), "--course", str(room.course.root))


def test_a_modification_time_costs_nothing_unless_the_instructor_says_so(room, inbox):
    line = only(room, saved(inbox / "ann.ipynb"))
    assert (line.late_seconds, line.time_from) == (0, times.FILE) and stamp(room) is None
    assert "2026-11-22 12:00 UTC" in line.reason and "--file-times" in line.reason
    (line,) = collect.collect(room.course, room.module, [inbox], file_times=True)
    assert (line.status, stamp(room)) == ("unchanged", "2026-11-22 12:00:00.000000 UTC")


def test_a_bare_file_in_place_of_a_timed_one_has_no_time(room, inbox):
    """The gradebook must not keep the time of the file that was replaced."""
    hand_in(room, "ann", timestamp="2026-11-21 13:00:00 UTC")
    assert late.apply(room.course, room.module)["ann"].seconds_late == 25 * 3600
    assert only(room, saved(inbox / "ann.ipynb")).status == "replaced"
    assert late.apply(room.course, room.module)["ann"].seconds_late == 0
    assert list((room.course.root / "replaced").rglob("*timestamp.txt"))


def test_each_time_says_where_it_came_from(room, inbox):
    submission(inbox / "ann.zip", time="2026-11-20T13:00:00+00:00")
    saved(inbox / "bob.ipynb")
    code, text = tito(room, "collect", inbox)
    assert code == 0 and "1.0 h late by the clock of the student's machine" in text
    assert (
        "times of handing in: 1 by the clock of the student's machine, 1 by the file's modification"
        " time" in text
    )


def test_the_instructor_says_when(room):
    hand_in(room, "ann", timestamp="2026-11-20 10:00:00 UTC")
    code, text = tito(room, "late", "07", "--handed-in", "ann", "2026-11-20T14:00+01:00")
    assert code == 0 and "1.0 h" in text and "by the instructor" in text
    assert stamp(room) == "2026-11-20 13:00:00.000000 UTC"
    kept = (room.course.root / "replaced").rglob("*timestamp.txt")
    assert [path.read_text(encoding="utf-8") for path in kept] == ["2026-11-20 10:00:00 UTC\n"]


@pytest.mark.parametrize(
    "student, text, reason", [("ann", "noon", "reads like"), ("bo", "2026-11-20", "ann")]
)
def test_a_time_or_student_that_cannot_be_meant_is_wrong_usage(room, student, text, reason):
    hand_in(room, "ann")
    code, said = tito(room, "late", "07", "--handed-in", student, text)
    assert code == 2 and reason in said


def test_a_corrected_timestamp_is_noticed_and_stays(room, inbox):
    submission(inbox / "ann.zip", time="2026-11-21T12:00:00+00:00")
    only(room, inbox)
    text = (room.course.submitted("ann", room.module) / "tiny_dev.ipynb").read_text("utf-8")
    hand_in(room, "ann", notebook=json.loads(text), timestamp="2026-11-21 12:00:00.000000 UTC")
    assert late.apply(room.course, room.module)["ann"].seconds_late == 86_400
    path = room.course.submitted("ann", room.module) / "timestamp.txt"
    path.write_text("2026-11-20 14:00:00 Europe/Berlin\n", encoding="utf-8")
    assert late.apply(room.course, room.module)["ann"].seconds_late == 3600
    _, text = tito(room, "late", "07")
    assert "by timestamp.txt" in text
    only(room, inbox)
    assert stamp(room) == "2026-11-20 14:00:00 Europe/Berlin"
    path.write_text("yesterday\n", encoding="utf-8")
    _, text = tito(room, "late", "07")
    assert "ann: timestamp.txt does not hold a time" in text and "--handed-in ann TIME" in text


def test_canvas_late_without_a_time_costs_nothing_and_is_listed(room, inbox):
    with zipfile.ZipFile(inbox / "s.zip", "w") as archive:
        archive.writestr("leeann_LATE_101_9001_tiny_dev.ipynb", NOTEBOOK)
    (line,) = collect.collect(room.course, room.module, [inbox / "s.zip"], platform="canvas")
    assert line.late_seconds == 0 and "--handed-in 101 TIME" in line.reason
    assert stamp(room, "101") is None
    _, text = tito(room, "late", "07")
    assert "101: late by Canvas's mark, without a time" in text
    tito(room, "late", "07", "--handed-in", "101", "2026-11-21T12:00Z")
    _, text = tito(room, "late", "07")
    assert "Canvas's mark" not in text


# Whose a file is


def test_a_bare_notebook_in_an_inbox_is_nobodys(room, inbox):
    for place in (inbox, inbox / "tiny_dev.ipynb"):
        line = only(room, saved(inbox / "tiny_dev.ipynb") and place)
        assert line.status == "refused" and line.student is None
        assert "'inbox'" in line.reason and "Rename it to ID.ipynb" in line.reason
    assert room.course.students(room.module) == [] and (inbox / "tiny_dev.ipynb").is_file()


def test_a_bare_notebook_in_the_folder_of_a_student_is_theirs(room, inbox):
    hand_in(room, "ann")
    line = only(room, saved(inbox / "ann" / "tiny_dev.ipynb", other(1)))
    assert (line.student, line.status) == ("ann", "replaced")


def test_with_a_roster_a_misspelled_name_is_refused_with_the_nearest_and_nothing_is_lost(
    room, inbox
):
    roster = inbox / "roster.csv"
    roster.write_text('id,name,email\nanna.lee,"Lee, Anna",al@x.org\nbob,Bob Ray,\n', "utf-8")
    names = ("ana.lee", "Bob", "quite-different", "al@x.org", "bob")
    files = [saved(inbox / f"{name}.ipynb", other(i)) for i, name in enumerate(names)]
    lines = collect.collect(room.course, room.module, files, roster=roster)
    said = {line.source.rpartition("/")[2]: line for line in lines if line.source}
    assert "nearest: anna.lee. Rename the file" in said["ana.lee.ipynb"].reason
    assert "nearest: bob" in said["Bob.ipynb"].reason
    assert "nobody is near" in said["quite-different.ipynb"].reason
    assert "nearest: anna.lee" in said["al@x.org.ipynb"].reason
    assert room.course.students(room.module) == ["bob"] and all(path.is_file() for path in files)
    _, text = tito(room, "collect", *files[:1])
    assert "nearest: anna.lee" in text  # the roster is kept in the course


# Files that cannot be read

NEXT = "Ask for the notebook again; until then it earns nothing"


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"", "this file is empty"),
        (b"\0" * 999, "this file is empty"),
        (NOTEBOOK[:-9].encode(), "ends in the middle, as after a broken upload"),
        (b"PK\x03\x04...", "a zip or an Office document"),
        (b"%PDF-1.7", "a PDF"),
        (b"<!DOCTYPE html><title>GitHub</title>", "a web page"),
        (b'{"nbformat": 3}', "list of cells; the file has none"),
    ],
    ids=["empty", "zeros", "cut", "zip", "PDF", "page", "no cells"],
)
def test_what_is_no_notebook_gets_the_next_step(room, inbox, data, reason):
    (inbox / "ann.ipynb").write_bytes(data)
    line = only(room, inbox)
    assert line.status == "taken" and line.reason.startswith("broken: ")
    assert reason in line.reason and NEXT in line.reason


@pytest.mark.parametrize("form", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_a_notebook_in_another_encoding_is_read(room, inbox, form):
    from grading.engine.intake.submission import read_submission

    work = {"cells": [{"cell_type": "raw", "metadata": {}, "source": "Größe"}], "metadata": {}}
    (inbox / "ann.ipynb").write_bytes(json.dumps(work, ensure_ascii=False).encode(form))
    line = only(room, inbox)
    assert line.status == "taken" and "broken" not in line.reason
    assert ("saved as" in line.reason) == (form != "utf-8-sig")
    found = read_submission(room.course.submitted("ann", room.module), "ann", {"tiny_dev": set()})
    assert json.loads(found.notebooks["tiny_dev"]) == work
    assert bool(found.notes) == (form != "utf-8-sig")


def test_formats_before_4_are_no_damage(room, inbox):
    old = {"worksheets": [{"cells": [{"cell_type": "code", "input": "a = 1"}]}], "nbformat": 3}
    (inbox / "ann.ipynb").write_text(json.dumps(old), encoding="utf-8")
    assert "broken" not in only(room, inbox).reason


def test_a_file_that_is_too_large_says_how_to_make_it_smaller(room, inbox):
    with open(inbox / "ann.ipynb", "wb") as file:
        file.truncate(80 * 2**20)
    assert "jupyter nbconvert --clear-output" in only(room, inbox).reason
