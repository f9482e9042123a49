"""pytest plugin: the fixture `tt`, the mark `contract(grade_id)`, a report a grader can read, and
failures a student can read.

    pytest -p tito.contract.plugin modules/08_dataloader/tests [--tt=wire]
    [--contract-report=FILE.jsonl]

`tt` is the package under test: the imported module (`--tt=module`), or a stand-in that sends each
use as a message to a process that imported the package (`--tt=wire`). A test is written the same
way for both. Every run of pytest in this repository loads this file, so it imports nothing heavy.
"""

import contextlib
import dataclasses
import functools
import importlib
import os
import secrets
import signal
import sys
import time
import traceback
import zlib
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tito.child_processes import part_of
from tito.contract import outcome_file
from tito.outcome import TEXTS, Outcome
from tito.time_and_memory_limits import ENDLESS

SEED_VARIABLE = "TITO_CONTRACT_SEED"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("contract tests")
    forms: Any = {"choices": ("module", "wire"), "default": "module"}
    seconds: Any = {"type": float, "metavar": "SECONDS"}
    text = "reach the code under test by import, or through a pipe to its own process"
    group.addoption("--tt", **forms, help=text)
    group.addoption(
        "--tt-import",
        metavar="NAME",
        help="what to import, such as PACKAGE.core.NAME (default: `export` of the nearest"
        " module.toml)",
    )
    text = "wall time one contract test may take (default 10)"
    group.addoption("--tt-seconds", **seconds, default=10.0, help=text)
    text = "wall time of the whole run; tests that never end leave time for those after them"
    group.addoption("--tt-within", **seconds, help=text)
    text = "write the collected tests and the outcome of each: see tito.contract.outcome_file"
    group.addoption("--contract-report", metavar="FILE.jsonl", help=text)


class _Hooks:
    """Hooks by which another plugin, such as the grader's, replaces parts of this one."""

    @pytest.hookspec(firstresult=True)
    def pytest_contract_worker(self, import_name: str, read_fd: int, write_fd: int) -> Any:
        """Start the process of the code under test, with `read_fd` as its standard input and
        `write_fd` as its standard output: see `process.Worker`.
        """

    def pytest_contract_path(self, path: Path) -> None:
        """Called with each path that a test hands to the code under test. It is not called for
        paths that came from that code, nor for paths that a lent function returns.
        """


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(_Hooks)


@pytest.hookimpl(trylast=True)
def pytest_contract_worker(import_name: str, read_fd: int, write_fd: int) -> Any:
    from tito.contract.process import start_worker

    return start_worker(import_name, read_fd, write_fd)


def pytest_configure(config: pytest.Config) -> None:
    mark = "contract(grade_id): the graded cell that holds this test's points"
    config.addinivalue_line("markers", mark)
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
    """The state of one pytest run: the seed, the report file, one worker for each package."""

    def __init__(self, config: pytest.Config):
        self.wire = config.getoption("--tt") == "wire"
        self.hook = config.hook
        self.seconds = config.getoption("--tt-seconds")
        within = config.getoption("--tt-within")
        self.ends = time.monotonic() + within if within else None
        given = os.environ.get(SEED_VARIABLE)
        self.seed = int(given or secrets.randbelow(2**31))
        # without a seed, laws draw what `check` draws in the notebook
        self.seed_of_laws = int(given or 0)
        self.workers: dict[str, Any] = {}
        self.state: Any = None
        # import name -> why the package cannot be imported, so that the import is tried only once
        self.broken: dict[str, str] = {}
        path = config.getoption("--contract-report")
        # close() closes it.
        self.report = open(path, "w", encoding="utf-8", newline="\n") if path else None  # noqa: SIM115

    def allowed(self) -> float:
        """Seconds that the next test may take, so that many that never end hide no other."""
        if self.ends is None:
            return self.seconds
        return min(self.seconds, part_of(self.ends - time.monotonic(), 15))

    def close(self) -> None:
        for worker in self.workers.values():
            worker.close()
        if self.report:
            self.report.close()

    def collected(self, items: list[pytest.Item]) -> None:
        """Number the contract tests and write the list of them to the report."""
        tests: list[dict[str, Any]] = []
        for item in items:
            mark = item.get_closest_marker("contract")
            if mark is not None:
                item.stash[_NUMBER] = len(tests)
                cell = mark.args[0] if mark.args else None
                tests.append({"grade_id": cell, "test": item.name, "asks": _asks(item)})
        if self.report:
            outcome_file.write(self.report, {"collected": tests, "seed": self.seed})

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
        raise _gone()(problem)

    def begin(self, item: pytest.Item) -> None:
        """Set the state that a test shares with the code under test, where both are in this
        process. The package is imported first, because an import may change the state too.
        """
        from tito.contract.proxy import WorkerGone
        from tito.contract.state import State, seed_of

        if not self.wire and "tt" in getattr(item, "fixturenames", ()):
            self.state = self.state or State()
            with contextlib.suppress(WorkerGone):  # the fixture raises it again
                self.module(_import_name(item))
            self.state.restore(seed_of(self.seed, item.name))

    def worker(self, import_name: str, test: str) -> Any:
        from tito.contract import process, proxy
        from tito.contract.state import seed_of

        problem = self.broken.get(import_name)
        worker: Any = self.workers.get(import_name)
        if problem is None and (worker is None or not worker.alive):
            try:
                worker = process.Worker(
                    import_name,
                    wall_seconds=self.seconds,
                    start=lambda name, read_fd, write_fd: self.hook.pytest_contract_worker(
                        import_name=name, read_fd=read_fd, write_fd=write_fd
                    ),
                    show=lambda path: self.hook.pytest_contract_path(path=path),
                    gone=_gone(),
                )
                problem = worker.import_problem
            except proxy.WorkerGone as gone:
                problem = f"{gone} (while it was imported)"
        if problem is not None:
            self.broken[import_name] = problem
            raise _gone()(problem)
        self.workers[import_name] = worker
        worker.new_test(seed_of(self.seed, test))
        return worker


_SESSION = pytest.StashKey[_Session]()
_NUMBER = pytest.StashKey[int]()  # the place of a contract test among the collected ones
_KEPT = pytest.StashKey[int]()  # how many promises were kept before it


def pytest_itemcollected(item: pytest.Item) -> None:
    """A law carries the mark of its exercise's graded cell, which `contracts.json` names."""
    law = _law(item)
    if law is not None:
        item.add_marker(pytest.mark.contract(law.contract.cell))


def _law(item: pytest.Item) -> Any:
    return getattr(getattr(item, "function", None), "law", None)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Called when all folders are collected and no test has run yet."""
    session.config.stash[_SESSION].collected(session.items)


_Failed: Any = pytest.fail.Exception


@functools.cache
def _gone() -> Any:
    """WorkerGone as an outcome of pytest's own: pytest cleans up after no other BaseException in a
    fixture, and each later test would meet the process that has ended.
    """
    from tito.contract.proxy import WorkerGone

    class Gone(WorkerGone, _Failed):
        def __init__(self, sentence: str, status: str = "error"):
            _Failed.__init__(self, sentence, pytrace=False)
            self.status = status

    return Gone


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Called before the first fixture of a test is."""
    if _NUMBER in item.stash:
        item.config.stash[_SESSION].begin(item)


@pytest.fixture
def tt(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The package under test."""
    session, import_name = request.config.stash[_SESSION], _import_name(request)
    if session.wire:
        yield session.worker(import_name, request.node.name).module
        return
    module = session.module(import_name)
    with _alarm(session.allowed(), import_name):
        yield module


@pytest.fixture
def inside(tt: Any, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """A function that runs a probe in the process of the code under test: `inside(probe, *args)`
    returns what `probe(tt, *args)` returns there, where `tt` is the imported module.

    Use it for what cannot cross the pipe: a figure, a subclass, whether two arrays share memory. A
    probe imports what it needs inside itself and uses no other name of its file. Data cross in both
    directions. Draw its arguments, and compare in the test: a process that lies can answer what it
    wants, but it has to answer each new input.
    """
    from tito.contract import proxy

    wire = request.config.stash[_SESSION].wire

    def run(probe: Callable[..., Any], *args: Any) -> Any:
        source = proxy.probe_source(probe)
        if wire:
            return tt._peer.request("run", 0, source, probe.__name__, *args)
        return proxy.run_probe(tt, source, probe.__name__, *args)

    return run


@pytest.fixture
def stand_in(tt: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., None]]:
    """A function that replaces names of the package until the test ends: `stand_in(collate=mine)`,
    so that a fault in one exercise breaks no promise of another.

    Through the pipe a class is sent as its source, under the rules for a probe of `inside`; any
    other object stays here and is lent.
    """
    from tito.contract import proxy

    wire, stand_ins, replaced = request.config.stash[_SESSION].wire, proxy.StandIns(), set[str]()

    def replace(**others: Any) -> None:
        for name, other in others.items():
            if not wire:
                stand_ins(tt, name, None, other)
                continue
            source = proxy.probe_source(other) if isinstance(other, type) else None
            args = (source, other.__name__) if source else (None, other)
            tt._peer.request("stand_in", 0, name, *args)
            tt.__dict__.pop(name, None)
            replaced.add(name)

    yield replace
    if not wire:
        stand_ins.back()
        return
    for name in replaced:
        tt.__dict__.pop(name, None)
    with contextlib.suppress(proxy.WorkerGone):  # then the next test has a new process
        tt._peer.request("put_back", 0)


@pytest.fixture
def global_random_state(tt: Any, request: pytest.FixtureRequest) -> Callable[[], str]:
    """A function that returns a digest of NumPy's and Python's global random generators in the
    process of the code under test. It is read from outside where the system allows it, so that the
    code under test cannot falsify it.
    """
    from tito.contract import proxy

    digest = proxy.global_random_state
    if request.config.stash[_SESSION].wire:
        if tt._peer.generators:
            tt._peer.generators.stir()
            return tt._peer.generators.digest
        # Not Linux, or a system on which no process may read another's memory: ask the process.
        digest = functools.partial(tt._peer.request, "global_random_state", 0)
    digest(True)
    return digest


@pytest.fixture
def peak_memory(tt: Any, request: pytest.FixtureRequest) -> Callable[[], int]:
    """A function that returns the peak resident memory, in bytes, of the process of the code under
    test, measured from outside.

    Compare it with its value before the call that is tested: only the growth is caused by that
    call, and a limit has to stay megabytes above the noise. In a sandbox, the memory of child
    processes and of files in memory counts too.
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
    """A NumPy Generator for this test alone, seeded from the run's seed: new inputs in each run,
    the same inputs when the seed is given.
    """
    import numpy as np

    session = request.config.stash[_SESSION]
    seed = session.seed if _law(request.node) is None else session.seed_of_laws
    return np.random.default_rng([seed, zlib.crc32(request.node.name.encode())])


def _import_name(request: pytest.FixtureRequest | pytest.Item) -> str:
    given = request.config.getoption("--tt-import")
    if given:
        return given
    path = Path(request.path).resolve()
    for folder in path.parents:
        places = [folder / "module.toml"]
        if folder.parent.name == "modules" and folder.parent.parent.name == "grading":
            # hidden tests, grading/modules/NN/tests -> modules/NN
            places.append(folder.parents[2] / "modules" / folder.name / "module.toml")
        for place in places:
            if place.is_file():
                from tito.workspace import read_module

                return read_module(place.parent).import_name
    raise pytest.UsageError(
        f"no module.toml above {path}; say what to test, for example --tt-import=PACKAGE.core.NAME"
    )


@contextlib.contextmanager
def _alarm(seconds: float, import_name: str) -> Iterator[None]:
    """Raise WorkerGone in a block that takes longer than `seconds`; Windows has no such timer."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: Any) -> None:
        raise _gone()(f"{import_name}: no answer within {seconds:g} s; {ENDLESS}", "timeout")

    before = signal.signal(signal.SIGALRM, ring)
    # The alarm rings again each second: code under test may catch the first exception.
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# Outcomes


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo
) -> Generator[None, Any, None]:
    if call.excinfo is not None and call.excinfo.errisinstance(MemoryError):
        # pytest keeps the error, and with it a list that has grown to the limit
        traceback.clear_frames(call.excinfo.tb)
    hooked = yield
    if _NUMBER not in item.stash or (call.when == "teardown" and call.excinfo is None):
        return
    from tinytorch import testing

    if call.when == "setup" and call.excinfo is None:
        item.stash[_KEPT] = len(testing.kept())
        return
    shown = hooked.get_result()
    outcome, lines = _outcome(item, call.excinfo.value if call.excinfo else None)
    kept = dict.fromkeys(testing.kept(since=item.stash.get(_KEPT, 0)))
    outcome = dataclasses.replace(outcome, kept=tuple(kept))
    if call.excinfo and not shown.skipped and lines:
        shown.longrepr = "\n".join(lines)
    session = item.config.stash[_SESSION]
    if session.report:
        outcome_file.write(session.report, {"number": item.stash[_NUMBER], **outcome.as_json()})


def _outcome(item: pytest.Item, problem: BaseException | None) -> tuple[Outcome, list[str]]:
    """How a test ended, and the lines on the screen; none keeps pytest's own traceback."""
    if problem is None:
        return Outcome("pass"), []
    from tinytorch.testing import YOUR_TURN, Asked, PromiseBroken, asked, raised_at, unusable
    from tito.contract.proxy import CAME_FROM, WorkerGone, last_line

    said, law = str(problem), _law(item)
    if isinstance(problem, WorkerGone):
        return Outcome(problem.status, promise=law and law.sentence, message=said), [said]
    if isinstance(problem, NotImplementedError) and said.startswith(YOUR_TURN):
        return Outcome("your_turn", message=said), [said]
    message = f"{type(problem).__name__}: {problem}"
    status, at = "fail", last_line(problem)
    if law and isinstance(problem, PromiseBroken) and problem.unexpected is not None:
        at = last_line(problem.unexpected)
        problem.look = _at_line(at) if at is not None else problem.look
    if not isinstance(problem, PromiseBroken):
        question = asked(problem, str(item.path))
        if at is not None or hasattr(problem, CAME_FROM):  # the code under test raised it
            status, look = "error", "your code raised this error"
            look = _at_line(at) if at is not None else look
            problem = raised_at(question or Asked(_title(item), None, None), problem, look)
        elif question is not None and not isinstance(problem, AssertionError):
            problem = unusable(question, problem)
        else:  # the error did not come from the code under test
            return Outcome("fail", message=message), []
    lines = problem.lines()
    told: dict[str, Any] = {name: _text(getattr(problem, name)) for name in TEXTS[:-1]}
    return Outcome(status, **told, message="\n".join(lines)), lines


def _asks(item: pytest.Item) -> tuple[str, ...]:
    from tito.contract.promises_asked_for import sentences

    if (law := _law(item)) is not None:
        return (law.sentence,)
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return sentences(getattr(item, "function", None), item.path.parent, parameters)


def _at_line(at: Any) -> str:
    return f"line {at[1]} of {Path(at[0]).name}, in {at[2]}: {at[3]}"


def _title(item: pytest.Item) -> str:
    """The test's docstring, or its name as words."""
    doc = getattr(getattr(item, "function", None), "__doc__", None)
    if doc:
        return " ".join(doc.strip().split("\n\n")[0].split())
    return item.name.removeprefix("test_").replace("_", " ")


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else repr(value)
