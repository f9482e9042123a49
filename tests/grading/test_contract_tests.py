"""Every contract test, public and hidden, looks at what it is about: with one part of a right
package turned hostile, no test that uses the part passes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import hostile_tt
import pytest

from grading.engine.course.references import source_path, write_references
from tito.contract import report as contract_report
from tito.contract.plugin import SEED_VARIABLE
from tito.notebook.cells import read_percent
from tito.run.runner import environment, make_scratch
from tito.workspace import Module, Workspace

ROOT = Path(__file__).resolve().parents[2]
MODULES = {module.number: module for module in Workspace(ROOT).modules()}


def suites(module: Module) -> list[Path]:
    return [module.tests, ROOT / "grading" / "tests" / module.name]


def run(scratch: Path, module: Module, report: Path, *options: str) -> list[dict]:
    """The rows of the contract tests' report, on the package in `scratch`; with one seed, so that
    a part that passes by chance does so always or never.
    """
    config = scratch / "pytest.ini"
    config.write_text("[pytest]\nmarkers =\n    contract(grade_id): points\n", encoding="utf-8")
    plugins = ["-p", "tito.contract.plugin", "-p", "hostile_tt", "-p", "no:cacheprovider"]
    targets = [f"--tt-import={module.import_name}", *map(str, suites(module))]
    where = ["-c", str(config), "--rootdir", str(ROOT), f"--contract-report={report}", "--tb=no"]
    path = os.pathsep.join(map(str, (scratch, ROOT / "tests" / "grading")))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *where, *plugins, *options, *targets],
        cwd=scratch,
        env=environment(scratch, {"PYTHONPATH": path, SEED_VARIABLE: "1"}),
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
    return contract_report.read(report)


@pytest.mark.parametrize("number", MODULES)
def test_no_contract_test_passes_with_a_part_that_does_nothing_or_refuses_everything(
    number, tmp_path
):
    module = MODULES[number]
    scratch = make_scratch(module, read_percent(source_path(module)), tmp_path / "scratch")
    write_references(Workspace(ROOT).before(module), scratch)
    package = scratch / module.export
    package.write_text(
        hostile_tt.instrumented(package.read_text(encoding="utf-8")), encoding="utf-8"
    )
    used = tmp_path / "used.json"
    rows = run(scratch, module, tmp_path / "right.jsonl", f"--note-used={used}", "--tt-seconds=60")
    assert {row["status"] for row in rows} == {"pass"}
    rows = run(scratch, module, tmp_path / "turned.jsonl", f"--turn-used={used}", "--tt-seconds=5")
    assert len(rows) > 5 * len(hostile_tt.VARIANTS)
    assert [row["test"] for row in rows if row["status"] == "pass"] == []
