"""Runs many small jobs, each in a fork of one process that has imported the heavy libraries:
`python proof_worker.py jobs.json`.

A course has a hundred wrong solutions; starting Python and importing NumPy for each would take
minutes. The job file names a folder for the results, what to import before the first fork, and the
jobs:

    {"kind": "cells", "cells": [{index, label, is_test, source}], "cell_seconds": s}
        rows as tito.run.cell_worker.measure gives them
    {"kind": "contracts", "path": the exported file, "text": its text, "arguments": [...],
     "report": file, "environment": {...} if it needs one of its own}
    {"kind": "page", "path", "text", "name": "ABOUT.md", "page": the snippets, everything else
     blank}

Job k leaves <folder>/k.json. Where there is no fork (Windows), each job is a process of its own.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
import types
from pathlib import Path
from typing import Any

from tito.children import Engine, end_group
from tito.contract import report
from tito.outcome import Outcome
from tito.run import cell_worker


def cells(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Run the cells as tito.run.cell_worker does, in a fresh `__main__` without a file, like
    Jupyter's.
    """
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    return [
        cell_worker.measure(cell, main.__dict__, job["cell_seconds"]).as_json()
        for cell in job["cells"]
    ]


def contracts(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Run pytest here; the rows are what the plugin of the contract tests reports."""
    import pytest

    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = int(pytest.main(job["arguments"]))
    rows = [outcome.as_json() for outcome in report.read(Path(job["report"]))]
    if code not in (0, 1) or not rows:
        said = f"exit code {code}: {output.getvalue()[-1500:]}"
        rows.append(Outcome("error", "pytest", message=said).as_json())
    return rows


def page(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Run every `>>>` line of a page in one namespace; a row for each that printed something
    else.
    """
    rows: list[dict[str, Any]] = []
    namespace = {"__name__": "__main__"}
    test = doctest.DocTestParser().get_doctest(job["page"], namespace, job["name"], job["name"], 0)

    class Runner(doctest.DocTestRunner):
        def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
            raised = False
            if got.startswith("Traceback"):
                got = got.strip().splitlines()[-1]
                raised = got.partition(":")[0] not in (example.exc_msg or "")
            self.add(example, got, raised)

        def report_unexpected_exception(
            self, out: Any, test: Any, example: Any, exc_info: Any
        ) -> None:
            got = "".join(traceback.format_exception_only(*exc_info[:2]))
            self.add(example, got, raised=True)

        def add(self, example: Any, got: str, raised: bool) -> None:
            rows.append(
                {
                    "line": example.lineno + 1,
                    "source": example.source.strip(),
                    "got": got.strip(),
                    "want": example.want.strip(),
                    "raised": raised,
                }
            )

    Runner(optionflags=doctest.ELLIPSIS).run(test)
    return rows


KINDS = {"cells": cells, "contracts": contracts, "page": page}


def do(job: dict[str, Any], result: Path) -> None:
    """Run one job in this process, in a directory of its own, and leave its rows in `result`."""
    # in the engine's folder, which the engine removes even if this process is killed
    with tempfile.TemporaryDirectory(prefix="tito-proof-", dir=result.parent) as folder:
        os.chdir(job.get("cwd") or folder)
        os.environ.update(job.get("environment", {}))
        try:
            if "path" in job:
                Path(job["path"]).write_text(job["text"], encoding="utf-8")
                importlib.invalidate_caches()
            answer: dict[str, Any] = {"rows": KINDS[job["kind"]](job)}
        except BaseException:  # noqa: BLE001 - it is the job's answer
            answer = {"rows": [], "problem": traceback.format_exc()[-3000:]}
        os.chdir(os.sep)
    partial = Path(f"{result}.tmp")
    partial.write_text(json.dumps(answer), encoding="utf-8")
    os.replace(partial, result)


def fork(job: dict[str, Any], result: Path, engine: Engine) -> None:
    """Run one job in a forked child with a limit of `job["seconds"]`. When the engine is gone, end
    the job and this process.
    """
    child = os.fork()
    if child == 0:
        try:
            os.setsid()  # so that a job's own subprocesses end with it
            do(job, result)
        finally:
            os._exit(0)
    deadline = time.monotonic() + job["seconds"]
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if engine.gone():
            end_group(child)
            sys.exit(1)
        if time.monotonic() > deadline:
            os.killpg(child, 9)
            os.waitpid(child, 0)
            break
        time.sleep(0.002)
    end_group(child)


def main() -> None:
    engine = Engine()
    path = Path(sys.argv[1])
    job_file = json.loads(path.read_text(encoding="utf-8"))
    folder, jobs = Path(job_file["folder"]), job_file["jobs"]
    if len(sys.argv) > 2:  # one job of them, on a system without fork
        return do(jobs[int(sys.argv[2])], folder / f"{sys.argv[2]}.json")
    absent = {}
    for name in job_file["imports"]:
        try:
            importlib.import_module(name)
        except Exception as problem:  # noqa: BLE001 - a job that needs it fails
            absent[name] = f"{type(problem).__name__}: {problem}"
    (folder / "imports.json").write_text(json.dumps(absent), encoding="utf-8")
    for number, job in enumerate(jobs):
        if hasattr(os, "fork"):
            fork(job, folder / f"{number}.json", engine)
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(
                    [sys.executable, __file__, str(path), str(number)],
                    timeout=job["seconds"],
                    check=False,
                )
        print(number, flush=True)  # the parent shows how far it is


if __name__ == "__main__":
    main()
