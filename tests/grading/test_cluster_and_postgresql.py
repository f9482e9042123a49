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


@pytest.fixture(scope="module")
def room(tmp_path_factory) -> tuple[Workspace, Course]:
    made = make_room(tmp_path_factory.mktemp("scale"), SUBMISSIONS)
    return Workspace(made.workspace), Course(made.course)


@pytest.fixture(scope="module")
def expected(room) -> list[tuple]:
    """The marks of a run with two jobs."""
    workspace, course = room
    copy = Course(course.root.with_name("local"))
    shutil.copytree(course.root, copy.root)
    autograde.autograde(
        copy, copy.assignment("07", workspace), autograde.Settings(jobs=2, limits=LIMITS)
    )
    found = marks(copy.root)
    assert len(found) == SUBMISSIONS * 4 and len({score for *_, score in found}) > 2
    return found


@pytest.mark.long
def test_a_cluster_that_loses_a_worker_gives_the_same_marks(room, expected, tmp_path):
    workspace, course = room
    copy = Course(tmp_path / "cluster")
    shutil.copytree(course.root, copy.root)
    with cluster() as made:
        graded = []

        def kill_a_worker(one: autograde.Graded) -> None:
            graded.append(one)
            if len(graded) == SUBMISSIONS // 2:
                os.kill(made.workers[0].pid, signal.SIGKILL)

        autograde.autograde(
            copy,
            copy.assignment("07", workspace),
            autograde.Settings(scheduler=made.scheduler_address, limits=LIMITS),
            on_done=kill_a_worker,
        )
    assert marks(copy.root) == expected
    assert [one.student for one in graded if one.reasons] == []
    log = (copy.reports(copy.assignment("07", workspace)) / "autograde.log").read_text(
        encoding="utf-8"
    )
    assert "on 2 workers at tcp://" in log


def test_a_scheduler_that_nobody_runs_is_a_sentence(room, monkeypatch):
    from grading.engine.run import cluster as module

    workspace, course = room
    monkeypatch.setattr(module, "CONNECT_SECONDS", 0.5)
    with pytest.raises(
        EnvironmentBroken,
        match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:\d+ .*dask scheduler",
    ):
        autograde.autograde(
            course,
            course.assignment("07", workspace),
            autograde.Settings(scheduler=f"tcp://127.0.0.1:{free_port()}"),
        )


@pytest.mark.long
def test_postgresql_gets_the_same_marks(room, expected, tmp_path):
    from grading.engine.nbgrader.library import gradebook

    workspace, course = room
    with postgres() as url:
        copy = Course(tmp_path / "class")
        shutil.copytree(course.root, copy.root)
        (copy.root / "gradebook.db").unlink()
        config = copy.root / "nbgrader_config.py"
        config.write_text(
            config.read_text(encoding="utf-8") + f"\nc.CourseDirectory.db_url = {url!r}\n",
            encoding="utf-8",
        )
        from grading.authoring import release

        release.release_to_course(workspace.module("07"), copy)
        assignment = copy.assignment("07", workspace)
        assert copy.db_url == url and copy.database is None
        autograde.autograde(copy, assignment, autograde.Settings(jobs=2, limits=LIMITS))
        with gradebook(url) as book:
            found = sorted(
                (submission.student.id, grade.name, grade.auto_score)
                for submission in book.assignment_submissions(assignment.name)
                for notebook in submission.notebooks
                for grade in notebook.grades
            )
        assert found == expected
        again = autograde.autograde(copy, assignment, autograde.Settings(jobs=2, limits=LIMITS))
        assert {one.status for one in again} == {"unchanged"}
