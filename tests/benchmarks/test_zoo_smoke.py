"""The zoo of loaders runs; what its verdicts are depends on the machine and is not judged here."""

import os
import sys
from pathlib import Path

import pytest

from tito.child_processes import finished

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_a_loader_of_the_zoo_is_measured_beside_an_independent_clock():
    words = ["plain", "a list"]
    ended = finished([sys.executable, "benchmarks/zoo", "--only", *words], ROOT, os.environ)
    head, line, counts = ended.stdout.splitlines()
    assert ended.stderr == "" and "independent clock" in head
    assert line.split()[0] in ("right", "unknown", "WRONG")
    assert "a list is shuffled for each epoch" in line and line.count("%") == 2
    assert counts.startswith(("1 right, 0", "0 right, 1 unknown", "0 right, 0 unknown, 1"))
    assert ended.returncode == int(line.startswith("WRONG"))
