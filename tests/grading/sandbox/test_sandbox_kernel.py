"""A notebook kernel in a sandbox, started through jupyter_client as nbgrader does."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from grading.engine import sandbox
from grading.engine.sandbox import provisioner
from helpers.patience import PATIENCE_SECONDS, runs, until


@dataclass
class Notebook:
    """A kernel and its client."""

    manager: KernelManager
    client: object

    def run(self, code: str) -> tuple[str, str]:
        """Run a cell; returns ("ok" or "error", what it printed or raised)."""
        said: list[str] = []

        def keep(message: dict) -> None:
            content = message["content"]
            said.append(content.get("text", "") or content.get("evalue", ""))

        reply = self.client.execute_interactive(
            code, timeout=PATIENCE_SECONDS, output_hook=keep, stop_on_error=False
        )
        return reply["content"]["status"], "".join(said).strip()


@pytest.fixture
def start_notebook(boxes, tmp_path) -> Iterator[Callable[..., Notebook]]:
    started: list[Notebook] = []
    provisioner.register()
    package, files = tmp_path / "package", tmp_path / "files"
    package.mkdir()
    files.mkdir()

    def start(level: str, **limits: int) -> Notebook:
        places = {"address": boxes(level).address, "package": package, "files": files}
        name = provisioner.write_kernel_spec(
            tmp_path, **places, limits=sandbox.SandboxLimits(**limits)
        )
        specs = KernelSpecManager(kernel_dirs=[str(tmp_path / "kernels")])
        manager = KernelManager(kernel_name=name, kernel_spec_manager=specs)
        manager.start_kernel()
        client = manager.client()
        client.start_channels()
        started.append(Notebook(manager, client))
        client.wait_for_ready(timeout=PATIENCE_SECONDS)
        return started[-1]

    yield start
    for one in started:
        one.client.stop_channels()
        one.manager.shutdown_kernel(now=True)
        one.manager.context.destroy(linger=0)


FIGURE = "import matplotlib.pyplot as plt\nfigure = plt.plot([1, 2])"


@pytest.mark.parametrize("level", sandbox.LEVELS)
def test_a_notebook_runs_is_interrupted_and_shut_down(level, start_notebook, tmp_path):
    (tmp_path / "files" / "helper.py").write_text("value = 5\n")
    (tmp_path / "files" / "numpy.py").write_text("raise RuntimeError('shadowed')\n")
    notebook = start_notebook(level)
    code = "import __main__, helper, numpy\na = 3\n"
    code += "print(__main__.a, helper.value, numpy.arange(3).sum())"
    assert notebook.run(code) == ("ok", "3 5 3")
    assert notebook.run("import tito") == ("error", "No module named 'tito'")
    assert notebook.run("word = 'said'\n!echo {word} >&2; false") == ("ok", "said")
    assert notebook.run("print(_exit_code)") == ("ok", "1")
    assert notebook.run(f"%matplotlib inline\n{FIGURE}")[0] == "ok"

    def interrupt(message: dict) -> None:
        if message["msg_type"] == "stream":
            notebook.manager.interrupt_kernel()

    reply = notebook.client.execute_interactive(
        "import time\nprint('asleep', flush=True)\ntime.sleep(600)",
        timeout=PATIENCE_SECONDS,
        output_hook=interrupt,
        stop_on_error=False,
    )
    assert (reply["content"]["status"], reply["content"]["ename"]) == ("error", "KeyboardInterrupt")
    process, run = notebook.manager.provisioner.process, Path(notebook.manager.provisioner.run)
    assert runs(process.pid)
    notebook.manager.shutdown_kernel(now=True)
    assert not runs(process.pid) and not run.exists()
    assert not notebook.manager.is_alive()


LOOK = r"""
import os, sys
threads = [open(f"/proc/self/task/{name}/status").read() for name in os.listdir("/proc/self/task")]
wanted = ["CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"]
held = all(line in status for status in threads for line in wanted)
ours = [name for name in sys.modules if name.split(".")[0] in ("grading", "tito")]
mounted = "/run" in open("/proc/self/mounts").read()
print(len(threads) > 3, held, os.listdir("/run/kernel"), mounted, ours)
"""


def test_no_thread_of_the_kernel_has_a_capability_and_the_socket_directory_is_gone(start_notebook):
    notebook = start_notebook("namespaces")
    assert notebook.run(LOOK) == ("ok", "True True [] False []")


SERVER = """
import http.server, threading, urllib.request
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"hello")
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("localhost", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen(f"http://localhost:{server.server_port}/").read())
"""


def test_a_notebook_reaches_its_own_server_and_shows_figures_without_a_magic(start_notebook):
    notebook = start_notebook("namespaces")
    assert notebook.run(SERVER) == ("ok", "b'hello'")
    shown: list[dict] = []
    notebook.client.execute_interactive(
        FIGURE,
        timeout=PATIENCE_SECONDS,
        output_hook=lambda message: shown.append(message["content"].get("data", {})),
    )
    assert any("image/png" in data for data in shown)


def test_a_kernel_that_dies_is_noticed_with_the_limit_that_ended_it(start_notebook):
    import asyncio

    notebook = start_notebook("namespaces", memory_bytes=192 * 2**20)
    notebook.client.execute("kept = bytearray(__import__('os').urandom(2**20)) * 400")
    dead = notebook.manager.provisioner
    assert until(lambda: asyncio.run(dead.poll()) is not None)
    assert (dead.returncode, dead.ended_by) == (-signal.SIGKILL, "memory")
