"""The engine of `tito dev check` and `tito dev mutate`: cells of a notebook, contract tests on the
export of these cells, the page, or a check are run on a variant of a module. `ProofJobs` collects
these jobs, several processes share them, and each proof reads its own answers.
"""

import compileall
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from grading.authoring.variants import inputs
from grading.authoring.variants.forks import run_shared
from grading.engine.course.references import write_references
from grading.engine.run.how_many_at_once import processors
from tito.contract import outcome_file
from tito.contract.plugin import SEED_VARIABLE
from tito.notebook.cells import Cell
from tito.outcome import Outcome
from tito.run import runner
from tito.student_work.exporter import render
from tito.workspace import Module, Workspace

CPU_LIMIT_SECONDS = 0.3
PROCESSES = min(processors(), 8)


class Limits(NamedTuple):
    """Of one job, in seconds. An endless loop ends by its CPU time, whatever else runs on the
    machine; `seconds` ends what waits for ever.
    """

    cpu_seconds: float
    seconds: float
    one_test: float  # a cell of the notebook, or a contract test


PROOF = Limits(120.0, 120.0, 20.0)
DEMO = PROOF._replace(one_test=5.0)  # a demo that still runs then raised no error
MUTANT = Limits(5.0, 60.0, 20.0)


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
class Answer:
    """What a job found, or why it found nothing.

    Attributes:
        outcomes: of each cell or contract test; of a page, those of the `>>>` lines that print
            something else ("fail") or raise an error that the page does not show ("error").
        values: of a check, each with whether it was raised.
        status: "timeout" or "error" if the process ended before the job.
    """

    outcomes: tuple[Outcome, ...] = ()
    values: tuple[tuple[str, bool], ...] = ()
    problem: str = ""
    status: str = ""


class ProofJobs:
    """The jobs, and their answers by number."""

    def __init__(self, module: Module, folder: Path, cells: list[Cell], processes: int = PROCESSES):
        """
        Args:
            folder: an absolute path, to an empty or absent folder.
            cells: the reference's.
        """
        self.module, self.folder, self.reference = module, folder, cells
        self.given = {cell.index: runner.cell_job(cell) for cell in cells}
        self.jobs: list[dict[str, Any]] = []
        self.answers: dict[int, Answer] = {}
        places = (folder / f"process-{number}" for number in range(processes))
        self.workspaces = [self._workspace(place) for place in places]

    def _workspace(self, folder: Path) -> Path:
        """One with the given package and the reference of earlier modules, for one process."""
        folder.mkdir(parents=True)
        root = runner.make_scratch(self.module, self.reference, folder / "workspace")
        write_references(Workspace(self.module.root).before(self.module), root)
        # a law file is compiled once, as in a student's folder, not by each process
        compileall.compile_dir(root / "modules", quiet=1)
        (self.folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        return root

    def cells(
        self,
        cells: Iterable[Cell],
        run: int = 1,
        limits: Limits = PROOF,
        *,
        demos: bool = False,
        until_failure: bool = False,
    ) -> int:
        """Add a job: the code cells without demos. Gives the number of its answer.

        Args:
            run: another number runs the same cells again.
            demos: whether demos are run in place of tests.
            until_failure: whether the first cell that fails is the last.
        """
        chosen = (cell for cell in cells if not (cell.runs_tests if demos else cell.is_demo))
        described = [(cell.index, runner.cell_job(cell)) for cell in chosen if cell.kind == "code"]
        return self._add(
            limits,
            kind="cells",
            # many jobs differ from the reference in one cell
            cells=[index if self.given.get(index) == one else one for index, one in described],
            cell_seconds=limits.one_test,
            until_failure=until_failure,
            run=run,
        )

    def contracts(
        self,
        cells: list[Cell],
        targets: Sequence[Path],
        form: str = "module",
        options: Sequence[str] = (),
        seed: str | None = None,
        grade_id: str | None = None,
        limits: Limits = PROOF,
    ) -> int:
        """Add a job: contract tests on the export of `cells`.

        Args:
            options: of pytest.
            seed: of the inputs that the tests draw; without one, that of the notebook.
            grade_id: of the graded cell whose tests are run; without one, all are.
        """
        report = self.folder / f"report-{len(self.jobs)}.jsonl"
        arguments = [
            *("-c", str(self.folder / "pytest.ini"), "--rootdir", ".", "-q", "--tb=no"),
            *("-p", "tito.contract.plugin", "-p", "no:cacheprovider", f"--tt={form}"),
            *(f"--tt-import={self.module.import_name}", f"--contract-report={report}"),
            *options,
            *(str(target) for target in targets),
        ]
        return self._add(
            limits,
            kind="contracts",
            arguments=arguments,
            report=str(report),
            environment={SEED_VARIABLE: seed} if seed is not None else {},
            grade_id=grade_id,
            **self._export(cells),
        )

    def values(self, cells: list[Cell], check: str, seeds: int) -> int:
        """Add a job: what a check of the export of `cells` gives with each of so many seeds."""
        name = self.module.import_name
        more = {"check": check, "seeds": seeds, "import_name": name, **self._export(cells)}
        return self._add(MUTANT, kind="values", **more)

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
        return self._add(PROOF, kind="page", title=title, page=text, **self._export(cells))

    def _export(self, cells: list[Cell]) -> dict[str, str]:
        """What a job writes before it runs."""
        text = render(cells, self.module, source_name=self.module.notebook.name)
        return {"export": self.module.export, "text": text}

    def _add(self, limits: Limits, **job: Any) -> int:
        """The number of the job. Cells that run already are not run again for another point."""
        job["limits"] = limits._asdict()
        number = len(self.jobs)
        if job["kind"] == "cells":
            same = (one["name"] for one in self.jobs if {**job, "name": one["name"]} == one)
            number = next(same, number)
        if number == len(self.jobs):
            self.jobs.append({**job, "name": number})
        return number

    def run(
        self,
        progress: Callable[[int, int], None] = lambda done, total: None,
        processes: int = PROCESSES,
    ) -> None:
        """Do all jobs that have no answer yet.

        Raises:
            EnvironmentBroken: this system cannot fork.
            WorkError: a process broke off.
        """
        jobs = [job for job in self.jobs if job["name"] not in self.answers]
        if not jobs:
            return
        before, total = len(self.answers), len(jobs)
        shared = self.folder / f"shared-{before}"
        shared.mkdir()
        given = [*self.given.values()]
        # imported once, before the process is forked; Matplotlib takes half a second
        plots = ["matplotlib.pyplot"] if "matplotlib" in str([given, jobs]) else []
        tested = ["tito.contract.plugin", "tito.contract.proxy"]
        tested += [f"tinytorch.{name}" for name in ("classes", "laws", "testing")]
        imports = [*dict.fromkeys(["numpy", *plots, *tested, *self.module.needs])]

        def seen(row: dict[str, Any]) -> None:
            self.answers[row["name"]] = _answer(self.jobs[row["name"]], row)
            progress(len(self.answers) - before, total)

        described = {"jobs": jobs, "given": given, "imports": imports}
        run_shared(described, self.workspaces[: min(processes, total)], shared, seen)


def _answer(job: dict[str, Any], row: dict[str, Any]) -> Answer:
    outcomes = list[Outcome]()
    values: Any = ()
    if job["kind"] == "values":
        values = tuple(map(tuple, row.get("rows", ())))
    elif job["kind"] == "contracts" and "rows" not in row:
        outcomes = outcome_file.read(Path(job["report"]))  # up to the test that ended it
    else:
        outcomes = [Outcome.from_json(one) for one in row.get("rows", ())]
    return Answer(tuple(outcomes), values, row.get("said", ""), row.get("status", ""))


def function_of(one: Outcome) -> str:
    """The test function, without the values that pytest adds to its name."""
    return (one.test or "").partition("[")[0]
