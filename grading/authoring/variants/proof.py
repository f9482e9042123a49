"""Points 1 to 4 of `tito dev check`: what must pass passes, what must fail fails, and for the
reason that was promised.

Every proof is a job of `jobs`: cells of a notebook, or contract tests on the export of
these cells. `ProofJobs` collects the jobs, runs all of them in one go, and each proof then reads
its own answers.
"""

import compileall
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grading.authoring.variants import inputs
from grading.authoring.variants.forks import finished
from grading.authoring.variants.hostile import instrumented
from grading.engine.course.references import write_references
from tito.contract.plugin import SEED_VARIABLE
from tito.notebook.cells import Cell
from tito.outcome import ENDLESS, Outcome
from tito.run import runner
from tito.student_work.exporter import render
from tito.workspace import Module, Workspace

CPU_LIMIT_SECONDS = 0.3
CELL_SECONDS = 20.0
JOB_SECONDS = 120.0
HOSTILE = "grading.authoring.variants.hostile"  # the plugin that turns parts of a package


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: which of the eight points, what, and the command or line that
    repairs it.
    """

    point: int
    text: str
    repair: str


@dataclass(frozen=True)
class PageLine:
    """A `>>>` line of a page that printed something else than the page says, or raised."""

    line: int
    source: str
    got: str
    want: str
    raised: bool


@dataclass(frozen=True)
class Answer:
    """What a job found: the outcome of each cell or contract test, the lines of a page that give
    something else, or why there is nothing.
    """

    outcomes: tuple[Outcome, ...] = ()
    lines: tuple[PageLine, ...] = ()
    problem: str = ""


class ProofJobs:
    """A scratch workspace with the given package and the reference of earlier modules, and the
    jobs to do in it.
    """

    def __init__(self, module: Module, folder: Path, cells: list[Cell]):
        self.module, self.folder = module, folder
        self.jobs: list[dict[str, Any]] = []
        self.answers: list[Answer] = []
        self.absent_imports: dict[str, str] = {}
        self.scratch = runner.make_scratch(module, cells, folder / "workspace")
        write_references(Workspace(module.root).before(module), self.scratch)
        # a law file is compiled once, as in a student's folder, not by each process
        compileall.compile_dir(self.scratch / "modules", quiet=1)
        self.config = folder / "pytest.ini"
        self.config.write_text("[pytest]\n", encoding="utf-8")

    def cells(self, cells: Iterable[Cell]) -> int:
        """Add a job: the code cells without demos. Gives the number of its answer."""
        jobs = [runner.cell_job(c) for c in cells if c.kind == "code" and not c.is_demo]
        return self._add({"kind": "cells", "cells": jobs, "cell_seconds": CELL_SECONDS})

    def contracts(
        self,
        cells: list[Cell],
        targets: Sequence[Path],
        form: str = "module",
        hostile: Sequence[str] = (),
        options: Sequence[str] = (),
        seed: str | None = None,
    ) -> int:
        """Add a job: contract tests on the export of `cells`; with options of the plugin `hostile`,
        on one whose parts can be turned.

        Args:
            options: of pytest.
            seed: of the inputs that the tests draw; without one, that of the notebook.
        """
        report = self.folder / f"report-{len(self.jobs)}.jsonl"
        arguments = [
            *self.pytest_arguments(report, form),
            *(["-p", HOSTILE, *hostile] if hostile else []),
            *options,
            *(str(target) for target in targets),
        ]
        job: dict[str, Any] = {
            "kind": "contracts",
            "report": str(report),
            "cwd": str(self.scratch),
            "arguments": arguments,
            **self._export(cells),
        }
        if hostile:
            job["text"] = instrumented(job["text"])
            seed = "1"  # what passes by chance does so always
        if seed is not None:
            job["environment"] = {SEED_VARIABLE: seed}
        return self._add(job)

    def pytest_arguments(self, report: Path, form: str = "module") -> list[str]:
        """For contract tests on the package in the workspace: all but the tests themselves."""
        plugins = ["-p", "tito.contract.plugin", "-p", "no:cacheprovider"]
        about = [f"--tt-import={self.module.import_name}", f"--contract-report={report}"]
        places = ["-c", str(self.config), "--rootdir", str(self.scratch)]
        return [*places, *plugins, "-q", "--tb=no", f"--tt={form}", *about]

    def turned(self, cells: list[Cell], targets: Sequence[Path]) -> tuple[int, int]:
        """Add two jobs: contract tests on a right package, which notes what each one uses; and each
        test again, with each part that it uses turned hostile.
        """
        used = self.folder / "used.json"
        options = (
            [f"--note-used={used}", "--tt-seconds=60"],
            [f"--turn-used={used}", "--tt-seconds=5"],
        )
        noting, turning = (self.contracts(cells, targets, hostile=one) for one in options)
        return noting, turning

    def inputs(self, cells: list[Cell], targets: Sequence[Path]) -> list[tuple[int, Path]]:
        """Add two jobs, which note what reaches the code under test with the notebook's inputs and
        with others: for each its number, and the file with its notes.
        """
        jobs = []
        for seed in inputs.SEEDS:
            notes = self.folder / f"inputs-{seed}.json"
            # paths are the same in both
            files = f"--basetemp={self.folder / 'files'}"
            options = ["-p", inputs.__name__, f"--note-inputs={notes}", files, "--tt-seconds=60"]
            jobs.append((self.contracts(cells, targets, "wire", options=options, seed=seed), notes))
        return jobs

    def page(self, name: str, text: str, cells: list[Cell]) -> int:
        """Add a job: the `>>>` lines of a page, with the export of `cells` importable."""
        return self._add({"kind": "page", "name": name, "page": text, **self._export(cells)})

    def _export(self, cells: list[Cell]) -> dict[str, str]:
        """What a job writes before it runs: jobs share the workspace, one after the other."""
        return {
            "path": str(self.scratch / self.module.export),
            "text": render(cells, self.module, source_name=self.module.notebook.name),
        }

    def _add(self, job: dict[str, Any]) -> int:
        self.jobs.append({**job, "name": len(self.jobs)})
        return len(self.jobs) - 1

    def run(self, progress: Callable[[int, int], None] = lambda done, total: None) -> None:
        """Do all jobs; `answers` then has one for each."""
        limits = {"seconds": JOB_SECONDS, "cpu_seconds": JOB_SECONDS}
        described = self.described({"kind": "proofs", "parts": self.jobs, "limits": limits})
        imports, *rows = finished(self.module, [described], {}, progress)
        self.absent_imports = imports["absent"]
        self.answers = list(map(_answer, rows))

    def described(self, job: dict[str, Any]) -> dict[str, Any]:
        """The job with what `grading.authoring.variants.worker` needs for each kind."""
        # imported once, before the process is forked; Matplotlib takes half a second
        plots = ["matplotlib.pyplot"] if "matplotlib" in str(job) else []
        tested = ["tito.contract.plugin", "tito.contract.proxy", "tinytorch.testing"]
        heavy = ["numpy", *plots, "pytest", *tested]
        return {
            **job,
            "imports": [*dict.fromkeys([*heavy, *self.module.needs])],
            "folder": str(self.folder),
            "scratch": str(self.scratch),
        }


def _answer(found: dict[str, Any]) -> Answer:
    rows, problem = found.get("rows"), found.get("problem", "")
    if rows is None:
        problem = f"no answer within {JOB_SECONDS:g} s, or the process died; {ENDLESS}"
    lines = [PageLine(**row) for row in rows or () if "raised" in row]
    outcomes = [Outcome.from_json(row) for row in rows or () if "raised" not in row]
    return Answer(tuple(outcomes), tuple(lines), problem)


def full_marks(
    proofs: ProofJobs,
    point: int,
    who: str,
    cells: list[Cell],
    jobs: Mapping[str, int],
    repair: str,
    files: Mapping[str, Path] = MappingProxyType({}),
) -> Iterator[Fault]:
    """Every cell runs, every test passes, in the notebook and in each form of the contract
    tests. With the `files` of the contract tests, the repair names the one that fails.
    """
    labels = {cell.index: cell.label for cell in cells}
    for form, job in jobs.items():
        answer = proofs.answers[job]
        if answer.problem:
            yield Fault(point, f"{who}: {answer.problem}", repair)
        for one in (one for one in answer.outcomes if not one.passed):
            what = f"{one.test} (--tt={form}) gives {one.status!r}"
            if form == "notebook":
                what = f"{labels[one.cell]} gives {one.status!r}, not full marks"
            file = files.get(function_of(one))
            how = f"repair {file}, or {repair}" if file else repair
            yield Fault(point, f"{who}: {what}: {one.on_screen}", how)


def stubs_earn_nothing(
    proofs: ProofJobs, cells: list[Cell], jobs: Mapping[str, int], source: str
) -> Iterator[Fault]:
    """Every test of the student edition fails, and says whose turn it is."""
    by_index = {cell.index: cell for cell in cells}
    for form, job in jobs.items():
        answer = proofs.answers[job]
        if answer.problem:
            yield Fault(2, f"student edition: {answer.problem}", source)
        for one in answer.outcomes:
            cell = by_index[one.cell] if form == "notebook" else None
            what = f"student edition: {cell.label if cell else one.test}"
            if cell and not cell.is_test:
                if one.status in ("error", "fail", "timeout"):
                    what += f" fails before anything is solved: {one.on_screen}"
                    repair = 'tag the cell "demo" or let it not depend on an exercise'
                    yield Fault(2, what, f"in {source}, {repair}")
                continue
            if one.status == "your_turn":
                continue
            repair = "let the test call an exercise, or remove it: what is given earns no points"
            if cell:
                repair = (
                    f"in {source}, let {cell.name} call the exercise first, and let nothing accept"
                    " its NotImplementedError"
                )
            what += f" gives {one.status!r}, not 'your turn': {one.on_screen}"
            yield Fault(2, what, repair)


def function_of(one: Outcome) -> str:
    """The test function, without the values that pytest adds to its name."""
    return (one.test or "").partition("[")[0]
