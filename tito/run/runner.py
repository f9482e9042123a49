"""Runs a student's code in a subprocess, in a scratch workspace, with a time limit."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict

from tito.child_processes import ONE_THREAD, end_group, signal_name
from tito.contract import outcome_file as contract_report
from tito.files import json_lines, write_atomic
from tito.notebook.cells import Cell
from tito.outcome import Outcome
from tito.run import without_processes
from tito.student_work.exporter import render
from tito.time_and_memory_limits import ENDLESS, MOST_GIB
from tito.workspace import Module, Workspace

with contextlib.suppress(ImportError):  # Windows and browsers do not have it
    import resource

# A list that grows without end raises MemoryError, and does not fill the computer's memory until
# its time is over.
MEMORY_BYTES = MOST_GIB * 2**30


def make_scratch(
    module: Module, cells: list[Cell], destination: Path, given_from: Path | None = None
) -> Path:
    """Make a scratch workspace and return it.

    Args:
        cells: those of the student's notebook; they are exported even if some are stubs.
        destination: an empty or absent directory.
        given_from: the workspace from which the given package, the exports of earlier modules and
            the tests are copied (default: the module's own).

    Of the exported files only those of the modules in `after` are copied.
    """
    root = Path(given_from or module.root)
    Workspace(root).copy_package(destination, Workspace(root).before(module))
    folder = destination / "modules" / module.name
    source = root / "modules" / module.name
    folder.mkdir(parents=True)
    if (source / "tests").is_dir():
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source / "tests", folder / "tests", ignore=unwanted)
    if (source / "module.toml").is_file():
        shutil.copy2(source / "module.toml", folder / "module.toml")
    for place, _, _ in os.walk(destination):  # copies of a read-only course are read-only too
        os.chmod(place, 0o755)
    text = render(cells, module, source_name=module.notebook.name)
    write_atomic(destination / module.export, text)
    return destination


def environment(scratch: Path, extra: dict[str, str] | None = None) -> dict[str, str]:
    """The variables for a subprocess that imports the scratch workspace's package."""
    env = {
        **os.environ,
        **ONE_THREAD,
        "PYTHONPATH": str(scratch),
        "MPLBACKEND": "Agg",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        **(extra or {}),
    }
    for name in ("PYTHONSTARTUP", "PYTEST_ADDOPTS", "PYTHONWARNINGS"):
        env.pop(name, None)
    return env


def run_cells(
    cells: list[Cell],
    cwd: Path,
    *,
    select: Callable[[Cell], bool] | None = None,
    timeout_seconds: float,
    cell_seconds: float | None = None,
) -> list[Outcome]:
    """Run the code cells of a notebook in order, in one fresh Python, and return one outcome for
    each.

    After a cell that fails the next one runs. Demo cells are skipped ("not_run"), and so are test
    cells that `select` does not pick.

    Args:
        cells: those of the notebook; lines in IPython's own syntax (%, !) are commented out.
        cwd: a scratch workspace; the cells import its package.
        select: picks test cells; None picks all.
        timeout_seconds: the limit for all cells together; then the process group is killed, and the
            outcome of the running cell is "timeout".
        cell_seconds: the limit for one cell (default: a third of the time that is left; POSIX
            only); the outcome of that cell is "timeout", and the next cell runs.
    """
    code = [cell for cell in cells if cell.kind == "code"]
    chosen = [
        c for c in code if not c.is_demo and (not c.runs_tests or select is None or select(c))
    ]
    with tempfile.TemporaryDirectory(prefix="tito-", ignore_cleanup_errors=True) as folder:
        job, events = Path(folder) / "job.json", Path(folder) / "results.jsonl"
        told = {
            "results": str(events),
            "cell_seconds": cell_seconds,
            "seconds": timeout_seconds,
            "cells": [cell_job(cell) for cell in chosen],
        }
        job.write_text(json.dumps(told), encoding="utf-8")
        worker = Path(__file__).with_name("cell_worker.py")
        command = [sys.executable, "-u", str(worker), str(job)]
        ended = run_limited(
            command, cwd, environment(cwd), timeout_seconds, memory_bytes=MEMORY_BYTES
        )
        outcome_of = _events(events, ended, timeout_seconds)
    none = Outcome("not_run")
    return [replace(outcome_of.get(c.index, none), cell=c.index, grade_id=c.grade_id) for c in code]


class CellJob(TypedDict):
    """What `cell_worker` has to know of a cell."""

    index: int
    label: str
    is_test: bool
    source: str


def cell_job(cell: Cell) -> CellJob:
    return CellJob(index=cell.index, label=cell.label, is_test=cell.is_test, source=cell.python)


def _events(path: Path, ended: Ended, timeout_seconds: float) -> dict[int, Outcome]:
    """The outcome of each cell that ended, and of the cell in which the process stopped."""
    outcome_of = {}
    running = None
    for event in json_lines(path):
        running = event.get("begins")
        if running is None:
            outcome_of[event["cell"]] = Outcome.from_json(event)
    if running is not None:
        said = f"Python stopped in this cell ({ended.how}). {ended.tail}".strip()
        broke = Outcome("error", message=said)
        outcome_of[running] = _overdue(timeout_seconds) if ended.timed_out else broke
    return outcome_of


def _overdue(timeout_seconds: float, test: str | None = None) -> Outcome:
    said = f"still running when {timeout_seconds:g} s were over: {ENDLESS}"
    return Outcome("timeout", test, message=said)


def run_contracts(
    scratch: Path, module: Module, test_dirs: Iterable[Path | str], *, timeout_seconds: float
) -> list[Outcome]:
    """Run contract tests (pytest) on the package that `make_scratch` made, and return one outcome
    for each test.

    Args:
        test_dirs: folders, files or pytest node ids.
        timeout_seconds: the limit for all tests together; then the process group is killed, and one
            outcome "timeout" is added.
    """
    targets = list(map(str, test_dirs))
    if not targets:
        return []
    with tempfile.TemporaryDirectory(prefix="tito-", ignore_cleanup_errors=True) as folder:
        report, config = Path(folder) / "report.jsonl", Path(folder) / "pytest.ini"
        # A pytest.ini of its own: that of a repository around the workspace would add options.
        config.write_text("[pytest]\n", encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-c", str(config), "--rootdir", str(scratch)]
        command += ["-p", "tito.contract.plugin", "-p", "no:cacheprovider", "-q", "--tb=short"]
        command += [f"--tt-import={module.import_name}", f"--contract-report={report}"]
        command += [f"--tt-within={timeout_seconds}", *targets]
        ended = run_limited(
            command, scratch, environment(scratch), timeout_seconds, memory_bytes=MEMORY_BYTES
        )
        results = contract_report.read(report)
    if ended.timed_out:
        results.append(_overdue(timeout_seconds, "contract tests"))
    elif ended.code not in (0, 1) or not results:
        said = f"pytest stopped ({ended.how}). {_errors(ended.tail)}".strip()
        results.append(Outcome("error", "contract tests", message=said))
    return results


def _errors(tail: str) -> str:
    """The lines of pytest's output that name an error; all lines when none does."""
    named = [line[1:].strip() for line in tail.splitlines() if line.startswith("E ")]
    return "\n".join(named) or tail


@dataclass(frozen=True)
class Ended:
    """How a subprocess ended."""

    code: int | None
    timed_out: bool
    tail: str  # the last lines it printed

    @property
    def how(self) -> str:
        if self.code is not None and self.code < 0:
            return f"killed by {signal_name(-self.code)}"
        return f"exit code {self.code}"


def run_limited(
    command: list[str],
    cwd: Path,
    env: dict[str, str],
    timeout_seconds: float,
    watch: Callable[[float], None] = lambda seconds: None,
    *,
    memory_bytes: int | None = None,
) -> Ended:
    """Run `command` in a process group of its own. The whole group is killed when the time is over,
    and on Ctrl-C. Where there are no processes, it runs in this one. Several times a second,
    `watch` is told how long it has run. On Linux each process of the group gets at most
    `memory_bytes` of data; then Python raises MemoryError there.
    """
    if without_processes.NEEDED:
        status, printed = without_processes.run(command[1:], cwd, env)
        return Ended(status, False, "\n".join(printed.splitlines()[-12:]))
    with tempfile.TemporaryFile() as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        with group(command, cwd=cwd, env=env, **streams) as process:
            if memory_bytes is not None and sys.platform == "linux":
                with contextlib.suppress(ProcessLookupError):  # it has ended already
                    resource.prlimit(process.pid, resource.RLIMIT_DATA, (memory_bytes,) * 2)
            code, began = None, time.monotonic()
            while code is None and (left := timeout_seconds + began - time.monotonic()) > 0:
                watch(timeout_seconds - left)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    code = process.wait(min(0.2, left))
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - 2000))
        tail = output.read().decode("utf-8", errors="replace").strip()
    return Ended(code, code is None, "\n".join(tail.splitlines()[-12:]))


LEAVE_SECONDS = 10  # for a helper to end the processes that it has started


@contextlib.contextmanager
def group(command: list[str], **options: Any) -> Iterator[subprocess.Popen]:
    """A subprocess in a process group of its own, which ends with the `with` block."""
    if sys.platform == "win32":
        options["creationflags"] = subprocess.CREATE_NEW_PROCESS_GROUP
    else:
        options["start_new_session"] = True
    process = subprocess.Popen(command, **options)
    _running.add(process)
    try:
        yield process
    finally:
        kill_group(process)
        _running.discard(process)


@contextlib.contextmanager
def helper(command: list[str], **options: Any) -> Iterator[subprocess.Popen]:
    """A group whose process forks others into groups of their own, and ends all of them when its
    standard input closes: at the end of the `with` block, or when this process has ended in any
    way. See `tito.child_processes.Engine`.
    """
    with group(command, stdin=subprocess.PIPE, **options) as process:
        try:
            yield process
        finally:
            assert process.stdin
            process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(LEAVE_SECONDS)


_running: set[subprocess.Popen] = set()  # Ctrl-C has to end them, while threads may wait for them


def kill_group(process: subprocess.Popen) -> None:
    """End a process and its descendants at once."""
    if os.name == "posix":
        end_group(process.pid)
    elif process.poll() is None:
        command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(command, capture_output=True, check=False)
    process.wait()


def kill_all() -> None:
    """End every subprocess that `group` started and that still runs. The thread that receives
    Ctrl-C calls this while other threads wait for subprocesses.
    """
    for process in list(_running):
        kill_group(process)
