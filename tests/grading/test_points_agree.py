"""Whatever state a notebook is in, `tito test`, the notebook's own `check`, the gradebook and the
feedback page say the same points, where the grader draws the inputs that a student's tests draw;
and the reference of every module earns all points that tests give.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from grading.authoring import demo, release
from grading.authoring.variants.splice import splice
from grading.engine.course import references, wrong_and_right_solutions
from grading.engine.course.directory import Course
from grading.engine.marks import feedback
from helpers.inboxes import put
from helpers.repository import ROOT
from helpers.tiny_class import grade
from tito.notebook.cells import Cell
from tito.notebook.exercises import exercises
from tito.outcome import Outcome
from tito.run import student_tests
from tito.workspace import Module, Workspace

HERE = Workspace(ROOT)
MODULES = [module.number for module in HERE.modules()]
_WORTH = re.compile(r", worth ([\d.]+) of [\d.]+ point")
_TOTAL = re.compile(r'<p class="total">\s*([\d.]+) of')


def half_finished(module: Module, number: int) -> dict[str, str]:
    """The sources of the stubs that student `number` changed, by the name of the cell: each as the
    reference, a wrong or another right solution has it, some with a slip of the pen.
    """
    chance = random.Random(number)
    reference, secret = references.read_source(module), references.secrets_of(module)
    wrong, _ = wrong_and_right_solutions.read_wrong(secret / "wrong")
    right = chance.choice(wrong_and_right_solutions.read_right(secret / "right"))
    written: dict[str, str] = {}
    for exercise in exercises(reference):
        mistakes = [one for one in wrong if one.exercise == exercise.name]
        chosen = chance.choice([None, "reference", right, *mistakes[:1], "slip"])
        if chosen is None:
            continue
        if chosen in mistakes:
            chosen = chance.choice(mistakes)
        one = chosen if isinstance(chosen, wrong_and_right_solutions.Variant) else None
        solved = {cell.index: cell for cell in (splice(reference, one) if one else reference)}
        for stub in exercise.stubs:
            if chance.random() < 0.2:  # an exercise of several stubs is written in part
                continue
            source = solved[stub.index].source
            written[stub.name] = _slipped(source, chance) if chosen == "slip" else source
    return written


def _slipped(source: str, chance: random.Random) -> str:
    """The source without one line of its body, or with a line that stops the import."""
    if chance.random() < 0.3:
        return f"{source}\n\nnot_defined_anywhere"
    lines = source.splitlines()
    body = [k for k, line in enumerate(lines) if line.startswith("    ")]
    del lines[chance.choice(body)]
    return "\n".join(lines)


def told_by_test(module: Module, monkeypatch: pytest.MonkeyPatch) -> tuple[dict, dict]:
    """What `tito test` says of each exercise, and what the notebook's own cells print."""
    ran: list[Outcome] = []
    run_cells = student_tests.run_cells

    def remembered(cells: list[Cell], *places: Any, **options: Any) -> list[Outcome]:
        ran.extend(run_cells(cells, *places, **options))
        return ran

    with monkeypatch.context() as patch:
        patch.setattr(student_tests, "run_cells", remembered)
        report = student_tests.run_checks(module)
    tested = {row.id: row.earned for row in report.checks if row.points}
    printed = {}
    for one in ran:
        if one.grade_id in tested:
            said = _WORTH.search(one.stdout)
            printed[one.grade_id] = float(said[1]) if said else 0.0
    return tested, printed


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param([112], id="sample"),  # six cells of this student stop the import
        pytest.param(range(60), id="more", marks=pytest.mark.long),
    ],
)
def test_a_half_finished_notebook_has_the_same_points_in_every_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, numbers: Sequence[int]
) -> None:
    workspace = Workspace(demo.set_stage(ROOT, tmp_path).workspace)
    module = workspace.module("08a")
    references.write_references(workspace.before(module), workspace.root)
    course = Course.create(tmp_path / "class", workspace)
    release.release_to_course(module, course)
    assignment = course.assignment(module.name, workspace)
    put(course.root / "draws" / assignment.name, "0\n")  # what a student's tests draw
    released = json.loads(course.released(assignment).read_text(encoding="utf-8"))
    module.script.unlink(missing_ok=True)
    told = {}
    for number in numbers:
        notebook = json.loads(json.dumps(released))
        written = half_finished(module, number)
        for cell in notebook["cells"]:
            name = cell["metadata"].get("nbgrader", {}).get("grade_id")
            cell["source"] = written.get(name, cell["source"])
        put(module.notebook, json.dumps(notebook))
        told[f"s{number}"] = told_by_test(module, monkeypatch)
        put(course.submitted(f"s{number}", assignment) / module.notebook.name, json.dumps(notebook))

    grade(course, assignment, jobs=2)
    pages = {page.parent.parent.name: page for page in feedback.feedback(course, assignment)}
    with course.book() as book:
        for student, (tested, printed) in told.items():
            (graded,) = book.find_submission(assignment.name, student).notebooks
            marks = {one.name: one.auto_score for one in graded.grades if one.name in tested}
            said = {name: (points, tested[name], printed[name]) for name, points in marks.items()}
            unequal = {name: row for name, row in said.items() if len(set(row)) > 1}
            assert not unequal, student
            page = _TOTAL.search(pages[student].read_text(encoding="utf-8"))
            assert page and float(page[1]) == round(sum(marks.values()), 2), student
    assert len({sum(tested.values()) for tested, _ in told.values()}) > len(numbers) // 3


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name != "08")) for name in MODULES]
)
def test_the_reference_of_a_module_earns_all_points_of_tests_and_no_flag(
    tmp_path: Path, name: str
) -> None:
    """Honest work on real tests; other right solutions are point 4 of `tito dev check`."""
    module, course = HERE.module(name), Course.create(tmp_path / "course", HERE)
    release.release_to_course(module, course)
    solved = {c.grade_id: c.source for c in references.read_source(module) if c.is_solution}
    notebook = json.loads(course.released(module).read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = solved.get(grade_id, cell["source"])
    put(course.submitted("reference", module) / f"{module.stem}.ipynb", json.dumps(notebook))
    grade(course, module, students=["reference"])
    report = json.loads(course.report("reference", module).read_text(encoding="utf-8"))
    rows = [row for row in report["cells"] if row["kind"] != "question"]
    assert [row for row in rows if row["points"] < row["max_points"]] == []
    assert (report["reasons"], report["flags"]) == ([], [])
