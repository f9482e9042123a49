"""A process that ends in one test costs no other test anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tito.contract import report

PACKAGE = """
import os
def end(): os._exit(5)
def half(x): return x / 2
"""
TESTS = """
import pytest
from tinytorch.testing import expect

pytestmark = pytest.mark.contract("c")

@pytest.fixture
def used(tt):
    yield tt
    tt.half(2)

def test_end(used): used.end()
def test_half(used): expect(used.half(4) == 2, "Half of four is two.")
"""


def test_a_fixture_that_still_uses_it_is_put_away_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "ending.py").write_text(PACKAGE, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    options = ["-p", "tito.contract.plugin", "-p", "no:cacheprovider", "-q", "--tt=wire"]
    options += ["--tt-import=ending", "--contract-report=report.jsonl", "test_it.py"]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir=.", *options],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert [one.status for one in report.read(tmp_path / "report.jsonl")] == ["error", "pass"]
