"""Real servers on loopback: a Dask cluster and PostgreSQL."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


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
def postgres() -> Iterator[str]:
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

    def run(name: str, options: str, *more: str) -> None:
        words = [*as_user, str(binaries / name), *options.split(), *more]
        subprocess.run(words, check=True, cwd="/", stdout=subprocess.DEVNULL)

    data.mkdir(mode=0o700)
    try:
        if as_user:
            os.chown(data, 65534, 65534)
        run("initdb", f"-D {data}/db -U grader --auth=trust -N")
        places = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories={data}"
        run("pg_ctl", f"start -D {data}/db -l {data}/log -o", f"-p {port} {places} -F")
        try:
            run("createdb", f"-h 127.0.0.1 -p {port} -U grader marks")
            yield f"postgresql+psycopg2://grader@127.0.0.1:{port}/marks"
        finally:
            run("pg_ctl", f"stop -D {data}/db -m fast")
    finally:
        shutil.rmtree(data, ignore_errors=True)


def free_port() -> int:
    return free_ports(1)[0]


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
