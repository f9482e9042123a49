"""Nothing is lost: a class is graded while the engine, a grading process, a sandbox's parent and
kernels are killed at random moments.

Each round starts `tito grade autograde`, kills one of these processes with SIGKILL after a random
time, and lets the others continue. At the end the command runs once more undisturbed. Then every
mark must be in the gradebook, each submission must have been graded completely exactly once, and no
process may be left. The same holds after the gradebook was deleted.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from grading.authoring import release
from grading.engine.course.directory import Course
from helpers.patience import PATIENCE_SECONDS, until
from helpers.repository import ROOT
from helpers.tiny_course import fill, make_workspace
from tito.workspace import Workspace

VICTIMS = ("engine", "server", "grader", "sealed tests", "sandbox parent", "in the sandbox")


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

    def lose_gradebook(self) -> None:
        """Delete the gradebook and release the assignment again, as an instructor would."""
        (self.course / "gradebook.db").unlink()
        self.finish("release")


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
    course = Course.create(folder / "class", workspace)
    release.release_to_course(module, course)
    released = json.loads(module.notebook.read_text(encoding="utf-8"))
    for number in range(count):
        notebook = fill(released, **WRONG[number % 3][0], answer=f"answer {number}")
        place = course.submitted(f"s{number:03d}", module)
        place.mkdir(parents=True)
        (place / "tiny_dev.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
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


def play(room: Room, rounds: int, seed: int, seen: set[psutil.Process]) -> None:
    """Kill a process of each kind in turn. Every process that the runs started is added to
    `seen`.
    """
    draw = random.Random(seed)
    for number in range(rounds):
        process, killed = room.start("autograde", "--jobs", "2"), False
        victim = VICTIMS[number % len(VICTIMS)]
        kill_at = time.monotonic() + draw.uniform(0.3, 6)
        while process.poll() is None and not killed:
            seen.update(found := descendants(process))
            if time.monotonic() > kill_at:
                chosen = [one for one in found if kind_of(one) == victim]
                with contextlib.suppress(psutil.Error, IndexError):
                    (process if victim == "engine" else draw.choice(chosen)).kill()
                    killed = True
            time.sleep(0.01)
        # A run that lost a child process continues. After a moment it is stopped too, so that the
        # rounds end.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0, 4))
        seen.update(descendants(process))
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()


def descendants(process: subprocess.Popen) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        return psutil.Process(process.pid).children(recursive=True)
    return []


def left_over(seen: set[psutil.Process]) -> list[psutil.Process]:
    """The processes that still run after a moment: orphans need one to notice that they are."""
    until(lambda: not any(map(_runs, seen)))
    return [process for process in seen if _runs(process)]


def _runs(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        # a zombie has ended, but its exit code was not read
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def graded_twice(room: Room) -> list[str]:
    """Submissions that were graded completely more than once, according to the log."""
    log = (room.course / "reports" / "07_tiny" / "autograde.log").read_text(encoding="utf-8")
    graded = re.findall(r"^\S+ (s\d+) (?:graded|needs_review) ", log, re.MULTILINE)
    return sorted({student for student in graded if graded.count(student) > 1})


def lose_nothing(folder: Path, submissions: int, rounds: int, seed: int) -> None:
    """Kill the engine while its temporary folder holds the hidden tests, play the rounds, and
    assert that nothing was lost or left.
    """
    seen: set[psutil.Process] = set()
    room = make_room(folder, submissions)
    process, kit = room.start("autograde"), "tito-kit-*/kit/*"
    assert until(lambda: any(room.scratch.glob(kit)))
    seen.update(descendants(process))
    process.kill()
    process.wait()
    assert any(room.scratch.glob(kit))  # the hidden tests, until the next run
    play(room, rounds, seed, seen)
    room.finish()
    assert marks(room.course) == right_marks(submissions)
    room.lose_gradebook()
    assert marks(room.course) == []
    room.finish()
    assert marks(room.course) == right_marks(submissions)
    assert graded_twice(room) == left_over(seen) == []
    assert list(room.scratch.iterdir()) == []  # such as the hidden tests
    room.scratch.rmdir()
