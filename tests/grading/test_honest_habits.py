"""Odd but honest submissions keep their points: full marks, or a person who is asked with the
reason; and nothing that the student wrote is lost. A submission is a solved notebook with one to
three habits of `odd_habits`, at different exercises, chosen by its number.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from test_honest_metadata import ALL, as_graded, earned

from grading.authoring import release
from grading.engine.course.directory import Course
from grading.engine.marks import grade_by_hand
from grading.engine.nbgrader.import_nbgrader import gradebook, nbformat
from grading.engine.submitted_notebook.read_submitted_cells import readable
from helpers.odd_habits import AT_EXERCISE, AT_QUESTION, WHOLE
from helpers.sealed_course import sealed_course
from helpers.solved_notebook import ANSWER, Desk, flags, label, plain
from helpers.tiny_class import grade
from helpers.tiny_course import fill

HABITS = [(table, name) for table in (AT_EXERCISE, AT_QUESTION, WHOLE) for name in table]
COUNT = len(HABITS)


@dataclass(frozen=True)
class Handed:
    """A submission. `wrote` are the lines that the student wrote."""

    name: str
    file: str
    data: bytes
    wrote: frozenset[str]
    question: str


def lines_of(notebook: Any) -> set[str]:
    """The lines of all cells, without white space and comment signs around them, and of some
    length.
    """
    text = "\n".join("".join(cell["source"]) for cell in notebook["cells"])
    return {line.strip(" \t#") for line in text.splitlines() if len(line.strip(" \t#\"'")) > 3}


def submission(
    number: int, released: dict[str, Any], solved: dict[str, str], *, file: str, most: int = 3
) -> Handed:
    """Submission `number`: its first habit is the next one in order, others are drawn."""
    chance = random.Random(number)
    desk = Desk(plain(released), solved, chance, file=file)
    tables = (AT_EXERCISE, AT_QUESTION, WHOLE)
    chosen = [HABITS[number % COUNT]]
    for table in chance.sample(tables, k=chance.randint(0, most - 1)):
        if table is AT_EXERCISE or table is not chosen[0][0]:
            chosen.append((table, chance.choice(list(table))))
    # what changes the file as a whole comes last; each habit has an exercise of its own
    chosen.sort(key=lambda one: tables.index(one[0]))
    at = desk.exercises
    chance.shuffle(at)
    names = []
    for table, name in chosen:
        if table is AT_EXERCISE:
            if not at:
                continue
            desk.exercise = at.pop()
        elif table is AT_QUESTION:
            desk.question = chance.choice(desk.questions)
        names.append(f"{name} ({desk.exercise[0]})" if table is AT_EXERCISE else name)
        table[name](desk)
    text = json.dumps(desk.notebook, indent=1)
    data = desk.data(text) if desk.data else text.encode()
    wrote = frozenset(lines_of(desk.notebook) - lines_of(released))
    return Handed("; ".join(names), desk.file, data, wrote, desk.question[0])


def faults(course: Course, module: Any, work: dict[str, Handed]) -> dict[str, Any]:
    """For each submission that is not treated well: its habits, and what is wrong."""
    found: dict[str, Any] = {}
    with gradebook(course.db_url) as book:
        for student, one in work.items():
            report = json.loads(course.report(student, module).read_text(encoding="utf-8"))
            (notebook,) = book.find_submission(module.name, student).notebooks
            grades = {grade.name: grade for grade in notebook.grades}
            wrong = [
                f"{row['grade_id']}: {row['points']} of {row['max_points']}, {row['message']}"
                for row in report["cells"]
                if row["kind"] != "question"
                and row["points"] < row["max_points"]
                and not (report["reasons"] or grades[row["grade_id"]].needs_manual_grade)
            ]
            path = course.autograded(student, module)
            kept = nbformat.read(path, as_version=4) if path.is_file() else {"cells": []}
            lost = one.wrote - lines_of(kept)
            wrong += [f"lost: {line}" for line in sorted(lost)]
            if one.question:
                cell = (module.stem, one.question)
                answer = grade_by_hand.answer_to(course, module, student, cell)
                if ANSWER not in answer:
                    wrong.append(f"the answer to {one.question} reads {answer!r}")
            if wrong:
                found[student] = (one.name, wrong, report["reasons"], report["flags"])
    return found


def solutions(released: dict[str, Any]) -> dict[str, str]:
    """The sources of the solved cells of the tiny course."""
    finished = plain(fill(released))["cells"]
    return {label(cell): cell["source"] for cell in finished if flags(cell).get("solution")}


@pytest.mark.parametrize("number", range(2 * COUNT))
def test_a_habit_costs_no_point_and_no_line_in_the_steps_of_grading(
    released: dict[str, Any], number: int
) -> None:
    """The cells are run here, without a kernel."""
    one = submission(number, released, solutions(released), file="tiny_dev.ipynb", most=1)
    graded = as_graded(json.loads(readable(one.data)[0]), released)
    assert earned(graded, released, ANSWER) == ALL, one.name
    assert one.wrote <= lines_of(graded)


@pytest.mark.usefixtures("walls")
@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(range(0, 60, 5), id="sample"),
        pytest.param(range(120), id="all", marks=pytest.mark.long),
    ],
)
def test_odd_but_honest_work_keeps_its_points(tmp_path: Path, numbers: range) -> None:
    workspace = sealed_course(tmp_path / "repository")
    course = Course.create(tmp_path / "course", workspace)
    release.release_to_course(workspace.module("07"), course)
    module = course.assignment("07", workspace)
    released = json.loads(course.released(module).read_text(encoding="utf-8"))
    file, solved = course.released(module).name, solutions(released)
    work = {f"s{n}": submission(n, released, solved, file=file) for n in numbers}
    for student, one in work.items():
        folder = course.submitted(student, module)
        folder.mkdir(parents=True)
        (folder / one.file).write_bytes(one.data)
    grade(course, module, jobs=2)
    assert faults(course, module, work) == {}
