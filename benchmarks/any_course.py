"""Grade courses that were not made here with nbgrader's own Autograde and with this engine; print
each cell on which they differ, with what the engine's report says about it.

    python benchmarks/any_course.py [--course FOLDER] [--keep DIR] [--only WORD]

Without --course, the courses are those that come with nbgrader itself, in its installed package:
its example course (docs/source/user_guide) and every notebook of its test suite that
`nbgrader generate_assignment` accepts. With --course, FOLDER is any course with a source/ folder.
Each notebook is handed in as it was released, as its author solved it, as its own students handed
it in, and as each other notebook beside it that has the same cells with points.

A cell on which both agree counts as equal. A cell on which they differ counts as explained if a
sentence of the engine's report names it, or its notebook, if one of both did not grade the notebook
at all; else as a silent difference, of which there must be none, and none where the engine itself
broke: else the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from machine import ROOT

sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
CONFIG = """
c = get_config()
c.CourseDirectory.course_id = "somewhere"
c.Execute.timeout = 5
c.ClearSolutions.enforce_metadata = False
c.ClearHiddenTests.enforce_metadata = False
"""
VARIANT = re.compile(r"[^n]changed|cheat|^changed")


@dataclass(frozen=True)
class Row:
    """One cell of one submission: the points that each gave, and what the engine's report says."""

    assignment: str
    student: str
    cell: str
    nbgrader: float | None
    engine: float | None
    said: str

    @property
    def verdict(self) -> str:
        if self.nbgrader == self.engine:
            return "equal"
        if "grading ended with exit code" in self.said:
            return "CRASHED"
        return "explained" if self.said else "SILENT"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--course", type=Path, help="a course with source/ instead of nbgrader's")
    parser.add_argument("--keep", type=Path, help="make the courses here, and leave them")
    parser.add_argument("--only", default="", help="only assignments whose name contains this")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="any-course-") as scratch:
        place = args.keep or Path(scratch)
        rooms = [args.course] if args.course else nbgraders_own(place / "found")
        rows: list[Row] = []
        for number, room in enumerate(rooms):
            rows += compared(made(room, place / f"course{number}", args.only))
    show(rows)
    return any(row.verdict in ("SILENT", "CRASHED") for row in rows)


def nbgraders_own(place: Path) -> list[Path]:
    """Courses made of the notebooks that come with nbgrader, one for each folder of its own."""
    import nbgrader

    package = Path(nbgrader.__file__).parent
    guide = package / "docs" / "source" / "user_guide"
    example = place / "example"
    for folder in ("source", "submitted"):
        shutil.copytree(guide / folder, example / folder)
    shutil.copyfile(guide / "autotests.yml", example / "autotests.yml")
    rooms = [example]
    for suite in ("apps", "preprocessors", "ui-tests"):
        files, room = package / "tests" / suite / "files", place / suite
        needed = [files / name for name in ("data.txt", "jupyter.png")]
        for path in sorted(files.glob("*.ipynb")):
            folder = room / "source" / path.stem
            folder.mkdir(parents=True)
            for file in (path, *filter(Path.is_file, needed)):
                shutil.copyfile(file, folder / file.name)
        shutil.copyfile(guide / "autotests.yml", room / "autotests.yml")
        rooms.append(room)
    return rooms


def made(room: Path, course: Path, only: str) -> Path:
    """A course directory with the assignments of `room` that nbgrader can generate, and their
    submissions.
    """
    course.mkdir(parents=True)
    own = room / "nbgrader_config.py"
    text = own.read_text(encoding="utf-8") if own.is_file() else ""
    (course / "nbgrader_config.py").write_text(text + CONFIG, encoding="utf-8")
    for name in ("source", "autotests.yml"):
        if (room / name).is_dir():
            shutil.copytree(room / name, course / name)
        elif (room / name).is_file():
            shutil.copyfile(room / name, course / name)
    for folder in sorted((course / "source").iterdir()):
        if not folder.is_dir() or only not in folder.name:
            continue
        texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.ipynb")]
        if not any('"points"' in text for text in texts):
            continue
        if problem := nbgrader(course, "GenerateAssignment", folder.name):
            print(f"nbgrader refuses {folder.name}: {problem}", flush=True)
            shutil.rmtree(course / "release" / folder.name, ignore_errors=True)
            continue
        for student, files in submissions(room, course, folder.name):
            target = course / "submitted" / student / folder.name
            shutil.copytree(course / "release" / folder.name, target)
            for name, path in files.items():
                shutil.copyfile(path, target / name)
    return course


def submissions(room: Path, course: Path, name: str) -> Iterator[tuple[str, dict[str, Path]]]:
    """(student, {file: what is handed in as this file}), besides the files of the release."""
    solved = sorted((course / "source" / name).glob("*.ipynb"))
    yield "as_released", {}
    yield "as_solved", {path.name: path for path in solved}
    for folder in sorted((room / "submitted").glob(f"*/{name}")):
        yield folder.parent.name, {path.name: path for path in folder.glob("*.ipynb")}
    if len(solved) == 1 and not VARIANT.search(name):
        for other in sorted(course.glob("source/*/*.ipynb")):
            if other != solved[0] and ids(other) & ids(solved[0]):
                yield other.stem, {solved[0].name: other}


def ids(path: Path) -> set[str]:
    """The grade_ids of the cells with points."""
    cells = json.loads(path.read_text(encoding="utf-8")).get("cells", [])
    flags = [cell["metadata"].get("nbgrader", {}) for cell in cells]
    return {one["grade_id"] for one in flags if one.get("points") and one.get("grade_id")}


def nbgrader(course: Path, converter: str, assignment: str, student: str | None = None) -> str:
    """Run one of nbgrader's converters with nbgrader's own steps; returns "", or what it said if it
    failed.
    """
    from grading.engine.nbgrader.import_nbgrader import convert, quiet

    with quiet():
        from nbgrader import converters
        from traitlets.config import Config

        config = Config()
        text = (course / "nbgrader_config.py").read_text(encoding="utf-8")
        exec(text, {"get_config": lambda: config})
        config.CourseDirectory.root = str(course)
        try:
            convert(getattr(converters, converter), config, assignment, student)
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - it is said
            lines = [line for line in getattr(problem, "log_lines", []) if "rror" in line]
            return (lines or [str(problem) or type(problem).__name__])[0].strip()
    return ""


def compared(course: Path) -> Iterator[Row]:
    """Every cell with points of every submission of a course."""
    from grading.engine.course.directory import Course
    from helpers.tiny_class import grade
    from tito.errors import TitoError
    from tito.workspace import find_workspace

    workspace = find_workspace(ROOT)
    names = sorted(path.name for path in (course / "release").glob("*"))
    ours = course.with_name(f"{course.name}-engine")
    shutil.copytree(course, ours)
    for name in names:
        for folder in sorted(course.glob(f"submitted/*/{name}")):
            nbgrader(course, "Autograde", name, folder.parent.name)
        stock = scores(course, name)
        here = Course.open(ours, workspace)
        try:
            assignment = here.assignment(name, workspace)
            grade(here, assignment, jobs=2)
        except TitoError as problem:
            for key, points in stock.items():
                yield Row(name, *key, points, None, f"refused: {problem}")
            continue
        ours_by_key = scores(ours, name)
        for key in sorted(stock.keys() | ours_by_key.keys()):
            whole = stock.get(key) is None or ours_by_key.get(key) is None
            said = "; ".join(sentences(here, assignment, *key, whole=whole))
            yield Row(name, *key, stock.get(key), ours_by_key.get(key), said)


def sentences(
    course: Any, assignment: Any, student: str, cell: str, *, whole: bool
) -> Iterator[str]:
    """What the report of a student says about a cell, and if its notebook was not graded (`whole`)
    about the notebook.
    """
    from grading.engine.course import submission_reports

    report = submission_reports.read_report(course, assignment, student)
    stem, name = cell.split("/", 1)
    for text in (*report.reasons, *report.notes):
        if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) or (whole and stem in text):
            yield text
    yield from (flag.text for flag in report.flags if f"{flag.notebook}/{flag.grade_id}" == cell)
    for mark in report.cells:
        if f"{mark.notebook}/{mark.grade_id}" == cell:
            yield from filter(None, [mark.remark])
            if mark.review or mark.status == "not_run":
                yield mark.outcome.message or mark.status


def scores(course: Path, assignment: str) -> dict[tuple[str, str], float | None]:
    """(student, notebook/cell) -> the automatic score in the course's gradebook."""
    from grading.engine.nbgrader.import_nbgrader import gradebook

    with gradebook(f"sqlite:///{course / 'gradebook.db'}") as book:
        return {
            (submission.student.id, f"{notebook.name}/{grade.name}"): grade.auto_score
            for submission in book.assignment_submissions(assignment)
            for notebook in submission.notebooks
            for grade in notebook.grades
        }


def show(rows: list[Row]) -> None:
    for row in rows:
        if row.verdict != "equal":
            print(
                f"{row.verdict:<9} {row.assignment} {row.student} {row.cell}: nbgrader"
                f" {row.nbgrader}, engine {row.engine}  {row.said[:160]}"
            )
    kinds = ("equal", "explained", "SILENT", "CRASHED")
    counts = {kind: sum(row.verdict == kind for row in rows) for kind in kinds}
    print(json.dumps({"cells": len(rows), **counts}))


if __name__ == "__main__":
    sys.exit(main())
