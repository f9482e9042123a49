"""Grades that people gave outlive the gradebook, follow the answer that they were given for, and
are never replaced without notice. The last part is about grading in a terminal.
"""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from grading.engine.course.directory import Course
from grading.engine.marks import (
    answers_to_grade,
    by_hand_record,
    export_tables,
    feedback,
    grade_by_hand,
)
from grading.engine.marks.rubric import Rubric
from helpers.inboxes import put
from helpers.instant_grading import STUDENTS, StandIn, make_room, run
from helpers.stopped_runs import Killed, stopped
from helpers.tiny_class import Class
from helpers.tiny_course import fill
from tito.errors import EnvironmentBroken, TitoError, UsageError
from tito.workspace import Workspace


@dataclass
class StandInClass(Class):
    """A class that a pool without kernels grades."""

    pool: StandIn

    @classmethod
    def make(cls, template, folder: Path) -> StandInClass:
        course, pool = make_room(template, folder)
        module = pool.kit.assignment
        return cls(Workspace(module.module.root), module, course, {}, {}, pool)

    def copy(self, folder: Path) -> StandInClass:
        pool = StandIn(self.pool.kit)
        pool.submitted += STUDENTS
        return replace(super().copy(folder), pool=pool)

    def run(self, **options):
        return run(self.course, self.pool, **options)

    def give(self, student: str, points: float, comment: str | None = None, **options) -> None:
        grade_by_hand.mark(self.course, self.module, student, "q_why", points, comment, **options)

    def in_formgrader(self, student: str, points: float | None, comment: str = "") -> None:
        """What formgrader's page does when a grade and a comment are typed."""
        with self.course.book() as book:
            place = ("q_why", self.module.stem, self.module.name, student)
            grade = book.find_grade(*place)
            grade.manual_score, grade.needs_manual_grade = points, points is None
            book.find_comment(*place).manual_comment = comment or None
            book.db.commit()

    def hand_in(self, student: str, text: str) -> None:
        released = json.loads(self.course.released(self.module).read_text(encoding="utf-8"))
        put(self.notebook(student), json.dumps(fill(released, answer=text)))

    def lines(self, student: str) -> list[by_hand_record.Given]:
        return by_hand_record.lines_of(self.course, self.module, student)

    def question(self) -> answers_to_grade.Question:
        return answers_to_grade.question_of(self.course, self.module, "q_why")

    def waiting(self) -> dict[str, grade_by_hand.Waiting]:
        found = grade_by_hand.waiting(self.course, self.module)
        return {entry.student: entry for entry in found if entry.grade_id == "q_why"}


@pytest.fixture(scope="module")
def graded(template, tmp_path_factory) -> StandInClass:
    made = StandInClass.make(template, tmp_path_factory.mktemp("graded"))
    for student in STUDENTS:
        made.hand_in(student, "Because of aliasing." if student == "ada" else f"As {student} says.")
    made.run()
    return made


@pytest.fixture
def room(graded, tmp_path) -> StandInClass:
    """A copy of the class after its first run."""
    return graded.copy(tmp_path)


def everything(course: Course) -> list[tuple]:
    """Each grade in the gradebook with all that belongs to it."""
    rows = []
    with course.book() as book:
        for submission in book.assignment_submissions("07_tiny"):
            (notebook,) = submission.notebooks
            comments = {one.name: one.manual_comment for one in notebook.comments}
            for one in notebook.grades:
                grade = (one.auto_score, one.manual_score, one.extra_credit, one.needs_manual_grade)
                rows.append((submission.student_id, one.name, *grade, comments.get(one.name)))
    return sorted(rows, key=lambda row: row[:2])


# The gradebook is lost


@pytest.fixture(scope="module")
def marked(template, tmp_path_factory):
    """A class in which three grades were given, and its gradebook at an earlier time."""
    room = StandInClass.make(template, tmp_path_factory.mktemp("marked"))
    room.run(students=STUDENTS[:3])
    room.give("ada", 1.0, "Half.")
    older = room.course.database.read_bytes()
    room.run()
    room.give("ada", 2.5, "Nearly.", replace=True)
    room.give("bob", 0.0)
    room.in_formgrader("cy", 3.0, "Good.")
    export_tables.marks(room.course, room.module)  # the first command that sees the grade keeps it
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
    room = made.copy(tmp_path)
    course = room.course
    wanted = everything(course)
    if damage == "deleted":
        course.database.unlink()
    elif damage == "another address":
        another_address(course)
    else:
        course.database.write_bytes(damage(course.database.read_bytes(), older))
    lacking = {"dee", "eve"} if "dee's" in said else set(STUDENTS)
    with pytest.raises(TitoError, match=said):
        export_tables.marks(course, course.assignment("07", room.workspace))
    if len(lacking) == 5:
        course.database.write_bytes(template[0].database.read_bytes())  # `tito grade release`
        for show in (export_tables.marks, feedback.feedback):
            with pytest.raises(EnvironmentBroken, match=r"lacks the marks of 5 of 5.* autograde"):
                show(room.course, room.module)
    done = room.run()
    assert {one.student for one in done if one.kept} == lacking
    assert everything(course) == wanted
    assert room.pool.submitted == STUDENTS  # nobody's code ran again
    assert {one.status for one in room.run()} == {"unchanged"}
    assert everything(course) == wanted


def test_a_grade_that_was_taken_back_in_formgrader_stays_away(room):
    room.give("ada", 2.0)
    room.in_formgrader("ada", None)
    room.run()
    assert "ada" in room.waiting()
    assert room.lines("ada")[-1].points is None


def test_a_grade_is_replaced_on_demand_and_half_a_line_that_a_kill_left_is_none(room):
    room.give("ada", 2.0, "Yes.")
    path = room.course.root / "by_hand" / room.module.name / "ada.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:-20])
    with pytest.raises(grade_by_hand.Taken, match=r"has a grade: 2 by .*: Yes\..*--replace"):
        room.give("ada", 1.0)
    room.give("ada", 1.0, replace=True)
    lines = room.lines("ada")
    assert [line.points for line in lines] == [2.0, 1.0] and lines[0].by == lines[1].by != ""
    assert lines[1].comment == "Yes."  # it stays unless another one is given


def test_a_grade_that_a_locked_gradebook_refuses_is_not_kept_either(room):
    vars(room.course)["db_url"] = room.course.db_url + "?timeout=0.1"
    with contextlib.closing(sqlite3.connect(room.course.database)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(EnvironmentBroken, match=r"stayed locked.*Close what holds it.*again$"):
            room.give("ada", 1.0)
    assert room.lines("ada") == []


# The answer is another one


@pytest.mark.parametrize(
    "who, killed_before",
    [("tito", None), *(("formgrader", moment) for moment in (None, 2, 4, 5, 6, 7, 15))],
)
def test_a_rewritten_answer_waits_again_beside_what_was_graded(
    room, who, killed_before, monkeypatch
):
    room.give("bob", 1.0)
    (room.give if who == "tito" else room.in_formgrader)("ada", 2.0, "Good.")
    room.hand_in("ada", "Because of iterators.")
    if killed_before:
        with stopped(killed_before, Killed()):
            room.run()
            pytest.fail("the run has fewer steps")
    room.run()

    before = room.waiting()["ada"].before
    assert (before.points, before.comment, before.answer) == (2.0, "Good.", "Because of aliasing.")
    assert room.waiting()["ada"].answer == "Because of iterators." and "bob" not in room.waiting()
    (line,) = by_hand_record.rewritten(room.course, room.module)
    assert line.startswith("ada has rewritten the answer to q_why since it was graded: 2 by ")
    monkeypatch.setattr("grading.commands.mark.FEW", 0)
    assert line in room.here("mark", "--module", "07")[1]
    (row,) = [one for one in export_tables.marks(room.course, room.module) if one.student == "ada"]
    assert row.waiting == 1
    question = room.question()
    (shown,) = [answers_to_grade.shown(one) for one in question.waiting if one.student == "ada"]
    assert "Because of aliasing.                             | Because of iterators." in shown

    room.give("ada", 1.0)  # without --replace: it waits
    room.run(force=True)
    assert "ada" not in room.waiting() and by_hand_record.rewritten(room.course, room.module) == []


def test_what_else_changes_in_a_submission_lets_an_answer_keep_its_grade(room):
    room.give("ada", 2.0)
    text = room.notebook("ada").read_text(encoding="utf-8")
    put(room.notebook("ada"), text.replace("2 * x", "x + x"))
    room.run()
    assert room.pool.submitted.count("ada") == 2 and "ada" not in room.waiting()


# In a terminal


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def talk(room, *lines: Any, options: tuple = (), meanwhile: Callable = lambda: None) -> str:
    """What `tito grade mark --question` shows in a terminal where these lines are typed, and then
    q; an exception is a key such as Ctrl-C. `meanwhile` happens after the first answer is shown.
    """
    steps = iter([meanwhile])
    typed = iter(lines)

    def ask(prompt: str) -> str:
        for step in steps:
            step()
        line = next(typed, "q")
        if isinstance(line, BaseException):
            raise line
        return line

    words, screen = ("--question", "q_why", "--course", str(room.course.root), *options), Terminal()
    with patch("builtins.input", ask), patch("sys.stdin", screen):
        code, said = room.tito("mark", *words, screen=screen)
    assert code == 0
    return said


def given(room) -> list[tuple]:
    """(student, points, comment) of each grade for the answer."""
    rows = [row for row in everything(room.course) if row[1] == "q_why" and row[3] is not None]
    return [(row[0], row[3], row[6]) for row in rows]


def test_points_with_a_comment_and_items_are_given_one_after_the_other(room):
    first, second, *_ = [one.student for one in room.question().waiting]
    said = talk(room, "1.5 Nearly.", "+ a 2 All of it.", "a")
    assert "+2  All of it." in said and "2 grades given, 3 of this question wait" in said
    assert given(room) == sorted([(first, 1.5, "Nearly."), (second, 2.0, "All of it.")])


@pytest.mark.parametrize("options", [(), ("--anonymous",)])
def test_equal_answers_are_shown_once_and_graded_together(room, options):
    """Equal but for spaces and case; one that was changed since its grade is looked at alone."""
    people = room.question().waiting
    room.give(people[3].student, 1.0)
    for one, text in zip(people, ("It copies. ", "No.", "it  COPIES.", "It copies."), strict=False):
        room.hand_in(one.student, text)
    room.run()
    a, b, c, d = [one.handle if options else one.student for one in people[:4]]
    said = talk(room, "2", "0", options=options)
    assert f"== 1 to 2 of 5  {a}, {c} (2 equal answers)\n" in said
    assert f"== 3 of 5  {b}\n" in said and f"== 4 of 5  {d}\n" in said
    grades = {student: points for student, points, _ in given(room)}
    assert [grades[one.student] for one in people[:4]] == [2, 0, 2, 1]


@pytest.mark.parametrize("end", ["q", "", EOFError(), KeyboardInterrupt()])
def test_what_cannot_be_given_is_asked_again_and_what_was_given_before_the_end_is_kept(room, end):
    first = room.question().waiting[0].student
    said = talk(room, "7", "zz", "+ a", "?", "1", end)
    assert [row[:2] for row in given(room)] == [(first, 1.0)]
    for text in ("between 0 and 4", "no item of q_why is called 'zz'", "an item is +", "q      "):
        assert text in said


@pytest.mark.parametrize("how", ["give", "in_formgrader"])
def test_a_second_grader_is_told_and_gets_the_next_free_answer(room, how):
    first, second, third, *_ = [one.student for one in room.question().waiting]

    def other() -> None:
        getattr(room, how)(first, 2.0, "Mine.")
        getattr(room, how)(second, 3.0, "Mine, too.")

    said = talk(room, "1 Yours.", "0.5", meanwhile=other)
    assert "1 grade given, 2 of this question wait" in said
    assert f"== 3 of 5  {third}\n" in said and f"  {second}\n" not in said
    assert "this answer to q_why has a grade: 2 by " in said and ": Mine." in said
    grades = {row[0]: row[3] for row in everything(room.course) if row[1] == "q_why"}
    assert (grades[first], grades[second], grades[third]) == (2.0, 3.0, 0.5)


def test_an_answer_that_is_replaced_while_it_is_read_gets_no_grade(room):
    first = room.question().waiting[0].student

    def resubmit() -> None:
        room.hand_in(first, "Another answer.")
        room.run()

    said = talk(room, "2", meanwhile=resubmit)
    assert "0 grades given" in said and "has been replaced by another one meanwhile" in said
    assert first in room.waiting()


def test_rubric_items_of_two_graders_are_both_kept(room):
    one, other = (Rubric(room.course, room.module, "q_why") for _ in range(2))
    one.add("a", 1.5, "Names the copy.")
    other.add("b", 2.0, "Names an iterator.")
    with pytest.raises(UsageError, match=r"a is \+1\.5  Names the copy\..* such as c"):
        other.add("a", 0.5, "Something else.")
    one.refresh()
    assert {key: item.points for key, item in one.items.items()} == {"a": 1.5, "b": 2.0}
