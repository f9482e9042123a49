"""The feedback pages that students get."""

from __future__ import annotations

import json
import re

import pytest
from paper import blank, hand_in, set_due
from tiny_course import cell_of

from grading.engine.bounds import bounded
from grading.engine.marks import feedback
from tito.errors import WorkError


@pytest.fixture(scope="module")
def pages(class_of_tiny):
    """The page of every student, as text."""
    written = feedback.feedback(class_of_tiny.course, class_of_tiny.module)
    return {path.parent.parent.name: path.read_text(encoding="utf-8") for path in written}


def test_every_graded_student_has_a_page(class_of_tiny, pages):
    assert sorted(pages) == sorted(class_of_tiny.graded)


def test_a_page_says_what_was_promised_called_got_and_wanted(pages):
    for text in (
        "double takes negative numbers.",
        "double(-1)",
        "A box keeps all its things.",
        "len(Box([7, 8, 9]))",
    ):
        assert text in pages["partly"]


def top(page: str) -> str:
    """The summary's text, without markup."""
    return re.sub(
        r"<[^>]+>",
        " ",
        re.search(r'<div id="toc" class="tito-summary">.*?</div>', page, re.DOTALL).group(),
    )


def test_the_top_of_a_page_says_what_cost_points_and_why_before_anything_else(pages):
    said = re.sub(r"\s+", " ", top(pages["partly"]))
    assert "4 of 11 points ; 4 of them wait for a person" in said
    assert (
        "test_double 0 of 2 double takes negative numbers. called double(-1) got 2 wanted -2"
        in said
    )
    assert (
        "contract_box 1 of 2 1 of 2 tests pass A box keeps all its things. called len(Box([7, 8,"
        " 9])) got 2 wanted 3" in said
    )
    assert "q_why ? of 4" in said
    assert "Not written yet: 3 exercises, 7 points" in top(pages["stub"])
    assert pages["partly"].count(">Test cell</a>") == 0


def test_what_a_person_gave_and_said_is_at_the_top_as_text():
    from grading.engine.pages.feedback_summary import Entry, summary
    from grading.engine.results import CellMark
    from tito.outcome import Outcome

    mark = CellMark("n", "q", "question", 4.0, None, Outcome("waits"))
    entry = Entry(mark, score=3.0, given=True, comment="<b>iterators</b> too")
    said = summary([entry], ["<script>"], review=False)
    assert (
        "3 of 4" in said
        and "graded by a person" in said
        and "&lt;b&gt;iterators&lt;/b&gt; too" in said
        and "wait" not in said
    )
    assert "<script" not in said


def test_hidden_sources_and_mark_schemes_stay_hidden_unless_asked_for(class_of_tiny, pages):
    for page in pages.values():
        assert (
            'expect</span><span class="p">(</span><span class="n">double</span><span'
            ' class="p">(</span><span class="o">-</span>' not in page
        )
        assert "Two points for aliasing" not in page and "HIDDEN TESTS" not in page
    (path,) = feedback.feedback(
        class_of_tiny.course, class_of_tiny.module, students=["stub"], show_hidden=True
    )
    shown = path.read_text(encoding="utf-8")
    assert "Two points for aliasing" in shown and "HIDDEN TESTS" in shown
    feedback.feedback(class_of_tiny.course, class_of_tiny.module, students=["stub"])


def test_a_page_runs_nothing_and_fetches_nothing(pages):
    for page in pages.values():
        assert "<script" not in page.lower()
        assert re.findall(r"<(?:link|img|iframe)[^>]*(?:src|href)=[\"']?https?:", page) == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in pages["finished"]
    assert "<img src=x" not in pages["finished"]
    assert "Content-Security-Policy" in pages["finished"]


def test_the_reason_for_a_review_is_on_the_page(pages):
    assert "a notebook is a JSON file" in pages["broken"]
    assert "ended while test_box ran" in pages["killer"]


@pytest.fixture
def paper_room(workspace, tmp_path):
    """A course whose submissions were never executed, so that their pages are written only from the
    report.
    """
    made = blank(workspace, tmp_path)
    set_due(made)
    (made.course.root / "late.toml").write_text("percent_per_day = 10", encoding="utf-8")
    flag = {
        "notebook": "tiny_dev",
        "grade_id": "test_box",
        "kind": "control",
        "text": "a forged proof",
    }
    hand_in(
        made,
        "ann",
        timestamp="2026-11-20 18:00:00 UTC",
        reasons=("<b>broken</b>",),
        flags=(flag,),
        test_double=0,
    )
    return made


def test_a_submission_that_did_not_run_gets_its_points_table_and_its_penalty(paper_room):
    (path,) = feedback.feedback(paper_room.course, paper_room.module)
    page = path.read_text(encoding="utf-8")
    said = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    assert "&lt;b&gt;broken&lt;/b&gt;" in page and "default-src 'none'" in page
    assert (
        "5 of 11 points" in said
        and "5 - 0.5 = 4.5 points" in said
        and "double takes negative numbers." in said
        and "q_why" in said
    )
    # the flag is only for the grader
    assert "A person looks at this submission." in said and "forged" not in said


def executed(room, student: str, **cells) -> None:
    """A graded submission whose notebook was executed: the release with these sources."""
    hand_in(room, student)
    notebook = json.loads(room.course.released(room.module).read_text(encoding="utf-8"))
    for name, source in cells.items():
        cell_of(notebook, name.replace("_", "-"))["source"] = source
    path = room.course.autograded(student, room.module)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")


LONG = {
    "code in one line": {"double": "x = 1\n#" + "a." * 200_000},
    "markdown": {"answer_q_why": "\\begin{a}" * 50_000},
    "colors": {},
}


@pytest.mark.parametrize("what", LONG)
def test_no_text_of_one_student_takes_the_time_of_the_others(workspace, tmp_path, what):
    """Pygments and nbconvert's markdown take minutes for these texts, in C code and in Python."""
    room = blank(workspace, tmp_path)
    executed(room, "ann", **LONG[what])
    executed(room, "bob")
    if what == "colors":
        path = room.course.autograded("ann", room.module)
        notebook = json.loads(path.read_text(encoding="utf-8"))
        output = {"output_type": "stream", "name": "stdout", "text": "\x1b[31ma" * 200_000}
        cell_of(notebook, "double")["outputs"] = [output]
        path.write_text(json.dumps(notebook), encoding="utf-8")
    with bounded("it", seconds=30):
        written = feedback.feedback(room.course, room.module)
    assert [path.parent.parent.name for path in written] == ["ann", "bob"]
    assert all("tito-summary" in path.read_text(encoding="utf-8") for path in written)


def test_a_page_that_cannot_be_made_holds_the_marks_and_the_others_are_written(
    workspace, tmp_path, monkeypatch
):
    room = blank(workspace, tmp_path)
    for student in ("ann", "bob", "cid"):
        executed(room, student)
    (room.course.autograded("ann", room.module)).write_text("{", encoding="utf-8")
    usual = feedback._from_notebook

    def endless(course, assignment, student, show_hidden):
        while student == "bob":
            pass
        usual(course, assignment, student, show_hidden)

    feedback.feedback(room.course, room.module, students=["cid"])  # what is imported is imported
    monkeypatch.setattr(feedback, "_from_notebook", endless)
    monkeypatch.setattr(feedback, "SECONDS", 5)
    with pytest.raises(WorkError, match=r"3 pages written; 2 of them .* ann.* of bob takes more"):
        feedback.feedback(room.course, room.module)
    pages = {
        student: room.course.feedback(student, room.module).read_text(encoding="utf-8")
        for student in ("ann", "bob", "cid")
    }
    assert all("No page of the whole notebook" in pages[student] for student in ("ann", "bob"))
    assert all("of 11" in page for page in pages.values())
    assert "A box counts its things" in pages["cid"] or "tito-summary" in pages["cid"]


def test_pages_are_the_same_however_many_are_made_at_a_time(class_of_tiny):
    course, module = class_of_tiny.course, class_of_tiny.module
    made = []
    for jobs in (1, 3):
        pages = feedback.feedback(course, module, jobs=jobs)
        made.append({path: path.read_text(encoding="utf-8") for path in pages})
    assert len(made[0]) > 2 and made[0] == made[1]


def test_a_picture_has_a_text_for_those_who_cannot_see_it(paper_room):
    executed(paper_room, "bob")
    path = paper_room.course.autograded("bob", paper_room.module)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "iVBORw0KGgo="}}
    cell_of(notebook, "double")["outputs"] = [picture]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    pages = feedback.feedback(paper_room.course, paper_room.module, students=["bob"])
    found = re.findall(r"<img\b[^>]*>", pages[0].read_text(encoding="utf-8"))
    assert found and all("alt=" in one for one in found)


def test_solutions_stand_below_the_students_code_after_the_deadline_and_not_before(own_class):
    room, due = own_class, "2099-01-01 00:00:00 UTC"
    release = ("release", "07", "--solutions", "--course", str(room.course.root))

    def page() -> str:
        (path,) = feedback.feedback(room.course, room.module, students=["stub"])
        return path.read_text(encoding="utf-8")

    for when, said in ((due, "which is 2099-01-01"), (None, "has none")):
        set_due(room, when)
        code, text = room.tito(*release)
        assert code == 2 and said in text and "--solutions --now" in text
    assert "the answer of double" not in page()
    set_due(room, "2026-11-20 12:00:00 UTC")
    code, text = room.tito(*release)
    assert code == 0 and "tito grade feedback" in text
    shown = page()
    assert "the answer of double" in shown and "One right answer" in shown
    assert "BEGIN SOLUTION" not in shown
