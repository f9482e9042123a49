"""The points that run code: what each of them plans to run, and how it reads what that gave."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from grading.authoring.check import about
from grading.authoring.check.proof import (
    CPU_LIMIT_SECONDS,
    Attempt,
    Bench,
    Fault,
    attempt,
    caught,
    full_marks,
    is_carrier,
    stubs_earn_nothing,
)
from grading.authoring.check.report import Report
from grading.authoring.check.splice import splice
from grading.authoring.check.structure import contract_folders, contract_tests
from grading.authoring.check.subject import Subject
from tito.errors import WorkError
from tito.notebook.cells import Cell, parse_percent

_CPU_RUNS = 3  # the least of three: other processes can only add


def prove(
    subject: Subject,
    only: set[int],
    report: Report,
    folder: Path,
    progress: Callable[[int, int], None],
) -> None:
    """Points 1 to 4, the CPU time of point 6 and the page of point 7, in one go; what they find is
    put into the report.
    """
    bench = Bench(subject.module, folder, subject.cells)
    plans = _Plans(subject, report)
    readers = [plan(bench) for point, plan in plans.by_point() if point in only]
    if bench.jobs:
        bench.run(progress)
    for read in readers:
        report.faults += read()


class _Plans:
    """A plan puts jobs on the bench, and returns how their answers are read."""

    def __init__(self, subject: Subject, report: Report):
        self.subject, self.report = subject, report
        self.module, self.cells = subject.module, subject.cells

    def by_point(self) -> list[tuple[int, Callable[[Bench], Callable[[], list[Fault]]]]]:
        return [
            (1, self._reference),
            (2, self._stubs),
            (3, self._misconceptions),
            (4, self._alternatives),
            (6, self._cost),
            (7, self._page),
        ]

    def _everywhere(self, bench: Bench, cells: list[Cell]) -> dict[str, int]:
        folders = contract_folders(self.module)
        jobs = {"notebook": bench.cells(cells)}
        return jobs | (
            {form: bench.contracts(cells, folders, form) for form in ("module", "wire")}
            if folders
            else {}
        )

    def _reference(self, bench: Bench) -> Callable[[], list[Fault]]:
        jobs = self._everywhere(bench, self.cells)

        def read() -> list[Fault]:
            tests = sum(
                len(bench.answers[number].rows)
                for form, number in jobs.items()
                if form != "notebook"
            )
            self.report.note(
                1,
                f"{sum(cell.is_test and not is_carrier(cell) for cell in self.cells)} test cells,"
                f" {tests} contract tests",
            )
            return full_marks(
                bench,
                1,
                "reference",
                self.cells,
                jobs,
                f"mend {self.subject.path}, then: tito dev check {self.module.name} --only 1",
            )

        return read

    def _stubs(self, bench: Bench) -> Callable[[], list[Fault]]:
        cells = parse_percent(self.subject.edition.script, name=self.module.script.name)
        jobs = {"notebook": bench.cells(cells)}
        if folders := contract_folders(self.module):
            jobs["module"] = bench.contracts(cells, folders)

        def read() -> list[Fault]:
            rows = [row for number in jobs.values() for row in bench.answers[number].rows]
            stubs = sum(row["status"] == "your_turn" for row in rows)
            self.report.note(2, f'{stubs} times "your turn"')
            return stubs_earn_nothing(bench, cells, jobs, self.subject.path.name)

        return read

    def _misconceptions(self, bench: Bench) -> Callable[[], list[Fault]]:
        tests = contract_tests(self.module)
        found = [
            attempt(bench, self.cells, variant, {name: path for name, (path, _) in tests.items()})
            for variant in self.subject.misconceptions
        ]
        faults = [Fault(3, text, "add the header lines") for text in self.subject.header_faults] + [
            one for one in found if isinstance(one, Fault)
        ]
        faults += self.subject.uncovered() + self.subject.count(
            self.report, 3, "misconceptions", "*/*.py"
        )

        def read() -> list[Fault]:
            return faults + [
                fault for one in found if isinstance(one, Attempt) for fault in caught(bench, one)
            ]

        return read

    def _alternatives(self, bench: Bench) -> Callable[[], list[Fault]]:
        spliced, faults = [], []
        for variant in self.subject.alternatives:
            try:
                cells = splice(self.cells, variant)
                spliced.append((variant, cells, self._everywhere(bench, cells)))
            except WorkError as problem:
                faults.append(Fault(4, str(problem), f"mend {variant.path}"))
        faults += self.subject.count(self.report, 4, "alternatives", "*.py")

        def read() -> list[Fault]:
            return faults + [
                fault
                for variant, cells, jobs in spliced
                for fault in full_marks(
                    bench,
                    4,
                    str(variant.path),
                    cells,
                    jobs,
                    "if the solution is right, the test asks for too much;"
                    f" else mend {variant.path}",
                )
            ]

        return read

    def _cost(self, bench: Bench) -> Callable[[], list[Fault]]:
        jobs = [bench.cells(self.cells) for _ in range(_CPU_RUNS)]

        def read() -> list[Fault]:
            seconds = min(
                sum(row["cpu_seconds"] for row in bench.answers[number].rows) for number in jobs
            )
            self.report.note(6, f"{seconds:.2f} CPU-seconds for all graded cells")
            dear = sorted(bench.answers[jobs[0]].rows, key=lambda row: -row["cpu_seconds"])[:3]
            labels = {cell.index: cell.label for cell in self.cells}
            faults = (
                [
                    Fault(
                        6,
                        f"graded cells use at most {CPU_LIMIT_SECONDS} CPU-seconds beyond imports;"
                        f" they use {seconds:.2f}",
                        'make smaller, or tag "demo": '
                        + ", ".join(
                            f"{labels[row['index']]} {row['cpu_seconds']:.2f} s" for row in dear
                        ),
                    )
                ]
                if seconds > CPU_LIMIT_SECONDS
                else []
            )
            loud = [
                (cell, row)
                for row in bench.answers[jobs[0]].rows
                for cell in self.cells
                if cell.index == row["index"] and cell.is_test and row["stderr"].strip()
            ]
            return faults + [
                Fault(
                    6,
                    f"{cell.label} writes to stderr, and nbgrader scores that 0:"
                    f" {row['stderr'].strip().splitlines()[-1]}",
                    "catch the warning in the test, or mend what warns",
                )
                for cell, row in loud
            ]

        return read

    def _page(self, bench: Bench) -> Callable[[], list[Fault]]:
        page = self.module.folder / "ABOUT.md"
        if not page.is_file():
            return lambda: [
                Fault(
                    7,
                    f"a module has a page; {page} does not exist",
                    f"write {page}: why, words, common errors, further reading",
                )
            ]
        text = page.read_text(encoding="utf-8")
        code, bare = about.snippets(text)
        job = bench.page(page.name, code, self.cells)

        def read() -> list[Fault]:
            answer = bench.answers[job]
            self.report.note(7, f"{code.count('>>>')} lines of ABOUT.md")
            faults = (
                [Fault(7, f"{page}: {answer.problem}", f"mend {page}")] if answer.problem else []
            )
            faults += [
                Fault(
                    7,
                    f"{page}, line {row['line']}: {row['source']}  wrote {row['want']!r}, gives"
                    f" {row['got']!r}",
                    f"write: {row['got']}",
                )
                for row in answer.rows
            ]
            faults += [
                Fault(
                    7,
                    f"{page}, line {line}: a ```python block without >>> is not run",
                    "write it with >>>, or fence it as ```text",
                )
                for line in bare
            ]
            faults += [
                Fault(
                    7,
                    f"{page}, line {line}: {figure} is in no snippet of the page",
                    f"add a >>> line that gives {figure}, or leave the number out",
                )
                for line, figure in about.loose_figures(text)
            ]
            return faults + [
                Fault(
                    7,
                    f"needs names {name}, which cannot be imported: {why}",
                    f"correct `needs` in {self.module.folder / 'module.toml'}",
                )
                for name, why in bench.absent_imports.items()
                if name in self.module.needs
            ]

        return read
