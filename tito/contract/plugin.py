"""pytest plugin: the fixture `tt`, the mark `contract(grade_id)`, a report a grader can read, and
failures a student can read.

    pytest -p tito.contract.plugin modules/08_dataloader/tests [--tt=wire]
    [--contract-report=FILE.jsonl]

`tt` is the package under test: the imported module (`--tt=module`), or a stand-in whose every use
is a message to a process that imported it (`--tt=wire`). A test reads the same with both. Loaded
for every run of this repository: nothing heavy is imported here.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import secrets
import signal
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tito.contract import report

SEED_VARIABLE = "TITO_CONTRACT_SEED"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("contract tests")
    group.addoption(
        "--tt",
        choices=("module", "wire"),
        default="module",
        help="reach the code under test by import, or through a pipe to its own process",
    )
    group.addoption(
        "--tt-import",
        metavar="NAME",
        help=(
            "what to import, such as tinytorch.core.dataloader (default:"
            " `export` of the nearest module.toml)"
        ),
    )
    group.addoption(
        "--tt-seconds",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="wall time one contract test may take (default 10)",
    )
    group.addoption(
        "--contract-report",
        metavar="FILE.jsonl",
        help="write the collected tests and what each came to: see tito.contract.report",
    )


class _Hooks:
    """What another plugin may do in place of this one."""

    @pytest.hookspec(firstresult=True)
    def pytest_contract_worker(self, import_name: str, read_fd: int, write_fd: int) -> Any:
        """Start the process of the code under test, with these as its standard input and output:
        see `process.Worker`.
        """

    def pytest_contract_path(self, path: Path) -> None:
        """A test hands this path to the code under test. Paths that came from there, and what a
        lent function returns, are not announced.
        """


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(_Hooks)


@pytest.hookimpl(trylast=True)
def pytest_contract_worker(import_name: str, read_fd: int, write_fd: int) -> Any:
    from tito.contract.process import start_worker

    return start_worker(import_name, read_fd, write_fd)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "contract(grade_id): the carrier cell in the notebook that holds this test's points",
    )
    if config.getoption("--tt") == "wire" and sys.platform == "win32":
        raise pytest.UsageError(
            "--tt=wire needs the pipes of Linux or macOS; use --tt=module on Windows"
        )
    session = config.stash[_SESSION] = _Session(config)
    config.add_cleanup(session.close)


def pytest_report_header(config: pytest.Config) -> str:
    return (
        f"contract tests: tt={config.getoption('--tt')}, random inputs from"
        f" {SEED_VARIABLE}={config.stash[_SESSION].seed}"
    )


class _Session:
    """What lives as long as the run: the seed, the report file, one worker for each package."""

    def __init__(self, config: pytest.Config):
        self.wire = config.getoption("--tt") == "wire"
        self.hook = config.hook
        self.seconds = config.getoption("--tt-seconds")
        self.seed = int(os.environ.get(SEED_VARIABLE) or secrets.randbelow(2**31))
        self.workers: dict[str, Any] = {}
        # import name -> why it does not import, so that the reason is found once
        self.broken: dict[str, str] = {}
        path = config.getoption("--contract-report")
        # close() closes it.
        self.report = open(path, "w", encoding="utf-8", newline="\n") if path else None  # noqa: SIM115

    def close(self) -> None:
        for worker in self.workers.values():
            worker.close()
        if self.report:
            self.report.close()

    def collected(self, items: list[pytest.Item]) -> None:
        """Number the contract tests and write down which there are."""
        tests: list[dict[str, Any]] = []
        for item in items:
            mark = item.get_closest_marker("contract")
            if mark is not None:
                item.stash[_NUMBER] = len(tests)
                tests.append({"grade_id": mark.args[0] if mark.args else None, "test": item.name})
        if self.report:
            report.write_collected(self.report, tests, self.seed)

    def module(self, import_name: str) -> Any:
        from tito.contract import proxy

        problem = self.broken.get(import_name)
        if problem is None:
            try:
                with _alarm(self.seconds, import_name):
                    module = importlib.import_module(import_name)
                proxy.under_test = module.__file__
                return module
            except proxy.WorkerGone as gone:
                problem = str(gone)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - raised below, in words
                problem = proxy.import_sentence(import_name, error)
        self.broken[import_name] = problem
        raise proxy.WorkerGone(problem)

    def worker(self, import_name: str) -> Any:
        from tito.contract import process, proxy

        problem = self.broken.get(import_name)
        worker: Any = self.workers.get(import_name)
        if problem is None and (worker is None or not worker.alive):
            try:
                worker = process.Worker(
                    import_name, wall_seconds=self.seconds, start=self._start, show=self._show
                )
                problem = worker.import_problem
            except proxy.WorkerGone as gone:
                problem = f"{gone} (while it was imported)"
        if problem is not None:
            self.broken[import_name] = problem
            raise proxy.WorkerGone(problem)
        worker.new_test()
        self.workers[import_name] = worker
        return worker

    def _show(self, path: Path) -> None:
        self.hook.pytest_contract_path(path=path)

    def peak_memory(self) -> int | None:
        """The most that a worker held until now (since the start, or since a test began to
        look); None without one.
        """
        from tito.contract import memory

        peaks = []
        for worker in self.workers.values():
            with contextlib.suppress(OSError):  # it has ended
                peaks.append(memory.peak_bytes(worker.process.pid))
        return max(peaks, default=0) or None

    def _start(self, import_name: str, read_fd: int, write_fd: int) -> Any:
        return self.hook.pytest_contract_worker(
            import_name=import_name, read_fd=read_fd, write_fd=write_fd
        )


_SESSION = pytest.StashKey[_Session]()
_NUMBER = pytest.StashKey[int]()  # of a contract test among the collected ones


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """All folders are collected and no test has run yet."""
    session.config.stash[_SESSION].collected(session.items)


@pytest.fixture
def tt(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The package under test."""
    session, import_name = request.config.stash[_SESSION], _import_name(request)
    if session.wire:
        yield session.worker(import_name).module
    else:
        module = session.module(import_name)
        with _alarm(session.seconds, import_name):
            yield module


@pytest.fixture
def global_random_state(tt: Any, request: pytest.FixtureRequest) -> Callable[[], str]:
    """A function that gives a digest of NumPy's global generator and Python's, where the code
    under test runs.
    """
    from tito.contract import proxy

    digest = proxy.global_random_state
    if request.config.stash[_SESSION].wire:
        digest = functools.partial(tt._peer.request, "global_random_state", 0)
    digest(True)
    return digest


@pytest.fixture
def peak_memory(tt: Any, request: pytest.FixtureRequest) -> Callable[[], int]:
    """A function that gives the most bytes that the process of the code under test has held
    resident, seen from outside.

    Compare with the value before: only what it grows by is the test's, and a bar has to stay
    megabytes above noise. In a sandbox what its children and its files hold counts too.
    """
    from tito.contract import memory

    process: Any = tt._peer.process if request.config.stash[_SESSION].wire else None
    pid = process.pid if process else None
    memory.forget_peak(pid)
    if not hasattr(process, "forget_peak"):
        return functools.partial(memory.peak_bytes, pid)
    process.forget_peak()
    own, whole = memory.peak_bytes(pid), process.peak_memory_bytes or 0
    return lambda: own + max(memory.peak_bytes(pid) - own, (process.peak_memory_bytes or 0) - whole)


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> Any:
    """A NumPy Generator of this test's own, from the run's seed: other inputs each run, the same
    ones when the seed is given.
    """
    import numpy as np

    return np.random.default_rng(
        [request.config.stash[_SESSION].seed, zlib.crc32(request.node.name.encode())]
    )


def _import_name(request: pytest.FixtureRequest) -> str:
    given = request.config.getoption("--tt-import")
    if given:
        return given
    path = Path(request.path).resolve()
    for folder in path.parents:
        places = [folder / "module.toml"]
        if folder.parent.name == "tests" and folder.parent.parent.name == "grading":
            # grading/tests/NN -> modules/NN
            places.append(folder.parents[2] / "modules" / folder.name / "module.toml")
        for place in places:
            if place.is_file():
                return _export_of(place)
    raise pytest.UsageError(
        f"no module.toml above {path}; say what to test, for example"
        " --tt-import=tinytorch.core.NAME"
    )


def _export_of(module_toml: Path) -> str:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return (
        tomllib.loads(module_toml.read_text(encoding="utf-8"))["export"]
        .removesuffix(".py")
        .replace("/", ".")
    )


@contextlib.contextmanager
def _alarm(seconds: float, import_name: str) -> Iterator[None]:
    """Raise WorkerGone in the block when it lasts longer; Windows has no such timer, there the
    caller's limit ends the run.
    """
    from tito.contract.proxy import WorkerGone

    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: Any) -> None:
        raise WorkerGone(
            f"{import_name}: no answer within {seconds:g} s; is there a loop that never ends?",
            "timeout",
        )

    before = signal.signal(signal.SIGALRM, ring)
    # and again each second: code may swallow the first
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# Verdicts


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo
) -> Generator[None, Any, None]:
    outcome = yield
    if (
        _NUMBER not in item.stash
        or (call.when == "teardown" and call.excinfo is None)
        or (call.when == "setup" and call.excinfo is None)
    ):
        return
    shown = outcome.get_result()
    verdict = _verdict(item, call.excinfo.value if call.excinfo else None)
    screen = verdict.pop("screen")
    if call.excinfo and not shown.skipped and screen:
        shown.longrepr = "\n".join(screen)
    session = item.config.stash[_SESSION]
    verdict["peak_memory_bytes"] = session.peak_memory()
    if session.report:
        report.write_outcome(session.report, item.stash[_NUMBER], verdict)


def _verdict(item: pytest.Item, problem: BaseException | None) -> dict:
    fields = dict.fromkeys(report.FIELDS)
    if problem is None:
        return {"status": "pass", **fields, "screen": []}
    from tinytorch.testing import YOUR_TURN, PromiseBroken
    from tito.contract.proxy import WorkerGone, last_line

    message = f"{type(problem).__name__}: {problem}"
    if isinstance(problem, WorkerGone):
        return {
            "status": problem.status,
            **fields,
            "message": str(problem),
            "screen": [str(problem)],
        }
    if isinstance(problem, NotImplementedError) and str(problem).startswith(YOUR_TURN):
        return {"status": "your_turn", **fields, "message": str(problem), "screen": [str(problem)]}
    at = last_line(problem)
    if not isinstance(problem, PromiseBroken):
        if at is None:
            # not from the code under test: keep pytest's traceback
            return {"status": "fail", **fields, "message": message, "screen": []}
        problem = PromiseBroken(_title(item), got=message, want="no error")
        problem.look = f"line {at[1]} of {Path(at[0]).name}, in {at[2]}: {at[3]}"
    told = {
        name: _text(getattr(problem, name)) for name in ("promise", "call", "got", "want", "look")
    }
    lines = problem.lines()
    return {"status": "fail", **told, "message": "\n".join(lines), "screen": lines}


def _title(item: pytest.Item) -> str:
    """The test's docstring, or its name as words."""
    doc = getattr(getattr(item, "function", None), "__doc__", None)
    return (
        " ".join(doc.strip().split("\n\n")[0].split())
        if doc
        else item.name.removeprefix("test_").replace("_", " ")
    )


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else repr(value)
