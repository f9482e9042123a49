"""A graded cell that sealed tests score is never run: its results are in it, as partial credit
that nbgrader reads.
"""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import nbformat
import pytest
from nbgrader.utils import determine_grade

from grading.engine.marks import feedback
from grading.engine.run import sealed_test_marks
from helpers.inboxes import put
from helpers.sealed_course import sealed_course
from helpers.tiny_class import Class, grade
from helpers.tiny_course import cell_of, fill
from helpers.written_marks import blank
from tito.notebook.cells import cells_of
from tito.outcome import Outcome

MACHINE = {"test_double": 2.0, "test_box": 3.0}
FORGED = """
import sys
import tinytorch.testing
ran = []
tinytorch.testing.check = lambda test, hint=None: ran.append(test)
print("this notebook ran")
"""
SAW = {"output_type": "stream", "name": "stdout", "text": "what the student saw"}
OUTPUT = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
NO_BODY = "#| export\ndef double(x):"


def with_code(notebook: dict, **code: str) -> dict:
    """A copy of a notebook with code below a cell's own; NO_BODY takes the cell's place."""
    copy = json.loads(json.dumps(notebook))
    for name, text in code.items():
        cell = cell_of(copy, name)
        cell["source"] = text if text == NO_BODY else f"{cell['source']}\n{text}"
    return copy


def submissions(released: dict) -> dict[str, dict]:
    forged, solved = with_code(released), fill(released)
    blank = {**cell_of(forged, "double"), "metadata": {}}
    forged["cells"].insert(1, {**blank, "id": "mine", "source": FORGED})
    forged["cells"].append({**blank, "id": "last", "source": "print('test cells:', len(ran))"})
    shown = fill(released, double="return abs(2 * x)", init="self.things = list(things)")
    cell_of(shown, "double")["outputs"] = [SAW, {"output_type": "stream", "name": "stdout"}]
    cell_of(shown, "test-double")["outputs"] = [{**OUTPUT, "data": {"text/plain": "2"}}]
    return {
        "solved": solved,
        "stub": released,
        "forged": forged,
        "shown": shown,
        "raising": fill(released, double="return x.missing"),
        "stops": with_code(solved, double="print(double(unknown_name))"),
        "ends": with_code(solved, double="import os\nos._exit(0)"),
        "both": with_code(solved, double=NO_BODY, box="1 / 0"),
    }


@pytest.fixture(scope="module")
def sealed_class(tmp_path_factory) -> Class:
    folder = tmp_path_factory.mktemp("sealed")
    room = blank(sealed_course(folder / "repository"), folder)
    released = json.loads(room.course.released(room.module).read_text(encoding="utf-8"))
    for student, notebook in submissions(released).items():
        put(room.notebook(student), json.dumps(notebook))
    room.graded.update({one.student: one for one in grade(room.course, room.module)})
    return room


@pytest.mark.parametrize(
    "student, expected",
    [
        ("solved", [2, 3]),
        ("stub", [0, 0]),
        ("forged", [0, 0]),  # the notebook's own tests are forged, and nobody asks them
        ("shown", [1, 3]),  # one of two sealed tests fails: half the points
        ("stops", [2, 3]),  # what is above a statement that raises counts, as in a notebook
        ("both", [0, 3]),  # a cell that does not parse costs its own exercise
        ("ends", [0, 0]),  # nobody can say which cell, and a person is asked
        ("raising", [0, 3]),
    ],
)
def test_sealed_tests_alone_score_a_cell(sealed_class, student, expected):
    room = sealed_class
    assert [room.grade(student, name)["auto_score"] for name in MACHINE] == expected
    assert [room.cell(student, name)["points"] for name in MACHINE] == expected
    assert {room.cell(student, name)["kind"] for name in MACHINE} == {"contract"}


def test_the_notebook_is_not_run_and_shows_what_the_student_saw(sealed_class):
    for student in ("solved", "forged", "shown"):
        outputs = [cell.get("outputs") for cell in sealed_class.executed(student)["cells"]]
        assert "this notebook ran" not in json.dumps(outputs)
        assert sealed_class.report(student)["flags"] == []
    kept = cell_of(sealed_class.executed("shown"), "double")["outputs"]
    assert ["".join(output["text"]) for output in kept] == ["what the student saw", ""]


def test_a_graded_cell_holds_its_sealed_results_and_the_score(sealed_class):
    said, score = cell_of(sealed_class.executed("shown"), "test-double")["outputs"]
    assert "".join(said["text"]).splitlines()[0] == "ok      double gives twice its argument."
    assert "double takes negative numbers." in "".join(said["text"])
    assert score["output_type"] == "execute_result"
    assert "".join(score["data"]["text/plain"]) == "1.0"
    read = nbformat.read(sealed_class.course.autograded("shown", sealed_class.module), as_version=4)
    (cell,) = [cell for cell in read.cells if cell.id == "test-double"]
    assert determine_grade(cell) == (1.0, 2.0)  # nbgrader's own reading: partial credit


@pytest.mark.parametrize(
    "student, cells",
    [
        ("stops", ["double), line 6: NameError: name 'unknown_name' is not defined"]),
        (
            "both",
            ["double), line 2: expected an indented block", "box), line", "ZeroDivisionError: div"],
        ),
        ("ends", ["all 4 contract tests ended alike", "exit code 0"]),  # no silent zero
    ],
)
def test_code_that_python_cannot_run_is_left_out_and_one_reason_asks_a_person(
    sealed_class, student, cells
):
    graded = sealed_class.graded[student]
    assert graded.status == "needs_review"
    (reason,) = graded.reasons
    proposal = "the mark is a proposal, graded without code that Python cannot run"
    assert reason.startswith(proposal) == (student != "ends")
    assert [cell for cell in cells if cell not in reason] == []
    said, score = cell_of(sealed_class.executed(student), "test-double")["outputs"]
    assert ("not ok" in "".join(said["text"])) == (student != "stops")
    assert "".join(score["data"]["text/plain"]) == ("2.0" if student == "stops" else "0.0")


@pytest.mark.parametrize("endless", [["double"], ["double", "box"]])
def test_one_cell_whose_import_never_ends_is_left_out(sealed_class, monkeypatch, tmp_path, endless):
    """Each one costs seconds of processor time; with a second one a person is asked."""
    released = json.loads(sealed_class.workspace.module("07").notebook.read_text(encoding="utf-8"))
    graded: list[list[str]] = []

    def packaged(kit, rest, package):
        graded.append([cell.label for cell in rest])

    def tested(kit, request, package):
        stops = [label for label in graded[-1] if any(f"({name})" in label for name in endless)]
        said = f"tt does not import: TimeoutError: it used 5 s ({'; '.join(stops[:1])}, line 2)"
        status, message = ("error", said) if stops else ("pass", "")
        return [Outcome(status, "test_a", grade_id="a", message=message)]

    monkeypatch.setattr(sealed_test_marks, "packaged", packaged)
    monkeypatch.setattr(sealed_test_marks, "_tested", tested)
    kit = SimpleNamespace(assignment=SimpleNamespace(sealed=None))
    notebooks = {"tiny_dev": cells_of(fill(released))}
    tests, why = sealed_test_marks._sealed(kit, SimpleNamespace(scratch=tmp_path), notebooks, ())
    assert len(graded) == 2 and why[0].count("TimeoutError") == 1
    assert tests[0].status == ("pass" if len(endless) == 1 else "error")


def test_the_feedback_page_names_exercises_by_number_and_shows_their_sealed_results(sealed_class):
    room = sealed_class
    (page,) = feedback.feedback(room.course, room.module, students=["shown"])
    text = page.read_text(encoding="utf-8")
    assert '<a href="#test_double">1a double</a>' in text and "1b box" in text
    assert "1 of 2 promises are kept" in text and "double takes negative numbers." in text
    assert "what the student saw" in text


def test_a_result_names_the_cell_and_line_of_the_notebook(sealed_class):
    said, _ = cell_of(sealed_class.executed("raising"), "test-double")["outputs"]
    assert re.search(r"look at  cell \d+ \(double\), line 5, in double", "".join(said["text"]))


def test_run_notebooks_shows_outputs_and_changes_no_point(sealed_class, tmp_path):
    room, before = sealed_class, sealed_class.graded["forged"]
    (after,) = grade(room.course, room.module, students=["forged"], run_notebooks=True)
    assert (after.points, after.max_points) == (before.points, before.max_points)
    ran = room.executed("forged")
    assert "this notebook ran" in json.dumps([c.get("outputs") for c in ran["cells"]])
    assert "".join(cell_of(ran, "last")["outputs"][0]["text"]) == "test cells: 0\n"
    score = cell_of(ran, "test-double")["outputs"][-1]
    assert "".join(score["data"]["text/plain"]) == "0.0"
