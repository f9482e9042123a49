"""A course that nbgrader's own commands made: its files and its nbgrader_config.py mean here what
they mean to nbgrader, or are refused by name before anything is graded.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from grading.engine.course import submission_reports
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.nbgrader_settings import CourseSettings
from grading.engine.marks import late_penalties
from grading.engine.marks.class_report import class_report
from grading.engine.marks.late_penalties import set_due
from grading.engine.run.autograde import Graded
from grading.engine.submission_size_and_time import Limits
from helpers.inboxes import put
from helpers.tiny_class import grade
from tito.errors import UsageError


def cell(name: str, source: str, **flags: Any) -> Any:
    from grading.engine.nbgrader.import_nbgrader import nbformat

    found = nbformat.v4.new_code_cell(source, id=name)
    kind = {"grade": False, "solution": False, "locked": False, "task": False, "schema_version": 3}
    found.metadata.nbgrader = {**kind, "grade_id": name, **flags}
    return found


def solution(name: str, source: str) -> Any:
    return cell(name, source, solution=True)


def asked(name: str, source: str, points: float = 2) -> Any:
    return cell(name, source, grade=True, locked=True, points=points)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        put(folder / name, text)


def configured(root: Path, config: str) -> None:
    put(root / "nbgrader_config.py", f"c = get_config()\n{config}\n")


def foreign(root: Path, workspace: Any, cells: list[Any], config: str = "", **files: str) -> Course:
    """Make a course with nbgrader's own commands; the student ann handed in what was released."""
    from grading.engine.nbgrader.import_nbgrader import convert, nbformat, quiet

    with quiet():
        from nbgrader.converters import GenerateAssignment
    write(root / "source" / "hw", files)
    notebook = nbformat.v4.new_notebook(cells=cells)
    python = {"name": "python3", "language": "python", "display_name": "Python 3"}
    notebook.metadata.kernelspec = python
    put(root / "source" / "hw" / "work.ipynb", nbformat.writes(notebook))
    configured(root, config)
    course = Course.open(root, workspace)
    settings = course.config()
    settings.ClearSolutions.enforce_metadata = False
    convert(GenerateAssignment, settings, "hw")
    hand_in(course, "ann", cells, {"timestamp.txt": "2026-01-02 00:00:00 UTC"})
    return course


def hand_in(
    course: Course, student: str, cells: list[Any], files: dict[str, str] | None = None
) -> None:
    from grading.engine.nbgrader.import_nbgrader import nbformat

    folder = course.root / "submitted" / student / "hw"
    write(folder, files or {"timestamp.txt": "2025-12-31 00:00:00 UTC"})
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "work.ipynb")


@dataclass
class Room:
    """A graded course."""

    course: Course
    assignment: Assignment
    graded: dict[str, Graded]

    def rows(self, student: str = "ann") -> dict[str, Any]:
        """The report's row of each cell."""
        report = submission_reports.read_report(self.course, self.assignment, student)
        return {mark.grade_id: mark for mark in report.cells}

    def penalty(self, student: str) -> float | None:
        with self.course.book() as book:
            return book.find_submission_notebook("work", "hw", student).late_submission_penalty


def graded(course: Course, workspace: Any) -> Room:
    """Grade the class, in which who hands in after New Year is late."""
    assignment = course.assignment("hw", workspace)
    set_due(course, assignment, "2026-01-01T00:00:00Z")
    return Room(course, assignment, {one.student: one for one in grade(course, assignment)})


READS = [
    asked("one", "assert open('data/deep/x.csv').read() == 'release'"),
    asked("two", "import sys; sys.path.append('lib'); import helper; assert helper.mine == 'ann'"),
    asked("three", "assert open('own/notes.txt').read() == 'mine'"),
    asked("four", "import os; assert os.listdir('own') == ['notes.txt']"),
]
CONFIGURED = """
c.CourseDirectory.ignore.append('*.tex')
c.Autograde.exclude_overwriting = {'hw': ['lib/helper.py']}
c.CourseDirectory.db_url = 'sqlite:///marks.db'
c.AssignLatePenalties.plugin_class = 'late_plugin.Blarg'
c.Blarg.share = 0.25
"""
PLUGIN = """
from nbgrader.plugins import BasePlugin
from traitlets import Float

class Blarg(BasePlugin):
    share = Float(1.0).tag(config=True)

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return self.share * score * (total_seconds_late > 3600)
"""


@pytest.fixture(scope="module")
def configured_room(workspace, tmp_path_factory) -> Room:
    """A course with settings and files of its own; bob was in time, and another folder is the
    current one.
    """
    files = {"data/deep/x.csv": "release", "lib/helper.py": "mine = 'course'"}
    own = {"data/deep/x.csv": "ann", "lib/helper.py": "mine = 'ann'", "own/notes.txt": "mine"}
    own["own/notes.tex"] = "not wanted"
    root = tmp_path_factory.mktemp("configured") / "course"
    course = foreign(root, workspace, READS, CONFIGURED, **files)
    put(root / "late_plugin.py", PLUGIN)
    write(root / "submitted" / "ann" / "hw", own)
    hand_in(course, "bob", READS)
    (here := root.with_name("here")).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        return graded(course, workspace)


def test_files_in_folders_reach_the_notebook_and_the_course_says_which_a_student_may_replace(
    configured_room,
):
    points = {name: row.points for name, row in configured_room.rows().items()}
    assert points == dict.fromkeys(("one", "two", "three", "four"), 2)


def test_a_relative_address_of_the_gradebook_is_relative_to_the_course(configured_room):
    root = configured_room.course.root
    assert (root / "marks.db").is_file() and not list((root.with_name("here")).iterdir())


@pytest.fixture(scope="module")
def stopped_room(workspace, tmp_path_factory) -> Room:
    """A course with a time limit for cells, and without points for who is late."""
    cells = [
        asked("before", "assert False"),
        solution("f", "import time; time.sleep(60)\ng = 1"),
        asked("after", "assert g == 1"),
        asked("whole", "assert True"),
    ]
    config = "c.Execute.timeout = 2\nc.LateSubmissionPlugin.penalty_method = 'zero'"
    root = tmp_path_factory.mktemp("stopped") / "course"
    return graded(foreign(root, workspace, cells, config), workspace)


# as matplotlib's plt, whose functions return what they have drawn
DRAWS = "from types import SimpleNamespace\nplt = SimpleNamespace(plot=list)\nplt.plot()"
PLAIN = [
    *(asked("yes", "1 + 1 == 2"), asked("no", "1 + 1 == 3"), asked("some", "1.5")),
    *(asked("one", "assert True"), asked("two", DRAWS), asked("three", "pass")),
    asked("env", "import os; assert os.environ['NBGRADER_EXECUTION']"),
]
DIFFERS = [
    asked("warns", "import sys; print('x', file=sys.stderr)"),
    asked("half", "import numpy; numpy.float64(0.5)"),
    asked("broken", "get_ipython().displayhook(1.5); 1 / 0"),
    asked("tagged", "1 / 0"),
]
DIFFERS[-1].metadata.tags = ["skip-execution"]


@pytest.fixture(scope="module")
def plain_room(workspace, tmp_path_factory) -> Room:
    """A course without settings; the notebook of cy differs from the release."""
    from grading.engine.nbgrader.import_nbgrader import nbformat

    course = foreign(tmp_path_factory.mktemp("plain") / "course", workspace, PLAIN + DIFFERS)
    raw = nbformat.v4.new_raw_cell("assert True", metadata=PLAIN[3].metadata)
    old = cell("three", "pass", grade=True, points=2, schema_version=2)
    hand_in(course, "cy", [*PLAIN[:3], raw, old, *DIFFERS, solution("extra", "x = 1")])
    return graded(course, workspace)


def test_late_penalties_are_those_of_the_courses_plugin(configured_room, stopped_room, plain_room):
    rooms = configured_room, stopped_room, plain_room
    assert [room.penalty("ann") for room in rooms] == [2.0, 2.0, None]
    assert configured_room.penalty("bob") is None


def test_a_plugin_whose_penalties_lack_a_due_date_is_named(configured_room, workspace):
    course = configured_room.course
    assignment = course.assignment("hw", workspace)
    assert late_penalties.without_due_date(course, assignment) == ""
    with course.book() as book:
        found = book.find_assignment("hw")
        due, found.duedate = found.duedate, None
        book.db.commit()
        said = late_penalties.without_due_date(course, assignment)
        found.duedate = due
        book.db.commit()
    assert "hw has no due date, so no late penalty is applied" in said


@pytest.mark.parametrize(
    ("text", "cell_seconds", "notebook_seconds"),
    [
        ("c.Execute.timeout = 90", 90, 360),
        ("c.ExecutePreprocessor.timeout = 5", 5, 120),
        ("c.Execute.timeout = None", 120, 120),
        ("", 30, 120),
    ],
)
def test_limits_of_a_course(tmp_path, text, cell_seconds, notebook_seconds):
    configured(tmp_path, text)
    settings = CourseSettings.read(tmp_path / "nbgrader_config.py")
    limits = Limits().of_course(settings.cell_seconds)
    assert (limits.cell_seconds, limits.notebook_seconds) == (cell_seconds, notebook_seconds)
    given = Limits(cell_seconds=7)
    assert given.of_course(settings.cell_seconds) == given  # --timeout


@pytest.mark.parametrize(
    ("url", "file"),
    [
        (None, "gradebook.db"),
        ("sqlite:///a b/\u00fc%20.db", "a b/\u00fc .db"),  # SQLAlchemy decodes %20
        ("sqlite+pysqlite:///marks.db?timeout=5", "marks.db"),
        ("sqlite:////srv/marks.db", "/srv/marks.db"),
        ("postgresql+psycopg2://ann@host/marks", None),
    ],
)
def test_the_gradebook_is_where_its_address_says(tmp_path, url, file):
    folder = tmp_path / "50%25 off"
    course = Course(folder)
    configured(folder, "" if url is None else f"c.CourseDirectory.db_url = {url!r}")
    assert course.database == (file and folder / file)
    if file:
        assert make_url(course.db_url).database == str(course.database)
    else:
        assert course.db_url == url


@pytest.mark.parametrize(
    "url",
    [
        5, ["sqlite:///x.db"], b"sqlite:///x.db", "marks.db", "sqlite://", "sqlite:///:memory:",
        "sqlite:///file:x.db?uri=true", "postgres://host/marks", "oracle2://host/marks",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_gradebook_is_refused(tmp_path, url):
    configured(tmp_path, f"c.CourseDirectory.db_url = {url!r}")
    with pytest.raises(UsageError, match="the address of a gradebook looks like"):
        _ = Course(tmp_path).db_url


@pytest.fixture
def ungraded(plain_room, tmp_path) -> Path:
    unwanted = shutil.ignore_patterns("reports", "autograded")
    return shutil.copytree(plain_room.course.root, tmp_path / "course", ignore=unwanted)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("c.Autograde.autograde_preprocessors = ['mine.Custom']", "autograde_preprocessors"),
        ("c.CourseDirectory.submitted_directory = 'in'", "submitted_directory"),
        ("c.Execute.timeout = 'long'", "number of seconds"),
        ("c.CourseDirectory.ignore = 5", "a list such as"),
        ("c.CourseDirectory.ignore = [['*.csv']]", "a list such as"),
        ("c.Autograde.exclude_overwriting = [1]", "a dict such as"),
        ("c.Autograde.exclude_overwriting = {'hw': [1]}", "a dict such as"),
        ("c.Autograde.exclude_overwriting.update(['d.csv'])", "stopped with ValueError"),
        ("c.SaveAutoGrades.enabled = False", "SaveAutoGrades.enabled"),
        ("c.AssignLatePenalties.plugin_class = 'nowhere.Late'", "nowhere.Late"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_what_is_not_honoured_is_refused_before_grading(ungraded, workspace, config, said):
    configured(ungraded, config)
    course = Course.open(ungraded, workspace)
    with pytest.raises(UsageError, match=said):
        grade(course, course.assignment("hw", workspace))
    assert not (course.root / "reports").exists()


def test_what_follows_a_stopped_cell_goes_to_a_person(stopped_room):
    rows = stopped_room.rows()
    assert {name: (row.points, row.review) for name, row in rows.items()} == {
        "before": (0, False),
        "after": (0, True),
        "whole": (2, False),
    }
    with stopped_room.course.book() as book:
        grades = [book.find_grade(name, "work", "hw", "ann") for name in rows]
        assert [one.name for one in grades if one.needs_manual_grade] == ["after"]
    assert any("f was stopped after 2 s" in one for one in stopped_room.graded["ann"].reasons)


def test_points_that_nbgrader_itself_would_not_give_are_named_once(plain_room):
    assert [(one.points, one.why) for one in plain_room.graded.values()] == [(16.0, "")] * 2
    facts = class_report(plain_room.course, plain_room.assignment)
    assert facts.remarks.pop("yes, no").startswith("the test cell ends in True or False")
    assert facts.remarks == {
        "warns": "text on stderr costs no points; nbgrader itself gives 0 of 2 points",
        "half": "a number of NumPy as the cell's value is its points; nbgrader itself gives 2 of 2"
        " points",
        "broken": "an error costs all points, whatever value the cell showed before it; nbgrader"
        " itself gives 1.5 of 2 points",
        "tagged": "the cell is run in spite of its tag; nbgrader itself gives 2 of 2 points",
    }
    assert not facts.flagged and facts.rests_on == (
        "Of 22 points, 0 rest on sealed tests, 22 on test cells that run in the student's own"
        " process, and 0 are given by a person. Code of a student in the same process as a test"
        " cell can forge its result."
    )


def test_the_report_says_how_a_notebook_differs_from_its_release(plain_room):
    """nbgrader gives such cells no grade, or none of the notebook's."""
    report = submission_reports.read_report(plain_room.course, plain_room.assignment, "cy")
    assert report.reasons == () and report.notes == (
        "work.ipynb lacked two, env: put back as in the release",
        "work.ipynb had as another type of cell one: put back as in the release",
        "work.ipynb had from another version of nbgrader three: put back as in the release",
        "work.ipynb has cells that the release does not know: extra",
    )


def test_text_of_a_release_that_nbgrader_corrected_is_not_taken_for_a_students_own(
    workspace, tmp_path
):
    before, after = (
        [solution("f", "f = 5"), asked("broken", f"assert f == {number}")] for number in (4, 3)
    )
    course = foreign(tmp_path / "course", workspace, before)
    graded(course, workspace)
    shutil.rmtree(course.root / "release")
    foreign(course.root, workspace, after)
    hand_in(course, "ann", before)
    done = graded(course, workspace).graded["ann"]
    assert (done.points, done.status, done.why) == (0, "graded", "")
