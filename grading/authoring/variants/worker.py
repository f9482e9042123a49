"""Does jobs, each in a fork of one process that has imported what all of them need:
`python worker.py described.json`.

The file says where the results go (a file of JSON lines, one for each job as it ends), what to
import before the first fork, the workspace of this process, and the jobs, which
`grading.authoring.variants.jobs` describes. Several processes share the jobs: each takes the next
one that nobody has taken. A job that ends otherwise than by its last line has a "status" and what
was "said" of it in place of its rows.
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tito.child_processes import Engine, end_group

MEMORY = 4 * 2**30  # a wrong operator may ask for a huge array


def forked(work: partial[dict[str, Any]], limits: dict[str, float], engine: Engine) -> dict:
    """What `work` returns in a child of this process, within limits of CPU time, time and memory;
    for a child that ends otherwise, what ended it.
    """
    # in the engine's folder, which the engine removes even if this process is killed
    with tempfile.TemporaryDirectory(prefix="tito-variant-", dir=os.getcwd()) as folder:
        answer = Path(folder) / "answer.json"
        child = os.fork()
        if child == 0:
            _child(work, limits, answer)
        status = _wait(child, limits["seconds"], engine)
        if answer.is_file():
            return json.loads(answer.read_text(encoding="utf-8"))
    if status is None or status == signal.SIGXCPU:  # the child's signal is its status
        said = "still running when its time was over: a loop that never ends?"
        return {"status": "timeout", "said": said}
    return {"status": "error", "said": f"the process ended with status {status}"}


def _child(work: partial[dict[str, Any]], limits: dict[str, float], answer: Path) -> NoReturn:
    try:
        os.setsid()  # so that a variant's own processes end with it
        cpu = int(limits["cpu_seconds"])
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(answer.parent)
        result = work()
        os.chdir(os.sep)
        unfinished = answer.with_suffix(".tmp")
        unfinished.write_text(json.dumps(result), encoding="utf-8")
        os.replace(unfinished, answer)
    except BaseException:  # noqa: BLE001 - a variant may raise anything
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _wait(child: int, seconds: float, engine: Engine) -> int | None:
    """How a child ended; None where its time was over."""
    deadline = time.monotonic() + seconds
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if engine.gone():
            end_group(child)
            os.waitpid(child, 0)  # until then it may write into a folder that is being removed
            os._exit(1)
        if time.monotonic() > deadline:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.001)
    end_group(child)
    return ended[1]


def main() -> None:
    engine = Engine()
    described = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    sys.path[0] = os.getcwd()  # this file's folder must not shadow anything
    for name in described["imports"]:
        with contextlib.suppress(Exception):  # a job that needs it fails
            importlib.import_module(name)
    from grading.authoring.variants import jobs

    pytest.main(["--version"])  # imports its plugins
    gc.freeze()  # pytest collects garbage in each fork, and need not look at what is here
    given = {cell["index"]: cell for cell in described["given"]}
    with open(described["results"], "a", encoding="utf-8") as results:
        for job in described["jobs"]:
            with contextlib.suppress(FileExistsError):  # another process has taken it
                Path(described["shared"], f"begun-{job['name']}").touch(exist_ok=False)
                work = partial(jobs.do, job, Path(described["scratch"]), given)
                row = {"name": job["name"], **forked(work, job["limits"], engine)}
                print(json.dumps(row), file=results, flush=True)
    sys.stdout.flush()
    os._exit(0)  # without waiting for threads that an import may have started


if __name__ == "__main__":
    main()
