"""One engine for any scale: the same class gets the same marks on this machine, on a Dask cluster
that loses a worker, and with PostgreSQL.
"""

from __future__ import annotations

import os
import shutil
import signal

import pytest
from kill_rounds import make_room, marks

from grading.engine.course.directory import Course
from grading.engine.run import autograde
from helpers.servers import cluster, free_port, postgres
from tito.errors import EnvironmentBroken
from tito.workspace import Workspace

pytestmark = pytest.mark.usefixtures("walls")
SUBMISSIONS = 10
LIMITS = autograde.Limits(cell_seconds=30, notebook_seconds=60, contract_seconds=60)
TWO_JOBS = autograde.Settings(jobs=2, limits=LIMITS)


@pytest.fixture(scope="module")
def room(tmp_path_factory) -> tuple[Workspace, Course]:
    made = make_room(tmp_path_factory.mktemp("scale"), SUBMISSIONS)
    return Workspace(made.workspace), Course(made.course)


@pytest.fixture(scope="module")
def expected(room) -> list[tuple]:
    """The marks of a run with two jobs."""
    workspace, course = room
    copy = Course(shutil.copytree(course.root, course.root.with_name("local")))
    autograde.autograde(copy, copy.assignment("07", workspace), TWO_JOBS)
    found = marks(copy.root)
    assert len(found) == SUBMISSIONS * 4 and len({score for *_, score in found}) > 2
    return found


@pytest.mark.long
def test_a_cluster_that_loses_a_worker_gives_the_same_marks(room, expected, tmp_path):
    workspace, course = room
    copy = Course(shutil.copytree(course.root, tmp_path / "cluster"))
    assignment = copy.assignment("07", workspace)
    with cluster() as made:
        graded = []

        def kill_a_worker(one: autograde.Graded) -> None:
            graded.append(one)
            if len(graded) == SUBMISSIONS // 2:
                os.kill(made.workers[0].pid, signal.SIGKILL)

        settings = autograde.Settings(scheduler=made.scheduler_address, limits=LIMITS)
        autograde.autograde(copy, assignment, settings, on_done=kill_a_worker)
    assert marks(copy.root) == expected
    assert [one.student for one in graded if one.reasons] == []
    log = (copy.reports(assignment) / "autograde.log").read_text(encoding="utf-8")
    assert "on 2 workers at tcp://" in log


def test_a_scheduler_that_nobody_runs_is_a_sentence(room, monkeypatch):
    from grading.engine.run import cluster as module

    workspace, course = room
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    settings = autograde.Settings(scheduler=f"tcp://127.0.0.1:{free_port()}")
    said = r"no Dask scheduler answers at tcp://127\.0\.0\.1:\d+ .*dask scheduler"
    with pytest.raises(EnvironmentBroken, match=said):
        autograde.autograde(course, course.assignment("07", workspace), settings)


@pytest.mark.long
def test_postgresql_gets_the_same_marks(room, expected, tmp_path):
    from grading.authoring import release
    from grading.engine.nbgrader.import_nbgrader import gradebook

    workspace, course = room
    with postgres() as url:
        copy = Course(shutil.copytree(course.root, tmp_path / "class"))
        (copy.root / "gradebook.db").unlink()
        with open(copy.root / "nbgrader_config.py", "a", encoding="utf-8") as config:
            config.write(f"\nc.CourseDirectory.db_url = {url!r}\n")
        release.release_to_course(workspace.module("07"), copy)
        assignment = copy.assignment("07", workspace)
        assert copy.db_url == url and copy.database is None
        autograde.autograde(copy, assignment, TWO_JOBS)
        with gradebook(url) as book:
            found = sorted(
                (submission.student.id, grade.name, grade.auto_score)
                for submission in book.assignment_submissions(assignment.name)
                for notebook in submission.notebooks
                for grade in notebook.grades
            )
        assert found == expected
        again = autograde.autograde(copy, assignment, TWO_JOBS)
        assert {one.status for one in again} == {"unchanged"}
