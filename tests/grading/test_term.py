"""The roster as the class changes, and the table of the whole term."""

from __future__ import annotations

import csv
import io

import pytest

from grading.engine.marks.grade_by_hand import waiting
from grading.engine.marks.term import Term
from grading.engine.submission_marks import StudentMark
from helpers.inboxes import put
from helpers.written_marks import hand_in

BOTH = "id,name\nann,Ann Lee\nbob,Bob Ray\n"


def table(text: str) -> dict[str, dict[str, str]]:
    return {row["student"]: row for row in csv.DictReader(io.StringIO(text))}


def test_who_left_is_in_no_table_and_nothing_of_theirs_is_deleted(
    due_room, inbox, tmp_path, capsys
):
    hand_in(due_room, "ann")
    put(inbox / "bob.ipynb", due_room.course.released(due_room.module).read_bytes())
    whole = put(tmp_path / "all.csv", BOTH)
    less = put(tmp_path / "less.csv", "id,name\nbob,Bob Ray\n")
    collected = [due_room.course.root / "submitted" / "ann", inbox]
    due_room.collect(inbox, roster=whole)
    kept = {one: one.read_bytes() for one in collected[0].rglob("*") if one.is_file()}
    assert due_room.here("collect", inbox, "--roster", less)[0] == 0
    assert "1 student left the class: ann" in capsys.readouterr().err
    assert set(table(due_room.here("export", "07")[1])) == {"bob"}
    assert waiting(due_room.course, due_room.module) == []
    assert "9 of 11 points" not in due_room.here("report", "07", "--student", "ann")[1]
    assert "7 of 11 points" in due_room.here("report", "07", "--student", "ann")[1]
    assert kept == {one: one.read_bytes() for one in collected[0].rglob("*") if one.is_file()}
    path = put(inbox / "ann.ipynb", due_room.course.released(due_room.module).read_bytes() + b" ")
    said = due_room.here("collect", path)[1]
    assert "ann handed in and is in no table, because the last roster lacks ann" in said
    due_room.collect(inbox, roster=whole)
    assert set(table(due_room.here("export", "07")[1])) == {"ann", "bob"}


def mark(total: float, most: float, **facts) -> StudentMark:
    return StudentMark("ann", most, {}, total=total, **{"status": "graded", **facts})


@pytest.mark.parametrize(
    ("weights", "total", "penalty", "most"),
    [({}, 70, 5, 120), ({"a": 60, "b": 40}, 70, 10, 100), ({"a": 1}, 50, 0, 100)],
    ids=["sum", "weights", "one counts"],
)
def test_the_total_adds_points_or_weighs_them(weights, total, penalty, most):
    whole = Term({"a": {"ann": mark(50, 100)}, "b": {"ann": mark(20, 20, penalty=5)}}, (), weights)
    (row,) = whole.totals
    assert (row.total, row.penalty, row.max_points) == (total, penalty, most)


def test_what_is_missing_counts_zero_and_what_waits_leaves_no_total(due_room):
    due_room.course.root.joinpath("late.toml").write_text("percent_per_day = 10", encoding="utf-8")
    hand_in(due_room, "ann", timestamp="2026-11-21 10:00:00 UTC", q_why=3)
    hand_in(due_room, "bob")
    with due_room.course.book() as book:
        book.add_student("cid")
    rows = table(due_room.here("term")[1])
    names = ["total", "max", "missing", "waiting"]
    names += ["07_tiny", "07_tiny penalty", "07_tiny hours late"]
    assert [[row[name] for name in names] for row in rows.values()] == [
        ["9", "11", "0", "0", "9", "1", "22"],
        ["", "11", "0", "1", "", "0", "0"],
        ["0", "11", "1", "0", "", "0", "0"],
    ]


def test_canvas_and_moodle_get_the_total(due_room):
    hand_in(due_room, "ann", q_why=3)
    put(due_room.course.root / "term.toml", '[weights]\n"07_tiny" = 1\n')
    rows = list(csv.reader(io.StringIO(due_room.here("term", "--format", "canvas")[1])))
    assert [row[-1] for row in rows] == ["Term", "100", "90.91"]
    rows = list(csv.reader(io.StringIO(due_room.here("term", "--format", "moodle")[1])))
    assert rows[1][3:5] == ["90.91", "100"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[weights]\n07_tiny = 0\n", "a weight is a number above 0; 07_tiny in"),
        ("[weights]\n08_other = 5\n", "a weight is of a released assignment: 07_tiny;"),
        ("07_tiny = 5\n", "has one table [weights]"),
    ],
)
def test_a_file_of_weights_that_is_wrong_is_refused_with_its_rule(due_room, text, said):
    put(due_room.course.root / "term.toml", text)
    code, printed = due_room.here("term")
    assert code == 2 and said in printed
