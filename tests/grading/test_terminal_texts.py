"""What students write is read by an instructor: nothing in it is obeyed by a terminal."""

from __future__ import annotations

import ast
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.engine.safe_text import plain_text, tell
from helpers.repository import ROOT

COLOR = re.compile(r"\x1b\[[0-9;]*m")
VERBS = sorted(
    path for path in (ROOT / "grading/commands").glob("*.py") if not path.name.startswith("dev_")
)
anything = st.text() | st.lists(
    st.sampled_from(["\x1b[2J", "\x1b]8;;x\x07", "\x1b[31m", "\u202e", "\r", "\r\n", "\x9b1A", "a"])
).map("".join)


@given(anything)
def test_no_character_that_a_terminal_obeys_is_left(text):
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
    """A new verb cannot forget it."""
    names = [
        one for one in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(one, ast.Name)
    ]
    assert [f"line {one.lineno}" for one in names if one.id == "print"] == []
