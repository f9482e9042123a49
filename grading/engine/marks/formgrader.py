"""Runs nbgrader's formgrader on the course of a class, in a Jupyter server that is only reachable
from this machine.
"""

import os
import secrets
import socket
import sys
from pathlib import Path
from typing import NoReturn

from grading.engine.course.directory import Course, python_environment


def serve(course: Course, *, browser: bool, port: int = 0) -> NoReturn:
    """Print the address, then replace this process by the server; Ctrl-C ends it."""
    port = port or _free_port()
    token = secrets.token_hex(16)
    address = f"http://127.0.0.1:{port}/formgrader/manage_assignments?token={token}"
    command = [
        sys.executable,
        "-m",
        "jupyter_server",
        f"--ServerApp.root_dir={course.root}",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        "--ServerApp.default_url=/formgrader",
        f"--ServerApp.open_browser={browser}",
        "--ServerApp.jpserver_extensions={'nbgrader.server_extensions.formgrader': True}",
    ]
    if os.geteuid() == 0:
        command.append("--ServerApp.allow_root=True")
    print(f"formgrader: {address}\nCtrl-C ends it", flush=True)
    # not in the command line, which every user of the machine can read
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
    engine = str(Path(__file__).resolve().parents[3])  # which nbgrader_config.py imports
    before = filter(None, [os.environ.get("PYTHONPATH")])
    places = {"PATH": path, "PYTHONPATH": os.pathsep.join([engine, *before])}
    environment = python_environment(JUPYTER_TOKEN=token, **places)
    os.chdir(course.root)
    os.execve(command[0], command, environment)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
