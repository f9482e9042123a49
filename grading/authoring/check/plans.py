"""The points that run code: what each of them plans to run, and how it reads what that gave."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path

from grading.authoring.check import about, inputs
from grading.authoring.check.blind import blind
from grading.authoring.check.promises import Promises, misnamed_laws, unknown_sentences
from grading.authoring.check.proof import (
    CPU_LIMIT_SECONDS,
    Fault,
    ProofJobs,
    full_marks,
    stubs_earn_nothing,
)
from grading.authoring.check.report import Proof
from grading.authoring.check.splice import splice
from grading.authoring.check.structure import (
    all_tests,
    contract_folders,
    contract_tests,
    exported_names,
)
from grading.authoring.check.subject import Subject
from grading.authoring.check.wrong import wrong_solutions
from grading.engine.course.variants import HEADER
from tito.console import counted
from tito.errors import WorkError
from tito.notebook.cells import Cell, parse_percent

_CPU_RUNS = 3  # the least of three: other processes can only add


def prove(
    subject: Subject,
    only: set[int],
    proof: Proof,
    folder: Path,
    progress: Callable[[str, int, int], None],
) -> None:
    """Points 1 to 4, the CPU time of point 6 and the page of point 7, in one go; what they find is
    put into `proof`.
    """
    proofs = ProofJobs(subject.module, folder, subject.cells)
    plans = _Plans(subject, proof, folder / "wrong", progress)
    readers = [plan(proofs) for point, plan in plans.by_point() if point in only]
    if proofs.jobs:
        proofs.run(functools.partial(progress, "proofs"))
    for read in readers:
        proof.faults += read()


class _Plans:
    """A plan adds its jobs to the proofs, and returns how their answers are read."""

    def __init__(
        self,
        subject: Subject,
        proof: Proof,
        folder: Path,
        progress: Callable[[str, int, int], None],
    ):
        self.subject, self.proof = subject, proof
        self.folder, self.progress = folder, progress
        self.module, self.cells = subject.module, subject.cells

    def by_point(self) -> list[tuple[int, Callable[[ProofJobs], Callable[[], list[Fault]]]]]:
        return [
            (1, self._reference),
            (2, self._stubs),
            (3, self._misconceptions),
            (4, self._alternatives),
            (6, self._cost),
            (7, self._page),
            (8, self._promises),
        ]

    def _everywhere(self, proofs: ProofJobs, cells: list[Cell]) -> dict[str, int]:
        folders = contract_folders(self.module)
        jobs = {"notebook": proofs.cells(cells)}
        return jobs | (
            {form: proofs.contracts(cells, folders, form) for form in ("module", "wire")}
            if folders
            else {}
        )

    def _reference(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        jobs = self._everywhere(proofs, self.cells)

        def read() -> list[Fault]:
            graded = sum(cell.is_test for cell in self.cells)
            tests = sum(
                len(proofs.answers[number].outcomes)
                for form, number in jobs.items()
                if form != "notebook"
            )
            self.proof.note(
                1,
                f"{counted(graded, 'graded cell')}, {tests} laws and contract tests in both forms",
            )
            return full_marks(
                proofs,
                1,
                "reference",
                self.cells,
                jobs,
                f"mend {self.subject.path}, then: tito dev check {self.module.name} --only 1",
                {name: path for name, (path, _) in contract_tests(self.module).items()},
            )

        return read

    def _stubs(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        cells = parse_percent(self.subject.edition.script, name=self.module.script.name)
        jobs = {"notebook": proofs.cells(cells)}
        if folders := contract_folders(self.module):
            jobs["module"] = proofs.contracts(cells, folders)

        def read() -> list[Fault]:
            found = [one for job in jobs.values() for one in proofs.answers[job].outcomes]
            turns = sum(one.status == "your_turn" for one in found)
            self.proof.note(2, f'{turns} times "your turn"')
            return stubs_earn_nothing(proofs, cells, jobs, self.subject.path.name)

        return read

    def _misconceptions(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        files = {name: path for name, (path, _) in contract_tests(self.module).items()}
        folders = contract_folders(self.module)
        turned = proofs.turned(self.cells, folders) if folders else None
        variants = self.subject.misconceptions
        faults = [
            Fault(3, text, f"write {HEADER}, or at its end (promises N, M)")
            for text in self.subject.header_faults
        ]
        faults += self.subject.uncovered()
        faults += self.subject.count(
            self.proof, 3, "misconceptions", len(variants), "EXERCISE.py, more blocks"
        )

        def read() -> list[Fault]:
            lost = []
            if turned:
                tests = len(proofs.answers[turned[1]].outcomes)
                self.proof.note(3, f"{tests} laws and contract tests on a part that was turned")
                lost = blind(proofs, turned, files)
            wrong = wrong_solutions(self.module, self.cells, variants, self.folder, self.progress)
            return faults + lost + wrong

        return read

    def _alternatives(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        spliced, faults = [], []
        for variant in self.subject.alternatives:
            try:
                cells = splice(self.cells, variant)
                spliced.append((variant, cells, self._everywhere(proofs, cells)))
            except WorkError as problem:
                faults.append(Fault(4, str(problem), f"mend {variant.path}"))
        there = len(self.subject.alternatives)
        faults += self.subject.count(self.proof, 4, "alternatives", there, "NAME.py")

        def read() -> list[Fault]:
            return faults + [
                fault
                for variant, cells, jobs in spliced
                for fault in full_marks(
                    proofs,
                    4,
                    str(variant.path),
                    cells,
                    jobs,
                    "if the solution is right, the test asks for too much;"
                    f" else mend {variant.path}",
                )
            ]

        return read

    def _cost(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        jobs = [proofs.cells(self.cells) for _ in range(_CPU_RUNS)]

        def read() -> list[Fault]:
            runs = [proofs.answers[number].outcomes for number in jobs]
            seconds = min(sum(one.cpu_seconds for one in outcomes) for outcomes in runs)
            self.proof.note(6, f"{seconds:.2f} CPU-seconds for all graded cells")
            cells = {cell.index: cell for cell in self.cells}
            faults = []
            if seconds > CPU_LIMIT_SECONDS:
                dear = sorted(runs[0], key=lambda one: -one.cpu_seconds)[:3]
                named = (f"{cells[one.cell].label} {one.cpu_seconds:.2f} s" for one in dear)
                text = (
                    f"graded cells use at most {CPU_LIMIT_SECONDS} CPU-seconds beyond imports;"
                    f" they use {seconds:.2f}"
                )
                faults.append(Fault(6, text, 'make smaller, or tag "demo": ' + ", ".join(named)))
            for one in runs[0]:
                cell, said = cells[one.cell], one.stderr.strip()
                if cell.is_test and said:
                    text = (
                        f"{cell.label} writes to stderr, and nbgrader scores that 0:"
                        f" {said.splitlines()[-1]}"
                    )
                    repair = "catch the warning in the test, or mend what warns"
                    faults.append(Fault(6, text, repair))
            return faults

        return read

    def _promises(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
        folders = contract_folders(self.module)
        notebook = proofs.cells(self.cells)
        contracts = proofs.contracts(self.cells, folders) if folders else None
        noting = proofs.inputs(self.cells, folders) if folders else []

        def read() -> list[Fault]:
            from grading.authoring.mutate.report import recorded as on_record

            recorded = on_record(self.module)
            found = Promises(
                self.cells,
                proofs.answers[notebook],
                proofs.answers[contracts] if contracts is not None else None,
                self.subject.misconceptions,
                recorded.promises if recorded else {},
            )
            if recorded is None:
                self.proof.note(8, f"no mutants on record: tito dev mutate {self.module.number}")
            elif recorded.is_stale:
                self.proof.note(8, "the mutants on record are older than the source or its tests")
            self.proof.note(8, found.summary())
            unread = [job for job, path in noting if not path.is_file()]
            if noting and not unread:
                notes = [json.loads(path.read_text(encoding="utf-8")) for _, path in noting]
                self.proof.note(8, inputs.summary(found.asked, *notes))
            self.proof.promises = found.rows()
            tests = all_tests(self.module)
            files = {test.path for test in tests if not test.is_law}
            repair = f"mend what point 1 names: tito dev check {self.module.name} --only 1"
            return (
                found.faults()
                + [
                    Fault(8, f"what laws send was not noted: {proofs.answers[job].problem}", repair)
                    for job in unread
                ]
                + unknown_sentences(self.cells, sorted(files))
                + misnamed_laws(self.cells, tests)
            )

        return read

    def _page(self, proofs: ProofJobs) -> Callable[[], list[Fault]]:
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
        job = proofs.page(page.name, code, self.cells)
        exports = ", ".join(exported_names(self.cells))

        def read() -> list[Fault]:
            answer = proofs.answers[job]
            self.proof.note(7, f"{code.count('>>>')} lines of ABOUT.md")
            faults = (
                [Fault(7, f"{page}: {answer.problem}", f"mend {page}")] if answer.problem else []
            )
            faults += [
                Fault(
                    7,
                    f"{page}, line {one.line}: {one.source}  wrote {one.want!r}, gives {one.got!r}",
                    f"mend line {one.line}; the module exports {exports}"
                    if one.raised
                    else f"write: {one.got}",
                )
                for one in answer.lines
            ]
            faults += [
                Fault(7, f"{page} has no heading {heading!r}", f"write the line: {heading}")
                for heading in (f"# {self.module.number} {self.module.title}", "## Common errors")
                if heading not in text.splitlines()
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
                for name, why in proofs.absent_imports.items()
                if name in self.module.needs
            ]

        return read
