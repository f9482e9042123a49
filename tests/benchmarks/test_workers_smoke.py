"""benchmarks/workers.py runs to its end and prints each ratio. No measured time is checked here."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "benchmarks" / "workers.py"


def run(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE_SECONDS,
        check=False,
    )


@pytest.fixture(scope="module")
def printed() -> str:
    done = run("--quick", "--rounds", "1")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "row, ratios",
    [("cheap items", 3), ("expensive items", 3), ("3,072", 1), ("393,216", 1), ("6,291,456", 1)],
)
def test_each_row_has_its_ratios_with_their_spread(printed, row, ratios):
    (line,) = (line for line in printed.splitlines() if line.startswith(row))
    found = re.findall(r"(\d+\.\d\d) \((\d+\.\d\d) to (\d+\.\d\d)\)", line)
    assert len(found) == ratios and all(low == middle == high for middle, low, high in found), (
        "one round has no spread"
    )


def test_the_load_of_the_machine_is_printed_before_and_after(printed):
    assert len(re.findall(r"load (\d+\.\d|unknown)", printed)) == 2


def test_no_rounds_are_refused():
    done = run("--rounds", "0")
    assert done.returncode == 2 and "--rounds is 1 or more, got 0" in done.stderr
