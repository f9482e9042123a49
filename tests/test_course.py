"""Runs the eight points of `tito dev check`: in the usual suite on the shortest module, with one of
its alternatives, and in the long tests on every module.
"""

import dataclasses
import shutil
from pathlib import Path

import pytest

from grading.authoring.check import checked_module, module_check
from grading.authoring.check.check_report import POINTS, Proof
from grading.authoring.check.module_check import secret_lines
from grading.engine.course.references import source_path
from grading.engine.course.wrong_and_right_solutions import read_right
from tito.workspace import Workspace

ROOT = Path(__file__).resolve().parents[1]
MODULES = [module.name for module in Workspace(ROOT).modules()]
# The usual suite proves the module with the shortest source; the others take long.
SHORTEST = min(MODULES, key=lambda name: source_path(Workspace(ROOT).module(name)).stat().st_size)


@pytest.fixture(scope="module")
def shortest() -> Proof:
    """All points, with one other right solution: each of them takes as long as the reference."""
    module = Workspace(ROOT).module(SHORTEST)
    module = dataclasses.replace(module, meta={**module.meta, "right": 1})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checked_module, "read_right", lambda home: read_right(home)[:1])
        return module_check.check_module(checked_module.Subject(module))


def faults_of(report: Proof, points: set[int]) -> list[str]:
    # Not CPU-seconds, which `tito dev check` measures and prints: on a busy machine they depend
    # on the machine.
    return [
        f"{POINTS[fault.point]}: {fault.text}\n    repair: {fault.repair}"
        for fault in report.faults
        if fault.point in points and not fault.text.startswith("graded cells use at most")
    ]


@pytest.mark.parametrize("point", POINTS)
def test_the_shortest_module_proves(shortest, point):
    assert faults_of(shortest, {point}) == []


def test_code_that_recognizes_the_inputs_of_the_notebook_earns_nothing(shortest):
    assert "promises with fixed inputs: 0 of" in shortest.facts[8]
    assert "older than the source" not in shortest.facts[8]


@pytest.mark.long
@pytest.mark.parametrize("name", MODULES)
def test_a_module_proves(name):
    proof = module_check.check_module(checked_module.Subject(Workspace(ROOT).module(name)))
    assert faults_of(proof, set(POINTS)) == []


def test_code_that_contributing_shows_is_no_secret_and_other_text_of_it_is_one(tmp_path):
    module = Workspace(ROOT).module("08_dataloader")
    shutil.copytree(ROOT / "grading/modules", tmp_path / "grading/modules")
    copied = dataclasses.replace(module, root=tmp_path)
    shown, other = sorted(secret_lines(copied), key=len)[-2:]
    page = f"Prose: {other}\n\n```python\ndef f():\n    {shown}\n```\n\n{other}\n"
    (tmp_path / "CONTRIBUTING.md").write_text(page, encoding="utf-8")
    secrets = secret_lines(copied)
    assert other in secrets and shown not in secrets
