"""Pages from templates: text chosen by a student stays text, and the template engine is only
imported when a page is made.
"""

from __future__ import annotations

import types
from collections import Counter
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup, NavigableString
from hypothesis import given
from hypothesis import strategies as st

from grading.engine.class_report_contents import Belief, ClassFacts, Flagged, Tally
from grading.engine.code_fingerprints import Group, Pair, Written
from grading.engine.pages import feedback_page, report_page, similar_page
from grading.engine.submission_marks import CellMark, StudentMark
from tito.outcome import Outcome

PARTS = (
    *("<script>alert(1)</script>", "<img src=x>", "</code></table>", "</style>", "</title>"),
    *("<!--", "]]>", '" onload="', "' x='", "&lt;", "&", "{{ 7 * 7 }}", "{% raw %}"),
    *("word", " ", "\n"),
)
HOSTILE = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4).map("".join)


def read(page: str) -> tuple[list[tuple], str]:
    """The elements of a page, each with the names of its attributes, and the text."""
    soup = BeautifulSoup(page, "html.parser")
    nodes = [one for one in soup.descendants if type(one) is not NavigableString]
    elements = [(type(one), one.name, *getattr(one, "attrs", ())) for one in nodes]
    return elements, soup.get_text()


def class_report(text: str) -> str:
    student = StudentMark(text, 11.0, {text: 3.6}, text, 4.0, 0.4, 1, late_seconds=60.0)
    tally = Tally(text, text, 2.0, met=2, passed=1, stub=0, not_run=0, said=(text, 1))
    facts = ClassFacts(
        text,
        (student, StudentMark(text, 11.0, {})),
        (tally, replace(tally, test="")),
        (Belief((text, text), (text,), text, text, (text,)),),
        flagged=(Flagged(text, text, text, text),),
        review={text: (text, text)},
        seconds={text: 1.0},
        flags=Counter({text: 1}),
        rests={"contract": 1.0},
        remarks={text: text},
    )
    return report_page.report_page(facts)


def entries(text: str) -> list[feedback_page.Entry]:
    said = dict.fromkeys(("test", "call", "got", "want", "look", "message"), text)
    fails = Outcome("fail", promise="A promise.", **said)
    stub = Outcome("your_turn", text, promise=text)
    waits = Outcome("waits")
    test = CellMark("work", text, "test", 2.0, 0.0, fails)
    contract = replace(test, kind="contract", tests=(fails, stub))
    question = CellMark("work", text, "question", 2.0, None, waits)
    begun = replace(test, outcome=Outcome("your_turn", message=text))
    marks = [(test, 0.0), (begun, 0.0), (contract, 0.0), (question, None)]
    found = [feedback_page.Entry(mark, points, comment=text) for mark, points in marks]
    return [*found, feedback_page.Entry(question, 2.0, given=True, comment=text)]


def top(text: str) -> str:
    facts = feedback_page.Page(text, text, text, entries(text), [text], review=True, penalty=0.5)
    return feedback_page.feedback_page(facts)


def similar(text: str) -> str:
    line = f"x = 1 {text}".replace("\n", " ")
    work = Written({text: line}, {}, {text: line})
    pair = Pair(0.5, 12, text, text, (text,), (text,))
    return similar_page.similar_page(
        types.SimpleNamespace(name=text), [Group((text,), (text,))], [pair], {text: work}
    )


@pytest.fixture(autouse=True, scope="module")
def no_pictures():
    """Do not draw pictures, which would take seconds; other tests draw them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("marks_picture", "tests_picture"):
            patch.setattr(report_page, name, lambda facts: "data:image/svg+xml;base64,")
        yield


@pytest.mark.parametrize("page", [class_report, top, similar])
@given(text=HOSTILE)
def test_no_text_adds_an_element_or_an_attribute_and_every_text_is_read_as_it_is(page, text):
    elements, shown = read(page(text))
    assert elements == read(page("word"))[0]
    # markup may add line breaks around a text
    assert "".join(text.split()) in "".join(shown.split())
