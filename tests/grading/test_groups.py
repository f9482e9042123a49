"""A group hands in once: every member gets marks and a page, nothing is lost, nobody is accused."""

from __future__ import annotations

import json
import os

import pytest
from paper import blank, hand_in
from tiny_class import grade
from tiny_course import fill

from grading.engine.intake import collect, times
from grading.engine.marks import similarity
from grading.engine.marks.answers import question_of
from grading.engine.marks.mark import mark
from grading.engine.run.pool import LocalPool

MEMBERS = ("ann", "bob", "cid")
OWN = """total = 0
    for place, value in enumerate([x, x]):
        total = total + value
    for place in range(3):
        total = total + place - place
    return max([total, total]) if place else None"""


@pytest.fixture
def room(workspace, tmp_path):
    return blank(workspace, tmp_path)


def take_in(room, inbox, works: dict[str, dict], groups: dict[str, str], clock: int = 0):
    """student -> (status, reason) after a collection of these notebooks; later ones are newer."""
    for number, (name, notebook) in enumerate(works.items()):
        path = inbox / f"{name}.ipynb"
        path.write_text(json.dumps(notebook))
        os.utime(path, (1_790_000_000 + clock + number,) * 2)
    roster = inbox.parent / "roster.csv"
    roster.write_text("id,group\n" + "".join(f"{who},{name}\n" for who, name in groups.items()))
    lines = collect.collect(room.course, room.module, [inbox], roster=roster)
    return {line.student: (line.status, line.reason) for line in lines if line.status != "older"}


def submitted(room, student: str) -> str:
    return (room.course.submitted(student, room.module) / "tiny_dev.ipynb").read_text()


TEAM = {**dict.fromkeys(MEMBERS, "team1"), "dee": ""}


@pytest.mark.parametrize("name", ["bob", "team1"])
def test_one_hand_in_is_that_of_every_member(room, released, inbox, name):
    found = take_in(room, inbox, {name: released}, TEAM)
    assert {who: status for who, (status, _) in found.items()} == {
        **dict.fromkeys(MEMBERS, "taken"),
        "dee": "missing",
    }
    assert all(f"handed in by {name} for group team1" in found[who][1] for who in MEMBERS)
    assert len({submitted(room, who) for who in MEMBERS}) == 1
    assert times.groups(room.course, room.module)["cid"] == MEMBERS


def test_each_member_gets_marks_a_page_and_one_answer_is_graded_once(room, released, inbox):
    take_in(room, inbox, {"bob": fill(released, double=OWN), "dee": fill(released)}, TEAM)
    done = {one.student: one for one in grade(room.course, room.module)}
    assert len({done[who].points for who in MEMBERS}) == 1 and not done["ann"].flags
    question = question_of(room.course, room.module, "q_why")
    assert sorted(one.student for one in question.answers) == ["ann", "dee"]
    mark(room.course, room.module, "bob", "q_why", 3, "Say whose list.")
    assert all(room.grade(who, "q_why")["manual_score"] == 3 for who in MEMBERS)
    assert room.grade("dee", "q_why")["manual_score"] is None
    assert room.tito("feedback", "07", "--course", str(room.course.root))[0] == 0
    for who in MEMBERS:
        assert "Say whose list." in room.course.feedback(who, room.module).read_text()


@pytest.fixture
def runs(monkeypatch):
    """The student of each run that the engine makes."""
    found = []
    submit = LocalPool.submit

    def noted(pool, submission):
        found.append(submission.student)
        return submit(pool, submission)

    monkeypatch.setattr(LocalPool, "submit", noted)
    return found


def facts(room, student: str):
    """What is kept about a result, apart from whose it is and how long it took."""
    report = json.loads(room.course.report(student, room.module).read_text())
    for name in ("student", "seconds", "stages"):
        report.pop(name)
    executed = room.course.autograded(student, room.module, "tiny_dev").read_bytes()
    names = [row["grade_id"] for row in report["cells"]]
    scores = [room.grade(student, name)["auto_score"] for name in names]
    return report, executed, scores


def test_the_notebook_of_a_group_is_run_once(room, released, inbox, runs):
    both = {"bob": fill(released, double=OWN), "dee": fill(released)}
    take_in(room, inbox, both, {**TEAM, "eve": ""})
    (room.course.submitted("eve", room.module)).mkdir(parents=True)
    (room.course.submitted("eve", room.module) / "tiny_dev.ipynb").write_text(
        submitted(room, "bob")
    )
    done = {one.student: one for one in grade(room.course, room.module)}
    assert sorted(runs) == ["ann", "dee", "eve"]  # eve copied, but is in no group
    assert set(done) == {*MEMBERS, "dee", "eve"}
    assert facts(room, "ann") == facts(room, "bob") == facts(room, "cid")
    assert [bool(done[who].seconds) for who in MEMBERS] == [True, False, False]


@pytest.mark.parametrize("settings", [{}, {"force": True}, {"force": True, "jobs": 3}])
def test_another_run_for_a_group_is_one_run_too(room, released, inbox, runs, settings):
    take_in(room, inbox, {"bob": fill(released, double=OWN)}, TEAM)
    grade(room.course, room.module, students=["bob"])
    before = facts(room, "bob")
    assert runs.count("bob") == len(runs) == 1
    runs.clear()
    grade(room.course, room.module, **settings)
    assert len(runs) == (1 if settings else 0)
    found = [facts(room, who) for who in MEMBERS]
    assert found[0] == found[1] == found[2]
    assert found[0][2] == before[2]


def test_a_member_whose_files_are_others_gets_a_run_of_its_own(room, released, inbox, runs):
    take_in(room, inbox, {"bob": fill(released)}, TEAM)
    path = room.course.submitted("cid", room.module) / "tiny_dev.ipynb"
    path.write_text(json.dumps(fill(released, double=OWN)))
    grade(room.course, room.module)
    assert sorted(runs) == ["ann", "cid"]


def test_similar_compares_the_group_with_others_and_not_with_itself(room, released, inbox):
    work = fill(released, double=OWN)
    take_in(room, inbox, {"bob": work, "dee": {**work, "nbformat_minor": 4}}, TEAM)
    _, pairs, works = similarity.similar(room.course, room.module)
    assert set(works) == {"ann + bob + cid", "dee"}
    assert [(pair.first, pair.second) for pair in pairs] == [("ann + bob + cid", "dee")]


def test_who_hands_in_beside_the_group_is_named_and_nothing_is_lost(room, released, inbox):
    alone, group = fill(released, answer="alone"), fill(released, answer="together")
    found = take_in(room, inbox, {"ann": alone, "bob": group}, TEAM)
    assert all("NEEDS A PERSON: besides" in found[who][1] for who in MEMBERS)
    assert all("together" in submitted(room, who) for who in MEMBERS)
    assert "alone" in (inbox / "ann.ipynb").read_text()
    done = {one.student: one for one in grade(room.course, room.module)}
    assert all("ann.ipynb" in done[who].why for who in MEMBERS)
    _, text = room.tito("mark", "ann", "--course", str(room.course.root))
    assert "tito grade mark ann --reviewed" in text
    room.tito("mark", "ann", "--reviewed", "--course", str(room.course.root))
    assert grade(room.course, room.module, students=["ann"])[0].status == "unchanged"


def test_a_later_hand_in_by_another_member_is_named_and_the_first_is_kept(room, released, inbox):
    take_in(room, inbox, {"ann": fill(released, answer="first")}, TEAM)
    (inbox / "ann.ipynb").unlink()
    found = take_in(room, inbox, {"bob": fill(released, answer="second")}, TEAM, clock=60)
    assert all(found[who][0] == "replaced" and "NEEDS A PERSON" in found[who][1] for who in MEMBERS)
    for who in MEMBERS:
        (kept,) = (room.course.root / "replaced" / "07_tiny" / who).glob("*.ipynb")
        assert "first" in kept.read_text()


def test_a_member_of_two_groups_is_named(room, released, inbox):
    groups = {"ann": "red", "bob": "red; blue", "cid": "blue"}
    works = {name: fill(released, answer=f"of {name}") for name in ("ann", "cid")}
    found = take_in(room, inbox, works, groups)
    assert "NEEDS A PERSON" in found["bob"][1]
    assert "NEEDS A PERSON" not in found["ann"][1] + found["cid"][1]
    assert "of cid" in submitted(room, "bob") and "of ann" in submitted(room, "ann")


def test_the_file_of_a_member_of_two_groups_counts_for_that_member_alone(room, released, inbox):
    groups = {"ann": "red", "bob": "red; blue", "cid": "blue"}
    found = take_in(room, inbox, {"bob": released}, groups)
    assert "bob is in several groups: red, blue" in found["bob"][1]
    assert found["ann"][0] == found["cid"][0] == "missing"


def test_students_without_a_group_are_as_before(room):
    for name in ("ann", "bob"):
        hand_in(room, name)
    assert times.groups(room.course, room.module) == {}
