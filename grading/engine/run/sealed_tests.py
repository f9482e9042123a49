"""Sealed tests: pytest runs in a trusted process; the student's exported package runs in a sandbox
at the other end of a pipe.

Only data crosses the pipe (`tito.contract.wire`), so a score depends only on what trusted code
observes with its own clock, counters and datasets. The caller has imported pytest and NumPy
(`prepare`), so that a fork of it can begin to test at once.
"""

from __future__ import annotations

import compileall
import contextlib
import gc
import importlib
import io
import itertools
import os
import re
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grading.engine.readable_by_the_sandbox import let_others_read
from grading.engine.sandbox import KILLED_OUTSIDE, Connected, classes, temporary_folders
from grading.engine.submission_marks import KILLED
from grading.engine.trusted_process_limits import limit_child
from tito.contract import outcome_file as contract_report
from tito.contract import plugin
from tito.contract.process import signal_name
from tito.outcome import Outcome
from tito.time_and_memory_limits import ENDLESS

if TYPE_CHECKING:
    from grading.engine.sandbox import SandboxLimits

CPU_SECONDS = ".cpu"  # beside a run's report: the CPU seconds of its sandboxes
# for the trusted process, because student code may ask a lent generator for any number of random
# numbers
MORE_MEMORY_BYTES = 2**30
_WITHOUT = (
    "cacheprovider junitxml pastebin doctest stepwise faulthandler nose setuponly setupplan"
    " debugging logging warnings unraisableexception threadexception"
)


def prepare(given: Path, test_folders: list[Path]) -> None:
    """Import everything that a run needs, including the tests. A process that forks for many runs
    calls this once; the arguments are those of `SealedRun`.
    """
    _import_given(given)
    classes()  # imports every kind of sandbox, of which a run starts one
    importlib.import_module("numpy.ma")  # np.unique imports it when it is called first
    compileall.compile_dir(str(given), quiet=2)
    with temporary_folders.folder("prepare") as place, contextlib.redirect_stdout(io.StringIO()):
        options = [*_options(place / "report.jsonl", given), "--collect-only"]
        pytest.main([*options, *map(str, test_folders)], plugins=[plugin])
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class SealedRun:
    """The contract tests of an assignment, and how one run of them is measured.

    Attributes:
        import_name: the module that tests get as `tt`, such as "tinytorch.core.dataloader".
        given: the workspace whose packages the tests import; it holds no export of this module.
        seed: from which the tests draw their inputs.
        test_seconds: most wall time of one test.
        total_seconds: most wall time of all tests; after it the run is killed.
        report: a file to which each result is written at once, so that results survive a kill.
    """

    import_name: str
    test_folders: list[Path]
    given: Path
    seed: int
    test_seconds: float
    total_seconds: float
    report: Path


def run_sealed(
    package: Path, run: SealedRun, sandbox_address: str, limits: SandboxLimits
) -> list[Outcome]:
    """Run contract tests on a student's package and return one outcome for each collected test;
    `tito.contract.outcome_file` defines what counts as a test.

    Args:
        package: a workspace with the student's export; only the sandbox imports from it.

    If a run stopped early, one more outcome (grade_id None) gives the reason; tests that did not
    run are "not_run". If neither side caused a kill (the student's process was killed from outside,
    or pytest's by a signal), the results so far are returned with one more outcome (grade_id None,
    status KILLED). The missing results then say nothing about the student, and the run has to be
    repeated.
    """
    for compiled in run.given.rglob("__pycache__/*.pyc"):
        # Python uses byte code only beside the source that it was compiled from
        if (package / compiled.parent.parent.relative_to(run.given)).is_dir():
            place = package / compiled.relative_to(run.given)
            place.parent.mkdir(exist_ok=True)
            shutil.copyfile(compiled, place)
    # The sandbox must see the files that tests write to tmp_path: one directory with the same path
    # on both sides.
    files = temporary_folders.make("tests", "/tmp" if sys.platform == "linux" else None)
    try:
        child = os.fork()
        if child == 0:
            starter = _Sandboxed(sandbox_address, package, files, limits)
            _leave(run, starter)
        code = None
        try:
            code = _wait(child, run.total_seconds)
        finally:
            if code is None:
                for kill in (os.killpg, os.kill):
                    # the process group may not exist yet
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
    finally:
        shutil.rmtree(files, ignore_errors=True)
    used = run.report.with_suffix(CPU_SECONDS)
    with contextlib.suppress(OSError, ValueError):  # a run that was killed has not written it
        Connected.cpu_seconds += float(used.read_text(encoding="ascii"))
        used.unlink()
    return _results(run, code)


class _Sandboxed:
    """A pytest plugin: the code under test starts in the sandbox, which sees tmp_path."""

    def __init__(self, address: str, package: Path, files: Path, limits: SandboxLimits):
        self.address, self.package, self.files, self.limits = address, package, files, limits
        self.count = itertools.count()

    def pytest_contract_worker(self, import_name: str, read_fd: int, write_fd: int) -> Any:
        from grading.engine import sandbox

        try:
            return sandbox.attach(self.address).start(
                "sealed",
                arguments=[import_name, "watched"],
                package=self.package,
                shared=self.files,
                limits=self.limits,
                stdin=read_fd,
                stdout=write_fd,
            )
        except (sandbox.SandboxError, OSError, ValueError) as problem:
            # a student's points may not depend on this
            pytest.exit(f"the sandbox did not start: {problem}", returncode=71)

    def pytest_contract_path(self, path: Path) -> None:
        """Make a path readable in the sandbox, which runs as another user."""
        let_others_read(self.files, path)

    @pytest.fixture(scope="session")
    def tmp_path_factory(self) -> _Sandboxed:
        return self

    @pytest.fixture
    def tmp_path(self, request: pytest.FixtureRequest) -> Iterator[Path]:
        place = self.mktemp(re.sub(r"\W", "_", request.node.name)[:30])
        yield place
        # the code under test must not see the files of an earlier test
        shutil.rmtree(place, ignore_errors=True)

    def mktemp(self, basename: str, numbered: bool = True) -> Path:
        place = self.files / (f"{basename}{next(self.count)}" if numbered else basename)
        place.mkdir()
        return place

    def getbasetemp(self) -> Path:
        return self.files


# The trusted process


def _leave(run: SealedRun, starter: _Sandboxed) -> None:
    """Run pytest in this process, which is a fork and ends in this function."""
    code = 70
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM):
            # an inherited handler that raises would make a test fail
            signal.signal(number, signal.SIG_DFL)
        limit_child(MORE_MEMORY_BYTES)  # nobody reads the results of an orphan
        said = os.open(run.report.with_suffix(".txt"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for stream in (1, 2):
            os.dup2(said, stream)
        sys.stdout = sys.stderr = open(said, "w", encoding="utf-8", errors="replace")  # noqa: SIM115
        for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
            os.environ.pop(name, None)
        _import_given(run.given)
        os.environ[plugin.SEED_VARIABLE] = str(run.seed)
        starter.files.chmod(0o755)
        os.umask(0o022)
        options = [*_options(run.report, run.given), "--tt=wire"]
        options += [f"--tt-import={run.import_name}", f"--tt-seconds={run.test_seconds}"]
        os.chdir(starter.files)
        before, used = Connected.ended_outside, Connected.cpu_seconds
        code = int(pytest.main([*options, *map(str, run.test_folders)], plugins=[plugin, starter]))
        code = KILLED_OUTSIDE if Connected.ended_outside > before else code
        used = Connected.cpu_seconds - used
        run.report.with_suffix(CPU_SECONDS).write_text(f"{used:.4f}", encoding="ascii")
    except BaseException:  # noqa: BLE001 - the traceback goes to the run's log; the exit code is 1
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _options(report: Path, given: Path) -> list[str]:
    config = report.with_suffix(".ini")
    config.write_text("[pytest]\n", encoding="utf-8")
    without = [f"-pno:{name}" for name in _WITHOUT.split()]
    places = ["-c", str(config), "--rootdir", str(given), f"--contract-report={report}"]
    return [*places, "-q", "--tb=line", "-s", *without]


def _import_given(given: Path) -> None:
    """Import the packages in `given` from there, even if others of their names were imported."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    place = str(given.resolve())
    packages = {path.parent.name for path in given.glob("*/__init__.py")}
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        file = getattr(sys.modules.get(name.partition(".")[0]), "__file__", None)
        if not file or Path(file).resolve().parents[1] != given.resolve():
            del sys.modules[name]
    if sys.path[:1] != [place]:
        sys.path.insert(0, place)
    for name in ("numpy", "tito.contract.process", "tinytorch.testing", "tinytorch.core.tensor"):
        with contextlib.suppress(ModuleNotFoundError):  # a course may not have this module
            importlib.import_module(name)


def _wait(child: int, seconds: float) -> int | None:
    """The exit code of the child, or None if its time was up."""
    stop, pause = time.monotonic() + seconds, 0.001
    while time.monotonic() < stop:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    return None


# Results


def _results(run: SealedRun, code: int | None) -> list[Outcome]:
    outcomes = contract_report.read(run.report)
    whole = bool(outcomes) and all(test.status != "not_run" for test in outcomes)
    status, said = "error", ""
    if code is None:
        status = "timeout"
        said = f"still running when {run.total_seconds:g} s were over: {ENDLESS}"
    elif code == KILLED_OUTSIDE:
        status, said = KILLED, "the student's sandbox was killed from outside"
    elif code < 0:  # no student can reach the process of pytest
        status = KILLED
        said = f"the process of the sealed tests was killed ({signal_name(-code)})"
    elif code not in (0, 1) or not whole:
        errors = _errors(run.report.with_suffix(".txt"))
        said = f"pytest stopped (exit code {code}). {errors}".strip()
    if said:
        outcomes.append(Outcome(status, "contract tests", message=said, seed=run.seed))
    return outcomes


def _errors(path: Path) -> str:
    """The lines of pytest's output that name an error, or else its last line."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    lines = text.strip().splitlines()
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    return "\n".join(errors[:5] or lines[-1:])[:1000]
