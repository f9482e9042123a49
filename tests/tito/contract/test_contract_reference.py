"""Module 08's contract tests, public and hidden, pass on the reference in both forms of `tt`,
and none passes on stubs.
"""

import sys
from pathlib import Path

import pytest
from patience import PATIENCE_SECONDS

from tito.notebook.cells import read_percent
from tito.run.runner import make_scratch, run_contracts
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[3]
MODULE = Workspace(ROOT).module("08")
SUITES = [MODULE.tests, ROOT / "grading" / "tests" / MODULE.name]
SOURCE = ROOT / "grading" / "source" / MODULE.name / "dataloader_dev.py"
GRADED = {cell.grade_id for cell in read_percent(SOURCE) if cell.is_test}


pytestmark = pytest.mark.long  # tests/test_course.py proves the same through `tito dev check`


@pytest.mark.skipif(sys.platform == "win32", reason="the wire form needs POSIX pipes")
def test_both_suites_pass_on_the_reference_in_both_forms(reference_package):
    tests = {}
    for form in ("module", "wire"):
        results = run_contracts(
            reference_package.path, MODULE, SUITES, tt=form, timeout_seconds=PATIENCE_SECONDS
        )
        broken = [
            f"{result.test}: {result.status}: {result.message}"
            for result in results
            if result.status != "pass"
        ]
        assert not broken, f"with tt={form}:\n" + "\n".join(broken)
        tests[form] = [(result.grade_id, result.test) for result in results]
    assert tests["module"] == tests["wire"]
    assert {grade_id for grade_id, _ in tests["wire"]} == GRADED


def test_every_test_says_whose_turn_it_is_on_stubs(tmp_path):
    cells = [_stubbed(cell) for cell in read_percent(SOURCE)]
    results = run_contracts(
        make_scratch(MODULE, cells, tmp_path / "stubs"),
        MODULE,
        SUITES,
        timeout_seconds=PATIENCE_SECONDS,
    )
    assert len(results) > 100
    assert {
        (result.test, result.status) for result in results if result.status != "your_turn"
    } == set()


def _stubbed(cell):
    """The cell with each solution region replaced as `tito grade release` does."""
    import dataclasses

    lines, inside = [], False
    for line in cell.source.splitlines():
        if "### BEGIN SOLUTION" in line:
            inside = True
            lines.append(
                line.replace(
                    "### BEGIN SOLUTION", f'raise NotImplementedError("your turn: {cell.grade_id}")'
                )
            )
        elif not inside:
            lines.append(line)
        inside = inside and "### END SOLUTION" not in line
    return dataclasses.replace(cell, source="\n".join(lines))
