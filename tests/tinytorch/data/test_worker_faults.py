"""Runs each fault of faults.py once with fork, and one of them with spawn; the long tests run the
others that differ with spawn. Each program must end as stated and leave nothing behind.
"""

import contextlib
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import leak_watch
import pytest
from faults import FAULTS

from helpers.patience import PATIENCE_SECONDS, until

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(),
    reason="what a program leaves is read from /proc, which this system has not",
)
WITH_SPAWN = (
    "iterator_left_half_way worker_killed_in_a_task two_pools_at_once program_killed".split()
)
CASES = [
    *((name, "fork") for name in FAULTS),
    ("error_in_a_worker", "spawn"),
    *(pytest.param(name, "spawn", marks=pytest.mark.long) for name in WITH_SPAWN),
]


def run(name: str, method: str) -> str | None:
    """Run the fault in a program of its own; do what comes from outside once it has printed
    "ready". Return None if it ends with its code and leaves nothing behind, else what went wrong.
    """
    outside, code, names = FAULTS[name].outside, FAULTS[name].code, leak_watch.named_memory()
    script = str(Path(__file__).with_name("faults.py"))
    program = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", script, name, method],
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
        until(lambda: not leak_watch.session(program.pid))
        left = leak_watch.session(program.pid)
    except subprocess.TimeoutExpired:
        return f"hangs; its processes are {leak_watch.session(program.pid)}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.kill()
        program.communicate()
    if left:
        return f"left processes {left}"
    if program.returncode != code or (code == 0 and (err or not out.endswith("clean\n"))):
        return f"ended with {program.returncode}, not {code}:\n{said}{out}{err}"
    if not until(lambda: not leak_watch.named_memory() - names):
        return f"left in /dev/shm: {sorted(leak_watch.named_memory() - names)}"
    return None


@pytest.fixture(scope="module")
def outcomes(request):
    """The results of the chosen faults. Three run at a time, because they mostly wait."""
    chosen = [
        item.callspec.params
        for item in request.session.items
        if item.path == Path(__file__) and hasattr(item, "callspec")
    ]
    with ThreadPoolExecutor(3) as pool:
        yield {
            (each["name"], each["method"]): pool.submit(run, each["name"], each["method"])
            for each in chosen
        }


@pytest.mark.parametrize("name, method", CASES)
def test_after_a_fault_nothing_hangs_and_nothing_is_left(outcomes, name, method):
    assert outcomes[name, method].result() is None
