"""The points that run code: what each of them plans to run, and how it reads what that gave."""

import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from grading.authoring.check import about
from grading.authoring.check.blind import blind
from grading.authoring.check.promises import Promises, misnamed_laws, unknown_sentences
from grading.authoring.check.report import Proof
from grading.authoring.check.structure import all_tests, exported_names
from grading.authoring.check.wanted import Subject
from grading.authoring.check.wrong import wrong_solutions
from grading.authoring.variants import inputs
from grading.authoring.variants.proof import (
    CPU_LIMIT_SECONDS,
    Fault,
    ProofJobs,
    full_marks,
    stubs_earn_nothing,
)
from grading.authoring.variants.splice import splice
from grading.engine.course.references import test_folders
from grading.engine.course.variants import HEADER
from tito.console import counted
from tito.errors import WorkError
from tito.notebook.cells import Cell, parse_percent

_CPU_RUNS = 3  # the least of three: other processes can only add
Plan = Iterator[Fault | None]  # None once, when all of its jobs are added; then the faults


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
    by_point = _Plans(subject, proof, proofs, folder / "wrong", progress).by_point()
    plans = [plan for point, plan in by_point.items() if point in only]
    for plan in plans:
        next(plan)
    if proofs.jobs:
        proofs.run(functools.partial(progress, "proofs"))
    for plan in plans:
        proof.faults += filter(None, plan)


class _Plans:
    def __init__(
        self,
        subject: Subject,
        proof: Proof,
        proofs: ProofJobs,
        folder: Path,
        progress: Callable[[str, int, int], None],
    ):
        self.subject, self.proof, self.proofs = subject, proof, proofs
        self.folder, self.progress = folder, progress
        self.module, self.cells = subject.module, subject.cells
        self.tests = test_folders(self.module)
        self.files = {test.name: test.path for test in all_tests(self.module)}

    def by_point(self) -> dict[int, Plan]:
        return {
            1: self._reference(),
            2: self._stubs(),
            3: self._wrong(),
            4: self._right(),
            6: self._cost(),
            7: self._page(),
            8: self._promises(),
        }

    def _everywhere(
        self, cells: list[Cell], forms: tuple[str, ...] = ("module", "wire")
    ) -> dict[str, int]:
        jobs = {"notebook": self.proofs.cells(cells)}
        if self.tests:
            jobs |= {form: self.proofs.contracts(cells, self.tests, form) for form in forms}
        return jobs

    def _reference(self) -> Plan:
        jobs = self._everywhere(self.cells)
        yield None
        graded = sum(cell.is_test for cell in self.cells)
        answers = [self.proofs.answers[job] for form, job in jobs.items() if form != "notebook"]
        tests = sum(len(answer.outcomes) for answer in answers)
        said = f"{counted(graded, 'graded cell')}, {tests} laws and contract tests in both forms"
        self.proof.note(1, said)
        repair = f"repair {self.subject.path}, then: tito dev check {self.module.name} --only 1"
        yield from full_marks(self.proofs, 1, "reference", self.cells, jobs, repair, self.files)

    def _stubs(self) -> Plan:
        cells = parse_percent(self.subject.edition.script, name=self.module.script.name)
        jobs = self._everywhere(cells, ("module",))
        yield None
        found = [one for job in jobs.values() for one in self.proofs.answers[job].outcomes]
        turns = sum(one.status == "your_turn" for one in found)
        self.proof.note(2, f'{turns} times "your turn"')
        yield from stubs_earn_nothing(self.proofs, cells, jobs, self.subject.path.name)

    def _wrong(self) -> Plan:
        turned = self.proofs.turned(self.cells, self.tests) if self.tests else None
        yield None
        for text in self.subject.header_faults:
            yield Fault(3, text, f"write {HEADER}, or at its end (promises N, M)")
        yield from self.subject.uncovered()
        variants = self.subject.wrong
        file = "EXERCISE.py, more blocks"
        yield from self.subject.count(self.proof, 3, "wrong", len(variants), file)
        if turned:
            tests = len(self.proofs.answers[turned[1]].outcomes)
            self.proof.note(3, f"{tests} laws and contract tests on a part that was turned")
            yield from blind(self.proofs, turned, self.files)
        yield from wrong_solutions(self.module, self.cells, variants, self.folder, self.progress)

    def _right(self) -> Plan:
        spliced, faults = [], []
        for variant in self.subject.right:
            try:
                cells = splice(self.cells, variant)
                spliced.append((variant, cells, self._everywhere(cells)))
            except WorkError as problem:
                faults.append(Fault(4, str(problem), f"repair {variant.path}"))
        yield None
        yield from faults
        there = len(self.subject.right)
        yield from self.subject.count(self.proof, 4, "right", there, "NAME.py")
        for variant, cells, jobs in spliced:
            repair = "if the solution is right, the test asks for too much; else repair "
            repair += str(variant.path)
            yield from full_marks(self.proofs, 4, str(variant.path), cells, jobs, repair)

    def _cost(self) -> Plan:
        jobs = [self.proofs.cells(self.cells) for _ in range(_CPU_RUNS)]
        yield None
        runs = [self.proofs.answers[number].outcomes for number in jobs]
        seconds = min(sum(one.cpu_seconds for one in outcomes) for outcomes in runs)
        self.proof.note(6, f"{seconds:.2f} CPU-seconds for all graded cells")
        cells = {cell.index: cell for cell in self.cells}
        if seconds > CPU_LIMIT_SECONDS:
            dear = sorted(runs[0], key=lambda one: -one.cpu_seconds)[:3]
            named = (f"{cells[one.cell].label} {one.cpu_seconds:.2f} s" for one in dear)
            text = (
                f"graded cells use at most {CPU_LIMIT_SECONDS} CPU-seconds beyond imports;"
                f" they use {seconds:.2f}"
            )
            yield Fault(6, text, 'make smaller, or tag "demo": ' + ", ".join(named))
        for one in runs[0]:
            cell, said = cells[one.cell], one.stderr.strip()
            if cell.is_test and said:
                text = f"{cell.label} writes to stderr, and nbgrader scores that 0:"
                repair = "catch the warning in the test, or repair what warns"
                yield Fault(6, f"{text} {said.splitlines()[-1]}", repair)

    def _promises(self) -> Plan:
        from grading.authoring.mutate.report import recorded as on_record

        asked = self._everywhere(self.cells, ("module",))
        noting = self.proofs.inputs(self.cells, self.tests) if self.tests else []
        yield None
        answers, recorded = self.proofs.answers, on_record(self.module)
        found = Promises(
            self.cells,
            answers[asked["notebook"]],
            answers[asked["module"]] if self.tests else None,
            self.subject.wrong,
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
        yield from found.faults()
        for job in unread:
            repair = f"repair what point 1 names: tito dev check {self.module.name} --only 1"
            yield Fault(8, f"what laws send was not noted: {answers[job].problem}", repair)
        tests = all_tests(self.module)
        files = {test.path for test in tests if not test.is_law}
        yield from unknown_sentences(self.cells, sorted(files))
        yield from misnamed_laws(self.cells, tests)

    def _page(self) -> Plan:
        page = self.module.folder / "ABOUT.md"
        if not page.is_file():
            yield None
            repair = f"write {page}: why, words, common errors, further reading"
            yield Fault(7, f"a module has a page; {page} does not exist", repair)
            return
        text = page.read_text(encoding="utf-8")
        code, bare = about.snippets(text)
        job = self.proofs.page(page.name, code, self.cells)
        yield None
        answer = self.proofs.answers[job]
        self.proof.note(7, f"{code.count('>>>')} lines of ABOUT.md")
        if answer.problem:
            yield Fault(7, f"{page}: {answer.problem}", f"repair {page}")
        exports = ", ".join(exported_names(self.cells))
        for one in answer.lines:
            said = f"{one.source}  wrote {one.want!r}, gives {one.got!r}"
            fix = f"repair line {one.line}; the module exports {exports}"
            repair = fix if one.raised else f"write: {one.got}"
            yield Fault(7, f"{page}, line {one.line}: {said}", repair)
        for heading in (f"# {self.module.number} {self.module.title}", "## Common errors"):
            if heading not in text.splitlines():
                yield Fault(7, f"{page} has no heading {heading!r}", f"write the line: {heading}")
        for line in bare:
            said = f"{page}, line {line}: a ```python block without >>> is not run"
            yield Fault(7, said, "write it with >>>, or fence it as ```text")
        for line, figure in about.loose_figures(text):
            repair = f"add a >>> line that gives {figure}, or leave the number out"
            yield Fault(7, f"{page}, line {line}: {figure} is in no snippet of the page", repair)
        repair = f"correct `needs` in {self.module.folder / 'module.toml'}"
        for name, why in self.proofs.absent_imports.items():
            if name in self.module.needs:
                yield Fault(7, f"needs names {name}, which cannot be imported: {why}", repair)
