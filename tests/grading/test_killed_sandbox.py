"""If a sandbox is killed by neither the student's code nor the grader, the submission is graded
again and no point is lost.
"""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator

import psutil
import pytest
from kill_rounds import kind_of, make_room, marks, right_marks

from grading.engine import sandbox
from grading.engine.course.directory import Course
from grading.engine.run import autograde
from helpers.inboxes import put
from helpers.tiny_class import grade
from helpers.tiny_course import fill
from tito.workspace import Workspace

SECONDS = {"cell_seconds": 60, "notebook_seconds": 120, "test_seconds": 60}
LIMITS = autograde.Limits(**SECONDS, contract_seconds=120)


@pytest.fixture(scope="module")
def two(tmp_path_factory) -> tuple[Workspace, Course]:
    made = make_room(tmp_path_factory.mktemp("outside"), 2)
    return Workspace(made.workspace), Course(made.course)


@contextlib.contextmanager
def killing(attack: Callable[[psutil.Process], None]) -> Iterator[None]:
    """While the body runs, `attack` gets each process below this one, again and again."""
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error, OSError):
                    attack(process)
            time.sleep(0.002)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize(
    "victim, number",
    [
        ("grader", signal.SIGKILL),
        pytest.param("in the sandbox", signal.SIGKILL, marks=pytest.mark.long),
        pytest.param("sandbox parent", signal.SIGKILL, marks=pytest.mark.long),
        pytest.param("sealed tests", signal.SIGKILL, marks=pytest.mark.long),
        pytest.param("sealed tests", signal.SIGTERM, marks=pytest.mark.long),
    ],
)
def test_what_was_killed_outside_is_graded_again(two, victim, number):
    with sandbox.open_sandbox() as box:
        if box.level != "namespaces":
            pytest.skip("only in a process namespace can a kill from outside be told from others")
    workspace, course = two
    assignment = course.assignment("07", workspace)
    killed: list[str] = []
    missed: list[int] = []  # runs whose victim ended before it was killed

    def the_first(process: psutil.Process) -> None:
        if not killed and kind_of(process) == victim:
            if len(missed) < 5:  # so that it has begun; on a busy machine it ends meanwhile
                time.sleep(0.05 / (1 + len(missed)))
            process.send_signal(number)
            killed.append(victim)

    settings = autograde.Settings(jobs=1, force=True, limits=LIMITS)
    with killing(the_first):
        for run in range(20):
            graded = autograde.autograde(course, assignment, settings)
            if killed:
                break
            missed.append(run)
    assert killed == [victim]
    assert [(one.status, one.reasons) for one in graded] == [("graded", []), ("graded", [])]
    assert marks(course.root) == right_marks(2)


def test_a_student_who_ends_the_process_is_not_graded_again(room, released):
    """If a student's code ends itself in any way, it is not graded again, and gets the reason."""
    tries = {
        "exits": "import os; os._exit(9)",
        "kills": "import os, signal; os.kill(os.getpid(), signal.SIGKILL); os.abort()",
        "aborts": "import os; os.abort()",
        "lowers": "import resource as r; r.setrlimit(r.RLIMIT_CPU, (0, 0)); any(iter(int, 1))",
    }
    for student, code in tries.items():
        put(room.notebook(student), json.dumps(fill(released, length=code)))
    done = grade(room.course, room.module, jobs=2, limits=LIMITS)
    assert sorted(one.student for one in done) == sorted(tries)
    for one in done:
        assert (one.points, one.status) == (2.0, "needs_review")
        assert any("ended while test_box ran" in reason for reason in one.reasons), one.reasons
    log = (room.course.reports(room.module) / "autograde.log").read_text(encoding="utf-8")
    assert all(log.count(f" {student} needs_review ") == 1 for student in tries)
