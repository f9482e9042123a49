"""What students write is read by an instructor: on a page it stays text, and in a terminal it
changes nothing but colors.
"""

from __future__ import annotations

import ast
import re
import types
import unicodedata
from collections import Counter
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup, NavigableString
from hypothesis import given
from hypothesis import strategies as st

from grading.engine.class_report_contents import Belief, ClassFacts, Flagged, Tally
from grading.engine.code_fingerprints import Group, Pair, Written
from grading.engine.pages import feedback_page, report_page, similar_page
from grading.engine.safe_text import plain_text, tell
from grading.engine.submission_marks import CellMark, StudentMark
from helpers.repository import ROOT
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


# In a terminal

COLOR = re.compile(r"\x1b\[[0-9;]*m")
VERBS = sorted(
    path for path in (ROOT / "grading/commands").glob("*.py") if not path.name.startswith("dev_")
)
anything = st.text() | st.lists(
    st.sampled_from(["\x1b[2J", "\x1b]8;;x\x07", "\x1b[31m", "\u202e", "\r", "\r\n", "\x9b1A", "a"])
).map("".join)


@given(anything)
def test_of_what_a_terminal_obeys_only_colors_tabs_and_newlines_are_left(text):
    once = plain_text(text)
    assert plain_text(once) == once  # what is plain stays as it is
    rest = COLOR.sub("", once)
    controls = {one for one in rest if unicodedata.category(one) in ("Cc", "Cs")}
    assert controls <= {"\n", "\t"}
    assert not {one for one in rest if unicodedata.bidirectional(one) in ("RLO", "LRO", "RLI")}


def test_an_escape_is_written_out(capsys):
    tell("“größer”, 数, 👩‍💻: \x1b[2J\x1b[1;1H100 of 100\r0")
    assert capsys.readouterr().out == "“größer”, 数, 👩‍💻: \\x1b[2J\\x1b[1;1H100 of 100\\r0\n"


@pytest.mark.parametrize("path", VERBS, ids=lambda path: path.stem)
def test_a_verb_of_grading_prints_through_tell_alone(path):
    """The source of each verb is read, so that a new verb is checked, too."""
    names = [
        one for one in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(one, ast.Name)
    ]
    assert [f"line {one.lineno}" for one in names if one.id == "print"] == []
