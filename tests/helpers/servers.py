"""Real servers on loopback: a Dask cluster and PostgreSQL."""

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
from typing import Any

import pytest

from helpers.patience import PATIENCE_SECONDS


class Cluster:
    """A Dask scheduler and workers with one thread each, as separate processes on loopback."""

    def __init__(self) -> None:
        self.address = f"tcp://127.0.0.1:{free_port()}"
        self.workers: list[subprocess.Popen] = []
        self._others: list[subprocess.Popen] = []

    def start_scheduler(self) -> None:
        port = self.address.rpartition(":")[2]
        quiet = ("--no-dashboard", "--dashboard-address", ":0")
        words = ("--host", "127.0.0.1", "--port", port, *quiet)
        self._others.append(self._start("scheduler", *words))

    def add_worker(self) -> subprocess.Popen:
        words = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        worker = self._start("worker", self.address, *words)
        self.workers.append(worker)
        return worker

    def wait_for(self, count: int) -> None:
        from distributed import Client

        with Client(self.address, timeout=PATIENCE_SECONDS, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=PATIENCE_SECONDS)

    def close(self) -> None:
        for process in [*self.workers, *self._others]:
            process.kill()
            process.wait()

    def _start(self, kind: str, *words: str) -> subprocess.Popen:
        root = str(Path(__file__).resolve().parents[2])
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")]),
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",
        }
        code = f"from distributed.cli import dask_{kind}; dask_{kind}.main()"
        return subprocess.Popen(
            [sys.executable, "-c", code, *words],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@contextlib.contextmanager
def cluster(count: int = 2) -> Iterator[Cluster]:
    made = Cluster()
    try:
        made.start_scheduler()
        for _ in range(count):
            made.add_worker()
        made.wait_for(count)
        yield made
    finally:
        made.close()


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
    nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups --".split()
    as_user = nobody if os.geteuid() == 0 else []
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}

    def program(name: str, options: str) -> list[str]:
        return [str(binaries / name), *options.split()]

    data.mkdir(mode=0o700)
    try:
        if as_user:
            os.chown(data, 65534, 65534)
        made = program("initdb", f"-D {data}/db -U grader --auth=trust -N")
        subprocess.run([*as_user, *made], check=True, cwd="/", **quiet)
        places = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories={data}"
        serves = program("postgres", f"-D {data}/db -p {port} {places} -F")
        server = subprocess.Popen([*as_user, *serves], cwd="/", **quiet)
        try:
            _until_it_answers(port, server)
            database = program("createdb", f"-h 127.0.0.1 -p {port} -U grader marks")
            subprocess.run(database, check=True, stdout=subprocess.DEVNULL)
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
