"""Nothing is lost: a class is graded while the engine, a grading process, a sandbox's parent and
kernels are killed at random moments.

Each round starts `tito grade autograde`, kills one of these processes with SIGKILL after a random
time, and lets the others continue. At the end the command runs once more undisturbed. Then every
mark must be in the gradebook, each submission must have been graded completely exactly once, and no
process may be left. The same holds after the gradebook was deleted.
"""

from __future__ import annotations

import contextlib
import random
import re
import subprocess
import time

import psutil
import pytest
from kill_rounds import Room, kind_of, make_room, marks, right_marks

from helpers.patience import until

VICTIMS = ("engine", "server", "grader", "sealed tests", "sandbox parent", "in the sandbox")
SUBMISSIONS, ROUNDS = 12, 20  # each kind of process is killed about three times


@pytest.mark.long
@pytest.mark.usefixtures("walls")
def test_after_kills_every_submission_is_graded_once_and_no_secret_is_left(tmp_path):
    seen: set[psutil.Process] = set()
    room = make_room(tmp_path, SUBMISSIONS)
    process, kit = room.start("autograde"), "tito-kit-*/kit/*"
    assert until(lambda: any(room.scratch.glob(kit)))
    seen.update(descendants(process))
    process.kill()
    process.wait()
    assert any(room.scratch.glob(kit))  # the hidden tests, until the next run
    play(room, seen)
    room.finish()
    assert marks(room.course) == right_marks(SUBMISSIONS)
    (room.course / "gradebook.db").unlink()
    room.finish("release")  # as an instructor would
    assert marks(room.course) == []
    room.finish()
    assert marks(room.course) == right_marks(SUBMISSIONS)
    assert graded_twice(room) == left_over(seen) == []
    assert list(room.scratch.iterdir()) == []  # such as the hidden tests
    room.scratch.rmdir()


def play(room: Room, seen: set[psutil.Process]) -> None:
    """Kill a process of each kind in turn. Every process that the runs started is added to
    `seen`.
    """
    draw = random.Random(20261121)
    for number in range(ROUNDS):
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
