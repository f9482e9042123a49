"""When a submission was handed in, and what it costs: who says so and how it is corrected; laws of
the policy; and nbgrader's own gradebook, export and feedback show the penalties.
"""

from __future__ import annotations

import csv
import json
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.engine.course.assignment import Assignment
from grading.engine.intake import hand_in_times as times
from grading.engine.intake.store import Store
from grading.engine.intake.which_file_counts import Candidate, Owner
from grading.engine.marks import late_penalties
from grading.engine.marks.late_penalties import DAY_SECONDS, Policy
from helpers.inboxes import notebook, packed, put, tito_zip
from helpers.written_marks import hand_in

numbers = st.floats(0, 1000, allow_nan=False)
percents = st.floats(0, 100, allow_nan=False)
policies = st.builds(
    Policy,
    grace_minutes=numbers,
    percent_per_day=percents,
    cap_percent=percents,
    extensions=st.just({}),
)
seconds = st.floats(0, 100 * DAY_SECONDS, allow_nan=False)


@given(policies, st.floats(-5, 1000, allow_nan=False), seconds, seconds)
def test_later_never_costs_less_nothing_falls_below_zero_and_the_cap_holds(
    policy, points, one, two
):
    less, more = (policy.penalty(points, late_by) for late_by in sorted((one, two)))
    assert 0 <= less <= more <= max(points, 0)
    assert more <= max(points, 0) * policy.cap_percent / 100 + 0.005
    grace = policy.grace_minutes * 60
    assert policy.penalty(points, 0) == policy.penalty(points, grace) == 0


@given(policies, numbers, seconds, st.floats(0, 365), st.floats(0, 365), st.floats(0, 30))
def test_an_extension_never_hurts(policy, points, after_due, granted, own, more):
    def cost(days, by_policy):
        policy_now = Policy(
            policy.grace_minutes, policy.percent_per_day, policy.cap_percent, {"ann": by_policy}
        )
        return policy_now.penalty(points, policy_now.seconds_late("ann", after_due, days))

    assert cost(granted + more, own) <= cost(granted, own) <= cost(0, 0)
    assert cost(granted, own + more) <= cost(granted, own)


def test_a_day_counts_as_soon_as_it_has_begun():
    policy = Policy(grace_minutes=15, percent_per_day=10, cap_percent=25)
    moments = (900, 901, DAY_SECONDS, DAY_SECONDS + 1, 5 * DAY_SECONDS)
    assert [policy.percent(moment) for moment in moments] == [0, 10, 10, 20, 25]
    assert Policy(percent_per_day=10).penalty(7, 1) == 0.7


@pytest.fixture
def room(due_room):
    """ann is in time; bob is 25 h late, with 5 points."""
    hand_in(due_room, "ann", timestamp="2026-11-20 10:00:00 UTC")
    hand_in(due_room, "bob", timestamp="2026-11-21 13:00:00 UTC", test_double=0)
    return due_room


def write(room, text):
    (room.course.root / "late.toml").write_text(text, encoding="utf-8")


def test_nbgraders_own_export_subtracts_the_penalty_and_a_change_needs_no_regrading(room, tmp_path):
    from grading.engine.nbgrader.import_nbgrader import quiet

    with quiet():
        from nbgrader.plugins import CsvExportPlugin
    for text, cost in (
        ("percent_per_day = 10", 1.0),
        ("percent_per_day = 10\ncap_percent = 15", 0.75),
        ("[extensions]\nbob = 2", 0.0),
        ('percent_per_day = 10\n["07_tiny"]\npercent_per_day = 50', 5.0),
        ('percent_per_day = 10\n["09_x"]\npercent_per_day = 50', 1.0),
    ):
        write(room, text)
        assert late_penalties.apply(room.course, room.module)["bob"].penalty == cost, text
        with room.course.book() as book:
            plugin = CsvExportPlugin()
            plugin.to = str(tmp_path / "nbgrader.csv")
            plugin.export(book)
        with open(tmp_path / "nbgrader.csv", encoding="utf-8") as file:
            rows = {row["student_id"]: row for row in csv.DictReader(file)}
        names = ("raw_score", "late_submission_penalty", "score")
        assert [float(rows["bob"][name] or 0) for name in names] == [5, cost, 5 - cost]
        assert float(rows["ann"]["score"]) == 7


def test_extensions_and_the_due_date_are_set_from_the_command_line(room):
    write(room, "percent_per_day = 10")
    for days, said in (
        ("1", "5 - 0.5 = 4.5 points"),  # an extension of one of the two days
        ("1.5", "0 of the graded submissions are late"),
        ("0", "5 - 1 = 4 points"),
    ):
        code, text = room.here("late", "07", "--extend", "bob", days)
        assert code == 0 and said in text
    code, text = room.here("late", "07", "--due", "2026-11-21T14:00+01:00")
    assert code == 0 and "due: 2026-11-21 13:00 UTC" in text
    assert "0 of the graded submissions are late" in text
    for words, reason in (
        (("--due", "tomorrow"), "reads like"),
        (("--extend", "bobb", "2"), "a student of the class; 'bobb' is none. Near: bob"),
        (("--extend", "bob", "-1"), "number of days"),
        (("--extend", "bob", "nan"), "number of days"),
    ):
        code, text = room.here("late", "07", *words)
        assert code == 2 and reason in text


def test_penalties_without_a_due_date_are_named(room, tmp_path, capsys):
    """A gradebook that was made anew has lost the date."""
    with room.course.book() as book:
        book.find_assignment("07_tiny").duedate = None
        book.db.commit()
    for policy, named in (
        ("grace_minutes = 5", False),
        ("percent_per_day = 10", True),
        ("percent_per_day = 10\ncap_percent = 0", False),
    ):
        write(room, policy)
        assert room.here("export", "07", "--to", str(tmp_path / "marks.csv"))[0] == 0
        text = capsys.readouterr().err
        assert ("Set it: tito grade late 07_tiny --due TIME" in text) is named


@pytest.mark.parametrize(
    "text",
    [
        "percent_per_day = -1",
        "percent_per_day = 101",
        "cap_percent = true",
        "grace = 3",
        "percent_per_day = 'ten'",
        "[extensions]\nann = -1",
        "= 3",
        "grace_minutes = nan",
        '["07_tiny"]\nper_day = 1',
    ],
)
def test_a_policy_that_cannot_be_meant_is_refused_with_its_file(due_room, text):
    write(due_room, text)
    with pytest.raises(late_penalties.UsageError, match=r"late.toml"):
        late_penalties.apply(due_room.course, due_room.module)


# When

LATE = datetime(2026, 11, 22, 12, tzinfo=timezone.utc).timestamp()  # two days after the due date


def stamp(due_room, student="ann"):
    path = due_room.notebook(student).with_name("timestamp.txt")
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None


def replaced(due_room) -> list[str]:
    """The timestamps that were replaced."""
    paths = (due_room.course.root / "replaced").rglob("*timestamp.txt")
    return [path.read_text(encoding="utf-8").strip() for path in paths]


def late_seconds(due_room) -> float:
    return late_penalties.apply(due_room.course, due_room.module)["ann"].seconds_late


def test_a_modification_time_costs_nothing_unless_the_instructor_says_so(due_room, inbox):
    line = due_room.only(put(inbox / "ann.ipynb", notebook(), LATE))
    assert (line.late_seconds, line.time_from) == (0, times.FILE) and stamp(due_room) is None
    assert "2026-11-22 12:00 UTC" in line.reason and "--file-times" in line.reason
    line = due_room.only(inbox, file_times=True)
    assert (line.status, stamp(due_room)) == ("unchanged", "2026-11-22 12:00:00.000000 UTC")
    assert line.late_seconds == 2 * 86_400 and "costs nothing" not in line.reason


def test_a_bare_file_in_place_of_a_timed_one_has_no_time(due_room, inbox):
    """The gradebook must not keep the time of the file that was replaced."""
    hand_in(due_room, "ann", timestamp="2026-11-21 13:00:00 UTC")
    assert late_seconds(due_room) == 25 * 3600
    assert due_room.only(put(inbox / "ann.ipynb", notebook(), LATE)).status == "replaced"
    assert late_seconds(due_room) == 0 and len(replaced(due_room)) == 1


def test_the_instructor_says_when(due_room):
    hand_in(due_room, "ann", timestamp="2026-11-20 10:00:00 UTC")
    code, text = due_room.here("late", "07", "--handed-in", "ann", "2026-11-20T14:00+01:00")
    assert code == 0 and "1.0 h" in text and "by the instructor" in text
    assert stamp(due_room) == "2026-11-20 13:00:00.000000 UTC"
    assert replaced(due_room) == ["2026-11-20 10:00:00 UTC"]
    for student, at, reason in (("ann", "noon", "reads like"), ("bo", "2026-11-20", "ann")):
        code, text = due_room.here("late", "07", "--handed-in", student, at)
        assert code == 2 and reason in text


def test_the_stated_time_stays_when_a_surer_source_brings_the_same_work(due_room, inbox):
    """What only file names tell is a claim; the same files with `--from` take its place."""
    place = put(inbox / "canvas.zip", packed({"leeann_LATE_101_9001_tiny_dev.ipynb": notebook()}))
    roster = put(inbox.parent / "roster.csv", "id,canvas_id\nann,101\n")
    assert due_room.by_student(place, roster=roster)["ann"].status == "taken"
    due_room.here("late", "07", "--handed-in", "ann", "2026-11-21T13:00+00:00")
    for _ in range(2):
        line = due_room.by_student(place, roster=roster, platform="canvas")["ann"]
        assert (line.status, line.late_seconds) == ("unchanged", 25 * 3600)
        assert "costs nothing" not in line.reason and stamp(due_room).startswith("2026-11-21 13:00")


def test_beside_the_same_work_a_changed_notebook_takes_its_own_place_alone(due_room, tmp_path):
    """A person has corrected the time, and a surer source brings both notebooks."""
    foreign, at = Assignment.foreign("ps1", ("a", "b"), tmp_path / "sealed"), datetime(2026, 11, 20)
    folder, contents = due_room.course.submitted("ann", foreign), {"a": notebook(), "b": notebook()}
    for known_by in ("manifest", "folder"):
        with Store.open(due_room.course, foreign, None, times.UNTIMED) as store:
            for stem, data in contents.items():
                kept = put(tmp_path / f"{known_by}_{stem}", data)
                owner, when = Owner("ann", known_by=known_by), at.replace(tzinfo=timezone.utc)
                store.put(Candidate("inbox", owner, stem, kept, when, times.PACKED, "", ""))
        (folder / "timestamp.txt").write_text("2026-11-19 13:00:00 UTC\n", encoding="utf-8")
        contents["b"] = notebook(1)
    assert [line.status for line in store.lines] == ["unchanged", "replaced"]
    assert sorted(path.stem for path in folder.glob("*.ipynb")) == ["a", "b"]


def test_a_corrected_timestamp_is_noticed_and_stays(due_room, inbox):
    due_room.only(put(inbox / "ann.zip", tito_zip(time="2026-11-21T12:00:00+00:00")))
    work = json.loads(due_room.notebook("ann").read_text(encoding="utf-8"))
    hand_in(due_room, "ann", notebook=work, timestamp="2026-11-21 12:00:00.000000 UTC")
    assert late_seconds(due_room) == 86_400
    path = due_room.notebook("ann").with_name("timestamp.txt")
    path.write_text("2026-11-20 14:00:00 Europe/Berlin\n", encoding="utf-8")
    assert late_seconds(due_room) == 3600
    assert "by timestamp.txt" in due_room.here("late", "07")[1]
    due_room.only(inbox)
    assert stamp(due_room) == "2026-11-20 14:00:00 Europe/Berlin"
    path.write_text("yesterday\n", encoding="utf-8")
    _, text = due_room.here("late", "07")
    assert "ann: timestamp.txt does not hold a time" in text and "--handed-in ann TIME" in text


def test_canvas_late_without_a_time_costs_nothing_and_is_listed(due_room, inbox):
    data = packed({"leeann_LATE_101_9001_tiny_dev.ipynb": notebook()})
    line = due_room.only(put(inbox / "s.zip", data), platform="canvas")
    assert line.late_seconds == 0 and "--handed-in 101 TIME" in line.reason
    assert stamp(due_room, "101") is None
    assert "101: late by Canvas's mark, without a time" in due_room.here("late", "07")[1]
    due_room.here("late", "07", "--handed-in", "101", "2026-11-21T12:00Z")
    assert "Canvas's mark" not in due_room.here("late", "07")[1]
