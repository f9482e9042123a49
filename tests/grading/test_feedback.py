"""What goes back to students."""

from __future__ import annotations

import re

import pytest
from paper import blank, hand_in, set_due

from grading.engine.marks import feedback


@pytest.fixture(scope="module")
def pages(class_of_tiny):
    """Every student's page, as text."""
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
    assert "Not written yet: 2 tests met a stub, 5 points" in top(pages["stub"])
    assert pages["partly"].count(">Test cell</a>") == 0


def test_what_a_person_gave_and_said_is_at_the_top_as_text():
    from grading.engine.pages.summary import Entry, summary
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
    """A course whose submissions were never executed: their pages are written from the report
    alone.
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
    # what was seen is for the grader
    assert "A person looks at this submission." in said and "forged" not in said
