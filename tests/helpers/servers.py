"""Real servers on loopback: a Dask cluster and PostgreSQL."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.patience import PATIENCE_SECONDS


@contextlib.contextmanager
def cluster(count: int = 2) -> Iterator[Any]:
    """A Dask scheduler and workers with one thread each, as separate processes on loopback."""
    import dask
    from distributed import LocalCluster

    settings = {"distributed.scheduler.allowed-failures": 1}
    alone = {"n_workers": count, "threads_per_worker": 1, "dashboard_address": None}
    with dask.config.set(settings), LocalCluster(**alone) as made:
        yield made


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
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
