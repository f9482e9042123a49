"""The class report: its counts, what it shows, and that it contains no scripts."""

from __future__ import annotations

import csv
import json
import re

import pytest

from grading.engine.course.submission_reports import Report
from grading.engine.marks import class_report, grade_by_hand, sent_marks
from grading.engine.submission_marks import Flag
from helpers.inboxes import notebook, put
from helpers.sealed_course import CONTRACT
from helpers.written_marks import blank, cell_marks, hand_in, set_due

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"
FLAG = Flag("test_box", "control", EVIL, "tiny_dev")
MISCONCEPTIONS = """# %% absolute: A number and its negative are alike. (promise 2)
def double(x):
    return abs(2 * x)


# %% more: Twice is one more. (promise 1)
def double(x):
    return x + 1
"""


@pytest.fixture(scope="module")
def made(workspace, tmp_path_factory):
    """A class of four, one of whom handed in nothing, and of a course with misconceptions."""
    room = blank(workspace, tmp_path_factory.mktemp("report"))
    set_due(room)
    (room.course.root / "late.toml").write_text("percent_per_day = 10", encoding="utf-8")
    hand_in(room, "ann", seconds=9.5)
    hand_in(room, "bob", timestamp="2026-11-20 18:00:00 UTC", test_double=0, contract_box=1)
    hand_in(room, "cid", test_double=0, reasons=(EVIL,), flags=(FLAG,))
    with room.course.book() as book:
        book.add_student("zoe")
    released = room.course.released(room.module)
    content = json.loads(released.read_text(encoding="utf-8"))
    text = f"### 1a double\n<!-- points -->, about 5 minutes\n{CONTRACT}"
    cell = {"cell_type": "markdown", "id": "contract", "metadata": {}, "source": text}
    content["cells"].insert(2, cell)
    released.write_text(json.dumps(content), encoding="utf-8")
    put(workspace.root / "grading" / "modules" / "07_tiny" / "wrong" / "double.py", MISCONCEPTIONS)
    return room


@pytest.fixture
def room(made, tmp_path):
    return made.copy(tmp_path)


def test_the_counts_are_the_class_and_what_fewest_pass_comes_first(made):
    said = class_report.class_report(made.course, made.module)
    assert (len(said.graded), said.missing, said.waiting) == (3, ("zoe",), 6)
    assert said.marks.points == (3.6, 5, 7) and said.marks.median == 5
    late = [(one.student, one.total, one.penalty, one.final) for one in said.late]
    assert late == [("bob", 4, 0.4, 3.6)] and said.slowest[0] == ("ann", 9.5)
    assert said.review == {"cid": (EVIL,)} and said.flagged[0].cell == "test_box"
    first, *others = said.tests
    assert (first.cell, first.passed, first.met) == ("test_double", 1, 3)
    assert first.said == ("double takes negative numbers.", 2)
    found = [(one.cell, one.test, one.passed) for one in others]
    assert ("contract_box", "test_a_box_takes_three_things", 2) in found
    assert [one.fraction for one in said.tests] == sorted(one.fraction for one in said.tests)
    # what was flagged is beside the cell that waits
    waiting = grade_by_hand.waiting(made.course, made.module)
    (one,) = [one for one in waiting if (one.student, one.grade_id) == ("cid", "test_box")]
    assert f"flagged: {EVIL}" in one.reasons


def test_the_next_step_is_the_one_that_was_not_done(room):
    def following() -> str:
        return room.here("report", "07")[1].rpartition("next: tito grade ")[2].split(" --")[0]

    assert following() == "mark"
    for student in ("ann", "bob", "cid"):
        hand_in(room, student, q_why=1)
    assert following() == "feedback 07_tiny"
    sent_marks.note_pages(room.course, room.module, ["ann", "bob", "cid"])
    assert following() == "export 07_tiny"


def test_a_misconception_is_met_where_its_promise_was_read_first(room):
    report = room.report("bob")
    said = "double gives twice its argument."
    report["cells"][0]["tests"] = [{"status": "fail", "test": "test_twice", "promise": said}]
    put(room.course.report("bob", room.module), json.dumps(report))
    (one,) = class_report.class_report(room.course, room.module).misconceptions
    assert one.believed == ("A number and its negative are alike.",)
    assert one.students == ("bob", "cid")


def test_the_page_stands_alone_runs_nothing_and_says_its_finding(room):
    assert room.here("report", "07")[0] == 0
    folder = room.course.reports(room.module)
    page = (folder / "report.html").read_text(encoding="utf-8")
    for said in (
        "Half of 3 have 5 of 11 points or more; 2 have less than half",
        "Fewest pass \u201cdouble\u201d: 1 of 3",
        "A number and its negative are alike.",
        "&lt;script&gt;",
        "default-src 'none'",
    ):
        assert said in page
    assert "<script" not in page.lower() and "<img src=x" not in page
    addresses = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert all(address.startswith("data:") for address in addresses)
    assert all(alt for alt in re.findall(r'<img [^>]*alt="([^"]*)"', page))
    assert page.count("<figure>") == 2
    with open(folder / "marks.csv", encoding="utf-8", newline="") as file:
        finals = {row["student"]: row["final"] for row in csv.DictReader(file)}
    assert finals == {"ann": "7", "bob": "3.6", "cid": "5", "zoe": "0"}
    with open(folder / "tests.csv", encoding="utf-8", newline="") as file:
        assert next(csv.DictReader(file))["cell"] == "test_double"


def tally(made, passed: list[bool], points: list[float]):
    """The tests of a class in which test_double went so, and the box earned so many points, and 2
    more if these are not 0; and test_double itself.
    """
    reports = []
    for number, (one, earned) in enumerate(zip(passed, points, strict=True)):
        cells = tuple(
            cell_marks(test_double=2.0 * one, test_box=earned, contract_box=2.0 * bool(earned))
        )
        about = (f"s{number:02d}", "07_tiny", "tiny_dev", "x", "graded", (), (), cells)
        reports.append(Report(*about, 0.0, 11.0, 1, 1.0))
    found = class_report.tallies(made.module, reports)
    return found, next(one for one in found if one.cell == "test_double")


def test_a_test_that_nobody_passes_or_good_students_fail_comes_first(made):
    found, one = tally(made, [False] * 5, [3.0, 3.0, 0.0, 0.0, 0.0])
    assert found[0] is one and one.doubt == "nobody passes"
    points = [3.0] * 8 + [0.0] * 16  # fewer pass test_box than test_double
    found, one = tally(made, [False] * 8 + [True] * 16, points)
    assert found[0] is one and one.doubt == "good students fail" and one.discrimination == -1.0
    assert found[1].passed == 8 and not any(other.doubt for other in found[1:])


@pytest.mark.parametrize("count", [19, 20])
def test_a_small_class_says_nothing_about_a_test(made, count):
    _, one = tally(made, [number > 3 for number in range(count)], [3.0] * 4 + [0.0] * (count - 4))
    assert (one.discrimination is None) == (count < 20)


def test_a_complaint_is_answered_by_one_command(room, inbox):
    """When it came and by whose clock, what cost points, and what a person said."""
    code, text = room.here("report", "--student", "bob")
    assert code == 0, text
    for said in (
        "handed in: 2026-11-20 18:00:00 UTC, by timestamp.txt",
        "late:      6.0 h, extensions counted; it costs 0.4 points",
        "test_double: 0 of 2\n  not ok  double takes negative numbers.",
        "called   double(-1)",
    ):
        assert said in text
    assert "2 of 4 cells" not in text
    older = put(inbox / "bob.ipynb", notebook(), at=1_700_000_000)
    room.collect(inbox)
    room.collect(older)
    _, text = room.here("report", "--student", "bob")
    assert text.count("the one collected before was handed in later") == 2
    assert "handed in 2023-11-14 22:13:20 UTC by the file's" in text
    code, text = room.here("report", "--student", "zoe")
    assert code == 2 and "no submission of 07_tiny by 'zoe'" in text
