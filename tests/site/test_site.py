"""The whole site is built from this checkout and opened in a browser."""

from pathlib import Path

import pytest
from site_tools.check import check

from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long  # each page of the whole course; test_check.py has one page for each fault
def test_every_page_of_this_course_is_clean_in_a_browser(draft, browser):
    found = check(draft.html)
    assert (found.faults, found.pages) == ([], draft.pages)


def test_no_answer_and_no_source_is_on_the_site(draft):
    assert list((draft.html / "_sources").rglob("*.*")) == []
    assert not (draft.html / "_modules").exists()
    notebooks = list((draft.html / "_downloads").rglob("*.ipynb"))
    assert len(notebooks) == len(Workspace(ROOT).modules())
    assert all("BEGIN SOLUTION" not in path.read_text(encoding="utf-8") for path in notebooks)
