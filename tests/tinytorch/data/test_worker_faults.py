"""Runs each fault of faults.py once with fork, and one of them with spawn; the long tests run the
others that differ with spawn. Each program must end as stated and leave nothing behind.
"""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fault_rounds import run
from faults import FAULTS
from patience import PATIENCE_SECONDS

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(),
    reason="what a program leaves is read from /proc, which this system has not",
)

WITH_SPAWN = (
    "error_in_a_worker",
    "iterator_left_half_way",
    "worker_killed_in_a_task",
    "two_pools_at_once",
    "ctrl_c_while_workers_start",
    "program_killed",
)
# On a busy machine it has left pipes open, once in some twenty runs, and the cause is not known.
UNSURE = "ctrl_c_while_workers_start"
CASES = [
    *((name, "fork") for name in FAULTS if name != UNSURE),
    pytest.param(UNSURE, "fork", marks=pytest.mark.long),
    (WITH_SPAWN[0], "spawn"),
    *(pytest.param(name, "spawn", marks=pytest.mark.long) for name in WITH_SPAWN[1:]),
]


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


def test_a_slot_that_could_not_be_made_says_only_why():
    """Python deletes it, too; that must not print a second error."""
    code = (
        "import errno, resource\n"
        "from tinytorch.data.shared import Slot\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "slots = []\n"
        "try:\n"
        "    while True: slots.append(Slot())\n"
        "except OSError as problem:\n"
        "    print(problem.errno == errno.EMFILE)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
