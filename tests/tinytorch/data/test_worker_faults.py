"""Runs each fault of faults.py once with fork, and one of them with spawn; the long tests run the
others that differ with spawn. Each program must end as stated and leave nothing behind.
"""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import leak_watch
import pytest
from faults import FAULTS
from peers_kit import needs_proc

from helpers.patience import PATIENCE_SECONDS, until

pytestmark = needs_proc
WITH_SPAWN = (
    "iterator_left_half_way worker_killed_in_a_task two_pools_at_once program_killed".split()
)
CASES = [
    *((name, "fork") for name in FAULTS),
    ("failed_worker_init", "spawn"),
    *(pytest.param(name, "spawn", marks=pytest.mark.long) for name in WITH_SPAWN),
]


@pytest.mark.parametrize("name, method", CASES)
def test_after_a_fault_nothing_hangs_and_nothing_is_left(name, method):
    """The fault runs in a program of its own. Once the program has printed "ready", the test does
    `outside` to it, such as sending a signal.
    """
    outside, code, names = FAULTS[name].outside, FAULTS[name].code, leak_watch.named_memory()
    program = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("faults.py")), name, method],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    said = ""
    try:
        if outside is not None:
            said = program.stdout.readline()
            if said == "ready\n":
                outside(program)
        out, err = program.communicate(timeout=PATIENCE_SECONDS)
        assert until(lambda: not leak_watch.session(program.pid)), leak_watch.session(program.pid)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.kill()
        program.communicate()
    assert program.returncode == code, said + out + err
    assert code or (out.endswith("clean\n") and not err), said + out + err
    assert until(lambda: not leak_watch.named_memory() - names)
