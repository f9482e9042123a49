"""Which test kills each mutant: first the test cells of its exercise, then the public contract
tests that are marked with its graded cell, then the hidden ones.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from grading.authoring.mutate.mutants import Mutant, asked
from grading.authoring.variants.check_jobs import Scratch, pytest_arguments
from grading.authoring.variants.forks import finished
from grading.engine.course.references import secrets_of, source_path, test_folders
from tito.contract.plugin import SEED_VARIABLE
from tito.errors import WorkError
from tito.notebook.cells import Cell
from tito.run import runner
from tito.student_work.exporter import render
from tito.workspace import Module

# For one mutant. An endless loop ends by its CPU time, whatever else runs on the machine; the
# seconds end what waits for ever.
CPU_SECONDS = 5.0
SECONDS = 60.0
TEST_SECONDS = 20.0
STAGES = ("notebook", "public", "hidden")
_REFERENCE = "the reference itself: "


@dataclass(frozen=True)
class Kill:
    """What noticed a mutant first, in one stage."""

    by: str  # "notebook", "public" or "hidden"
    test: str
    promise: str  # empty for an error that no promise speaks of
    said: str  # all that the student reads, on one line
    status: str  # of the outcome: "fail", "error", "timeout" or "your_turn"


@dataclass
class Verdict:
    """A mutant and what killed it: the first kill decides."""

    mutant: Mutant
    kills: list[Kill] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)  # promises, if every test was run
    cpu_seconds: float = 0.0

    @property
    def by(self) -> str:
        return self.kills[0].by if self.kills else ""

    @property
    def loses_points(self) -> bool:
        """Whether a contract test fails. Known where all stages were run."""
        return any(kill.by != "notebook" for kill in self.kills)


class Runs:
    """The processes that run mutants of one module, each in a workspace of its own."""

    def __init__(
        self,
        module: Module,
        cells: list[Cell],
        scratches: Sequence[Scratch],
        progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
    ):
        self.module, self.cells, self.progress = module, cells, progress
        self.scratches = scratches
        self.graded = {one.name: one.graded.name for one in asked(cells) if one.graded}

    def verdicts(self, mutants: Sequence[Mutant], *, every_stage: bool = False) -> list[Verdict]:
        """One for each mutant, in order. With `every_stage`, the contract tests also run on those
        that the notebook's tests have killed.

        Raises:
            WorkError: a test fails for the reference itself, or a process broke off.
        """
        names = dict.fromkeys(mutant.exercise for mutant in mutants)
        controls = [Mutant(_REFERENCE + name, name, {}, {}) for name in names]
        verdict_of = {one.name: Verdict(one) for one in (*controls, *mutants)}
        notebook, tested = self._cells_job([*controls, *mutants]), test_folders(self.module)
        if tested and every_stage:  # at the same time: the imports of each process are slow
            contracts = self._contracts_job([one.mutant for one in verdict_of.values()])
            self._stage("wrong solutions", [notebook, contracts], verdict_of)
        else:
            self._stage("notebook", [notebook], verdict_of)
            left = [one.mutant for one in verdict_of.values() if not one.kills]
            if tested:
                self._stage("contract tests", [self._contracts_job(left)], verdict_of)
        for control in controls:
            for kill in verdict_of[control.name].kills:
                raise WorkError(
                    f"the tests of {control.exercise} pass for the reference before mutants are"
                    f" made of it; {kill.test} does not: {kill.said}. Repair it first:"
                    f" tito dev check {self.module.number} --only 1"
                )
        return [verdict_of[mutant.name] for mutant in mutants]

    def _stage(
        self, label: str, jobs: list[dict[str, Any]], verdict_of: dict[str, Verdict]
    ) -> None:
        rows = self._run(label, jobs)
        for row in sorted(rows, key=lambda row: STAGES.index(row["by"] or STAGES[0])):
            verdict = verdict_of[row["name"]]
            verdict.cpu_seconds += row["cpu_seconds"]
            verdict.broken |= set(filter(None, row.get("broken", ())))
            if row["by"]:
                test, promise = (row.get(name) or "" for name in ("test", "promise"))
                kill = Kill(row["by"], test, promise, row["said"], row["status"])
                verdict.kills.append(kill)

    def _cells_job(self, mutants: Iterable[Mutant]) -> dict[str, Any]:
        own = {one.name: one for one in asked(self.cells)}
        rows = []
        for mutant in mutants:
            home = own[mutant.exercise]
            tests = [cell.index for cell in home.cells if cell.runs_tests]
            changes = mutant.changes or {home.stubs[0].index: home.stubs[0].python}
            last = max([*tests, *changes])
            rows.append({"name": mutant.name, "changes": changes, "tests": tests, "last": last})
        cells = [
            {**runner.cell_job(cell), "tested": cell.runs_tests, "name": cell.name}
            for cell in self.cells
            if cell.kind == "code" and not cell.is_demo
        ]
        return {"kind": "cells", "cells": cells, "parts": rows}

    def _contracts_job(self, mutants: Iterable[Mutant]) -> dict[str, Any]:
        rows = [
            {
                "name": mutant.name,
                "text": self.exported(mutant),
                "grade_id": self.graded[mutant.exercise],
                "all": mutant.every_test,
            }
            for mutant in mutants
        ]
        hidden = secrets_of(self.module) / "tests"
        return {"kind": "contracts", "hidden": str(hidden), "parts": rows}

    def exported(self, mutant: Mutant | None = None) -> str:
        """The package file of a mutant, or of the reference."""
        changes = mutant.changes if mutant else {}
        cells = [_changed(cell, changes) for cell in self.cells]
        return render(cells, self.module, source_name=source_path(self.module).name)

    def answers(self, checks: Sequence[tuple[Mutant, str]], seeds: int) -> dict[str, Any]:
        """For each mutant with its check, what the check returns with the reference's package and
        with the mutant's.
        """
        rows = [
            {"name": mutant.name, "text": self.exported(mutant), "check": check}
            for mutant, check in checks
        ]
        job = {"kind": "compare", "reference": self.exported(), "seeds": seeds, "parts": rows}
        return {row["name"]: row for row in self._run("equivalents", [job])}

    def _run(self, label: str, jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The results of all mutants of some jobs, which the processes share."""
        described = []
        for place, job in enumerate(jobs):
            own = self.scratches[place :: len(jobs)] or self.scratches
            described += [
                self._described(scratch, {**job, "parts": parts})
                for number, scratch in enumerate(own)
                if (parts := job["parts"][number :: len(own)])
            ]
        progress = partial(self.progress, label)
        return finished(self.module, described, {SEED_VARIABLE: "1"}, progress) if described else []

    def _described(self, scratch: Scratch, job: dict[str, Any]) -> dict[str, Any]:
        report = scratch.folder / "report.jsonl"
        job |= {
            "limits": {"cpu_seconds": CPU_SECONDS, "seconds": SECONDS},
            "path": str(scratch.root / self.module.export),
            "import_name": self.module.import_name,
            "report": str(report),
        }
        if job["kind"] == "contracts":
            job["arguments"] = [
                *pytest_arguments(self.module, scratch.folder, report),
                f"--tt-seconds={TEST_SECONDS:g}",
                *map(str, test_folders(self.module)),
            ]
        return scratch.described(job)


def _changed(cell: Cell, changes: dict[int, str]) -> Cell:
    return replace(cell, source=changes[cell.index]) if cell.index in changes else cell
