"""Starts the processes that run parts of a job, each part in a fork (see `worker`)."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tito.errors import EnvironmentBroken, WorkError
from tito.run import runner
from tito.workspace import Module


def finished(
    module: Module,
    jobs: Sequence[dict[str, Any]],
    environment: Mapping[str, str],
    progress: Callable[[int, int], None],
    seen: Callable[[dict[str, Any]], None] = lambda row: None,
) -> list[dict[str, Any]]:
    """Run jobs at the same time, each in a process of its own, and return a row for each part.

    Args:
        jobs: each with its "folder", an absolute path, and "scratch", the workspace in which it
            runs: its tinytorch, not the repository's, is the one that is tried.
        seen: called with each row as it comes; an error that it raises ends all processes.

    Raises:
        EnvironmentBroken: this system cannot fork.
        WorkError: a process broke off.
    """
    if not hasattr(os, "fork"):
        raise EnvironmentBroken("each variant runs in a fork of one process: use Linux or macOS")
    repository = str(Path(runner.__file__).parents[2])
    paths = [_files(job) for job in jobs]
    total = len({(job["kind"], part["name"]) for job in jobs for part in job["parts"]})
    rows: list[dict[str, Any]] = []
    read = [0 for _ in paths]  # bytes of each file of results

    def collect() -> None:
        for number, (_, results, _) in enumerate(paths):
            data = results.read_bytes()[read[number] :]
            whole = data[: data.rfind(b"\n") + 1]
            read[number] += len(whole)
            for line in whole.splitlines():
                rows.append(json.loads(line))
                seen(rows[-1])
        progress(min(len(rows), total), total)

    with contextlib.ExitStack() as stack:
        processes = []
        for job, (described, _, log) in zip(jobs, paths, strict=True):
            own = runner.environment(
                Path(job["scratch"]), {"PYTHONPATH": os.pathsep.join([job["scratch"], repository])}
            )
            helper = runner.helper(
                [sys.executable, str(Path(__file__).with_name("worker.py")), str(described)],
                cwd=job["folder"],
                env={**own, **environment},
                stdout=stack.enter_context(log.open("wb")),
                stderr=subprocess.STDOUT,
            )
            processes.append(stack.enter_context(helper))
        while any(process.poll() is None for process in processes):
            time.sleep(0.05)
            collect()
        for process, (_, _, log) in zip(processes, paths, strict=True):
            if process.returncode:
                raise WorkError(
                    f"the process that runs variants of {module.name} ended with exit code"
                    f" {process.returncode}:"
                    f" {log.read_text(encoding='utf-8', errors='replace')[-2000:]}"
                )
        collect()
    return rows


def _files(job: dict[str, Any]) -> tuple[Path, Path, Path]:
    """The files of a job in its folder: the job itself, its results, still empty, and its log."""
    number = len([*Path(job["folder"]).glob("job-*.json")])
    described, results, log = (
        Path(job["folder"], f"{name}-{number}.{kind}")
        for name, kind in (("job", "json"), ("results", "jsonl"), ("log", "txt"))
    )
    results.touch()
    described.write_text(json.dumps({**job, "results": str(results)}), encoding="utf-8")
    return described, results, log
