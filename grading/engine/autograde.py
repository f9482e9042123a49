"""Grade submissions one at a time, each in a process of its own with a time limit; the only writer of the gradebook.

Every submission ends with a report and a row in the gradebook, whatever it holds; one that cannot be graded waits for a person.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.engine import nbconfig
from grading.engine.course import Course, python_environment
from grading.engine.files import write_json
from grading.engine.results import graded_cells, row
from tito.errors import WorkError

if TYPE_CHECKING:
    from tito.course import Module

SCHEMA = 1
_PER_STUDENT_TABLES = ("grade", "comment", "submitted_notebook", "submitted_assignment", "student")
_ENGINE_FOLDER = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Limits:
    """Seconds of wall time: one cell, all cells, all contract tests. Twice over is too much; the process is ended then."""

    cell_seconds: int = nbconfig.CELL_SECONDS
    notebook_seconds: int = nbconfig.NOTEBOOK_SECONDS
    contract_seconds: int = 120

    @property
    def total_seconds(self) -> int:
        return self.notebook_seconds + self.cell_seconds + self.contract_seconds + 60


@dataclass
class Graded:
    """One line of the batch."""

    student: str
    status: str                       # "graded", "needs_review" or "unchanged"
    points: float | None = None
    max_points: float | None = None
    reasons: list[str] = field(default_factory=list)
    seconds: float = 0.0


def autograde(course: Course, module: Module, *, students: list[str] | None = None, force: bool = False, limits: Limits | None = None,
              on_done: Callable[[Graded], None] = lambda graded: None) -> list[Graded]:
    """Grade every submission of an assignment (or those of `students`) that changed since it was last graded."""
    course.need_release(module)
    for student in students or []:
        course.need_student(student, module)
    done = []
    with tempfile.TemporaryDirectory(prefix="tito-grade-") as folder, Grader() as grader:
        template = Path(folder).resolve() / "gradebook.db"
        _definitions_only(course.database, template)
        for student in students or course.students(module):
            begin = time.monotonic()
            graded = _one(course, module, student, force, limits or Limits(), template, grader)
            graded.seconds = time.monotonic() - begin
            done.append(graded)
            on_done(graded)
    return done


def _one(course: Course, module: Module, student: str, force: bool, limits: Limits, template: Path, grader: Grader) -> Graded:
    notebook, notes = find_notebook(course.submitted(student, module), module)
    content = content_hash(course, module, notebook, notes)
    before = read_report(course, module, student)
    if before and before["content"] == content and not force:
        return Graded(student, "unchanged", before["points"], before["max_points"], before["reasons"])
    released = json.loads(course.released(module).read_text(encoding="utf-8"))
    for cell in released["cells"]:
        cell["source"] = "".join(cell["source"])
    cells = graded_cells(released)
    timestamp = _timestamp(course.submitted(student, module))
    executed = None
    with tempfile.TemporaryDirectory(prefix="tito-one-", ignore_cleanup_errors=True) as folder:
        result: dict[str, Any] = {"rows": None, "reasons": [*notes]}
        if notebook is not None:
            place = Path(folder).resolve()
            _lay_out(course, module, student, notebook, template, place)
            result = _in_process(course, module, student, limits, place, grader)
            executed = Course(place / "course").autograded(student, module)
        reasons = result["reasons"]
        rows = result["rows"] or [row(grade_id, kind, points, None, "waits") if kind == "question" else
                                  row(grade_id, kind, points, message=reasons[0]) for grade_id, kind, points in cells]
        from grading.engine.record import record

        record(course, module, student, rows, reasons, timestamp)
        _keep_executed(executed, course.autograded(student, module), course.submitted(student, module))
    report = {"schema": SCHEMA, "student": student, "assignment": module.name, "notebook": module.stem, "content": content,
              "status": "needs_review" if reasons else "graded", "reasons": reasons, "notes": notes, "cells": rows,
              "points": round(sum(r["points"] or 0 for r in rows), 2), "max_points": sum(r["max_points"] for r in rows)}
    write_json(course.report(student, module), report)
    return Graded(student, report["status"], report["points"], report["max_points"], reasons)


def find_notebook(folder: Path, module: Module) -> tuple[Path | None, list[str]]:
    """The notebook of a submission and what was odd about it; a differing name is put right when there is only one."""
    found = sorted(path for path in folder.glob("*.ipynb") if path.is_file() and not path.is_symlink())
    right = [path for path in found if path.stem == module.stem]
    if right:
        return right[0], []
    if len(found) == 1:
        return found[0], [f"the notebook was called {found[0].name}, not {module.stem}.ipynb"]
    if not found:
        return None, [f"there is no notebook {module.stem}.ipynb in the submission"]
    return None, [f"none of the {len(found)} notebooks is called {module.stem}.ipynb: {', '.join(path.name for path in found)}"]


def content_hash(course: Course, module: Module, notebook: Path | None, notes: list[str]) -> str:
    """Changes when the submission, the release or a contract test changes, and only then."""
    parts = [notebook.read_bytes() if notebook else "\n".join(notes).encode(), course.released(module).read_bytes()]
    for folder in test_folders(module):
        parts += [path.read_bytes() for path in sorted(folder.rglob("*.py"))]
    return hashlib.sha256(b"\0".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()[:32]


def test_folders(module: Module) -> list[Path]:
    """Public and hidden contract tests, where they exist."""
    return [folder for folder in (module.tests, module.root / "grading" / "tests" / module.name) if folder.is_dir()]


def read_report(course: Course, module: Module, student: str) -> dict[str, Any] | None:
    """The report of the last grading; None when there is none that this version can read."""
    try:
        report = json.loads(course.report(student, module).read_text(encoding="utf-8"))
        return report if report.get("schema") == SCHEMA else None
    except (OSError, ValueError, AttributeError):
        return None


def _definitions_only(database: Path, target: Path) -> None:
    """A copy of the gradebook without any student: what a process that runs student code may see."""
    with contextlib.closing(sqlite3.connect(database)) as source, contextlib.closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        for table in _PER_STUDENT_TABLES:
            copy.execute(f"DELETE FROM {table}")
        copy.commit()
        copy.execute("VACUUM")  # deleted rows would stay readable in the file's free pages


def _lay_out(course: Course, module: Module, student: str, notebook: Path, template: Path, place: Path) -> None:
    scratch = Course(place / "course")
    scratch.submitted(student, module).mkdir(parents=True)
    scratch.released(module).parent.mkdir(parents=True)
    shutil.copyfile(template, scratch.database)
    shutil.copyfile(course.released(module), scratch.released(module))
    shutil.copyfile(notebook, scratch.submitted(student, module) / f"{module.stem}.ipynb")
    stamp = course.submitted(student, module) / "timestamp.txt"
    if stamp.is_file():
        shutil.copyfile(stamp, scratch.submitted(student, module) / "timestamp.txt")


def _in_process(course: Course, module: Module, student: str, limits: Limits, place: Path, grader: Grader) -> dict[str, Any]:
    request = {"scratch": str(place), "workspace": str(module.root), "module": module.name, "student": student,
               "test_folders": [str(folder) for folder in test_folders(module)], "cell_seconds": limits.cell_seconds,
               "notebook_seconds": limits.notebook_seconds, "contract_seconds": limits.contract_seconds}
    (place / "request.json").write_text(json.dumps(request), encoding="utf-8")
    log = place / "log.txt"
    code = grader.run(place / "request.json", log, limits.total_seconds)
    try:
        return json.loads((place / "result.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        if code is None:
            return {"rows": None, "reasons": [f"grading was stopped after {limits.total_seconds} s"]}
        text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
        said = text.strip().splitlines()[-1:] or ["nothing"]
        return {"rows": None, "reasons": [f"grading ended with exit code {code}; it last said: {said[0][:300]}"]}


class Grader:
    """The process that forks one process for each submission; started when the first one needs it."""

    def __init__(self) -> None:
        self._server: subprocess.Popen | None = None

    def __enter__(self) -> Grader:
        return self

    def run(self, request: Path, log: Path, seconds: float) -> int | None:
        """The exit code of one submission's process; None when its time was up."""
        if self._server is None or self._server.poll() is not None:
            path = os.pathsep.join(part for part in (str(_ENGINE_FOLDER), os.environ.get("PYTHONPATH")) if part)
            self._server = subprocess.Popen(
                [sys.executable, "-m", "grading.engine.worker"], cwd=_ENGINE_FOLDER, text=True, encoding="utf-8",
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=python_environment(PYTHONPATH=path))
        try:
            self._server.stdin.write(json.dumps({"request": str(request), "log": str(log), "seconds": seconds}) + "\n")
            self._server.stdin.flush()
            return json.loads(self._server.stdout.readline())["code"]
        except (BrokenPipeError, ValueError):
            return -1  # the server itself ended; the next submission starts another

    def __exit__(self, *problem: object) -> None:
        if self._server is None:
            return
        with contextlib.suppress(BrokenPipeError):
            self._server.stdin.close()
        if problem[0] is not None:
            self._server.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._server.wait(5)
        self._server.kill()
        self._server.wait()
        self._server.stdout.close()


def _keep_executed(executed: Path | None, target: Path, submitted: Path) -> None:
    """Put the executed notebook where formgrader and feedback look for it; a failed run leaves none of an older submission."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if executed is not None and executed.is_file():
        partial = target.with_name(f".{target.name}.tmp")
        shutil.copyfile(executed, partial)
        os.replace(partial, target)
        if (submitted / "timestamp.txt").is_file():
            shutil.copyfile(submitted / "timestamp.txt", target.parent / "timestamp.txt")
    else:
        target.unlink(missing_ok=True)


def _timestamp(submitted: Path) -> str | None:
    path = submitted / "timestamp.txt"
    return path.read_text(encoding="utf-8").strip() if path.is_file() else None


def need_reports(course: Course, module: Module) -> list[dict[str, Any]]:
    """Every report of an assignment, by student.

    Raises:
        WorkError: nothing was graded yet.
    """
    found = [report for student in course.students(module) if (report := read_report(course, module, student))]
    if not found:
        raise WorkError(f"marks come from graded submissions; none of {module.name} in {course.root} is. "
                        f"Run: tito grade autograde {module.name} --course {course.root}")
    return found
