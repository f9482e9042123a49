"""A group hands in once: every member gets marks and a page, nothing is lost, nobody is accused."""

from __future__ import annotations

import json

import pytest

from grading.engine.intake.hand_in_times import HandInTimes
from grading.engine.marks import similarity
from grading.engine.marks.answers_to_grade import question_of
from grading.engine.marks.grade_by_hand import mark
from helpers.inboxes import put
from helpers.instant_grading import StandIn, run
from helpers.tiny_course import fill

MEMBERS = ("ann", "bob", "cid")
TEAM = {**dict.fromkeys(MEMBERS, "team1"), "dee": ""}
TWO = {"ann": "red", "bob": "red; blue", "cid": "blue"}
OWN = """total = 0
    for place, value in enumerate([x, x]):
        total = total + value
    for place in range(3):
        total = total + place - place
    return max([total, total]) if place else None"""


@pytest.fixture
def pool(template) -> StandIn:
    """A pool without kernels, whose points depend on the student that it ran."""
    return StandIn(template[1])


def take_in(room, inbox, works: dict[str, dict], groups: dict[str, str], clock: int = 0):
    """student -> (status, reason) after a collection of these notebooks; later ones are newer."""
    for number, (name, notebook) in enumerate(works.items()):
        put(inbox / f"{name}.ipynb", json.dumps(notebook), at=1_790_000_000 + clock + number)
    rows = "".join(f"{who},{name}\n" for who, name in groups.items())
    lines = room.collect(inbox, roster=put(inbox.parent / "roster.csv", f"id,group\n{rows}"))
    return {line.student: (line.status, line.reason) for line in lines if line.status != "older"}


def submitted(room, student: str) -> str:
    return room.notebook(student).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["bob", "team1"])
def test_one_hand_in_is_that_of_every_member(room, released, inbox, name):
    found = take_in(room, inbox, {name: released}, TEAM)
    assert {who: status for who, (status, _) in found.items()} == {
        **dict.fromkeys(MEMBERS, "taken"),
        "dee": "missing",
    }
    assert all(f"handed in by {name} for group team1" in found[who][1] for who in MEMBERS)
    assert len({submitted(room, who) for who in MEMBERS}) == 1
    assert HandInTimes(room.course, room.module).groups()["cid"] == MEMBERS


def test_the_time_that_is_stated_for_one_member_is_that_of_the_group(room, released, inbox):
    take_in(room, inbox, {"bob": released, "dee": released}, TEAM)
    _, said = room.here("late", "07", "--handed-in", "cid", "2026-11-20T13:00+00:00")
    times = HandInTimes(room.course, room.module)
    assert {times.stamped(who).hour for who in MEMBERS} == {13} and times.stamped("dee") is None
    assert all(f"{who}: handed in" in said for who in MEMBERS) and "dee: handed in" not in said


def test_each_member_gets_marks_a_page_and_one_answer_is_graded_once(room, released, inbox, pool):
    take_in(room, inbox, {"bob": fill(released, double=OWN), "dee": fill(released)}, TEAM)
    points = {one.student: one.points for one in run(room.course, pool)}
    assert points["ann"] == points["bob"] == points["cid"] and "dee" in points
    question = question_of(room.course, room.module, "q_why")
    assert sorted(one.student for one in question.answers) == ["ann", "dee"]
    mark(room.course, room.module, "bob", "q_why", 3, "Say whose list.")
    assert all(room.grade(who, "q_why")["manual_score"] == 3 for who in MEMBERS)
    assert room.grade("dee", "q_why")["manual_score"] is None
    assert room.here("feedback", "07")[0] == 0
    for who in MEMBERS:
        assert "Say whose list." in room.course.feedback(who, room.module).read_text()


def facts(room, student: str):
    """What is kept about a result, apart from whose it is and how long it took."""
    report = room.report(student)
    for name in ("student", "seconds", "stages"):
        report.pop(name)
    executed = room.course.autograded(student, room.module, "tiny_dev").read_bytes()
    names = [row["grade_id"] for row in report["cells"]]
    scores = [room.grade(student, name)["auto_score"] for name in names]
    return report, executed, scores


def test_the_notebook_of_a_group_is_run_once_in_each_run(room, released, inbox, pool):
    take_in(room, inbox, {"bob": fill(released, double=OWN)}, {**TEAM, "eve": ""})
    run(room.course, pool, students=["bob"])
    before = facts(room, "bob")
    put(room.notebook("eve"), submitted(room, "bob"))
    done = run(room.course, pool)
    assert pool.submitted == ["bob", "eve"]  # eve copied, but is in no group
    assert {one.student for one in done} == {*MEMBERS, "eve"}
    assert before == facts(room, "ann") == facts(room, "bob") == facts(room, "cid")
    assert before != facts(room, "eve")
    for pool.window in (1, 3):
        pool.submitted.clear()
        run(room.course, pool, force=True)
        assert len(pool.submitted) == 2
        assert facts(room, "ann") == facts(room, "bob") == facts(room, "cid")
    put(room.notebook("cid"), json.dumps(fill(released)))  # other files: a run of its own
    pool.submitted.clear()
    run(room.course, pool)
    assert pool.submitted == ["cid"]


def test_similar_compares_the_group_with_others_and_not_with_itself(room, released, inbox):
    work = fill(released, double=OWN)
    take_in(room, inbox, {"bob": work, "dee": {**work, "nbformat_minor": 4}}, TEAM)
    _, pairs, works = similarity.similar(room.course, room.module)
    assert set(works) == {"ann + bob + cid", "dee"}
    assert [(pair.first, pair.second) for pair in pairs] == [("ann + bob + cid", "dee")]


def test_who_hands_in_beside_the_group_is_named_and_nothing_is_lost(room, released, inbox, pool):
    alone, group = fill(released, answer="alone"), fill(released, answer="together")
    found = take_in(room, inbox, {"ann": alone, "bob": group}, TEAM)
    assert all("NEEDS A PERSON: besides" in found[who][1] for who in MEMBERS)
    assert all("together" in submitted(room, who) for who in MEMBERS)
    assert "alone" in (inbox / "ann.ipynb").read_text()
    done = {one.student: one for one in run(room.course, pool)}
    assert all("ann.ipynb" in done[who].why for who in MEMBERS)
    assert "tito grade mark ann --reviewed" in room.here("mark", "ann")[1]
    room.here("mark", "ann", "--reviewed")
    assert run(room.course, pool, students=["ann"])[0].status == "unchanged"


def test_a_member_of_two_groups_is_named(room, released, inbox):
    works = {name: fill(released, answer=f"of {name}") for name in ("ann", "cid")}
    found = take_in(room, inbox, works, TWO)
    assert "NEEDS A PERSON" in found["bob"][1]
    assert "NEEDS A PERSON" not in found["ann"][1] + found["cid"][1]
    assert "of cid" in submitted(room, "bob") and "of ann" in submitted(room, "ann")
