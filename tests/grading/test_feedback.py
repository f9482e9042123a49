"""The feedback pages that students get."""

from __future__ import annotations

import json
import re

import pytest

from grading.engine.bounds import bounded
from grading.engine.marks import feedback
from grading.engine.results import Flag
from helpers.tiny_course import cell_of
from helpers.written_marks import hand_in, set_due
from tito.errors import WorkError


def written(room, **options) -> dict[str, str]:
    """student -> the page that was written."""
    paths = feedback.feedback(room.course, room.module, **options)
    return {path.parent.parent.name: path.read_text(encoding="utf-8") for path in paths}


def words(page: str) -> str:
    """The text, without markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def top(page: str) -> str:
    """The text of the summary."""
    found = re.search(r'<div id="toc" class="tito-summary">.*?</div>', page, re.DOTALL)
    return words(found.group())


@pytest.fixture(scope="module")
def pages(class_of_tiny) -> dict[str, str]:
    return written(class_of_tiny, jobs=1)


def test_every_graded_student_has_a_page_however_many_are_made_at_a_time(class_of_tiny, pages):
    assert sorted(pages) == sorted(class_of_tiny.graded)
    assert written(class_of_tiny, jobs=3) == pages


def test_the_top_of_a_page_says_what_cost_points_and_why_before_anything_else(pages):
    said = top(pages["partly"])
    for text in (
        "4 of 11 points ; 4 of them wait for a person",
        "test_double 0 of 2 double takes negative numbers. called double(-1) got 2 wanted -2",
        "contract_box 1 of 2 1 of 2 tests pass A box keeps all its things."
        " called len(Box([7, 8, 9])) got 2 wanted 3",
        "q_why ? of 4",
    ):
        assert text in said
    assert "Not written yet: 3 exercises, 7 points" in top(pages["stub"])
    assert pages["partly"].count(">Test cell</a>") == 0
    # why a person has to look at it
    assert "a notebook is a JSON file" in pages["broken"]
    assert "ended while test_box ran" in pages["killer"]


def test_what_a_person_gave_and_said_is_at_the_top_as_text():
    from grading.engine.pages.feedback_summary import Entry, summary
    from grading.engine.results import CellMark
    from tito.outcome import Outcome

    mark = CellMark("n", "q", "question", 4.0, None, Outcome("waits"))
    entry = Entry(mark, score=3.0, given=True, comment="<b>iterators</b> too")
    said = summary([entry], ["<script>"], review=False)
    for text in ("3 of 4", "graded by a person", "&lt;b&gt;iterators&lt;/b&gt; too"):
        assert text in said
    assert "wait" not in said and "<script" not in said


def test_hidden_sources_and_mark_schemes_stay_hidden_unless_asked_for(class_of_tiny, pages):
    hidden = (
        'expect</span><span class="p">(</span><span class="n">double</span><span'
        ' class="p">(</span><span class="o">-</span>',
        "Two points for aliasing",
        "HIDDEN TESTS",
    )
    assert [text for text in hidden for page in pages.values() if text in page] == []
    shown = written(class_of_tiny, students=["stub"], show_hidden=True)["stub"]
    assert [text for text in hidden if text not in shown] == []


def test_a_page_runs_nothing_and_fetches_nothing(pages):
    for page in pages.values():
        assert "<script" not in page.lower()
        assert re.findall(r"<(?:link|img|iframe)[^>]*(?:src|href)=[\"']?https?:", page) == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in pages["finished"]
    assert "<img src=x" not in pages["finished"]
    assert "Content-Security-Policy" in pages["finished"]


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
    assert all("tito-summary" in page for page in pages.values())


def test_a_page_that_cannot_be_made_holds_the_marks_and_the_others_are_written(room, monkeypatch):
    for student in ("ann", "bob", "cid"):
        executed(room, student)
    room.course.autograded("ann", room.module).write_text("{", encoding="utf-8")
    usual = feedback._from_notebook

    def endless(course, assignment, student, show_hidden):
        while student == "bob":
            pass
        usual(course, assignment, student, show_hidden)

    written(room, students=["cid"])  # what is imported is imported
    monkeypatch.setattr(feedback, "_from_notebook", endless)
    monkeypatch.setattr(feedback, "SECONDS", 3)
    with pytest.raises(WorkError, match=r"3 pages written; 2 of them .* ann.* of bob takes more"):
        written(room)
    for student in ("ann", "bob", "cid"):
        page = room.course.feedback(student, room.module).read_text(encoding="utf-8")
        assert "of 11" in page
        assert ("No page of the whole notebook" in page) == (student != "cid")


def test_a_picture_has_a_text_for_those_who_cannot_see_it(room):
    data = {"image/png": "iVBORw0KGgo="}
    executed(room, "bob", {"output_type": "display_data", "metadata": {}, "data": data})
    found = re.findall(r"<img\b[^>]*>", written(room)["bob"])
    assert found and all("alt=" in one for one in found)


def test_solutions_stand_below_the_students_code_after_the_deadline_and_not_before(own_class):
    def page() -> str:
        return written(own_class, students=["stub"])["stub"]

    for when, said in (("2099-01-01 00:00:00 UTC", "which is 2099-01-01"), (None, "has none")):
        set_due(own_class, when)
        code, text = own_class.here("release", "07", "--solutions")
        assert code == 2 and said in text and "--solutions --now" in text
    assert "the answer of double" not in page()
    set_due(own_class)
    code, text = own_class.here("release", "07", "--solutions")
    assert code == 0 and "tito grade feedback" in text
    shown = page()
    assert "the answer of double" in shown and "One right answer" in shown
    assert "BEGIN SOLUTION" not in shown
