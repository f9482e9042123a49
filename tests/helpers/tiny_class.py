"""A class of the tiny course: its folder, and short ways to read the results of grading."""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import io
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grading.engine import sandbox
from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.intake import collect
from grading.engine.run import autograde
from tito.errors import TitoError
from tito.workspace import Workspace


def grade(
    course: Course,
    assignment: Any,
    *,
    students: list[str] | None = None,
    on_start: Callable[[int, str], None] = lambda total, about: None,
    **settings: Any,
) -> list[autograde.Graded]:
    """Grade a class; if nothing isolates here, one submission at a time, as the engine requires."""
    chosen = autograde.Settings(**settings)
    alone = [[one] for one in students or course.students(assignment)]
    graded = []
    for some in [students] if isolates(chosen.level) else alone:
        graded += autograde.autograde(course, assignment, chosen, students=some, on_start=on_start)
    return graded


@functools.cache
def isolates(level: str | None = None) -> bool:
    with sandbox.open_sandbox(level) as box:
        return box.isolated


@dataclass
class Class:
    """A course directory, the workspace it was made from, and the results of grading."""

    workspace: Workspace
    module: Assignment
    course: Course
    intake: dict[str, Any]
    graded: dict[str, autograde.Graded]

    def copy(self, folder: Path) -> Class:
        """The class in a course of its own."""
        return replace(self, course=Course(shutil.copytree(self.course.root, folder / "course")))

    def notebook(self, student: str) -> Path:
        return self.course.submitted(student, self.module) / "tiny_dev.ipynb"

    def number(self, student: str) -> int:
        """The number of the notebook (see `inboxes`) that is in as this student's."""
        return json.loads(self.notebook(student).read_text(encoding="utf-8"))["metadata"]["n"]

    def collect(self, *places: Path, **options: Any) -> list[collect.Intake]:
        return collect.collect(self.course, self.module, places, **options)

    def only(self, *places: Path, **options: Any) -> collect.Intake:
        (line,) = self.collect(*places, **options)
        return line

    def by_student(self, *places: Path, **options: Any) -> dict[str | None, collect.Intake]:
        return {line.student: line for line in self.collect(*places, **options)}

    def report(self, student: str) -> dict[str, Any]:
        return json.loads(self.course.report(student, self.module).read_text(encoding="utf-8"))

    def cell(self, student: str, grade_id: str) -> dict[str, Any]:
        return next(row for row in self.report(student)["cells"] if row["grade_id"] == grade_id)

    def executed(self, student: str) -> dict[str, Any]:
        path = self.course.autograded(student, self.module)
        return json.loads(path.read_text(encoding="utf-8"))

    def grade(self, student: str, grade_id: str) -> dict[str, Any]:
        with self.course.book() as book:
            return book.find_grade(grade_id, self.module.stem, self.module.name, student).to_dict()

    def here(self, verb: str, *words: object) -> tuple[int, str]:
        """Exit code and output of `tito grade VERB --course DIR ...`."""
        return self.tito(verb, "--course", str(self.course.root), *map(str, words))

    def tito(
        self, verb: str, *arguments: str, screen: io.StringIO | None = None
    ) -> tuple[int, str]:
        """Exit code and output of `tito grade VERB ...`, run in the workspace."""
        command = importlib.import_module(f"grading.commands.{verb}")
        parser = argparse.ArgumentParser()
        command.add_arguments(parser)
        out, here = screen or io.StringIO(), os.getcwd()
        os.chdir(self.workspace.root)
        try:
            with contextlib.redirect_stdout(out):
                return command.run(parser.parse_args(arguments)), out.getvalue()
        except TitoError as problem:
            return problem.exit_code, f"{out.getvalue()}{problem}"
        finally:
            os.chdir(here)
