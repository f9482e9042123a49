"""The page for engineers shows what its commands printed when they were recorded, with the day and
the machine.
"""

import re
from pathlib import Path

import pytest
from site_tools import examples

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "site"
AGAIN = (
    "the page's commands or photos.py have changed since their output was recorded; in an"
    " environment with PyTorch run: python site/_tools/examples.py"
)


@pytest.fixture
def site(tmp_path):
    """A folder with a page and an example that needs no PyTorch."""
    (tmp_path / "_examples").mkdir()
    (tmp_path / "_examples" / "add.py").write_text("import sys\nprint(1 + int(sys.argv[1]))\n")
    (tmp_path / "page.md").write_text(
        "<!-- add.py -->\n\n<!-- $ python add.py 41 -->\n\nThey <!-- ran -->.\n"
    )
    return tmp_path


def test_a_page_shows_the_file_the_command_and_what_it_printed(site, monkeypatch):
    monkeypatch.setattr(examples, "PACKAGES", ("numpy",))
    ran = examples.run(site, [ROOT])
    text = (site / "page.md").read_text(encoding="utf-8")
    page = examples.filled(text, site, ran)
    assert "```python\nimport sys\nprint(1 + int(sys.argv[1]))\n```" in page
    assert "```text\n$ python add.py 41\n42\n```" in page
    assert f"They ran on {ran.day}: {ran.machine}." in page and "numpy 2" in page


def test_what_is_recorded_belongs_to_the_page_and_its_file():
    ran = examples.recorded(SITE)
    assert ran.digest == examples.digest(SITE), AGAIN
    assert list(ran.outputs) == examples.commands(SITE), AGAIN
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", ran.day) and "torch 2." in ran.machine


def test_the_page_for_engineers_stands_on_the_site_with_what_is_recorded(draft):
    page = (draft.html / "engineers.html").read_text(encoding="utf-8")
    words, ran = re.sub(r"<[^>]*>", "", page), examples.recorded(SITE)
    assert f"ran on {ran.day}: {ran.machine}" in words and "class Photos(Dataset)" in words
    assert all(f"$ {command}" in words for command in ran.outputs)


def test_each_row_that_the_page_explains_is_printed_and_the_other_way_round():
    ran = examples.recorded(SITE)
    printed = next(text for command, text in ran.outputs.items() if "--full" in command)
    rows = set(re.findall(r"^  ([a-z]+(?: [a-z]+)?) {2,}", printed, re.MULTILINE))
    text = (SITE / "engineers.md").read_text(encoding="utf-8")
    table = text.split("| row |")[1].split("\n\n")[0]
    named = re.findall(r"^\| ([a-z ,]+?) \|", table, re.MULTILINE)
    explained = {row for names in named for row in names.split(", ")}
    assert rows - explained <= {"loading", "where", "try", "next"}
    assert explained <= rows
