"""The marks as tables: plain, test by test, for Canvas and for Moodle."""

from __future__ import annotations

import csv
import io
import json

import pytest
from paper import blank, hand_in, set_due

from grading.engine.marks import tables
from grading.engine.texts import csv_text


def test_the_table_has_a_row_for_everybody_and_no_zero_for_an_open_question(class_of_tiny):
    code, text = class_of_tiny.tito("export", "07", "--course", str(class_of_tiny.course.root))
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(text))}
    assert code == 0 and set(rows) == {*class_of_tiny.graded, "absent"}
    finished = rows["finished"]
    assert (finished["status"], finished["total"], finished["max"], finished["waiting"]) == (
        "graded",
        "7",
        "11",
        "1",
    )
    assert (finished["test_double"], finished["q_why"], finished["contract_box"]) == ("2", "", "2")
    assert (rows["absent"]["status"], rows["absent"]["total"], rows["absent"]["test_double"]) == (
        "missing",
        "0",
        "",
    )
    assert rows["killer"]["status"] == "needs_review"


def test_json_and_csv_say_the_same(class_of_tiny, tmp_path):
    assert (
        class_of_tiny.tito(
            "export",
            "07",
            "--json",
            "--to",
            str(tmp_path / "marks.json"),
            "--course",
            str(class_of_tiny.course.root),
        )[0]
        == 0
    )
    rows = json.loads((tmp_path / "marks.json").read_text(encoding="utf-8"))
    _, text = class_of_tiny.tito("export", "07", "--course", str(class_of_tiny.course.root))
    assert [(row["student"], f"{row['total']:g}") for row in rows] == [
        (row["student"], row["total"]) for row in csv.DictReader(io.StringIO(text))
    ]


@pytest.mark.parametrize("verb", ["autograde", "feedback", "export", "mark"])
def test_without_a_course_each_verb_names_the_option(class_of_tiny, verb):
    code, text = class_of_tiny.tito(verb)
    assert code == 2 and "--course DIR" in text


@pytest.mark.parametrize("verb", ["autograde", "feedback", "export", "mark"])
def test_in_a_folder_that_is_no_course_each_verb_says_how_to_make_one(
    class_of_tiny, tmp_path, verb
):
    code, text = class_of_tiny.tito(verb, "--course", str(tmp_path))
    assert code == 2 and "tito grade release" in text


@pytest.fixture
def room(workspace, tmp_path):
    """ann is graded completely (a person gave 3 points for her answer), bob is a day late and his
    answer is not graded yet, cid handed in nothing.
    """
    from grading.engine.nbgrader.library import gradebook

    made = blank(workspace, tmp_path)
    set_due(made)
    (made.course.root / "late.toml").write_text("percent_per_day = 10", encoding="utf-8")
    hand_in(made, "ann", timestamp="2026-11-21 10:00:00 UTC", contract_box=1)
    hand_in(made, "bob", timestamp="2026-11-20 10:00:00 UTC", test_double=0)
    with gradebook(made.course.db_url) as book:
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


def exported(room, *options):
    code, text = room.tito("export", "07", "--course", str(room.course.root), *options)
    assert code == 0, text
    return list(csv.reader(io.StringIO(text)))


def test_before_penalty_and_after_stand_side_by_side(room):
    rows = {
        row["student"]: row
        for row in csv.DictReader(
            io.StringIO(room.tito("export", "07", "--course", str(room.course.root))[1])
        )
    }
    assert [rows["ann"][name] for name in ("total", "penalty", "final", "waiting")] == [
        "9",
        "0.9",
        "8.1",
        "0",
    ]
    assert [rows["bob"][name] for name in ("total", "penalty", "final", "waiting")] == [
        "5",
        "0",
        "5",
        "1",
    ]


def test_canvas_gets_its_five_columns_and_one_assignment(room):
    header, possible, ann, bob, cid = exported(
        room, "--format", "canvas", "--column", "Tiny (4711)"
    )
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Tiny (4711)"]
    assert possible == ["    Points Possible", "", "", "", "", "11"]
    assert ann == ["Lee, Ann", "101", "s1", "alee", "8A", "8.1"]
    # bob's answer is not graded yet, so there is no mark
    assert bob == ["Ray, =Bob", "102", "", "", "", ""]
    assert cid == ["cid", "cid", "", "", "", ""]


def test_moodle_gets_its_worksheet(room):
    header, ann, bob, cid = exported(room, "--format", "moodle")
    # the columns that Moodle's import requires
    assert {"Identifier", "Grade", "Last modified (grade)"} <= set(header)
    assert ann == [
        "Participant 1234567",
        "Ann Lee",
        "ann@x.org",
        "8.1",
        "11",
        "-",
        "9 points less 0.9 for 0.9 days late",
    ]
    assert bob[:4] == ["", "'=Bob Ray", "bob@x.org", ""] and cid[:2] == ["Participant cid", "cid"]


def test_one_line_a_test_and_one_a_cell(room):
    header, *rows = exported(room, "--per-test")
    assert header == ["student", "notebook", "grade_id", "test", "status", "points", "max"]
    assert ["ann", "tiny_dev", "contract_box", "", "fail", "1", "2"] in rows
    assert [
        "ann",
        "tiny_dev",
        "contract_box",
        "test_a_box_takes_three_things",
        "fail",
        "0",
        "1",
    ] in rows
    assert ["ann", "tiny_dev", "q_why", "", "given", "3", "4"] in rows and [
        "bob",
        "tiny_dev",
        "q_why",
        "",
        "waits",
        "",
        "4",
    ] in rows
    groups = [row for row in rows if row[2] == "contract_box" and row[3]]
    assert sum(float(row[5]) for row in groups if row[0] == "ann") == 1 and len(groups) == 4


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_no_field_that_a_student_can_choose_is_a_formula(text):
    (field,) = next(
        csv.reader(io.StringIO(csv_text(["x"], [[text]]).partition("\n")[2], newline=""))
    )
    assert field == "'" + text.replace("\r", "\n")
    # numbers stay numbers
    assert csv_text(["x"], [[-1.5], [None], [0]]) == 'x\n-1.5\n""\n0\n'


def test_a_file_in_no_folder_is_wrong_usage_and_makes_none(room, tmp_path):
    code, text = room.tito(
        "export",
        "07",
        "--to",
        str(tmp_path / "no" / "such" / "x.csv"),
        "--course",
        str(room.course.root),
    )
    assert code == 2 and "mkdir -p" in text and not (tmp_path / "no").exists()
    code, text = room.tito("export", "07", "--to", str(tmp_path), "--course", str(room.course.root))
    assert code == 2 and "a folder" in text


def test_gradescope_gets_a_results_file_for_each_graded_student(class_of_tiny, tmp_path):
    room, folder = class_of_tiny, tmp_path / "results"
    words = ("export", "07", "--format", "gradescope", "--course", str(room.course.root))
    assert room.tito(*words)[0] == 2  # no folder is named
    code, text = room.tito(*words, "--to", str(folder))
    rows = {row.student: row for row in tables.marks(room.course, room.module)}
    graded = [name for name, row in rows.items() if row.status != "missing"]
    assert code == 0 and f"wrote {len(graded)} files" in text
    assert sorted(path.stem for path in folder.iterdir()) == sorted(graded)
    for name in graded:
        found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        row = rows[name]
        assert found["score"] == (None if row.waiting else row.final)
        assert {one["name"]: one["max_score"] for one in found["tests"]}.keys() >= row.cells.keys()
        scores = {one["name"]: one["score"] for one in found["tests"]}
        assert all(scores[cell] == (points or 0) for cell, points in row.cells.items())


def test_rows_that_a_platform_cannot_match_are_counted(workspace, tmp_path, capsys):
    from paper import blank, hand_in

    room = blank(workspace, tmp_path)
    hand_in(room, "ann")
    roster = tmp_path / "roster.csv"
    roster.write_text("id,canvas_id\nann,\nbob,7\n", encoding="utf-8")
    course = ("--course", str(room.course.root))
    assert room.tito("export", "--format", "canvas", "--roster", str(roster), *course)[0] == 0
    said = capsys.readouterr().err
    assert said.startswith(
        "Canvas knows 1 row by nothing, first ann's; fill in the roster's column canvas_id"
    )
    room.tito("export", *course)
    assert not capsys.readouterr().err
