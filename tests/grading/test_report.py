"""The class report: its counts, what it shows, and that it contains no scripts."""

from __future__ import annotations

import csv
import json
import os
import re
import statistics

import pytest
from paper import blank, cell_marks, hand_in, set_due
from sealed_course import CONTRACT

from grading.engine.course.assignment import Assignment
from grading.engine.intake import collect
from grading.engine.marks import class_report

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture
def room(workspace, tmp_path):
    made = blank(workspace, tmp_path)
    set_due(made)
    (made.course.root / "late.toml").write_text("percent_per_day = 10", encoding="utf-8")
    hand_in(made, "ann", seconds=9.5)
    hand_in(made, "bob", timestamp="2026-11-20 18:00:00 UTC", test_double=0, contract_box=1)
    hand_in(
        made,
        "cid",
        test_double=0,
        reasons=(EVIL,),
        flags=({"notebook": "tiny_dev", "grade_id": "test_box", "kind": "control", "text": EVIL},),
    )
    from grading.engine.nbgrader.library import gradebook

    with gradebook(made.course.db_url) as book:
        book.add_student("zoe")
    released = made.course.released(made.module)
    notebook = json.loads(released.read_text(encoding="utf-8"))
    text = f"### 1a double\n<!-- points -->, about 5 minutes\n{CONTRACT}"
    cell = {"cell_type": "markdown", "id": "contract", "metadata": {}, "source": text}
    notebook["cells"].insert(2, cell)
    released.write_text(json.dumps(notebook), encoding="utf-8")
    folder = workspace.root / "grading" / "modules" / "07_tiny" / "wrong"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "double.py").write_text(
        "# %% absolute: A number and its negative are alike. (promise 2)\n"
        "def double(x):\n    return abs(2 * x)\n\n\n"
        "# %% more: Twice is one more. (promise 1)\ndef double(x):\n    return x + 1\n",
        encoding="utf-8",
    )
    return made


def facts(room):
    return class_report.class_report(room.course, Assignment.of(room.module))


def test_the_counts_are_the_class(room):
    said = facts(room)
    assert (len(said.graded), said.missing, said.waiting) == (3, ("zoe",), 6)
    assert said.marks.points == (3.6, 5, 7) and said.marks.median == 5
    assert [(one.student, one.total, one.penalty, one.final) for one in said.late] == [
        ("bob", 4, 0.4, 3.6)
    ]
    assert said.slowest[0] == ("ann", 9.5)
    assert said.review == {"cid": (EVIL,)} and said.flagged[0].cell == "test_box"


def test_the_test_that_fewest_pass_comes_first_with_what_was_read(room):
    tests = facts(room).tests
    assert (tests[0].cell, tests[0].passed, tests[0].met, tests[0].said) == (
        "test_double",
        1,
        3,
        ("double takes negative numbers.", 2),
    )
    assert [one.fraction for one in tests] == sorted(one.fraction for one in tests)
    assert ("contract_box", "test_a_box_takes_three_things", 2) in [
        (one.cell, one.test, one.passed) for one in tests
    ]


def test_a_misconception_is_met_where_its_promise_was_read_first(room):
    later = room.course.report("bob", room.module)
    report = json.loads(later.read_text(encoding="utf-8"))
    said = "double gives twice its argument."
    report["cells"][0]["tests"] = [{"status": "fail", "test": "test_twice", "promise": said}]
    later.write_text(json.dumps(report), encoding="utf-8")
    (one,) = facts(room).misconceptions
    assert one.believed == ("A number and its negative are alike.",)
    assert one.students == ("bob", "cid")


def test_the_page_stands_alone_runs_nothing_and_says_its_finding(room):
    code, _ = room.tito("report", "07", "--course", str(room.course.root))
    folder = room.course.reports(room.module)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert code == 0 and "Half of 3 have 5 of 11 points or more; 2 have less than half" in page
    assert (
        "Fewest pass \u201cdouble\u201d: 1 of 3" in page
        and "A number and its negative are alike." in page
    )
    assert (
        "<script" not in page.lower()
        and "<img src=x" not in page
        and "&lt;script&gt;" in page
        and "default-src 'none'" in page
    )
    assert all(
        address.startswith("data:") for address in re.findall(r'(?:src|href)="([^"]*)"', page)
    )
    assert (
        all(alt for alt in re.findall(r'<img [^>]*alt="([^"]*)"', page))
        and page.count("<figure>") == 2
    )
    with open(folder / "marks.csv", encoding="utf-8", newline="") as file:
        assert {row["student"]: row["final"] for row in csv.DictReader(file)} == {
            "ann": "7",
            "bob": "3.6",
            "cid": "5",
            "zoe": "0",
        }
    with open(folder / "tests.csv", encoding="utf-8", newline="") as file:
        assert next(csv.DictReader(file))["cell"] == "test_double"


def test_a_report_of_nothing_and_one_to_nowhere_say_what_to_do(workspace, tmp_path):
    made = blank(workspace, tmp_path)
    code, text = made.tito("report", "07", "--course", str(made.course.root))
    assert code == 1 and "tito grade autograde" in text
    code, text = made.tito(
        "report", "07", "--to", str(tmp_path / "none"), "--course", str(made.course.root)
    )
    assert code == 2 and "mkdir -p" in text and not (tmp_path / "none").exists()


def test_what_was_flagged_stands_beside_the_cell_that_waits(room):
    from grading.engine.marks import mark

    (one,) = [
        entry
        for entry in mark.waiting(room.course, room.module)
        if (entry.student, entry.grade_id) == ("cid", "test_box")
    ]
    assert f"flagged: {EVIL}" in one.reasons


def marked(passed: list[bool], points: list[float]) -> list:
    """Reports of a class in which test_double went so, and the box earned so many points, and
    2 more if these are not 0."""
    from grading.engine.course.reports import Report

    found = []
    for number, (one, earned) in enumerate(zip(passed, points, strict=True)):
        cells = tuple(
            cell_marks(test_double=2.0 * one, test_box=earned, contract_box=2.0 * bool(earned))
        )
        facts = (f"s{number:02d}", "07_tiny", "tiny_dev", "x", "graded", (), (), cells)
        found.append(Report(*facts, 0.0, 11.0, 1, 1.0))
    return found


def tally(room, passed: list[bool], points: list[float]):
    found = class_report.tallies(room.module, marked(passed, points))
    return found, next(one for one in found if one.cell == "test_double")


def test_discrimination_is_the_correlation_with_the_points_of_all_other_tests(room):
    passed = [number % 3 > 0 for number in range(24)]
    points = [number % 7 / 7 * 3 for number in range(24)]
    _, one = tally(room, passed, points)
    points = [value + 2 * bool(value) for value in points]  # of all other tests
    right = [value for value, ok in zip(points, passed, strict=True) if ok]
    wrong = [value for value, ok in zip(points, passed, strict=True) if not ok]
    share = len(right) / 24  # the formula of the textbooks
    by_hand = (statistics.fmean(right) - statistics.fmean(wrong)) / statistics.pstdev(points)
    assert one.discrimination == pytest.approx(by_hand * (share * (1 - share)) ** 0.5, abs=0.001)


def test_a_test_that_nobody_passes_or_good_students_fail_comes_first(room):
    found, one = tally(room, [False] * 5, [3.0, 3.0, 0.0, 0.0, 0.0])
    assert found[0] is one and one.doubt == "nobody passes"
    points = [3.0] * 8 + [0.0] * 16  # fewer pass test_box than test_double
    found, one = tally(room, [False] * 8 + [True] * 16, points)
    assert found[0] is one and one.doubt == "good students fail" and one.discrimination == -1.0
    assert found[1].passed == 8 and not any(other.doubt for other in found[1:])


@pytest.mark.parametrize("count", [19, 20])
def test_a_small_class_says_nothing_about_a_test(room, count):
    _, one = tally(room, [number > 3 for number in range(count)], [3.0] * 4 + [0.0] * (count - 4))
    assert (one.discrimination is None) == (count < 20)


def test_the_report_names_the_doubtful_test_and_the_next_command(room):
    for name in ("ann", "bob", "cid"):
        hand_in(room, name, test_double=0)
    code, text = room.tito("report", "07", "--course", str(room.course.root))
    assert code == 0 and "look at the test \u201cdouble\u201d of test_double: nobody passes" in text
    assert (
        "0 graded in part, 0 flagged, 0 late, 1 missing; 3 grades wait for a person; next:" in text
    )
    assert f"next: tito grade mark --course {room.course.root}" in text
    page = (room.course.reports(room.module) / "report.html").read_text(encoding="utf-8")
    assert "double (nobody passes)" in page


def test_a_review_clears_the_report(room):
    assert facts(room).review and facts(room).flagged
    room.tito("mark", "cid", "--reviewed", "--course", str(room.course.root))
    assert not facts(room).review and not facts(room).flagged


def test_a_complaint_is_answered_by_one_command(room, inbox):
    """When it came and by whose clock, what cost points, and what a person said."""
    code, text = room.tito("report", "--student", "bob", "--course", str(room.course.root))
    assert code == 0, text
    assert "handed in: 2026-11-20 18:00:00 UTC, by timestamp.txt" in text
    assert "late:      6.0 h, extensions counted; it costs 0.4 points" in text
    assert "test_double: 0 of 2\n  not ok  double takes negative numbers." in text
    assert "called   double(-1)" in text and "2 of 4 cells" not in text
    (inbox / "bob.ipynb").write_text(json.dumps({"cells": [], "nbformat": 4, "metadata": {}}))
    os.utime(inbox / "bob.ipynb", (1_700_000_000,) * 2)
    collect.collect(room.course, room.module, [inbox])
    collect.collect(room.course, room.module, [inbox / "bob.ipynb"])
    _, text = room.tito("report", "--student", "bob", "--course", str(room.course.root))
    said = "the one collected before was handed in later"
    assert text.count(said) == 2 and "handed in 2023-11-14 22:13:20 UTC by the file's" in text
    code, text = room.tito("report", "--student", "zoe", "--course", str(room.course.root))
    assert code == 2 and "no submission of 07_tiny by 'zoe'" in text
