"""Late penalties: laws of the policy; and nbgrader's own gradebook, export and feedback show the
penalties.
"""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper import blank, hand_in, set_due

from grading.engine.marks import late
from grading.engine.marks.late import DAY_SECONDS, Policy

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


@given(policies, numbers, seconds, seconds)
def test_later_never_costs_less(policy, points, one, two):
    assert policy.penalty(points, min(one, two)) <= policy.penalty(points, max(one, two))


@given(policies, st.floats(-5, 1000, allow_nan=False), seconds)
def test_nothing_falls_below_zero_and_the_cap_holds(policy, points, late_by):
    cost = policy.penalty(points, late_by)
    assert 0 <= cost <= max(points, 0)
    assert cost <= max(points, 0) * policy.cap_percent / 100 + 0.005


@given(policies, numbers, seconds, st.floats(0, 365), st.floats(0, 365), st.floats(0, 30))
def test_an_extension_never_hurts(policy, points, after_due, granted, own, more):
    def cost(days, by_policy):
        policy_now = Policy(
            policy.grace_minutes, policy.percent_per_day, policy.cap_percent, {"ann": by_policy}
        )
        return policy_now.penalty(points, policy_now.seconds_late("ann", after_due, days))

    assert cost(granted + more, own) <= cost(granted, own) and cost(granted, own + more) <= cost(
        granted, own
    ) <= cost(0, 0)


@given(policies, numbers)
def test_in_time_and_within_the_grace_cost_nothing(policy, points):
    assert policy.penalty(points, 0) == policy.penalty(points, policy.grace_minutes * 60) == 0


def test_a_day_counts_as_soon_as_it_has_begun():
    policy = Policy(grace_minutes=15, percent_per_day=10, cap_percent=25)
    assert [
        policy.percent(s) for s in (900, 901, DAY_SECONDS, DAY_SECONDS + 1, 5 * DAY_SECONDS)
    ] == [0, 10, 10, 20, 25]
    assert Policy(percent_per_day=10).penalty(7, 1) == 0.7


@pytest.fixture
def room(workspace, tmp_path):
    made = blank(workspace, tmp_path)
    set_due(made)
    hand_in(made, "ann", timestamp="2026-11-20 10:00:00 UTC")
    # 25 h late, 5 points
    hand_in(made, "bob", timestamp="2026-11-21 13:00:00 UTC", test_double=0)
    return made


def write(room, text):
    (room.course.root / "late.toml").write_text(text, encoding="utf-8")


def test_without_a_policy_nothing_is_touched(room):
    from grading.engine.nbgrader.library import gradebook

    with gradebook(room.course.db_url) as book:  # as another plugin might
        book.find_submission("07_tiny", "bob").notebooks[0].late_submission_penalty = 1.5
        book.db.commit()
    found = late.apply(room.course, room.module)
    assert (found["bob"].before, found["bob"].penalty, found["bob"].after) == (5, 1.5, 3.5)


def test_nbgraders_own_export_subtracts_the_penalty_and_a_change_needs_no_regrading(room, tmp_path):
    from grading.engine.nbgrader.library import gradebook, quiet

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
        assert late.apply(room.course, room.module)["bob"].penalty == cost, text
        with gradebook(room.course.db_url) as book:
            plugin = CsvExportPlugin()
            plugin.to = str(tmp_path / "nbgrader.csv")
            plugin.export(book)
        with open(tmp_path / "nbgrader.csv", encoding="utf-8") as file:
            rows = {row["student_id"]: row for row in csv.DictReader(file)}
        assert (
            float(rows["bob"]["raw_score"]),
            float(rows["bob"]["late_submission_penalty"] or 0),
            float(rows["bob"]["score"]),
        ) == (5, cost, 5 - cost)
        assert float(rows["ann"]["score"]) == 7


def test_an_extension_in_the_gradebook_counts(room):
    write(room, "percent_per_day = 10")
    code, text = room.tito("late", "07", "--extend", "bob", "1", "--course", str(room.course.root))
    assert code == 0 and "5 - 0.5 = 4.5 points" in text  # an extension of one of the two days
    code, text = room.tito(
        "late", "07", "--extend", "bob", "1.5", "--course", str(room.course.root)
    )
    assert "0 of the graded submissions are late" in text
    room.tito("late", "07", "--extend", "bob", "0", "--course", str(room.course.root))
    assert late.apply(room.course, room.module)["bob"].penalty == 1.0


def test_the_due_date_is_set_from_the_command_line(room):
    write(room, "percent_per_day = 10")
    code, text = room.tito(
        "late", "07", "--due", "2026-11-21T14:00+01:00", "--course", str(room.course.root)
    )
    assert code == 0 and "due: 2026-11-21 13:00 UTC" in text
    assert "0 of the graded submissions are late" in text


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (("--due", "tomorrow"), "reads like"),
        (("--extend", "nobody", "2"), "late.toml"),
        (("--extend", "bob", "-1"), "number of days"),
        (("--extend", "bob", "nan"), "number of days"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(room, arguments, reason):
    code, text = room.tito("late", "07", "--course", str(room.course.root), *arguments)
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
def test_a_policy_that_cannot_be_meant_is_refused_with_its_file(room, text):
    write(room, text)
    with pytest.raises(late.UsageError, match=r"late.toml"):
        late.apply(room.course, room.module)


def test_without_a_due_date_nobody_is_late(workspace, tmp_path):
    made = blank(workspace, tmp_path)
    hand_in(made, "ann")
    write(made, "percent_per_day = 10")
    assert late.apply(made.course, made.module)["ann"].penalty == 0
