"""A course that nbgrader's own commands made: its files and its nbgrader_config.py mean here what
they mean to nbgrader, or are refused by name before anything is graded.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_class import grade

from grading.engine.course import reports
from grading.engine.course.directory import Course
from grading.engine.run.time_limits import Limits
from tito.errors import UsageError

TIMESTAMP = "2026-01-02 00:00:00 UTC"


def cell(name: str, source: str, **flags: Any) -> Any:
    from grading.engine.nbgrader.library import nbformat

    found = nbformat.v4.new_code_cell(source, id=name)
    kind = {"grade": False, "solution": False, "locked": False, "task": False, "schema_version": 3}
    found.metadata.nbgrader = {**kind, "grade_id": name, **flags}
    return found


def solution(name: str, source: str) -> Any:
    return cell(name, source, solution=True)


def asked(name: str, source: str, points: float = 2) -> Any:
    return cell(name, source, grade=True, locked=True, points=points)


@pytest.fixture
def foreign(tmp_path, workspace):
    """Make a course with nbgrader's own commands: `foreign(cells, config)` returns it with one
    submission, of the student ann, as it was released.
    """

    def make(cells: list[Any], config: str = "", files: dict[str, str] | None = None) -> Course:
        from grading.engine.nbgrader.library import convert, nbformat, quiet

        with quiet():
            from nbgrader.converters import GenerateAssignment
        root = tmp_path / "elsewhere"
        (root / "source" / "hw").mkdir(parents=True)
        notebook = nbformat.v4.new_notebook(cells=cells)
        notebook.metadata.kernelspec = {
            "name": "python3",
            "language": "python",
            "display_name": "Python 3",
        }
        nbformat.write(notebook, root / "source" / "hw" / "work.ipynb")
        put(root / "source" / "hw", files or {})
        (root / "nbgrader_config.py").write_text(f"c = get_config()\n{config}\n", encoding="utf-8")
        course = Course.open(root, workspace)
        settings = course.config()
        settings.ClearSolutions.enforce_metadata = False
        convert(GenerateAssignment, settings, "hw")
        hand_in(course, "ann", cells, {"timestamp.txt": TIMESTAMP})
        return course

    return make


def put(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def hand_in(course: Course, student: str, cells: list[Any], files: dict[str, str]) -> None:
    from grading.engine.nbgrader.library import nbformat

    folder = course.root / "submitted" / student / "hw"
    folder.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "work.ipynb")
    put(folder, files)


def graded(course: Course, workspace: Any, **settings: Any) -> dict[str, Any]:
    """Grade the class; the report's row of each cell of ann's submission."""
    assignment = course.assignment("hw", workspace)
    grade(course, assignment, **settings)
    report = reports.read_report(course, assignment, "ann")
    return {mark.grade_id: mark for mark in report.cells}


READS = [
    asked("one", "assert open('data/deep/x.csv').read() == 'release'"),
    asked("two", "import sys; sys.path.append('lib'); import helper; assert helper.mine == 'ann'"),
    asked("three", "assert open('own/notes.txt').read() == 'mine'"),
    asked("four", "import os; assert os.listdir('own') == ['notes.txt']"),
]


def test_files_in_folders_reach_the_notebook_and_the_course_says_which_a_student_may_replace(
    foreign, workspace
):
    files = {"data/deep/x.csv": "release", "lib/helper.py": "mine = 'course'"}
    own = {"data/deep/x.csv": "ann", "lib/helper.py": "mine = 'ann'", "own/notes.txt": "mine"}
    own["own/notes.tex"] = "not wanted"
    course = foreign(
        READS,
        "c.CourseDirectory.ignore.append('*.tex')\n"
        "c.Autograde.exclude_overwriting = {'hw': ['lib/helper.py']}",
        files,
    )
    put(course.root / "submitted" / "ann" / "hw", own)
    rows = graded(course, workspace)
    assert {name: row.points for name, row in rows.items()} == dict.fromkeys(
        ("one", "two", "three", "four"), 2
    )


def test_a_relative_address_of_the_gradebook_is_relative_to_the_course(
    foreign, workspace, monkeypatch, tmp_path
):
    course = foreign([asked("one", "pass")], "c.CourseDirectory.db_url = 'sqlite:///marks.db'")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert graded(course, workspace)["one"].points == 2
    assert (course.root / "marks.db").is_file() and not list((tmp_path / "here").iterdir())


def test_the_time_of_a_cell_is_the_courses(foreign, workspace):
    slow = [solution("f", "import time; time.sleep(60)"), asked("one", "assert True")]
    course = foreign(slow, "c.Execute.timeout = 2")
    assignment = course.assignment("hw", workspace)
    (one,) = grade(course, assignment)
    assert any("f was stopped after 2 s" in reason for reason in one.reasons)


@pytest.mark.parametrize(
    ("text", "cell_seconds", "notebook_seconds"),
    [
        ("c.Execute.timeout = 90", 90, 360),
        ("c.ExecutePreprocessor.timeout = 5", 5, 120),
        ("c.Execute.timeout = None", 120, 120),
        ("c.Execute.timeout = -1", 120, 120),
        ("", 30, 120),
    ],
)
def test_limits_of_a_course(foreign, text, cell_seconds, notebook_seconds):
    settings = foreign([asked("one", "pass")], text).settings
    limits = Limits().of_course(settings.cell_seconds)
    assert (limits.cell_seconds, limits.notebook_seconds) == (cell_seconds, notebook_seconds)
    given = Limits(cell_seconds=7)
    assert given.of_course(settings.cell_seconds) == given  # --timeout


PLUGIN = """
from nbgrader.plugins import BasePlugin
from traitlets import Float

class Blarg(BasePlugin):
    share = Float(1.0).tag(config=True)

    def late_submission_penalty(self, student_id, score, total_seconds_late):
        return self.share * score * (total_seconds_late > 3600)
"""
OWN = "c.AssignLatePenalties.plugin_class = 'late_plugin.Blarg'\nc.Blarg.share = 0.25"
ZERO = "c.LateSubmissionPlugin.penalty_method = 'zero'"


@pytest.mark.parametrize(("config", "penalty"), [(OWN, 0.5), (ZERO, 2.0), ("", None)])
def test_late_penalties_are_those_of_the_courses_plugin(foreign, workspace, config, penalty):
    from grading.engine.marks.late import set_due
    from grading.engine.nbgrader.library import gradebook

    course = foreign([asked("one", "pass")], config)
    put(course.root, {"late_plugin.py": PLUGIN})
    assignment = course.assignment("hw", workspace)
    set_due(course, assignment, "2026-01-01T00:00:00Z")
    hand_in(course, "bob", [asked("one", "pass")], {"timestamp.txt": "2025-12-31 00:00:00 UTC"})
    grade(course, assignment)
    with gradebook(course.db_url) as book:
        found = {
            student: book.find_submission_notebook("work", "hw", student).late_submission_penalty
            for student in ("ann", "bob")
        }
    assert found == {"ann": penalty, "bob": None}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("c.Autograde.autograde_preprocessors = ['mine.Custom']", "autograde_preprocessors"),
        ("c.Autograde.sanitize_preprocessors.append('mine.Custom')", "sanitize_preprocessors"),
        ("c.CourseDirectory.submitted_directory = 'in'", "submitted_directory"),
        ("c.Execute.kernel_name = 'ir'", "kernel_name"),
        ("c.Execute.timeout = 'long'", "number of seconds"),
        ("c.SaveAutoGrades.enabled = False", "SaveAutoGrades.enabled"),
        ("c.AssignLatePenalties.plugin_class = 'nowhere.Late'", "nowhere.Late"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_what_is_not_honoured_is_refused_before_grading(foreign, workspace, config, said):
    course = foreign([asked("one", "pass")])
    path = course.root / "nbgrader_config.py"
    path.write_text(f"c = get_config()\n{config}\n", encoding="utf-8")
    course = Course.open(course.root, workspace)
    with pytest.raises(UsageError, match=said):
        grade(course, course.assignment("hw", workspace))
    assert not (course.root / "reports").exists()


def test_settings_that_change_no_mark_are_let_through(foreign):
    foreign(
        [asked("one", "pass")],
        "c.CourseDirectory.course_id = 'x'\nc.LimitOutput.max_lines = 9\nc.Exchange.root = '/x'\n"
        "c.CourseDirectory.ignore = ['.ipynb_checkpoints', '*.pyc', '__pycache__',"
        " '.pytest_cache']",
    ).settings.check()


def test_a_notebook_in_another_language_is_refused_when_the_course_is_read(foreign, workspace):
    course = foreign([asked("one", "pass")])
    path = course.root / "release" / "hw" / "work.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["metadata"]["kernelspec"]["language"] = "R"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    with pytest.raises(UsageError, match=r"work\.ipynb is in R"):
        course.assignment("hw", workspace)


def test_what_follows_a_stopped_cell_goes_to_a_person(foreign, workspace):
    from grading.engine.nbgrader.library import gradebook

    cells = [
        asked("before", "assert False"),
        solution("f", "while True: pass\ng = 1"),
        asked("after", "assert g == 1"),
        asked("whole", "assert True"),
    ]
    course = foreign(cells, "c.Execute.timeout = 2")
    rows = graded(course, workspace)
    assert {name: (row.points, row.review) for name, row in rows.items()} == {
        "before": (0, False),
        "after": (0, True),
        "whole": (2, False),
    }
    with gradebook(course.db_url) as book:
        waits = {
            name: book.find_grade(name, "work", "hw", "ann").needs_manual_grade for name in rows
        }
    assert waits == {"before": False, "after": True, "whole": False}


def test_a_bool_as_last_value_pays_as_in_nbgrader_and_is_said_once(foreign, workspace):
    from grading.engine.marks.class_report import class_report

    cells = [asked("yes", "1 + 1 == 2"), asked("no", "1 + 1 == 3"), asked("some", "1.5")]
    course = foreign(cells)
    hand_in(course, "bob", cells, {})
    assignment = course.assignment("hw", workspace)
    done = grade(course, assignment)
    assert [(one.points, one.why) for one in done] == [(5.5, ""), (5.5, "")]
    facts = class_report(course, assignment)
    assert list(facts.remarks) == ["yes", "no"] and not facts.flagged
    assert facts.rests_on == (
        "Of 6 points, 0 rest on sealed tests, 6 on test cells that run in the student's own"
        " process, and 0 are given by a person. Code of a student in the same process as a test"
        " cell can forge its result."
    )


def test_the_report_says_how_a_notebook_differs_from_its_release(foreign, workspace):
    """nbgrader gives such cells no grade, or none of the notebook's."""
    from grading.engine.nbgrader.library import nbformat

    cells = [asked("one", "assert True"), asked("two", "assert True"), asked("three", "pass")]
    course = foreign([*cells, asked("env", "import os; assert os.environ['NBGRADER_EXECUTION']")])
    raw = nbformat.v4.new_raw_cell("assert True", metadata=cells[0].metadata)
    old = cell("three", "pass", grade=True, points=2, schema_version=2)
    folder = course.root / "submitted" / "ann" / "hw"
    nbformat.write(
        nbformat.v4.new_notebook(cells=[raw, old, solution("extra", "x = 1")]),
        folder / "work.ipynb",
    )
    rows = graded(course, workspace)
    assert {name: row.points for name, row in rows.items()} == dict.fromkeys(rows, 2)
    report = reports.read_report(course, course.assignment("hw", workspace), "ann")
    assert report.reasons == () and report.notes == (
        "work.ipynb lacked two, env: put back as in the release",
        "work.ipynb had as another type of cell one: put back as in the release",
        "work.ipynb had from another version of nbgrader three: put back as in the release",
        "work.ipynb has cells that the release does not know: extra",
    )
