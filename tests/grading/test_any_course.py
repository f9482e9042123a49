"""A course that was not made here, nbgrader's own quickstart, gets the same scores from the engine
as from nbgrader.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grading.engine.course import submission_reports
from grading.engine.course.directory import Course
from grading.engine.run import autograde
from helpers.tiny_class import grade

STUDENTS = ["bitdiddle", "hacker", "alyssa", "strayed"]


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory) -> Path:
    """The course that `nbgrader quickstart` makes: its assignment ps1 of two notebooks, released,
    with three submissions, one of which lacks the second notebook; and a fourth whose written
    answers lost their labels.
    """
    import nbgrader

    from grading.engine.nbgrader.import_nbgrader import quiet

    with quiet():
        from nbgrader.converters import GenerateAssignment

    guide = Path(nbgrader.__file__).parent / "docs" / "source" / "user_guide"
    course = tmp_path_factory.mktemp("anywhere") / "course101"
    shutil.copytree(guide / "source" / "ps1", course / "source" / "ps1")
    (course / "nbgrader_config.py").write_text(
        'c = get_config()\nc.CourseDirectory.course_id = "course101"\n', encoding="utf-8"
    )
    stock(GenerateAssignment, course)
    for student, of in (("bitdiddle",) * 2, ("hacker",) * 2, ("strayed", "bitdiddle")):
        shutil.copytree(guide / "submitted" / of / "ps1", course / "submitted" / student / "ps1")
    for path in (course / "submitted/strayed/ps1").glob("*.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown" and "nbgrader" in cell["metadata"]:
                cell["metadata"] = {}
                cell.pop("id", None)
        path.write_text(json.dumps(notebook), encoding="utf-8")
    shutil.copytree(course / "release" / "ps1", course / "submitted" / "alyssa" / "ps1")
    (course / "submitted" / "alyssa" / "ps1" / "problem2.ipynb").unlink()
    return course


def stock(converter: type, course: Path, student: str | None = None) -> None:
    """nbgrader's own converter with nbgrader's own steps."""
    from grading.engine.nbgrader.import_nbgrader import convert

    config = Course(course).config()
    config.CourseDirectory.course_id = "course101"
    config.Execute.kernel_name = "python3"
    convert(converter, config, "ps1", student)


def scores(course: Path) -> dict[tuple[str, str, str], float | None]:
    from grading.engine.nbgrader.import_nbgrader import gradebook

    with gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        return {
            (submission.student.id, notebook.name, grade.name): grade.auto_score
            for submission in book.assignment_submissions("ps1")
            for notebook in submission.notebooks
            for grade in notebook.grades
        }


@pytest.fixture(scope="module")
def graded(quickstart, workspace, tmp_path_factory) -> tuple[Path, dict[str, autograde.Graded]]:
    """A copy of the course that the engine graded, and its result for each student."""
    place = tmp_path_factory.mktemp("graded") / "course101"
    shutil.copytree(quickstart, place)
    course = Course.open(place, workspace)
    assignment = course.assignment("ps1", workspace)
    assert assignment.stems == ("problem1", "problem2") and assignment.module is None
    done = grade(course, assignment, jobs=2)
    return place, {one.student: one for one in done}


def test_the_engine_gives_nbgraders_own_scores(quickstart, graded, tmp_path):
    from grading.engine.nbgrader.import_nbgrader import quiet

    with quiet():
        from nbgrader.converters import Autograde
    beside = tmp_path / "stock"
    shutil.copytree(quickstart, beside)
    for student in STUDENTS:
        stock(Autograde, beside, student)
    place, said = graded
    found, wanted = scores(place), scores(beside)
    # nbgrader gives 0 for an answer whose label is lost; a person looks for it here.
    lost = ("strayed", "problem1", "sum_of_squares_application")
    assert found.pop(lost) is None and wanted.pop(lost) == 0
    differ = {key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key)}
    # nbgrader silently gives 0 for a missing notebook.
    assert {student for student, *_ in differ} <= {"alyssa"}
    assert not any(found[key] or wanted[key] for key in differ)
    assert sum(score or 0 for (student, *_), score in found.items() if student == "bitdiddle") > 0
    assert said["bitdiddle"].reasons == said["hacker"].reasons == []
    assert said["alyssa"].status == "needs_review"
    assert said["alyssa"].reasons == ["there is no notebook problem2.ipynb in the submission"]


def test_an_assignment_that_nobody_released_is_refused_with_those_that_were(quickstart, workspace):
    from tito.errors import UsageError

    with pytest.raises(UsageError, match=r"no module is called 'ps2'.*released in .*: ps1"):
        Course.open(quickstart, workspace).assignment("ps2", workspace)


SEALED = """
import pytest

@pytest.mark.contract("correct_squares")
def test_squares_of_any_length(tt, draw):
    length = int(draw.integers(2, 30))
    assert tt.squares(length) == [number ** 2 for number in range(1, length + 1)]

@pytest.mark.contract("correct_squares")
def test_zero_is_refused(tt):
    with pytest.raises(ValueError):
        tt.squares(0)
"""


def test_sealed_tests_may_be_added_to_any_assignment(quickstart, workspace, tmp_path):
    """The cell that a test names is scored by the sealed tests, from the solution cells, which
    the notebook marks as nbgrader does.
    """
    beside = tmp_path / "sealed"
    shutil.copytree(quickstart, beside)
    room = beside / "sealed" / "ps1"
    room.mkdir(parents=True)
    (room / "sealed.toml").write_text('export = "answers/squares.py"\n', encoding="utf-8")
    (room / "test_squares.py").write_text(SEALED, encoding="utf-8")
    course = Course.open(beside, workspace)
    assignment = course.assignment("ps1", workspace)
    assert assignment.sealed.import_name == "answers.squares"
    grade(course, assignment, students=["bitdiddle", "hacker"], jobs=2)
    for student, status, share in (("bitdiddle", "fail", 0.5), ("hacker", "pass", 1.0)):
        cells = submission_reports.read_report(course, assignment, student).cells
        (row,) = (row for row in cells if row.grade_id == "correct_squares")
        told = {test.test: test.status for test in row.tests}
        assert told == {"test_squares_of_any_length": status, "test_zero_is_refused": "pass"}
        assert row.points / row.max_points == share


@pytest.mark.parametrize(
    "text", ['export = "../x.py"', 'export = "/x.py"', "export = 3", "", "export ="]
)
def test_settings_of_sealed_tests_that_lead_out_are_refused(tmp_path, text):
    from grading.engine.course.assignment import Assignment
    from tito.errors import UsageError

    (tmp_path / "sealed.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"sealed\.toml"):
        Assignment.foreign("ps1", ("problem1",), tmp_path)


def test_the_day_goes_on_with_several_notebooks(graded, workspace, tmp_path):
    """mark, export, report and feedback work for an assignment of two notebooks: a cell is called
    notebook/grade_id.
    """
    from grading.engine.marks import class_report, export_tables, feedback, grade_by_hand

    beside = tmp_path / "day"
    shutil.copytree(graded[0], beside)
    course = Course.open(beside, workspace)
    assignment = course.assignment("ps1", workspace)
    waiting = {(one.student, one.grade_id) for one in grade_by_hand.waiting(course, assignment)}
    for cell in ("problem1/sum_of_squares_equation", "problem2/part-a"):
        assert ("hacker", cell) in waiting
    assert grade_by_hand.mark(course, assignment, "hacker", "problem2/part-a", 0.5) == 1.0
    (row,) = [row for row in export_tables.marks(course, assignment) if row.student == "hacker"]
    assert row.cells["problem2/part-a"] == 0.5 and row.cells["problem2/part-b"] is None
    pages = feedback.feedback(course, assignment, students=["hacker", "alyssa"])
    assert [page.name for page in pages] == ["problem1.html", "problem2.html"] * 2
    assert all(page.is_file() for page in pages)
    missing = course.feedback("alyssa", assignment, "problem2").read_text(encoding="utf-8")
    assert "could not be graded by the machine" in missing
    assert class_report.class_report(course, assignment).assignment == "ps1"


@pytest.mark.long
@pytest.mark.parametrize("odd", [False, True])
def test_no_cell_of_a_course_from_elsewhere_differs_in_silence(odd, tmp_path):
    """Some of nbgrader's own test notebooks, and a course of odd test cells."""
    scripts = Path(__file__).resolve().parents[2] / "benchmarks"
    if odd:
        make = [sys.executable, str(scripts / "odd_course.py"), str(tmp_path / "odd")]
        subprocess.run(make, check=True, timeout=60)
    which = ["--course", str(tmp_path / "odd")] if odd else ["--only", "submitted-unchanged"]
    words = [sys.executable, str(scripts / "any_course.py"), *which]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
    counts = json.loads(done.stdout.splitlines()[-1])
    assert counts["cells"] >= (400 if odd else 10) and counts["SILENT"] == counts["CRASHED"] == 0
