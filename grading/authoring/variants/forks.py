"""Starts the processes that share jobs, each job in a fork (see `worker`)."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tito.errors import EnvironmentBroken, WorkError
from tito.run import runner


def run_shared(
    described: dict[str, Any],
    workspaces: Sequence[Path],
    shared: Path,
    seen: Callable[[dict[str, Any]], None],
) -> None:
    """Do jobs at the same time, in a process for each workspace.

    Args:
        described: the jobs, and what `worker` needs for all of them.
        workspaces: in each its tinytorch, not the repository's, is the one that is tried; the
            process runs in the folder above.
        shared: an empty folder for the files of this run.
        seen: called with the row of each job as it ends.

    Raises:
        EnvironmentBroken: this system cannot fork.
        WorkError: a process broke off.
    """
    if not hasattr(os, "fork"):
        raise EnvironmentBroken("each variant runs in a fork of one process: use Linux or macOS")
    repository = str(Path(runner.__file__).parents[2])
    read = dict.fromkeys(
        [shared / f"results-{number}.jsonl" for number in range(len(workspaces))], 0
    )  # the bytes of each file of results

    def collect() -> None:
        for results, begin in read.items():
            data = results.read_bytes()[begin:]
            whole = data[: data.rfind(b"\n") + 1]
            read[results] += len(whole)
            for line in whole.splitlines():
                seen(json.loads(line))

    with contextlib.ExitStack() as stack:
        processes = []
        for results, workspace in zip(read, workspaces, strict=True):
            results.touch()
            job, log = results.with_suffix(".json"), results.with_suffix(".log")
            own = {"results": str(results), "scratch": str(workspace), "shared": str(shared)}
            job.write_text(json.dumps({**described, **own}), encoding="utf-8")
            paths = os.pathsep.join([str(workspace), repository])
            helper = runner.helper(
                [sys.executable, str(Path(__file__).with_name("worker.py")), str(job)],
                cwd=workspace.parent,
                env=runner.environment(workspace, {"PYTHONPATH": paths}),
                stdout=stack.enter_context(log.open("wb")),
                stderr=subprocess.STDOUT,
            )
            processes.append((stack.enter_context(helper), log))
        while any(process.poll() is None for process, _ in processes):
            time.sleep(0.05)
            collect()
        for process, log in processes:
            if process.returncode:
                raise WorkError(
                    f"a process that runs variants ended with exit code {process.returncode}:"
                    f" {log.read_text(encoding='utf-8', errors='replace')[-2000:]}"
                )
        collect()
