"""The class report: its counts, what it shows, and that it contains no scripts."""

from __future__ import annotations

import csv
import json
import re

import pytest
from paper import blank, hand_in, set_due

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
    folder = workspace.root / "grading" / "misconceptions" / "07_tiny" / "double"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "absolute.py").write_text(
        "# What a student believed: A number and its negative are alike.\n# caught by:"
        " test_double\n# reads: double takes negative"
        " numbers.\ndef double(x):\n    return abs(2 * x)\n",
        encoding="utf-8",
    )
    return made


def facts(room):
    code, text = room.tito("report", "07", "--json", "--course", str(room.course.root))
    assert code == 0, text
    return json.loads(text)


def test_the_counts_are_the_class(room):
    said = facts(room)
    assert (said["graded"], said["missing"], said["waiting"]) == (3, ["zoe"], 6)
    assert said["marks"]["points"] == [3.6, 5, 7] and said["marks"]["median"] == 5
    assert [
        (one["student"], one["total"], one["penalty"], one["final"]) for one in said["late"]
    ] == [("bob", 4, 0.4, 3.6)]
    assert said["slowest"][0] == {"student": "ann", "seconds": 9.5}
    assert (
        said["review"] == [{"student": "cid", "reasons": [EVIL]}]
        and said["flagged"][0]["cell"] == "test_box"
    )


def test_the_test_that_fewest_pass_comes_first_with_what_was_read(room):
    tests = facts(room)["tests"]
    assert (tests[0]["cell"], tests[0]["passed"], tests[0]["met"], tests[0]["said"]) == (
        "test_double",
        1,
        3,
        ["double takes negative numbers.", 2],
    )
    assert [one["fraction"] for one in tests] == sorted(one["fraction"] for one in tests)
    assert ("contract_box", "test_a_box_takes_three_things", 2) in [
        (one["cell"], one["test"], one["passed"]) for one in tests
    ]


def test_a_misconception_is_met_where_its_test_failed_with_its_sentence(room):
    (one,) = facts(room)["misconceptions"]
    assert (one["believed"], one["count"], one["students"]) == (
        ["A number and its negative are alike."],
        2,
        ["bob", "cid"],
    )


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
