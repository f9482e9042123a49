"""Late penalties: laws of the policy; and nbgrader's own gradebook, export and feedback show the
penalties.
"""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.engine.marks import late_penalties
from grading.engine.marks.late_penalties import DAY_SECONDS, Policy
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


def bob(room):
    return late_penalties.apply(room.course, room.module)["bob"]


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
        assert bob(room).penalty == cost, text
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
