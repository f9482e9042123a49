"""The syllabus: its hours and points follow from the notebooks. The citation agrees with what the
repository says elsewhere.
"""

import re
from pathlib import Path

import pytest
from site_tools import syllabus

from tito.files import read_toml
from tito.notebook import hours
from tito.notebook.cells import read_ipynb
from tito.notebook.exercises import exercises
from tito.workspace import Workspace

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
MODULES = Workspace(ROOT).modules()


def columns(table: str) -> list[list[str]]:
    """The cells of a Markdown table's rows, without its head."""
    rows = table.splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_the_table_of_modules_has_all_points_and_all_written_answers():
    rows = columns(syllabus.module_table(MODULES))
    questions = columns(syllabus.question_table(MODULES))
    every = [one for module in MODULES for one in exercises(read_ipynb(module.notebook))]
    assert sum(float(row[2]) for row in rows) == sum(one.points for one in every)
    assert sum(float(row[3]) for row in rows) == sum(float(row[2]) for row in questions)
    assert len(questions) == sum(one.is_question for one in every)


def test_hours_and_points_of_sections_are_those_of_their_exercises():
    first = exercises(read_ipynb(MODULES[0].notebook))
    wanted = [one for one in first if int(one.number[:-1]) in (2, 3)]
    text = syllabus.filled("<!-- hours 2-3 -->, <!-- points 2-3 -->", MODULES)
    time, points = text.split(", ")
    assert time == hours.hours(sum(one.minutes for one in wanted))
    assert float(points.removesuffix(" points")) == sum(one.points for one in wanted)


def test_the_weeks_of_the_page_hold_every_section_of_the_first_module_once():
    page = (ROOT / "site/teach/syllabus.md").read_text(encoding="utf-8")
    weeks = re.findall(r"<!-- points (\d+)-(\d+) -->", page)
    inside = [section for first, last in weeks for section in range(int(first), int(last) + 1)]
    found = {int(one.number[:-1]) for one in exercises(read_ipynb(MODULES[0].notebook))}
    assert len(inside) == len(set(inside)) and found <= set(inside)
    assert re.findall(r"<!-- hours (\d+)-(\d+) -->", page) == weeks
    assert re.findall(r"<!-- (?!first)[^>]*-->", syllabus.filled(page, MODULES)) == []


def test_the_citation_agrees_with_the_package_the_readme_and_the_license():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = read_toml(ROOT / "pyproject.toml", ValueError)["project"]
    assert cited["cff-version"] == "1.2.0"
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    heading = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n")[0]
    assert heading == f"# {cited['title']}"
    holder = re.search(r"Copyright \(c\) \d+ (.+)", (ROOT / "LICENSE").read_text("utf-8"))
    assert holder and [one["name"] for one in cited["authors"]] == [holder[1]]
