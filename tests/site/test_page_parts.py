"""What every page has beside its text, on the pages of this course and on those of a course with a
public home.
"""

import re
from html import unescape
from pathlib import Path

import pytest
from site_tools import published
from site_tools.dead_links import pages_of
from site_tools.edited_files import Origins
from site_tools.pages import write_pages
from site_tools.staging import Stage

ROOT = Path(__file__).resolve().parents[2]


def test_every_page_has_a_description_of_its_own_and_no_address_without_a_public_home(draft):
    said = {}
    for path in pages_of(draft.html):
        name, text = path.relative_to(draft.html).as_posix(), path.read_text(encoding="utf-8")
        assert 'rel="canonical"' not in text and 'rel="edit"' not in text, name
        if name == "search.html":
            continue
        (found,) = re.findall(r'<meta name="description" content="([^"]+)">', text)
        assert 20 <= len(unescape(found)) <= 160 and found not in said, (name, said.get(found))
        said[found] = name


def test_a_fault_is_named_by_the_file_that_a_person_edits(tmp_path):
    help_line = "Begin a module: make its notebook where none exists, and open it in JupyterLab."
    write_pages(ROOT, stage := Stage(tmp_path), {})
    line = (tmp_path / "cli.md").read_text("utf-8").splitlines().index(help_line) + 1
    said = Origins(ROOT, stage).repaired(f"{tmp_path}/cli.md:{line}: WARNING: bad")
    assert said == "tito/commands/start.py:1: WARNING: bad"


@pytest.mark.parametrize(
    ("repository", "site", "wanted"),
    [
        ("", "", ""),
        ("https://github.com/Ann/course", "", "https://ann.github.io/course/"),
        ("https://github.com/ann/ann.github.io", "", "https://ann.github.io/"),
        ("https://gitlab.com/school/y2/course.git", "", "https://school.gitlab.io/y2/course/"),
        ("https://github.com/ann/course", "https://x.org/c", "https://x.org/c/"),
        ("", "https://x.org/", "https://x.org/"),
    ],
)
def test_the_site_lies_where_the_setting_says_or_where_the_repository_has_its_pages(
    tmp_path, repository, site, wanted
):
    (tmp_path / "tito.toml").write_text(f'repository_url = "{repository}"\nsite_url = "{site}"\n')
    assert published.site_url(tmp_path) == wanted
