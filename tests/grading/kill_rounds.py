"""A course of tiny submissions, for tests that kill processes while it is graded."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import psutil

from grading.authoring import release
from helpers.inboxes import put
from helpers.patience import PATIENCE_SECONDS
from helpers.repository import ROOT
from helpers.tiny_course import fill, make_workspace
from helpers.written_marks import blank
from tito.workspace import Workspace


@dataclass
class Room:
    """A course of tiny submissions, no two alike."""

    workspace: Path
    course: Path

    @functools.cached_property
    def scratch(self) -> Path:
        """The temporary folder of its runs, with a short path for sockets."""
        return Path(tempfile.mkdtemp(prefix="rounds-"))

    def start(self, verb: str, *words: str, stderr: int = subprocess.DEVNULL) -> subprocess.Popen:
        code = "import sys; from tito.cli import main; sys.exit(main())"
        command = [sys.executable, "-c", code, "grade", verb, "07", "--course", str(self.course)]
        environment = {"PYTHONPATH": str(ROOT), "TMPDIR": str(self.scratch), "PYTHONHASHSEED": "0"}
        return subprocess.Popen(
            [*command, *words],
            cwd=self.workspace,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            text=True,
            env={**os.environ, **environment},
            start_new_session=True,
        )

    def finish(self, verb: str = "autograde") -> None:
        with self.start(verb, stderr=subprocess.PIPE) as process:
            _, said = process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 0, said[-2000:]


POINTS = {"contract_box": 2.0, "q_why": None, "test_box": 3.0, "test_double": 2.0}
# What is wrong with a submission whose number modulo 3 is 0, 1 or 2, and which cell earns nothing.
WRONG = (
    ({}, None),
    ({"double": "return abs(2 * x)"}, "test_double"),
    ({"length": "return 2"}, "contract_box"),
)


def right_marks(count: int) -> list[tuple]:
    """What `marks` returns after a run in which nothing was lost."""
    return [
        (f"s{number:03d}", name, 0.0 if name == WRONG[number % 3][1] else points)
        for number in range(count)
        for name, points in POINTS.items()
    ]


def make_room(folder: Path, count: int) -> Room:
    workspace = Workspace(make_workspace(folder / "repository"))
    module = workspace.module("07")
    release.release(module, workspace)
    course = blank(workspace, folder).course
    released = json.loads(module.notebook.read_text(encoding="utf-8"))
    for number in range(count):
        notebook = fill(released, **WRONG[number % 3][0], answer=f"answer {number}")
        put(course.submitted(f"s{number:03d}", module) / "tiny_dev.ipynb", json.dumps(notebook))
    return Room(workspace.root, course.root)


def marks(course: Path) -> list[tuple]:
    """Every automatic score in the gradebook."""
    with contextlib.closing(sqlite3.connect(course / "gradebook.db")) as book:
        return book.execute(
            """SELECT student.id, base_cell.name, grade.auto_score FROM grade
            JOIN submitted_notebook sn ON grade.notebook_id = sn.id
            JOIN submitted_assignment sa ON sn.assignment_id = sa.id
            JOIN student ON sa.student_id = student.id
            JOIN base_cell ON grade.cell_id = base_cell.id ORDER BY 1, 2"""
        ).fetchall()


def kind_of(process: psutil.Process) -> str:
    """What a descendant of the engine is, from its command line and its place in the tree."""
    server, lines = "grading.engine.run.server", []
    with contextlib.suppress(psutil.Error):  # it has ended
        lines = [" ".join(one.cmdline()) for one in (process, *process.parents())]
    if not lines:
        return "nothing"
    if server in lines[0]:  # it forks a grader, which forks a process for pytest
        above = sum(server in line for line in lines[1:])
        return ("server", "grader", "sealed tests")[min(above, 2)]
    if "zygote" in lines[0] and "zygote" not in lines[1]:
        return "sandbox parent"
    return "in the sandbox"
