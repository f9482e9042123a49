"""The feedback pages that students get."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone

import pytest

from grading.engine.marks import feedback
from grading.engine.pages.feedback_page import Entry, Page, feedback_page
from grading.engine.submission_marks import CellMark, Flag
from grading.engine.trusted_process_limits import bounded
from helpers.tiny_course import cell_of
from helpers.written_marks import hand_in, set_due
from tito.errors import WorkError
from tito.outcome import Outcome


def written(room, **options) -> dict[str, str]:
    """student -> the page that was written."""
    paths = feedback.feedback(room.course, room.module, **options)
    return {path.parent.parent.name: path.read_text(encoding="utf-8") for path in paths}


def words(page: str) -> str:
    """The text, without markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def top(page: str) -> str:
    """The text of the first screen."""
    return words(page[page.index("<h1>") : page.index("<h2>All exercises")])


@pytest.fixture(scope="module")
def pages(class_of_tiny) -> dict[str, str]:
    return written(class_of_tiny, jobs=1)


def test_every_graded_student_has_a_page_however_many_are_made_at_a_time(class_of_tiny, pages):
    assert sorted(pages) == sorted(class_of_tiny.graded)
    assert written(class_of_tiny, jobs=3) == pages


def test_the_first_screen_says_what_cost_the_most_and_why_before_anything_else(pages):
    said = top(pages["partly"])
    for text in (
        "4 of 11 points; a person will grade 4 of them",
        "What cost points test_double : 0 of 2 double takes negative numbers. called double(-1)"
        " got 2 wanted -2",
        "contract_box : 1 of 2 A box keeps all its things. called len(Box([7, 8, 9])) got 2"
        " wanted 3",
    ):
        assert text in said
    assert "1 of 2 tests pass" in words(pages["partly"])
    assert "q_why a person will grade it ? of 4" in words(pages["partly"])
    assert "Not written yet: 3 exercises, 7 points" in top(pages["stub"])
    assert "What cost" not in top(pages["stub"])
    # why a person has to look at it
    assert "a notebook is a JSON file" in top(pages["broken"])
    assert "ended while test_box ran" in top(pages["killer"])


def entry(score: float | None, most: float = 2.0, **facts) -> Entry:
    failed = Outcome("fail", promise=f"It costs {most}.")
    return Entry(CellMark("n", f"t{most}", "test", most, 0.0, failed), score, **facts)


def test_the_three_costliest_mistakes_come_first_and_name_the_next_hint():
    marks = [entry(0.0, most, exercise=f"{most:.0f}a title") for most in (1.0, 4.0, 2.0, 3.0)]
    stub = entry(0.0, 9.0, exercise="9a title", stub=True)
    due = datetime(2026, 11, 20, 12, tzinfo=timezone.utc)
    for minutes, open_ in ((-1, True), (1, False)):
        now = due + timedelta(minutes=minutes)
        said = top(feedback_page(Page("Ann", "ann", "08", [*marks, stub], due=due, now=now)))
        assert re.findall("It costs (.)", said) == ["4", "3", "2"]
        assert "run %hint 4a , work on 4a, and run %test 4a ." in said
        assert "Lost elsewhere: 1 ( 1a )." in said
        assert said.index("Next:") < said.index("What cost")  # without scrolling, on a phone too
        assert ("Until 20 November 2026, 12:00 UTC you may hand in again." in said) == open_
        assert "Not written yet: 1 exercise, 9 points ( 9a )" in said


def test_a_page_shows_the_students_own_cells_and_no_test(pages):
    shown = words(pages["finished"])
    assert "Typed into the locked cell." in shown and "the *caller*" not in shown
    for page in pages.values():
        for text in ("expect", "Two points for aliasing", "HIDDEN TESTS"):
            assert text not in words(page)


def test_a_submission_that_did_not_run_gets_its_points_table_and_its_penalty(due_room):
    (due_room.course.root / "late.toml").write_text("percent_per_day = 10", encoding="utf-8")
    flags = (Flag("test_box", "control", "forged", "tiny_dev"),)
    told = {"reasons": ("<b>broken</b>",), "flags": flags}
    hand_in(due_room, "ann", timestamp="2026-11-20 18:00:00 UTC", **told, test_double=0)
    page = written(due_room)["ann"]
    assert "&lt;b&gt;broken&lt;/b&gt;" in page and "default-src 'none'" in page
    for text in (
        "5 of 11 points",
        "5 - 0.5 = 4.5 points",
        "double takes negative numbers.",
        "q_why",
        "A person looks at this submission.",
    ):
        assert text in words(page)
    assert "forged" not in page  # the flag is only for the grader


def executed(room, student: str, output: dict | None = None, **cells) -> None:
    """A graded submission whose notebook was executed: the release with these sources, and with
    this output of the first exercise.
    """
    hand_in(room, student)
    notebook = json.loads(room.course.released(room.module).read_text(encoding="utf-8"))
    for name, source in cells.items():
        cell_of(notebook, name.replace("_", "-"))["source"] = source
    if output:
        cell_of(notebook, "double")["outputs"] = [output]
    path = room.course.autograded(student, room.module)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")


@pytest.mark.parametrize(
    "hidden, said",
    [
        ([], "AssertionError at: assert squares(1) == [1]"),
        (["assert squares(1) == [1]"], "AssertionError: "),
    ],
)
def test_a_plain_test_says_at_which_line_it_failed_unless_that_is_hidden(hidden, said):
    """The traceback is one of IPython 9, from nbgrader's quickstart course."""
    from grading.engine.pages.feedback_from_notebook import _with_its_line

    trace = [
        "\x1b[36mCell\x1b[39m In[5], line 2\n\x1b[32m      1\x1b[39m x = 1\n\x1b[32m----> "
        "\x1b[39m\x1b[32m2\x1b[39m \x1b[38;5;28;01massert\x1b[39;00m squares(\x1b[32m1\x1b[39m)"
        " == [\x1b[32m1\x1b[39m]\n",
        "\x1b[31mAssertionError\x1b[39m: ",
    ]
    node = {"outputs": [{"output_type": "error", "traceback": trace}]}
    mark = CellMark("n", "t", "test", 1.0, 0.0, Outcome("error", message="AssertionError: "))
    assert _with_its_line(mark, node, hidden).outcome.message == said


def test_no_text_of_one_student_takes_the_time_of_the_others(room):
    """Pygments and nbconvert's markdown take minutes for these texts, in C code and in Python."""
    colors = {"output_type": "stream", "name": "stdout", "text": "\x1b[31ma" * 200_000}
    executed(room, "ann", double="x = 1\n#" + "a." * 200_000)
    executed(room, "bob", answer_q_why="\\begin{a}" * 50_000)
    executed(room, "cid", colors)
    executed(room, "dee")
    with bounded("it", seconds=30):
        pages = written(room)
    assert sorted(pages) == ["ann", "bob", "cid", "dee"]
    assert all("All exercises" in page for page in pages.values())


def test_a_page_that_cannot_be_made_holds_the_marks_and_the_others_are_written(room, monkeypatch):
    for student in ("ann", "bob", "cid"):
        executed(room, student)
    room.course.autograded("ann", room.module).write_text("{", encoding="utf-8")
    usual = feedback._from_notebook

    def endless(course, assignment, student, solutions):
        while student == "bob":
            pass
        usual(course, assignment, student, solutions)

    written(room, students=["cid"])  # what is imported is imported
    monkeypatch.setattr(feedback, "_from_notebook", endless)
    monkeypatch.setattr(feedback, "SECONDS", 2)
    with pytest.raises(WorkError, match=r"3 pages written; 2 of them .* ann.* of bob takes more"):
        written(room)
    for student in ("ann", "bob", "cid"):
        page = room.course.feedback(student, room.module).read_text(encoding="utf-8")
        assert "of 11" in page
        assert ("No page of the whole notebook" in page) == (student != "cid")


def test_solutions_are_shown_below_the_students_code_after_the_deadline_and_not_before(own_class):
    ask = ("feedback", "07", "--student", "stub", "--solutions")
    for when, said in (("2099-01-01 00:00:00 UTC", "which is 2099-01-01"), (None, "has none")):
        set_due(own_class, when)
        code, text = own_class.here(*ask)
        assert code == 2 and said in text and "--solutions --now" in text
    code, text = own_class.here(*ask[:-1], "--now")
    assert code == 2 and "Add --solutions" in text
    set_due(own_class)
    assert "the answer of double" not in written(own_class, students=["stub"])["stub"]
    assert own_class.here(*ask)[0] == 0
    path = own_class.course.feedback("stub", own_class.module)
    shown = path.read_text(encoding="utf-8")
    assert "the answer of double" in shown and "One right answer" in shown
    assert "BEGIN SOLUTION" not in shown
