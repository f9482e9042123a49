"""Runs of pytest with the contract plugin, and processes of the code under test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE_SECONDS

from tito.children import finished
from tito.contract.process import Worker
from tito.contract.report import read
from tito.outcome import Outcome

ROOT = Path(__file__).resolve().parents[3]
WINDOWS = sys.platform == "win32"
POSIX_PIPES = pytest.mark.skipif(WINDOWS, reason="the wire form needs POSIX pipes")
FORMS = ["module", pytest.param("wire", marks=POSIX_PIPES)]


def contract_run(
    folder: Path, tests: str, package: str, *options: str, form: str = "module", seed: str = "7"
) -> tuple[dict[str, Outcome], str]:
    """(report lines by test, screen) of a run of `tests` on `package` in `folder`."""
    (folder / "sample.py").write_text(package, encoding="utf-8")
    (folder / "test_sample.py").write_text(tests, encoding="utf-8")
    words = [f"--tt={form}", "--tt-import=sample", *options, "test_sample.py"]
    return pytest_in(folder, *words, TITO_CONTRACT_SEED=seed)


def pytest_in(place: Path, *words: str, **variables: str) -> tuple[dict[str, Outcome], str]:
    """(report lines by test, screen) of `pytest WORDS` in `place`, which holds sample.py."""
    (place / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n", encoding="utf-8")
    variables = {"PYTHONPATH": str(place), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables}
    environment = {**os.environ, "PYTHONUTF8": "1", **variables}
    environment.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-B", "-m", "pytest", "-p", "tito.contract.plugin"]
    command += ["-p", "no:cacheprovider", "--contract-report=report.jsonl", *words]
    done = finished(command, place, environment, timeout_seconds=PATIENCE_SECONDS)
    lines = read(place / "report.jsonl")
    assert len({line.test for line in lines}) == len(lines)
    return {line.test or "": line for line in lines}, done.stdout + done.stderr


def start(folder: Path, name: str, code: str | None = None) -> Worker:
    """The process of `name`, a file of `folder`, which gets the code where it is given."""
    if code is not None:
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    with pytest.MonkeyPatch.context() as variables:
        variables.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(ROOT)]))
        return Worker(name, wall_seconds=PATIENCE_SECONDS)


def said_by(program: str) -> str:
    """What a Python of its own prints for `program`."""
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
