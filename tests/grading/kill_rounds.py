"""Nothing is lost: a class is graded while the engine, a grading process, a sandbox's parent and
kernels are killed at random moments.

    python tests/grading/kill_rounds.py [--submissions 200] [--rounds 30] [--seed N]

Each round starts `tito grade autograde`, kills one of these processes with SIGKILL after a random
time, and lets the others continue. At the end the command runs once more undisturbed. Then every
mark must be in the gradebook, each submission must have been graded completely exactly once, and no
process may be left. The same holds after the gradebook was deleted. The usual suite runs a small
version (test_nothing_lost.py).
"""

from __future__ import annotations

import argparse
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

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from helpers.patience import PATIENCE_SECONDS  # noqa: E402

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

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.scratch)}

    def command(self, verb: str = "autograde") -> list[str]:
        code = "import sys; from tito.cli import main; sys.exit(main())"
        words = ["grade", verb, "07", "--course", str(self.course)]
        jobs = ["--jobs", "2"] if verb == "autograde" else []
        return [sys.executable, "-c", code, *words, *jobs]

    def start(self) -> subprocess.Popen:
        return subprocess.Popen(
            self.command(),
            cwd=self.workspace,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**self.environment, "PYTHONHASHSEED": "0"},
            start_new_session=True,
        )

    def lose_gradebook(self) -> None:
        """Delete the gradebook and release the assignment again, as an instructor would."""
        (self.course / "gradebook.db").unlink()
        self.finish("release")

    def finish(self, verb: str = "autograde") -> str:
        done = subprocess.run(
            self.command(verb),
            cwd=self.workspace,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            env=self.environment,
        )
        if done.returncode:
            raise RuntimeError(
                f"exit code {done.returncode}: {done.stdout[-1000:]}{done.stderr[-2000:]}"
            )
        return done.stdout


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
    from grading.authoring import release
    from grading.engine.course.directory import Course
    from helpers.tiny_course import fill, make_workspace
    from tito.workspace import Workspace

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


def kill_one(process: subprocess.Popen, victim: str, draw: random.Random) -> bool:
    """Kill one process of this kind; returns whether there was one."""
    found = [process] if victim == "engine" else []
    found += [child for child in descendants(process) if kind_of(child) == victim]
    with contextlib.suppress(psutil.Error, IndexError):
        draw.choice(found).kill()
        return True
    return False


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


def play(room: Room, rounds: int, seed: int, seen: set[psutil.Process]) -> dict[str, int]:
    """Kill `rounds` times; returns how often each kind was killed. Every process that the runs
    started is added to `seen`.
    """
    draw, hit = random.Random(seed), dict.fromkeys(VICTIMS, 0)
    for number in range(rounds):
        process = room.start()
        victim = VICTIMS[number % len(VICTIMS)]
        stop_at = time.monotonic() + draw.uniform(0.3, 6)
        while time.monotonic() < stop_at and process.poll() is None:
            seen.update(descendants(process))
            time.sleep(0.1)
        while process.poll() is None:
            seen.update(descendants(process))
            if kill_one(process, victim, draw):
                hit[victim] += 1
                break
            time.sleep(0.01)
        # A run that lost a child process continues. After a moment it is stopped too, so that the
        # rounds end.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0, 4))
        seen.update(descendants(process))
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()
    return hit


def descendants(process: subprocess.Popen) -> list[psutil.Process]:
    with contextlib.suppress(psutil.Error):
        return psutil.Process(process.pid).children(recursive=True)
    return []


def left_over(seen: set[psutil.Process]) -> list[psutil.Process]:
    """The processes that still run after a moment, in which they can notice that they are
    orphans.
    """
    from helpers.patience import until

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


def lose_nothing(folder: Path, submissions: int, rounds: int, seed: int) -> str:
    """Kill the engine while its temporary folder holds the hidden tests, play the rounds, and
    assert that nothing was lost or left. Returns a line about what was killed.
    """
    from helpers.patience import until

    seen: set[psutil.Process] = set()
    room = make_room(folder, submissions)
    process, kit = room.start(), "tito-kit-*/kit/*"
    assert until(lambda: any(room.scratch.glob(kit)))
    seen.update(descendants(process))
    process.kill()
    process.wait()
    assert any(room.scratch.glob(kit))  # the hidden tests, until the next run
    hit = play(room, rounds, seed, seen)
    done = len(list((room.course / "reports" / "07_tiny").glob("s*.json")))
    room.finish()
    assert marks(room.course) == right_marks(submissions)
    room.lose_gradebook()
    assert marks(room.course) == []
    room.finish()
    assert marks(room.course) == right_marks(submissions)
    assert graded_twice(room) == left_over(seen) == []
    assert list(room.scratch.iterdir()) == []  # such as the hidden tests
    room.scratch.rmdir()
    killed = ", ".join(f"{name} {count}" for name, count in hit.items())
    return f"killed: {killed}; {done} of {submissions} were graded before the last run"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="tito-kills-") as folder:
        print(lose_nothing(Path(folder), args.submissions, args.rounds, args.seed))


if __name__ == "__main__":
    main()
