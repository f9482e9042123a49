"""One run over a class: whatever stops it, the next run completes it, and the gradebook is the same
as after an undisturbed run.

No kernel runs here: the pool is a stand-in that returns scores computed from the student's id.
`test_killed_at_random.py` kills real processes.
"""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.engine.course.directory import Course
from grading.engine.run import batch, gradebook_writer
from helpers.instant_grading import STUDENTS, StandIn, clean, gradebook_of, make_room, run
from helpers.stopped_runs import Killed, stopped
from tito.errors import EnvironmentBroken


@pytest.fixture
def room(template, tmp_path) -> tuple[Course, StandIn]:
    return make_room(template, tmp_path)


def log_of(room) -> str:
    course, pool = room
    return (course.reports(pool.kit.assignment) / "autograde.log").read_text(encoding="utf-8")


def test_every_submission_is_in_the_gradebook_and_only_changes_are_graded_again(room):
    course, pool = room
    done = run(course, pool)
    assert sorted(one.student for one in done) == STUDENTS
    assert {one.status for one in done} == {"graded"} and gradebook_of(course) == clean(pool.kit)
    text = log_of(room)
    assert "stand-in" in text.splitlines()[0]
    assert all(f" {student} graded " in text for student in STUDENTS)
    again = {(one.student, one.points, one.status) for one in run(course, pool)}
    assert again == {(one.student, one.points, "unchanged") for one in done}
    path = course.submitted("bob", pool.kit.assignment) / f"{pool.kit.assignment.stem}.ipynb"
    path.write_bytes(path.read_bytes() + b"\n")
    run(course, pool)
    pool.kit = replace(pool.kit, digest="another engine")
    run(course, pool)
    run(course, pool, force=True)
    assert pool.submitted == [*STUDENTS, "bob", *STUDENTS, *STUDENTS]


@settings(max_examples=25)
@given(
    moments=st.lists(st.integers(1, 6 * len(STUDENTS)), min_size=1, max_size=4),
    kind=st.sampled_from([Killed("kill"), OSError(errno.ENOSPC, "No space left on device")]),
)
def test_a_run_stopped_between_any_two_steps_is_ended_by_the_next(
    template, tmp_path_factory, moments, kind
):
    course, pool = make_room(template, tmp_path_factory.mktemp("stopped"))
    for moment in moments:
        with stopped(moment, kind):
            run(course, pool)
    run(course, pool)
    assert gradebook_of(course) == clean(pool.kit)
    # Only submissions without a report are graded again: at most those that were in progress at
    # each stop.
    assert len(pool.submitted) <= len(STUDENTS) + pool.window * len(moments)


def test_a_locked_gradebook_loses_nothing_and_says_what_to_do(room, monkeypatch):
    course, pool = room
    monkeypatch.setattr(gradebook_writer, "WAIT_SECONDS", 0)
    # SQLite's own waiting time, 5 s by default
    vars(course)["db_url"] = course.db_url + "?timeout=0.1"
    with contextlib.closing(sqlite3.connect(course.database)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(
            EnvironmentBroken,
            match=r"stayed locked.* 5 of 5 graded submissions wait in .*same command again",
        ):
            run(course, pool)
    assert gradebook_of(course) == {}
    run(course, pool)
    assert sorted(pool.submitted) == STUDENTS and gradebook_of(course) == clean(pool.kit)


def test_two_runs_of_one_assignment_do_not_mix(room):
    course, pool = room
    with (
        batch.one_run(course, pool.kit.assignment),
        pytest.raises(EnvironmentBroken, match="one run grades 07_tiny at a time"),
    ):
        run(course, pool)


def test_a_folder_that_is_no_students_waits_for_a_person(room):
    course, pool = room
    (course.root / "submitted" / "-rf" / "07_tiny").mkdir(parents=True)
    done = {one.student: one for one in run(course, pool)}
    assert "the folder submitted/-rf is not. Rename it" in done["-rf"].reasons[0]
    assert done["-rf"].status == "needs_review" and sorted(gradebook_of(course)) == STUDENTS
