"""When a submission was handed in: who says so, what costs points, and how it is corrected."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import pytest

from grading.engine.course.assignment import Assignment
from grading.engine.intake import hand_in_times as times
from grading.engine.intake.store import Store
from grading.engine.intake.which_file_counts import Candidate, Owner
from grading.engine.marks import late_penalties
from helpers.inboxes import notebook, packed, put, tito_zip
from helpers.written_marks import hand_in

LATE = datetime(2026, 11, 22, 12, tzinfo=timezone.utc).timestamp()  # two days after the due date


@pytest.fixture
def room(due_room):
    return due_room


def stamp(room, student="ann"):
    path = room.notebook(student).with_name("timestamp.txt")
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None


def replaced(room) -> list[str]:
    """The timestamps that were replaced."""
    paths = (room.course.root / "replaced").rglob("*timestamp.txt")
    return [path.read_text(encoding="utf-8").strip() for path in paths]


def late_seconds(room) -> float:
    return late_penalties.apply(room.course, room.module)["ann"].seconds_late


def test_a_modification_time_costs_nothing_unless_the_instructor_says_so(room, inbox):
    line = room.only(put(inbox / "ann.ipynb", notebook(), LATE))
    assert (line.late_seconds, line.time_from) == (0, times.FILE) and stamp(room) is None
    assert "2026-11-22 12:00 UTC" in line.reason and "--file-times" in line.reason
    line = room.only(inbox, file_times=True)
    assert (line.status, stamp(room)) == ("unchanged", "2026-11-22 12:00:00.000000 UTC")
    assert line.late_seconds == 2 * 86_400 and "costs nothing" not in line.reason


def test_a_bare_file_in_place_of_a_timed_one_has_no_time(room, inbox):
    """The gradebook must not keep the time of the file that was replaced."""
    hand_in(room, "ann", timestamp="2026-11-21 13:00:00 UTC")
    assert late_seconds(room) == 25 * 3600
    assert room.only(put(inbox / "ann.ipynb", notebook(), LATE)).status == "replaced"
    assert late_seconds(room) == 0 and len(replaced(room)) == 1


def test_the_instructor_says_when(room):
    hand_in(room, "ann", timestamp="2026-11-20 10:00:00 UTC")
    code, text = room.here("late", "07", "--handed-in", "ann", "2026-11-20T14:00+01:00")
    assert code == 0 and "1.0 h" in text and "by the instructor" in text
    assert stamp(room) == "2026-11-20 13:00:00.000000 UTC"
    assert replaced(room) == ["2026-11-20 10:00:00 UTC"]
    for student, at, reason in (("ann", "noon", "reads like"), ("bo", "2026-11-20", "ann")):
        code, text = room.here("late", "07", "--handed-in", student, at)
        assert code == 2 and reason in text


@pytest.mark.parametrize("by_hand", [False, True])
def test_the_stated_time_stays_when_a_surer_source_brings_the_same_work(room, inbox, by_hand):
    """What only file names tell is a claim; the same files with `--from` take its place."""
    place = put(inbox / "canvas.zip", packed({"leeann_LATE_101_9001_tiny_dev.ipynb": notebook()}))
    roster = put(inbox.parent / "roster.csv", "id,canvas_id\nann,101\n")
    assert room.by_student(place, roster=roster)["ann"].status == "taken"
    if by_hand:
        path = room.notebook("ann").with_name("timestamp.txt")
        path.write_text("2026-11-21 13:00:00 UTC\n", encoding="utf-8")
    else:
        room.here("late", "07", "--handed-in", "ann", "2026-11-21T13:00+00:00")
    for _ in range(2):
        line = room.by_student(place, roster=roster, platform="canvas")["ann"]
        assert (line.status, line.late_seconds) == ("unchanged", 25 * 3600)
        assert "costs nothing" not in line.reason and stamp(room).startswith("2026-11-21 13:00")


def test_beside_the_same_work_a_changed_notebook_takes_its_own_place_alone(room, tmp_path):
    """A person has corrected the time, and a surer source brings both notebooks."""
    foreign, at = Assignment.foreign("ps1", ("a", "b"), tmp_path / "sealed"), datetime(2026, 11, 20)
    folder, contents = room.course.submitted("ann", foreign), {"a": notebook(), "b": notebook()}
    for known_by in ("manifest", "folder"):
        with Store.open(room.course, foreign, None, times.UNTIMED) as store:
            for stem, data in contents.items():
                kept = put(tmp_path / f"{known_by}_{stem}", data)
                owner, when = Owner("ann", known_by=known_by), at.replace(tzinfo=timezone.utc)
                store.put(Candidate("inbox", owner, stem, kept, when, times.PACKED, "", ""))
        (folder / "timestamp.txt").write_text("2026-11-19 13:00:00 UTC\n", encoding="utf-8")
        contents["b"] = notebook(1)
    assert [line.status for line in store.lines] == ["unchanged", "replaced"]
    assert sorted(path.stem for path in folder.glob("*.ipynb")) == ["a", "b"]


def test_a_corrected_timestamp_is_noticed_and_stays(room, inbox):
    room.only(put(inbox / "ann.zip", tito_zip(time="2026-11-21T12:00:00+00:00")))
    work = json.loads(room.notebook("ann").read_text(encoding="utf-8"))
    hand_in(room, "ann", notebook=work, timestamp="2026-11-21 12:00:00.000000 UTC")
    assert late_seconds(room) == 86_400
    path = room.notebook("ann").with_name("timestamp.txt")
    path.write_text("2026-11-20 14:00:00 Europe/Berlin\n", encoding="utf-8")
    assert late_seconds(room) == 3600
    assert "by timestamp.txt" in room.here("late", "07")[1]
    room.only(inbox)
    assert stamp(room) == "2026-11-20 14:00:00 Europe/Berlin"
    path.write_text("yesterday\n", encoding="utf-8")
    _, text = room.here("late", "07")
    assert "ann: timestamp.txt does not hold a time" in text and "--handed-in ann TIME" in text


def test_canvas_late_without_a_time_costs_nothing_and_is_listed(room, inbox):
    data = packed({"leeann_LATE_101_9001_tiny_dev.ipynb": notebook()})
    line = room.only(put(inbox / "s.zip", data), platform="canvas")
    assert line.late_seconds == 0 and "--handed-in 101 TIME" in line.reason
    assert stamp(room, "101") is None
    assert "101: late by Canvas's mark, without a time" in room.here("late", "07")[1]
    room.here("late", "07", "--handed-in", "101", "2026-11-21T12:00Z")
    assert "Canvas's mark" not in room.here("late", "07")[1]
