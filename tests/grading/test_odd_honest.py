"""Odd but honest submissions keep their points: full marks, or a person who is asked with the
reason; and nothing that the student wrote is lost.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import odd_honest
import pytest
from attacks import real_course
from sealed_course import sealed_course, sealed_source
from tiny_class import grade

from grading.authoring import release
from grading.engine.course import references
from grading.engine.course.directory import Course
from grading.engine.marks import mark
from grading.engine.nbgrader.library import gradebook, nbformat
from tito.notebook.cells import parse_percent, read_percent
from tito.workspace import Workspace


def hand_in(course: Course, module: Any, work: dict[str, odd_honest.Handed]) -> None:
    for student, one in work.items():
        folder = course.submitted(student, module)
        folder.mkdir(parents=True)
        (folder / one.file).write_bytes(one.data)


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


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, dict[str, str]]:
    workspace = sealed_course(tmp_path_factory.mktemp("odd") / "repository")
    source = parse_percent(sealed_source())
    solved = {
        cell.grade_id: "\n".join(
            line for line in cell.source.splitlines() if "### " not in line and "TODO" not in line
        )
        for cell in source
        if cell.nbgrader.get("solution")
    }
    return workspace, solved


@pytest.mark.usefixtures("walls")
@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(0, 60, 5), id="sample"),
        pytest.param(range(120), id="all", marks=pytest.mark.long),
    ],
)
def test_odd_but_honest_work_keeps_its_points(
    tmp_path: Path, tiny: tuple[Workspace, dict[str, str]], numbers: range
) -> None:
    workspace, solved = tiny
    course = Course.create(tmp_path / "course", workspace)
    release.release_to_course(workspace.module("07"), course)
    module = course.assignment("07", workspace)
    released = json.loads(course.released(module).read_text(encoding="utf-8"))
    work = {
        f"s{number}": odd_honest.submission(number, released, solved, file="tiny_dev.ipynb")
        for number in numbers
    }
    hand_in(course, module, work)
    grade(course, module, jobs=2)
    assert faults(course, module, work) == {}


@pytest.mark.long
@pytest.mark.usefixtures("walls")
def test_odd_but_honest_work_on_a_module_keeps_its_points(tmp_path: Path) -> None:
    workspace = Workspace(real_course.REPOSITORY)
    module = workspace.module("08a")
    course = Course.create(tmp_path / "course", workspace)
    release.release_to_course(module, course)
    assignment = course.assignment("08a", workspace)
    released = json.loads(course.released(assignment).read_text(encoding="utf-8"))
    solved = {
        cell.grade_id: cell.source
        for cell in read_percent(references.source_path(module))
        if cell.nbgrader.get("solution") and cell.grade_id
    }
    work = {
        f"s{number}": odd_honest.submission(number, released, solved, file=f"{module.stem}.ipynb")
        for number in range(odd_honest.count())
    }
    hand_in(course, assignment, work)
    grade(course, assignment, jobs=2)
    assert faults(course, assignment, work) == {}
