"""The whole site is built from this checkout and opened in a browser. A page with a line of an
answer is refused.
"""

from html import escape
from pathlib import Path

import pytest
from site_tools.build import refuse_leaks
from site_tools.check import check

from grading.authoring.check.module_check import secret_lines
from tito.errors import WorkError
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


def test_a_page_with_a_line_of_an_answer_is_refused(tmp_path):
    line = next(iter(secret_lines(Workspace(ROOT).module("09"))))
    page = tmp_path / "page.html"
    page.write_text("<pre>fine</pre>", encoding="utf-8")
    refuse_leaks(ROOT, tmp_path)
    page.write_text(f"<pre>fine\n<b>{escape(line)}</b></pre>", encoding="utf-8")
    with pytest.raises(WorkError, match=r"no answer may be on a page; page\.html shows"):
        refuse_leaks(ROOT, tmp_path)
