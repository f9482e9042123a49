"""One engine for any scale: the same class gets the same marks on this machine, on a Dask cluster
that loses a worker, and with PostgreSQL.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kill_rounds import make_room, marks
from patience import PATIENCE_SECONDS

from grading.engine.course.directory import Course
from grading.engine.run import autograde
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
    with cluster() as (address, workers):
        graded = []

        def kill_a_worker(one: autograde.Graded) -> None:
            graded.append(one)
            if len(graded) == SUBMISSIONS // 2:
                os.kill(workers[0].pid, signal.SIGKILL)

        autograde.autograde(
            copy,
            copy.assignment("07", workspace),
            autograde.Settings(scheduler=address, limits=LIMITS),
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
    with postgres(tmp_path) as url:
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


@contextlib.contextmanager
def cluster() -> Iterator[tuple[str, list[subprocess.Popen]]]:
    """A Dask scheduler and two workers with one thread each, as separate processes on loopback."""
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(
            [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
        ),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
    }
    command = [sys.executable, "-c", "from distributed.cli import dask_{0}; dask_{0}.main()"]
    processes = []

    def start(kind: str, *words: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [*command[:2], command[2].format(kind), *words],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        processes.append(process)
        return process

    try:
        start(
            "scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--no-dashboard",
            "--dashboard-address",
            ":0",
        )
        workers = [
            start(
                "worker",
                address,
                "--nthreads",
                "1",
                "--no-nanny",
                "--no-dashboard",
                "--host",
                "127.0.0.1",
            )
            for _ in range(2)
        ]
        from distributed import Client

        with Client(address, timeout=PATIENCE_SECONDS, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=PATIENCE_SECONDS)
        yield address, workers
    finally:
        for process in processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def postgres(place: Path) -> Iterator[str]:
    """Debian's PostgreSQL server with its own directory and port; skips if it is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    binaries = found[-1].parent if found else Path(shutil.which("postgres") or "").parent
    if not (binaries / "initdb").is_file():
        pytest.skip(
            "no PostgreSQL server is installed here (apt-get install postgresql); the same marks"
            " into PostgreSQL were not checked"
        )
    data, port = Path("/tmp") / f"tito-postgres-{os.getpid()}-{time.time_ns()}", free_port()
    # PostgreSQL refuses to run as root
    as_user = (
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]
        if os.geteuid() == 0
        else []
    )
    data.mkdir(mode=0o700)
    try:
        if as_user:
            os.chown(data, 65534, 65534)
        subprocess.run(
            [
                *as_user,
                str(binaries / "initdb"),
                "-D",
                str(data / "db"),
                "-U",
                "grader",
                "--auth=trust",
                "-N",
            ],
            check=True,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        server = subprocess.Popen(
            [
                *as_user,
                str(binaries / "postgres"),
                "-D",
                str(data / "db"),
                "-p",
                str(port),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                f"unix_socket_directories={data}",
                "-F",
            ],
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _until_it_answers(port, server)
            subprocess.run(
                [
                    str(binaries / "createdb"),
                    "-h",
                    "127.0.0.1",
                    "-p",
                    str(port),
                    "-U",
                    "grader",
                    "marks",
                ],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            yield f"postgresql+psycopg2://grader@127.0.0.1:{port}/marks"
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(PATIENCE_SECONDS)
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _until_it_answers(port: int, server: subprocess.Popen) -> None:
    import psycopg2

    stop_at = time.monotonic() + PATIENCE_SECONDS
    while server.poll() is None:
        try:
            psycopg2.connect(host="127.0.0.1", port=port, user="grader", dbname="postgres").close()
            return
        except psycopg2.OperationalError:
            assert time.monotonic() < stop_at, "PostgreSQL does not answer"
            time.sleep(0.1)
    raise AssertionError(f"PostgreSQL ended with exit code {server.returncode}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
