"""Odd but honest submissions keep their points: full marks, or a person who is asked with the
reason; and nothing that the student wrote is lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import odd_honest
import pytest
from attacks import real_course
from desk import flags, label, plain
from sealed_course import sealed_course
from test_metadata import ALL, as_graded, earned
from tiny_class import grade
from tiny_course import fill

from grading.authoring import release
from grading.engine.course import references
from grading.engine.course.directory import Course
from grading.engine.marks import mark
from grading.engine.nbgrader.library import gradebook, nbformat
from grading.engine.submitted import readable
from tito.notebook.cells import read_percent
from tito.workspace import Workspace


def faults(course: Course, module: Any, work: dict[str, odd_honest.Handed]) -> dict[str, Any]:
    """For each submission that is not treated well: its habits, and what is wrong."""
    found: dict[str, Any] = {}
    with gradebook(course.db_url) as book:
        for student, one in work.items():
            report = json.loads(course.report(student, module).read_text(encoding="utf-8"))
            grades = {
                grade.name: grade
                for notebook in book.find_submission(module.name, student).notebooks
                for grade in notebook.grades
            }
            wrong = [
                f"{row['grade_id']}: {row['points']} of {row['max_points']}, {row['message']}"
                for row in report["cells"]
                if row["kind"] != "question"
                and row["points"] < row["max_points"]
                and not (report["reasons"] or grades[row["grade_id"]].needs_manual_grade)
            ]
            path = course.autograded(student, module)
            kept = nbformat.read(path, as_version=4) if path.is_file() else {"cells": []}
            lost = one.wrote - odd_honest.lines_of(kept)
            wrong += [f"lost: {line}" for line in sorted(lost)]
            if one.question:
                answer = mark.answer_to(course, module, student, one.question)
                if odd_honest.ANSWER not in answer:
                    wrong.append(f"the answer to {one.question} reads {answer!r}")
            if wrong:
                found[student] = (one.name, wrong, report["reasons"], report["flags"])
    return found


def solutions(released: dict[str, Any]) -> dict[str, str]:
    """The sources of the solved cells of the tiny course."""
    finished = plain(fill(released))["cells"]
    return {label(cell): cell["source"] for cell in finished if flags(cell).get("solution")}


@pytest.mark.parametrize("number", range(2 * odd_honest.count()))
def test_a_habit_costs_no_point_and_no_line_in_the_steps_of_grading(
    released: dict[str, Any], number: int
) -> None:
    """The cells are run here, without a kernel."""
    work = odd_honest.submission
    one = work(number, released, solutions(released), file="tiny_dev.ipynb", most=1)
    graded = as_graded(json.loads(readable(one.data)[0]), released)
    assert earned(graded, released, odd_honest.ANSWER) == ALL, one.name
    assert one.wrote <= odd_honest.lines_of(graded)


def keeps_its_points(
    workspace: Workspace,
    name: str,
    place: Path,
    numbers: range,
    solved_of: Callable[[dict[str, Any]], dict[str, str]],
) -> None:
    """Grade a class with these submissions of a module."""
    course = Course.create(place / "course", workspace)
    release.release_to_course(workspace.module(name), course)
    module = course.assignment(name, workspace)
    released = json.loads(course.released(module).read_text(encoding="utf-8"))
    file, solved = course.released(module).name, solved_of(released)
    work = {f"s{n}": odd_honest.submission(n, released, solved, file=file) for n in numbers}
    for student, one in work.items():
        folder = course.submitted(student, module)
        folder.mkdir(parents=True)
        (folder / one.file).write_bytes(one.data)
    grade(course, module, jobs=2)
    assert faults(course, module, work) == {}


@pytest.mark.usefixtures("walls")
@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(0, 60, 5), id="sample"),
        pytest.param(range(120), id="all", marks=pytest.mark.long),
    ],
)
def test_odd_but_honest_work_keeps_its_points(tmp_path: Path, numbers: range) -> None:
    keeps_its_points(sealed_course(tmp_path / "repository"), "07", tmp_path, numbers, solutions)


@pytest.mark.long
@pytest.mark.usefixtures("walls")
def test_odd_but_honest_work_on_a_module_keeps_its_points(tmp_path: Path) -> None:
    workspace = Workspace(real_course.REPOSITORY)
    source = read_percent(references.source_path(workspace.module("08a")))
    solved = {
        cell.grade_id: cell.source
        for cell in source
        if cell.nbgrader.get("solution") and cell.grade_id
    }
    numbers = range(odd_honest.count())
    keeps_its_points(workspace, "08a", tmp_path, numbers, lambda released: solved)
