"""Grades that people gave outlive the gradebook, follow the answer that they were given for, and
are never replaced unseen.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sqlite3
from collections.abc import Callable
from unittest.mock import patch

import pytest
from stand_in import STUDENTS, StandIn, make_room, run
from stops import Killed, stopped
from tiny_class import Class
from tiny_course import fill

from grading.engine.course.directory import Course
from grading.engine.marks import answers, by_hand, feedback, mark, tables
from grading.engine.marks.rubric import Rubric
from tito.errors import EnvironmentBroken, TitoError, UsageError
from tito.workspace import Workspace


@pytest.fixture(scope="module")
def graded(template, tmp_path_factory) -> tuple[Course, StandIn]:
    room = make_room(template, tmp_path_factory.mktemp("graded"))
    hand_in(room, "ada", "Because of aliasing.")
    run(*room)
    return room


def copy_of(room, folder) -> tuple[Course, StandIn]:
    course, pool = Course(folder / "course"), StandIn(room[1].kit)
    shutil.copytree(room[0].root, course.root)
    pool.submitted += STUDENTS
    return course, pool


@pytest.fixture
def room(graded, tmp_path) -> tuple[Course, StandIn]:
    """A copy of the class after its first run."""
    return copy_of(graded, tmp_path)


def give(room, student: str, points: float, comment: str | None = None, **options) -> None:
    course, pool = room
    mark.mark(course, pool.kit.assignment, student, "q_why", points, comment, **options)


def in_formgrader(room, student: str, points: float | None, comment: str = "") -> None:
    """What formgrader's page does when a grade and a comment are typed."""
    with room[0].book() as book:
        place = ("q_why", "tiny_dev", room[1].kit.assignment.name, student)
        grade = book.find_grade(*place)
        grade.manual_score, grade.needs_manual_grade = points, points is None
        book.find_comment(*place).manual_comment = comment or None
        book.db.commit()


def everything(course: Course) -> list[tuple]:
    """Each grade in the gradebook with all that belongs to it."""
    with contextlib.closing(sqlite3.connect(course.database)) as book:
        return book.execute(
            """SELECT sa.student_id, base_cell.name, auto_score, manual_score, extra_credit,
            needs_manual_grade, manual_comment FROM grade
            JOIN submitted_notebook sn ON grade.notebook_id = sn.id
            JOIN submitted_assignment sa ON sn.assignment_id = sa.id
            JOIN base_cell ON grade.cell_id = base_cell.id
            LEFT JOIN comment ON comment.notebook_id = sn.id AND comment.cell_id = base_cell.id
            ORDER BY 1, 2"""
        ).fetchall()


def waiting(room) -> dict[str, mark.Waiting]:
    course, pool = room
    found = mark.waiting(course, pool.kit.assignment)
    return {entry.student: entry for entry in found if entry.grade_id == "q_why"}


# The gradebook is lost


@pytest.fixture(scope="module")
def marked(template, tmp_path_factory):
    """A class in which three grades were given, and its gradebook at an earlier time."""
    course, pool = room = make_room(template, tmp_path_factory.mktemp("marked"))
    run(course, pool, students=STUDENTS[:3])
    give(room, "ada", 1.0, "Half.")
    older = course.database.read_bytes()
    run(course, pool)
    give(room, "ada", 2.5, "Nearly.", replace=True)
    give(room, "bob", 0.0)
    in_formgrader(room, "cy", 3.0, "Good.")
    tables.marks(course, pool.kit.assignment)  # the first command that sees the grade keeps it
    return room, older


def another_address(course: Course) -> None:
    line = 'c.CourseDirectory.db_url = "sqlite:///other.db"\n'
    (course.root / "nbgrader_config.py").write_text(f"c = get_config()\n{line}", encoding="utf-8")
    for name in ("settings", "db_url"):
        vars(course).pop(name, None)


@pytest.mark.parametrize(
    "damage, said",
    [
        ("deleted", "is not in"),
        (lambda data, older: b"", "was emptied, or is not the one of this course"),
        (lambda data, older: data[: len(data) // 2], "is damaged"),
        (lambda data, older: data[:4096] + b"\xff" * (len(data) - 4096), "is damaged"),
        (lambda data, older: older, "lacks the marks of 2 of 5 submissions, first dee's"),
        ("another address", "is not in"),
    ],
    ids=["deleted", "emptied", "cut in half", "overwritten", "an older copy", "another address"],
)
def test_a_lost_gradebook_is_said_and_gets_every_mark_again(
    template, marked, tmp_path, damage, said
):
    made, older = marked
    course, pool = copy_of(made, tmp_path)
    wanted = everything(course)
    if damage == "deleted":
        course.database.unlink()
    elif damage == "another address":
        another_address(course)
    else:
        course.database.write_bytes(damage(course.database.read_bytes(), older))
    lacking = {"dee", "eve"} if "dee's" in said else set(STUDENTS)
    with pytest.raises(TitoError, match=said):
        tables.marks(course, pool.kit.assignment)
    if len(lacking) == 5:
        course.database.write_bytes(template[0].database.read_bytes())  # `tito grade release`
        for show in (tables.marks, feedback.feedback):
            with pytest.raises(EnvironmentBroken, match=r"lacks the marks of 5 of 5.* autograde"):
                show(course, pool.kit.assignment)
    done = run(course, pool)
    assert {one.student for one in done if one.kept} == lacking
    assert everything(course) == wanted
    assert pool.submitted == STUDENTS  # nobody's code ran again
    assert {one.status for one in run(course, pool)} == {"unchanged"}
    assert everything(course) == wanted


def test_a_grade_that_was_taken_back_in_formgrader_stays_away(room):
    course, pool = room
    give(room, "ada", 2.0)
    in_formgrader(room, "ada", None)
    run(course, pool)
    assert "ada" in waiting(room)
    assert by_hand.lines_of(course, pool.kit.assignment, "ada")[-1].points is None


def test_half_a_line_that_a_kill_left_is_no_grade(room):
    course, pool = room
    give(room, "ada", 2.0, "Yes.")
    path = course.root / "by_hand" / pool.kit.assignment.name / "ada.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:-20])
    give(room, "ada", 1.0, replace=True)
    lines = by_hand.lines_of(course, pool.kit.assignment, "ada")
    assert [line.points for line in lines] == [2.0, 1.0] and lines[0].by == lines[1].by != ""


def test_a_gradebook_that_another_program_has_locked_is_the_machines_fault(room):
    course, pool = room
    vars(course)["db_url"] = course.db_url + "?timeout=0.1"
    with contextlib.closing(sqlite3.connect(course.database)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(EnvironmentBroken, match=r"stayed locked.*Close what holds it.*again$"):
            give(room, "ada", 1.0)
    assert by_hand.lines_of(course, pool.kit.assignment, "ada") == []


# The answer is another one


def hand_in(room, student: str, text: str) -> None:
    course, pool = room
    path = course.submitted(student, pool.kit.assignment) / "tiny_dev.ipynb"
    released = json.loads(course.released(pool.kit.assignment).read_text(encoding="utf-8"))
    path.write_text(json.dumps(fill(released, answer=text)), encoding="utf-8")


@pytest.mark.parametrize(
    "who, killed_before",
    [("tito", None), *(("formgrader", moment) for moment in (None, 2, 4, 5, 6, 7, 15))],
)
def test_a_rewritten_answer_waits_again_beside_what_was_graded(room, who, killed_before):
    course, pool = room
    give(room, "bob", 1.0)
    (give if who == "tito" else in_formgrader)(room, "ada", 2.0, "Good.")
    hand_in(room, "ada", "Because of iterators.")
    if killed_before:
        with stopped(killed_before, Killed()):
            run(course, pool)
            pytest.fail("the run has fewer steps")
    run(course, pool)

    before = waiting(room)["ada"].before
    assert (before.points, before.comment, before.answer) == (2.0, "Good.", "Because of aliasing.")
    assert waiting(room)["ada"].answer == "Because of iterators." and "bob" not in waiting(room)
    (line,) = by_hand.rewritten(course, pool.kit.assignment)
    assert line.startswith("ada has rewritten the answer to q_why since it was graded: 2 by ")
    (row,) = [one for one in tables.marks(course, pool.kit.assignment) if one.student == "ada"]
    assert row.waiting == 1
    question = answers.question_of(course, pool.kit.assignment, "q_why")
    (shown,) = [answers.shown(one) for one in question.waiting if one.student == "ada"]
    assert "Because of aliasing.                             | Because of iterators." in shown

    give(room, "ada", 1.0)  # without --replace: it waits
    run(course, pool, force=True)
    assert "ada" not in waiting(room) and by_hand.rewritten(course, pool.kit.assignment) == []


def test_what_else_changes_in_a_submission_lets_an_answer_keep_its_grade(room):
    course, pool = room
    give(room, "ada", 2.0)
    path = course.submitted("ada", pool.kit.assignment) / "tiny_dev.ipynb"
    path.write_text(path.read_text(encoding="utf-8").replace("2 * x", "x + x"), encoding="utf-8")
    run(course, pool)
    assert pool.submitted.count("ada") == 2 and "ada" not in waiting(room)


# Two graders


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def talk(room, *lines: str, meanwhile: Callable[[], None]) -> str:
    """What `tito grade mark --question` shows in a terminal where these lines are typed;
    `meanwhile` happens after the first answer is shown.
    """
    course, pool = room
    steps = iter([meanwhile])
    typed = iter(lines)

    def ask(prompt: str) -> str:
        for step in steps:
            step()
        return next(typed, "q")

    assignment, screen = pool.kit.assignment, Terminal()
    one = Class(Workspace(assignment.module.root), assignment, course, {}, {})
    words = ("--question", "q_why", "--course", str(course.root))
    with patch("builtins.input", ask), patch("sys.stdin", screen):
        code, said = one.tito("mark", *words, screen=screen)
    assert code == 0
    return said


@pytest.mark.parametrize("how", [give, in_formgrader])
def test_a_second_grader_is_told_and_gets_the_next_free_answer(room, how):
    course, pool = room
    first, second, third, *_ = [
        one.student for one in answers.question_of(course, pool.kit.assignment, "q_why").waiting
    ]

    def other() -> None:
        how(room, first, 2.0, "Mine.")
        how(room, second, 3.0, "Mine, too.")

    said = talk(room, "1 Yours.", "0.5", meanwhile=other)
    assert "1 grade given, 2 of this question wait" in said
    assert f"== 3 of 5  {third}\n" in said and f"  {second}\n" not in said
    assert "this answer to q_why has a grade: 2 by " in said and ": Mine." in said
    grades = {row[0]: row[3] for row in everything(course) if row[1] == "q_why"}
    assert (grades[first], grades[second], grades[third]) == (2.0, 3.0, 0.5)


def test_an_answer_that_is_replaced_while_it_is_read_gets_no_grade(room):
    course, pool = room
    first = answers.question_of(course, pool.kit.assignment, "q_why").waiting[0].student

    def resubmit() -> None:
        hand_in(room, first, "Another answer.")
        run(course, pool)

    said = talk(room, "2", meanwhile=resubmit)
    assert "0 grades given" in said and "has been replaced by another one meanwhile" in said
    assert first in waiting(room)


def test_a_grade_is_replaced_only_on_demand(room):
    give(room, "ada", 2.0, "Mine.")
    with pytest.raises(mark.Taken, match=r"has a grade: 2 by .*: Mine\..*--replace"):
        give(room, "ada", 1.0)
    assert "ada" not in waiting(room)
    give(room, "ada", 1.0, replace=True)
    (row,) = [one for one in everything(room[0]) if one[:2] == ("ada", "q_why")]
    assert row[3] == 1.0 and row[6] == "Mine."


def test_rubric_items_of_two_graders_are_both_kept(room):
    course, pool = room
    one, other = (Rubric(course, pool.kit.assignment, "q_why") for _ in range(2))
    one.add("a", 1.5, "Names the copy.")
    other.add("b", 2.0, "Names an iterator.")
    with pytest.raises(UsageError, match=r"a is \+1\.5  Names the copy\..* such as c"):
        other.add("a", 0.5, "Something else.")
    one.refresh()
    assert {key: item.points for key, item in one.items.items()} == {"a": 1.5, "b": 2.0}
