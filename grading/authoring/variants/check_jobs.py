"""The runs of `tito dev check`: cells of a notebook, contract tests on the export of these cells,
the page. `ProofJobs` collects these jobs, several processes share them, and each proof reads its
own answers as soon as they are there.
"""

import compileall
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grading.authoring.variants import inputs
from grading.authoring.variants.forks import finished
from grading.engine.course.references import write_references
from tito.contract.plugin import SEED_VARIABLE
from tito.notebook.cells import Cell
from tito.outcome import ENDLESS, Outcome
from tito.run import runner
from tito.student_work.exporter import render
from tito.workspace import Module, Workspace

CPU_LIMIT_SECONDS = 0.3
CELL_SECONDS = 20.0
DEMO_SECONDS = 5.0  # a demo that still runs then raised no error
JOB_SECONDS = 120.0
PROCESSES = min(os.cpu_count() or 1, 8)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        point: which of the eight points found it.
        place: "file:line", from the root of the course, of what the author edits.
        repair: the line to write there, or a command.
    """

    point: int
    place: str
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


class Scratch:
    """A workspace with the given package and the reference of earlier modules, in which one process
    runs jobs.
    """

    def __init__(self, module: Module, folder: Path, cells: list[Cell]):
        self.module, self.folder = module, folder
        self.root = runner.make_scratch(module, cells, folder / "workspace")
        write_references(Workspace(module.root).before(module), self.root)
        # a law file is compiled once, as in a student's folder, not by each process
        compileall.compile_dir(self.root / "modules", quiet=1)
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")

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
            "scratch": str(self.root),
        }


def make_scratches(module: Module, folder: Path, cells: list[Cell], count: int) -> list[Scratch]:
    places = [folder / f"process-{number}" for number in range(count)]
    for place in places:
        place.mkdir(parents=True)
    return [Scratch(module, place, cells) for place in places]


def pytest_arguments(module: Module, folder: Path, report: Path, form: str = "module") -> list[str]:
    """For contract tests on the package in the current folder: all but the tests themselves."""
    plugins = ["-p", "tito.contract.plugin", "-p", "no:cacheprovider"]
    about = [f"--tt-import={module.import_name}", f"--contract-report={report}"]
    places = ["-c", str(folder / "pytest.ini"), "--rootdir", "."]
    return [*places, *plugins, "-q", "--tb=no", f"--tt={form}", *about]


class ProofJobs:
    """The jobs, and their answers by number."""

    def __init__(self, module: Module, folder: Path, cells: list[Cell]):
        self.module, self.folder = module, folder
        self.jobs: list[dict[str, Any]] = []
        self.answers: dict[int, Answer] = {}
        self.asked: list[
            int
        ] = []  # the numbers that were given, each job's as often as it was added
        self.scratches = make_scratches(module, folder, cells, PROCESSES)

    def cells(self, cells: Iterable[Cell], run: int = 1) -> int:
        """Add a job: the code cells without demos. Gives the number of its answer.

        Args:
            run: another number runs the same cells again.
        """
        jobs = [runner.cell_job(c) for c in cells if c.kind == "code" and not c.is_demo]
        return self._add(kind="cells", cells=jobs, cell_seconds=CELL_SECONDS, run=run)

    def demos(self, cells: Iterable[Cell]) -> int:
        """Add a job: all code cells but tests, each as long as a demo may take."""
        jobs = [runner.cell_job(c) for c in cells if c.kind == "code" and not c.runs_tests]
        return self._add(kind="cells", cells=jobs, cell_seconds=DEMO_SECONDS)

    def contracts(
        self,
        cells: list[Cell],
        targets: Sequence[Path],
        form: str = "module",
        options: Sequence[str] = (),
        seed: str | None = None,
    ) -> int:
        """Add a job: contract tests on the export of `cells`.

        Args:
            options: of pytest.
            seed: of the inputs that the tests draw; without one, that of the notebook.
        """
        report = self.folder / f"report-{len(self.jobs)}.jsonl"
        arguments = [
            *pytest_arguments(self.module, self.scratches[0].folder, report, form),
            *options,
            *(str(target) for target in targets),
        ]
        job: dict[str, Any] = {"arguments": arguments, "report": str(report), **self._export(cells)}
        if seed is not None:
            job["environment"] = {SEED_VARIABLE: seed}
        return self._add(kind="contracts", **job)

    def inputs(
        self,
        cells: list[Cell],
        targets: Sequence[Path],
        seed: str,
        form: str = "wire",
        *options: str,
    ) -> tuple[int, Path]:
        """Add a job which notes what reaches the code under test through the pipe: its number, and
        the file with its notes.
        """
        number = len(self.jobs)
        notes = self.folder / f"inputs-{number}.json"
        files = f"--basetemp={self.folder / 'files'}-{number}"
        plugin = ["-p", inputs.__name__, f"--note-inputs={notes}", files, "--tt-seconds=60"]
        added = self.contracts(cells, targets, form, options=[*plugin, *options], seed=seed)
        return added, notes

    def page(self, title: str, text: str, cells: list[Cell]) -> int:
        """Add a job: the `>>>` lines of a page, with the export of `cells` importable."""
        return self._add(kind="page", title=title, page=text, **self._export(cells))

    def _export(self, cells: list[Cell]) -> dict[str, str]:
        """What a job writes before it runs."""
        text = render(cells, self.module, source_name=self.module.notebook.name)
        return {"export": self.module.export, "text": text}

    def _add(self, **job: Any) -> int:
        """The number of the job. Cells that run already are not run again for another point."""
        if job["kind"] == "cells":
            for other in self.jobs:
                if {**job, "name": other["name"]} == other:
                    self.asked.append(other["name"])
                    return other["name"]
        self.asked.append(len(self.jobs))
        self.jobs.append({**job, "name": len(self.jobs)})
        return len(self.jobs) - 1

    def run(
        self,
        progress: Callable[[int, int], None] = lambda done, total: None,
        answered: Callable[[], None] = lambda: None,
        processes: int = PROCESSES,
    ) -> None:
        """Do all jobs that have no answer yet, and call `answered` after each."""
        parts = [job for job in self.jobs if job["name"] not in self.answers]
        shared = self.folder / f"shared-{len(self.answers)}"
        shared.mkdir()
        limits = {"seconds": JOB_SECONDS, "cpu_seconds": JOB_SECONDS}
        job = {"kind": "proofs", "parts": parts, "limits": limits, "shared": str(shared)}

        def seen(row: dict[str, Any]) -> None:
            self.answers[row["name"]] = _answer(row)
            answered()

        described = [
            scratch.described(job) for scratch in self.scratches[: min(processes, len(parts))]
        ]
        finished(self.module, described, {}, progress, seen)


def _answer(document: dict[str, Any]) -> Answer:
    rows, problem = document.get("rows"), document.get("problem", "")
    if rows is None:
        problem = f"no answer within {JOB_SECONDS:g} s, or the process died; {ENDLESS}"
    lines = [PageLine(**row) for row in rows or () if "raised" in row]
    outcomes = [Outcome.from_json(row) for row in rows or () if "raised" not in row]
    return Answer(tuple(outcomes), tuple(lines), problem)


def function_of(one: Outcome) -> str:
    """The test function, without the values that pytest adds to its name."""
    return (one.test or "").partition("[")[0]
