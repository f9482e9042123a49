"""The glossary: every word says where it is taught, and the place exists."""

import re
from pathlib import Path

import pytest
from site_tools import glossary

from tito.errors import WorkError
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
MODULES = Workspace(ROOT).modules()
PAGE = ROOT / "site" / "glossary.md"
TEXT = PAGE.read_text(encoding="utf-8")
ENTRY = re.compile(r"^(\w[^\n]*)\n((?:  [^\n]+\n)+)", re.MULTILINE)


def test_every_word_says_where_it_is_taught():
    lists = re.findall(r"^```\{glossary\}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    texts = {word: text for block in lists for word, text in ENTRY.findall(block)}
    places = re.compile(r"<!-- taught|\]\(|\{term\}")
    assert texts and [word for word, text in texts.items() if not places.search(text)] == []


def test_every_place_of_the_page_becomes_a_link():
    filled = glossary.filled(TEXT, PAGE, MODULES)
    assert "<!--" not in filled
    linked = len(re.findall(r"\[Module \w+", filled))
    assert linked == len(re.findall(r"<!-- taught", TEXT)) > 20


def test_an_exercise_that_does_not_exist_is_named_with_the_line_of_the_page():
    number = MODULES[0].number
    with pytest.raises(WorkError, match=rf"page.md:2: module {number} has no exercise 99z"):
        glossary.filled(f"word\n  Text. <!-- taught {number} 99z -->", Path("page.md"), MODULES)
