"""However `tito dev check` ends, no process that it started runs on; `tito dev mutate` starts its
processes in the same way.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

import psutil
import pytest

from helpers.module_copies import copied
from helpers.patience import runs, until
from helpers.repository import ROOT

# A wrong solution that never ends, with a process of its own.
ENDLESS = """
# %% endless: x (promise 1)
def clip_values(values, low, high):
    import pathlib, subprocess, sys, time
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(10**6)"])
    pathlib.Path({place!r}).write_text(str(child.pid))
    time.sleep(10**6)
"""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_no_worker_outlives_the_verb(name, sample_module, tmp_path):
    root, place = copied(sample_module, tmp_path).root, tmp_path / "pid"
    (temporary := tmp_path / "temporary").mkdir()
    wrong = root / "grading" / "modules" / sample_module.name / "wrong"
    with (wrong / "clip_values.py").open("a", encoding="utf-8") as file:
        file.write(ENDLESS.format(place=str(place)))
    verb_process = subprocess.Popen(
        [sys.executable, "-m", "tito", "dev", "check", sample_module.name, "--only", "3"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # so that only this process gets the signal
    )
    started: list[psutil.Process] = []
    try:
        assert until(lambda: place.exists() or verb_process.poll() is not None)
        assert place.exists(), verb_process.communicate()[0]
        started = psutil.Process(verb_process.pid).children(recursive=True)
        assert len(started) >= 3, "the worker, its fork, and the process of the solution"
        verb_process.send_signal(getattr(signal, name))
        verb_process.communicate()
        assert until(lambda: not any(runs(one.pid) for one in started))
        assert name == "SIGKILL" or list(temporary.iterdir()) == []
    finally:
        for process in (*started, verb_process):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
