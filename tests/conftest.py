"""Fixtures and settings for the tests of all folders."""

from __future__ import annotations

import functools
import gc
import importlib.util
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from helpers.patience import PATIENCE_SECONDS

# There are about as many test processes as cores, so threads of linear algebra would compete for
# the cores. (Training a network then took 20 instead of 2 CPU-seconds.) Programs that tests start
# inherit this.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

# A shell starts a command in the background with Ctrl-C ignored; programs that tests start would
# inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The one hypothesis profile of the suite. It has no time limits, because a busy machine is no fault
# of a test. tests/test_suite.py finds tests that set time limits of their own.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    """Programs of Jupyter read and write folders of the suite, not the user's own."""
    if not hasattr(config, "workerinput"):  # the other test processes inherit the variables
        place = tempfile.mkdtemp(prefix="tito-jupyter-")
        config.add_cleanup(lambda: shutil.rmtree(place, ignore_errors=True))
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
            os.environ[name] = f"{place}/{name.lower()}"


# The files that take longest run first, so that no process ends minutes after the others.
LONGEST_FIRST = (
    "tests/grading/attacks/test_attacks.py",
    "tests/test_course.py",
    "tests/site/test_teach_pages.py",
    "tests/site/test_refused_builds.py",
    "tests/grading/test_execute_notebook.py",
    "tests/grading/test_killed_sandbox.py",
    "tests/browser/test_way_in.py",
    "tests/browser/test_formgrader.py",
)


@pytest.hookimpl(optionalhook=True)  # of xdist
def pytest_xdist_auto_num_workers() -> int | None:
    """One process more than there are cores, because some tests only wait for a time limit, but at
    most four. None where xdist's own variable is set: xdist then uses that number.
    """
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return min(4, (os.cpu_count() or 1) + 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {ROOT / name: number for number, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


def pytest_collection_finish() -> None:
    # The objects made by collecting thousands of tests stay until the end. Frozen, they are not
    # searched again by every gc.collect() in a test.
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    gc.unfreeze()  # so that compiled modules can be unloaded in order


# Skips

# The reasons for a skip that no package can remove. With TITO_NO_SKIPS=1, as in .ci/run, any other
# skip is a failure.
MAY_BE_SKIPPED = (
    "no control group can be made here",
    "NumPy's linear algebra is not OpenBLAS here",
    "this checkout holds an export of module",
    "this copy of the course has no right solutions",
    "this is an ordinary user already",
    "the level limits leaves the network open",
    "$COURSE_PYODIDE names no folder",
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    return _refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    return _refuse_skip((yield))


def _refuse_skip(report: Any) -> Any:
    if report.outcome == "skipped" and os.environ.get("TITO_NO_SKIPS") == "1":
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not hasattr(report, "wasxfail") and not any(text in why for text in MAY_BE_SKIPPED):
            report.outcome = "failed"
            report.longrepr = (
                f"{why}\nWith TITO_NO_SKIPS=1 nothing is skipped for what can be installed: run"
                " .ci/run as root on Debian, or install it by hand."
            )
    return report


# Expensive things that are made once


@pytest.fixture(scope="session")
def once(tmp_path_factory) -> Callable[[str, Callable[[Path], Any]], Any]:
    """`once(name, make)` returns what `make(folder)` returned in the first process that asked for
    `name`; the other processes of the same run get a copy by pickle. They all share the files in
    the folder: copy a file before you change it.
    """
    import fcntl

    place = tmp_path_factory.getbasetemp()
    place = place.parent if "PYTEST_XDIST_WORKER" in os.environ else place

    def get(name: str, make: Callable[[Path], Any]) -> Any:
        folder, result = place / f"once-{name}", place / f"once-{name}.pickle"
        with open(place / f"once-{name}.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not result.exists():
                # left by a process in which `make` failed
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                result.write_bytes(pickle.dumps(make(folder)))
            return pickle.loads(result.read_bytes())

    return get


# The references


@dataclass(frozen=True)
class ReferencePackage:
    """The reference solutions of a module and of every module it builds on, exported to a scratch
    workspace.

    Attributes:
        path: the workspace; with PYTHONPATH=path, the exports of these modules are the reference.
        module: the export of the module, imported here under another name (the checkout's
            tinytorch is not changed).
    """

    path: Path
    module: ModuleType

    def run(
        self, code: str, timeout_seconds: float = PATIENCE_SECONDS
    ) -> subprocess.CompletedProcess:
        """Run `code` in a fresh Python whose tinytorch holds the reference solutions."""
        from tito.child_processes import finished

        variables = {"PYTHONPATH": str(self.path), "MPLBACKEND": "Agg", "PYTHONUTF8": "1"}
        words, environment = [sys.executable, "-c", code], {**os.environ, **variables}
        return finished(words, self.path, environment, timeout_seconds=timeout_seconds)


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pickle and inspect look it up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def references(tmp_path_factory) -> Callable[[str], ReferencePackage]:
    """`references("08a")` is the reference of a module as a package, as `tito export` writes it."""
    from grading.engine.course.references import read_source, write_references
    from tito.run.runner import make_scratch
    from tito.workspace import Workspace

    @functools.cache
    def make(name: str) -> ReferencePackage:
        module = Workspace(ROOT).module(name)
        path = make_scratch(
            module,
            read_source(module),
            tmp_path_factory.mktemp("reference") / "workspace",
        )
        earlier = Workspace(ROOT).before(module)
        write_references(earlier, path)
        # only during the import, because the checkout has no exports
        lent = {one.import_name: make(one.name).module for one in earlier}
        sys.modules.update(lent)
        try:
            return ReferencePackage(path, _load(f"reference_{module.short}", path / module.export))
        finally:
            for name in lent:
                del sys.modules[name]

    return make


@pytest.fixture(scope="session")
def reference_package(references) -> ReferencePackage:
    """The instructor's solution of module 08."""
    return references("08")


@pytest.fixture
def own_threads(monkeypatch) -> list[threading.Thread]:
    """The threads that this test's thread has started; threads of earlier tests do not count."""
    own, here, start = [], threading.current_thread(), threading.Thread.start

    def watched(thread):
        if threading.current_thread() is here:
            own.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", watched)
    return own
