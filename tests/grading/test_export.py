"""The marks as tables: plain, test by test, for Canvas, for Moodle and for Gradescope."""

from __future__ import annotations

import csv
import io
import json

import pytest

from grading.engine.marks import export_tables
from grading.engine.safe_text import csv_text
from helpers.written_marks import blank, hand_in, set_due


@pytest.fixture(scope="module")
def marked(workspace, tmp_path_factory):
    """ann is graded completely (a person gave 3 points for her answer), bob is a day late and his
    answer is not graded yet, cid handed in nothing.
    """
    made = blank(workspace, tmp_path_factory.mktemp("marked"))
    set_due(made)
    (made.course.root / "late.toml").write_text("percent_per_day = 10", encoding="utf-8")
    hand_in(made, "ann", timestamp="2026-11-21 10:00:00 UTC", contract_box=1)
    hand_in(made, "bob", timestamp="2026-11-20 10:00:00 UTC", test_double=0)
    with made.course.book() as book:
        book.add_student("cid")
        grade = book.find_grade("q_why", "tiny_dev", "07_tiny", "ann")
        grade.manual_score, grade.needs_manual_grade = 3.0, False
        book.db.commit()
    roster = (
        'id,name,email,canvas_id,sis_id,login,section,moodle_id\nann,"Lee,'
        ' Ann",ann@x.org,101,s1,alee,8A,1234567\nbob,=Bob Ray,bob@x.org,102,,,,\n'
    )
    (made.course.root / "roster.csv").write_text(roster, encoding="utf-8")
    return made


def exported(room, *options) -> list[list[str]]:
    code, text = room.here("export", "07", *options)
    assert code == 0, text
    return list(csv.reader(io.StringIO(text)))


def table(room) -> dict[str, dict[str, str]]:
    """student -> the row of the plain table."""
    header, *rows = exported(room)
    return {row[0]: dict(zip(header, row, strict=True)) for row in rows}


def test_the_table_has_a_row_for_everybody_and_no_zero_for_an_open_question(class_of_tiny):
    rows = table(class_of_tiny)
    assert set(rows) == {*class_of_tiny.graded, "absent"}
    names = ("status", "total", "max", "waiting", "test_double", "q_why", "contract_box")
    assert [rows["finished"][name] for name in names] == ["graded", "7", "11", "1", "2", "", "2"]
    assert [rows["absent"][name] for name in names] == ["missing", "0", "11", "0", "", "", ""]
    assert rows["killer"]["status"] == "needs_review"


def test_canvas_gets_its_five_columns_and_one_assignment(marked):
    header, possible, ann, bob, cid = exported(
        marked, "--format", "canvas", "--column", "Tiny (4711)"
    )
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Tiny (4711)"]
    assert possible == ["    Points Possible", "", "", "", "", "11"]
    assert ann == ["Lee, Ann", "101", "s1", "alee", "8A", "8.1"]
    # bob's answer is not graded yet, so there is no mark
    assert bob == ["Ray, =Bob", "102", "", "", "", ""]
    assert cid == ["cid", "cid", "", "", "", ""]


def test_moodle_gets_its_worksheet(marked):
    header, ann, bob, cid = exported(marked, "--format", "moodle")
    # the columns that Moodle's import requires
    assert {"Identifier", "Grade", "Last modified (grade)"} <= set(header)
    why = "9 points less 0.9 for 0.9 days late"
    assert ann == ["Participant 1234567", "Ann Lee", "ann@x.org", "8.1", "11", "-", why]
    assert bob[:4] == ["", "'=Bob Ray", "bob@x.org", ""] and cid[:2] == ["Participant cid", "cid"]


def test_one_line_a_test_and_one_a_cell(marked):
    header, *rows = exported(marked, "--per-test")
    assert header == ["student", "notebook", "grade_id", "test", "status", "points", "max"]
    for row in (
        "ann,tiny_dev,contract_box,,fail,1,2",
        "ann,tiny_dev,contract_box,test_a_box_takes_three_things,fail,0,1",
        "ann,tiny_dev,q_why,,given,3,4",
        "bob,tiny_dev,q_why,,waits,,4",
    ):
        assert row.split(",") in rows
    groups = [row for row in rows if row[2] == "contract_box" and row[3]]
    assert sum(float(row[5]) for row in groups if row[0] == "ann") == 1 and len(groups) == 4


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_field_that_a_student_can_choose_is_a_formula(text):
    _, (field,) = csv.reader(io.StringIO(csv_text(["x"], [[text]]), newline=""))
    assert field == "'" + text.replace("\r", "\n")
    # numbers stay numbers
    assert csv_text(["x"], [[-1.5], [None], [0]]) == 'x\n-1.5\n""\n0\n'


def test_gradescope_gets_a_results_file_for_each_graded_student(class_of_tiny, tmp_path):
    room, folder = class_of_tiny, tmp_path / "results"
    words = ("export", "07", "--format", "gradescope")
    assert room.here(*words)[0] == 2  # no folder is named
    code, text = room.here(*words, "--to", folder)
    rows = {row.student: row for row in export_tables.marks(room.course, room.module)}
    graded = sorted(name for name, row in rows.items() if row.status != "missing")
    assert code == 0 and f"wrote {len(graded)} files" in text
    assert sorted(path.stem for path in folder.iterdir()) == graded
    for name in graded:
        found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        row = rows[name]
        assert found["score"] == (None if row.waiting else row.final)
        assert {one["name"]: one["max_score"] for one in found["tests"]}.keys() >= row.cells.keys()
        scores = {one["name"]: one["score"] for one in found["tests"]}
        assert all(scores[cell] == (points or 0) for cell, points in row.cells.items())
    partly = json.loads((folder / "partly.json").read_text(encoding="utf-8"))["tests"]
    assert "wanted    -2" in partly[0]["output"] and "not ok" in partly[-1]["output"]
