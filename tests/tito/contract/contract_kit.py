"""Runs of pytest with the contract plugin, and processes of the code under test."""

import os
import sys
from pathlib import Path

import pytest

from helpers.patience import PATIENCE_SECONDS
from tito.child_processes import finished
from tito.contract.outcome_file import read
from tito.contract.process import Worker
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
    words = [f"--tt={form}", "--tt-import=sample", "--tt-seconds=600", *options, "test_sample.py"]
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


# the code under test behind the pipe
CODE = '''
import gc, inspect, os, subprocess, sys, threading, time
import numpy as np
from tinytorch.core.tensor import Tensor

print("noise while it is imported")

class Loader:
    def __init__(self, dataset, batch_size=2):
        if batch_size < 1:
            raise ValueError(f"batch_size must be 1 or more, got {batch_size}")
        self.dataset, self.batch_size = dataset, batch_size

    def __iter__(self):
        for start in range(0, len(self.dataset), self.batch_size):
            yield [self.dataset[i]
                   for i in range(start, min(start + self.batch_size, len(self.dataset)))]

class OwnError(KeyError):
    pass

def do(code, **names): return eval(code, globals(), names)
def echo(*args, **kwargs): return args, kwargs
def call(function, *args): return function(*args)
def decode_error(): b"\\xff".decode("utf-8")
def own_error(): raise OwnError("lost")
def noise():
    print("x" * 100_000)
    sys.stdout.flush()
    os.write(1, b"raw noise\\n")
    os.system("echo from a child")
    return sys.stdin.read()
def loop():
    while True: pass
def flood():
    for fd in range(3, 20):
        try: os.write(fd, b"\\xff" * 100)
        except OSError: pass
def peek(thing, name):
    return thing._peer.request("attribute", thing._number, name)   # as hostile code would ask
def from_thread(function):
    box = []
    thread = threading.Thread(target=lambda: box.append(function(1)))
    thread.start(); thread.join()
    return box

class Equal:
    """Equal to everything, and at every address."""
    __array_interface__ = {"version": 3, "shape": (8,), "typestr": "<f8", "data": (4096, False)}
    def __array__(self, *args, **kwargs): return np.ones(8)
    def __eq__(self, other): return True
    def __bool__(self): return True
    def __float__(self): return 1.0
    def __index__(self): return 1

class Number(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__

def later(dataset):
    def read():
        for _ in range(100):
            try: dataset[0]
            except BaseException: pass
            time.sleep(0.001)
    threading.Thread(target=read, daemon=True).start()
def at_once(dataset, count):
    found = []
    threads = [threading.Thread(target=lambda k=k: found.append(dataset[k])) for k in range(count)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return sorted(found)
'''
