"""If a sandbox is killed by neither the student's code nor the grader, the submission is graded
again and no point is lost.
"""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time
from pathlib import Path

import psutil
import pytest
from kill_rounds import kind_of, make_room, marks
from tiny_class import grade

from grading.engine import sandbox
from grading.engine.course.directory import Course
from grading.engine.run import autograde
from grading.engine.run.pool import ATTEMPTS
from tito.workspace import Workspace

LIMITS = autograde.Limits(
    cell_seconds=60, notebook_seconds=120, test_seconds=60, contract_seconds=120
)


@pytest.fixture(scope="module")
def room(tmp_path_factory) -> tuple[Workspace, Course]:
    made = make_room(tmp_path_factory.mktemp("outside"), 2)
    return Workspace(made.workspace), Course(made.course)


@pytest.mark.parametrize(
    "victim, number",
    [
        ("grader", signal.SIGKILL),
        *(
            pytest.param(*kill, marks=pytest.mark.long)
            for kill in (
                ("in the sandbox", signal.SIGKILL),
                ("sandbox parent", signal.SIGKILL),
                ("sealed tests", signal.SIGKILL),
                ("sealed tests", signal.SIGTERM),
            )
        ),
    ],
)
def test_what_was_killed_outside_is_graded_again(room, victim, number):
    with sandbox.open_sandbox() as box:
        if box.level != "namespaces":
            pytest.skip(
                f"the level here is {box.level}: only in a process namespace can a kill from"
                " outside be told from the student's own"
            )
    workspace, course = room
    assignment = course.assignment("07", workspace)
    killed: list[str] = []
    stop = threading.Event()

    def kill_the_first() -> None:
        while not stop.is_set() and not killed:
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error):
                    if kind_of(process) == victim:
                        time.sleep(0.05)  # so that it has begun
                        process.send_signal(number)
                        killed.append(victim)
                        return
            time.sleep(0.005)

    thread = threading.Thread(target=kill_the_first)
    thread.start()
    try:
        for _ in range(10):  # a victim that ends within the 0.05 s is missed
            graded = autograde.autograde(
                course, assignment, autograde.Settings(jobs=1, force=True, limits=LIMITS)
            )
            if killed:
                break
    finally:
        stop.set()
        thread.join()
    assert killed == [victim]
    assert [(one.status, one.reasons) for one in graded] == [("graded", []), ("graded", [])]
    assert [score for student, name, score in marks(course.root) if student == "s000"] == [
        2.0,
        None,
        3.0,
        2.0,
    ]


def test_what_was_decided_stays_when_a_submission_cannot_be_graded_to_its_end(room):
    """Its process is killed each time in the notebook part, after the sealed tests. Their results
    are kept, and the reason says what to do.
    """
    workspace, course = room
    assignment = course.assignment("07", workspace)
    killed, stop = set(), threading.Event()

    def kill_each() -> None:
        while not stop.is_set():
            for process in psutil.Process().children(recursive=True):
                with contextlib.suppress(psutil.Error, OSError):
                    decided = kind_of(process) == "grader" and Path(process.cwd(), "result.json")
                    if decided and decided.exists():
                        process.kill()
                        killed.add(process.pid)
            time.sleep(0.002)

    thread = threading.Thread(target=kill_each)
    thread.start()
    try:
        for _ in range(10):  # a grader that ends between two looks is missed
            killed.clear()
            (graded,) = autograde.autograde(
                course,
                assignment,
                autograde.Settings(jobs=1, force=True, limits=LIMITS),
                students=["s000"],
            )
            if len(killed) == ATTEMPTS:
                break
    finally:
        stop.set()
        thread.join()
    assert len(killed) == ATTEMPTS and graded.status == "needs_review"
    assert any("exit code -9" in reason for reason in graded.reasons), graded.reasons
    command = f"tito grade autograde {assignment.name} --student s000 --force"
    assert any(command in reason for reason in graded.reasons), graded.reasons
    rows = json.loads(course.report("s000", assignment).read_text(encoding="utf-8"))["cells"]
    assert {row["grade_id"]: row["points"] for row in rows if row["kind"] == "contract"} == {
        "contract_box": 2.0
    }


def test_a_student_who_ends_the_process_is_not_graded_again(workspace, released, tmp_path):
    """Only `s000` is honest. If a student's code ends itself in any way, it is not graded again,
    and gets the reason.
    """
    from tiny_course import fill

    from grading.authoring import release

    course = Course.create(tmp_path / "class", workspace)
    release.release_to_course(workspace.module("07"), course)
    assignment = course.assignment("07", workspace)
    tries = {
        "exits": "import os; os._exit(9)",
        "kills": "import os, signal; os.kill(os.getpid(), signal.SIGKILL); os.abort()",
        "aborts": "import os; os.abort()",
        "lowers": "import resource as r; r.setrlimit(r.RLIMIT_CPU, (0, 0)); any(iter(int, 1))",
    }
    for student, code in tries.items():
        place = course.submitted(student, assignment)
        place.mkdir(parents=True)
        (place / "tiny_dev.ipynb").write_text(
            json.dumps(fill(released, length=code)), encoding="utf-8"
        )
    graded = {one.student: one for one in grade(course, assignment, jobs=2, limits=LIMITS)}
    for student in tries:
        assert graded[student].points == 2.0 and graded[student].status == "needs_review"
        assert any("ended while test_box ran" in reason for reason in graded[student].reasons), (
            graded[student].reasons
        )
    log = (course.reports(assignment) / "autograde.log").read_text(encoding="utf-8")
    assert all(log.count(f" {student} needs_review ") == 1 for student in tries)
