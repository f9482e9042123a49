"""The points that run code: what each of them plans to run, and how it reads what that gave.

The reference comes first. If it breaks a promise, everything that is compared with it would break,
too, so its faults end the check.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from grading.authoring.check import about_page, run_reference
from grading.authoring.check.check_report import Proof
from grading.authoring.check.checked_module import Subject, exported_names
from grading.authoring.check.run_wrong import wrong_solutions
from grading.authoring.check.solution_rules import wanted_solutions
from grading.authoring.check.untested_promises import Promises
from grading.authoring.variants import inputs
from grading.authoring.variants.check_jobs import CPU_LIMIT_SECONDS, DEMO, Fault, ProofJobs
from grading.authoring.variants.splice import splice
from tito.console import counted
from tito.notebook.cells import Cell, parse_percent
from tito.outcome import Outcome

_CPU_RUNS = 3
Plan = Iterator[Fault | None]  # None once, when all of its jobs are added; then the faults


def prove(
    subject: Subject,
    only: set[int],
    proof: Proof,
    folder: Path,
    progress: Callable[[str, int, int], None],
    tell: Callable[[Proof, int], None],
) -> None:
    """Points 1 to 4, the CPU time of point 6, the page and demos of point 7, and point 8; what they
    find is put into `proof`, and `tell` is called with each point that is done.
    """
    jobs = ProofJobs(subject.module, folder, subject.cells)
    plans = _Plans(subject, proof, jobs)

    def found(*planned: Plan) -> Iterator[list[Fault]]:
        """The faults of each plan; their jobs run together."""
        for plan in planned:
            next(plan)
        jobs.run(functools.partial(progress, "proofs"))
        return ([fault for fault in plan if fault] for plan in planned)

    for faults in found(plans.notebook(), plans.package()):
        proof.faults += faults
        if faults:
            tell(proof, 1)
            proof.stopped = "nothing else was checked: this comes first"
            return
    if 1 in only:
        tell(proof, 1)
    others = {8: plans.draws, 6: plans.times, 2: plans.stubs, 4: plans.right, 7: plans.page}
    chosen = [point for point in others if point in only]
    for point, faults in zip(chosen, found(*(others[one]() for one in chosen)), strict=True):
        proof.faults += faults
        if point not in {6, 8}:  # there is more to them
            tell(proof, point)
    if 6 in only:
        proof.faults += plans.cost()
        tell(proof, 6)
    if 3 in only:
        there, (wanted, rule) = len(subject.wrong), wanted_solutions(subject)["wrong"]
        of = f"; wanted {wanted}, {rule}" if subject.whole else ""
        proof.note(3, f"{there} wrong solutions{of}")
        proof.faults += wrong_solutions(subject, jobs, progress)
        tell(proof, 3)
    if 8 in only:
        proof.faults += plans.promises()
        tell(proof, 8)


class _Plans:
    def __init__(self, subject: Subject, proof: Proof, jobs: ProofJobs):
        self.subject, self.proof, self.jobs = subject, proof, jobs
        self.module, self.targets = subject.module, subject.targets
        self.cells = subject.to_run(subject.cells)

    def notebook(self) -> Plan:
        self.asked = self.jobs.cells(self.cells)
        yield None
        graded = sum(cell.is_test for cell in self.cells)
        self.proof.note(1, counted(graded, "graded cell"))
        yield from run_reference.notebook_faults(self.subject, self.jobs.answers[self.asked])

    def package(self) -> Plan:
        """The reference as a package and through the pipe, each twice: the package with the laws in
        reversed order, the pipe to compare what the laws send.
        """
        if not self.targets:
            yield None
            return
        seed = inputs.SEEDS[0]
        self.module_form = self.jobs.contracts(self.cells, self.targets)
        runs = [self.jobs.inputs(self.cells, self.targets, seed) for _ in range(2)]
        options = "module", "--reversed"
        backwards = self.jobs.inputs(self.cells, self.targets, seed, *options)[0]
        self.known = runs[0][1]
        yield None
        answers = [self.jobs.answers[number] for number in (self.module_form, runs[0][0])]
        tests = sum(len(answer.outcomes) for answer in answers)
        self.proof.note(1, f"{tests} laws and contract tests in both forms")
        faults = [*run_reference.package_faults(self.subject, answers)]
        if not faults:
            notes = [inputs.read(path) for _, path in runs if path.is_file()]
            again = self.jobs.answers[backwards]
            faults = [*run_reference.other_faults(self.subject, again, notes)]
        yield from faults

    def stubs(self) -> Plan:
        script = self.subject.edition.script
        cells = self.subject.to_run(parse_percent(script, name=self.module.script.name))
        notebook = self.jobs.cells(cells)
        package = self.jobs.contracts(cells, self.targets) if self.targets else None
        yield None
        answers = [self.jobs.answers[job] for job in (notebook, package) if job is not None]
        outcomes = [one for answer in answers for one in answer.outcomes]
        turns = sum(one.status == "your_turn" for one in outcomes)
        self.proof.note(2, f'{turns} times "your turn"')
        yield from run_reference.stub_faults(self.subject, cells, answers)

    def right(self) -> Plan:
        stubs = {cell.index: cell.source for one in self.subject.named for cell in one.stubs}
        tried = []
        for variant in self.subject.right:
            cells = self.subject.to_run(splice(self.subject.cells, variant))
            if any(cell.source != stubs.get(cell.index, cell.source) for cell in cells):
                jobs = [self.jobs.cells(cells)]
                if self.targets:
                    forms = "module", "wire"
                    jobs += [self.jobs.contracts(cells, self.targets, form) for form in forms]
                tried.append((variant, jobs))
        yield None
        wanted, rule = wanted_solutions(self.subject)["right"]
        of = f"; wanted {wanted}, {rule}" if self.subject.whole else ""
        self.proof.note(4, f"{len(tried)} right solutions{of}")
        for variant, jobs in tried:
            answers = [self.jobs.answers[job] for job in jobs]
            yield from run_reference.right_faults(self.subject, variant, answers)

    def times(self) -> Plan:
        self.timed = [self.jobs.cells(self.cells, run) for run in range(1, 1 + _CPU_RUNS)]
        yield None

    def cost(self) -> Iterator[Fault]:
        """The rest of point 6, when nothing else runs that could take a cache or a core."""
        seconds = self._seconds()
        if seconds > CPU_LIMIT_SECONDS:
            again = range(1 + _CPU_RUNS, 1 + 3 * _CPU_RUNS)
            self.timed += [self.jobs.cells(self.cells, run) for run in again]
            self.jobs.run(processes=1)
            seconds = self._seconds()
        self.proof.note(6, f"{seconds:.2f} CPU-seconds for all graded cells")
        cells = {cell.index: cell for cell in self.cells}
        outcomes = self.jobs.answers[self.timed[-1]].outcomes
        if seconds > CPU_LIMIT_SECONDS:
            dear = sorted(outcomes, key=lambda one: -one.cpu_seconds)[:3]
            named = (f"{cells[one.cell].label} {one.cpu_seconds:.2f} s" for one in dear)
            text = (
                f"graded cells use at most {CPU_LIMIT_SECONDS} CPU-seconds beyond imports;"
                f" they use {seconds:.2f}"
            )
            repair = 'make smaller, or tag "demo": ' + ", ".join(named)
            yield Fault(6, self.subject.at(cells[dear[0].cell]), text, repair)
        for one in outcomes:
            cell, said = cells[one.cell], one.stderr.strip()
            if cell.is_test and said:
                text = f"{cell.label} writes to stderr, and nbgrader scores that 0:"
                place = run_reference.said_at(self.subject, cell)
                repair = "print nothing there; catch a warning in the law, or repair what warns"
                yield Fault(6, place, f"{text} {said.splitlines()[-1]}", repair)

    def _seconds(self) -> float:
        """CPU time of a run of all cells; other processes can only add to it."""
        runs = [self.jobs.answers[number].outcomes for number in self.timed]
        return min(sum(one.cpu_seconds for one in outcomes) for outcomes in runs)

    def draws(self) -> Plan:
        if self.targets:
            seed = inputs.SEEDS[1]
            self.drawn = self.jobs.inputs(self.cells, self.targets, seed)[1]
        yield None

    def promises(self) -> list[Fault]:
        """Point 8, when the wrong solutions are known to break what they say."""
        from grading.authoring.mutate.mutation_report import recorded as on_record

        recorded, answers = on_record(self.module), self.jobs.answers
        promised = Promises(
            self.subject.named,
            answers[self.asked],
            answers[self.module_form] if self.targets else None,
            self.subject.wrong,
            recorded.promises if recorded else {},
        )
        command = f"tito dev mutate {self.module.number} --record"
        if recorded is None:
            self.proof.unproved = f"no mutants were run: {command}"
        elif recorded.is_stale:
            self.proof.unproved = f"the mutants on record are older than the source: {command}"
        self.proof.note(8, promised.summary())
        if self.targets:
            known, drawn = inputs.read(self.known), inputs.read(self.drawn)
            fixed = self._fixed(known, drawn)
            self.proof.note(8, inputs.summary(promised.asked, drawn, fixed))
        self.proof.note(8, self.proof.unproved)
        self.proof.promises = promised.rows()
        proved = not any(fault.point == 3 for fault in self.proof.faults)
        return [*promised.faults(self.subject, proved)]

    def _fixed(self, known: inputs.Notes, drawn: inputs.Notes) -> list[str]:
        """The promises whose inputs are the same for two secrets, and for three more: a law may
        draw one of two inputs.
        """
        numbers = {one.partition(".")[0] for one in inputs.fixed(known, [drawn]) if "." in one}
        tests = self.subject.tests
        paths = [*dict.fromkeys(test.path for test in tests if test.exercise in numbers)]
        more = []
        if paths:
            more = [self.jobs.inputs(self.cells, paths, seed)[1] for seed in inputs.MORE_SEEDS]
            self.jobs.run()
        return inputs.fixed(known, [drawn, *map(inputs.read, more)])

    def page(self) -> Plan:
        page = self.module.folder / "ABOUT.md"
        demos = self.jobs.cells(self.cells, limits=DEMO, demos=True)
        if not page.is_file():
            yield None
            repair = "write it: why, words, common errors, further reading"
            yield Fault(7, self.subject.at(page), "a module has a page, ABOUT.md", repair)
            return
        text = page.read_text(encoding="utf-8")
        code, _ = about_page.snippets(text)
        job = self.jobs.page(page.name, code, self.cells)
        yield None
        answer = self.jobs.answers[job]
        place = functools.partial(self.subject.at, page)
        self.proof.note(7, f"{code.count('>>>')} lines of ABOUT.md")
        if answer.problem:
            yield Fault(7, place(), answer.problem, "repair the page")
        exports = ", ".join(exported_names(self.cells))
        for one in answer.outcomes:
            said = f"{one.call}  wrote {one.want!r}, gives {one.got!r}"
            fix = f"repair the line; the module exports {exports}"
            repair = fix if one.status == "error" else f"write: {one.got}"
            yield Fault(7, place(one.line or 0), said, repair)
        title = f"# {self.module.number} {self.module.title}"
        for line, said, repair in about_page.text_faults(text, title):
            yield Fault(7, place(line), said, repair)
        yield from self._demos(self.jobs.answers[demos].outcomes)

    def _demos(self, outcomes: Sequence[Outcome]) -> Iterator[Fault]:
        cells: dict[int, Cell] = {cell.index: cell for cell in self.cells}
        for one in outcomes:
            cell = cells[one.cell]
            # at its limit, a library may turn the signal into an error of its own
            if cell.is_demo and one.status == "error" and one.seconds < DEMO.one_test:
                text = f"{cell.label}: the demo fails: {one.on_screen}"
                repair = "repair the demo: the site runs it, too"
                yield Fault(7, self.subject.at(cell, one.line or 0), text, repair)
        self.proof.note(7, counted(sum(cell.is_demo for cell in self.cells), "demo"))
