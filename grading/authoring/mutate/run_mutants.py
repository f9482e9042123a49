"""Which test kills each mutant: first the test cells of its exercise, then the public laws and
contract tests that earn the points of its graded cell, then the hidden ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from grading.authoring.mutate.mutants import Mutant, asked
from grading.authoring.variants.check_jobs import MUTANT, Answer, ProofJobs
from grading.engine.course.references import secrets_of
from tito.contract.facts_of_tests import tests_in
from tito.errors import WorkError

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
    broken: set[str] = field(default_factory=set)  # promises, all of them if every test was run

    @property
    def by(self) -> str:
        return self.kills[0].by if self.kills else ""

    @property
    def loses_points(self) -> bool:
        """Whether a contract test fails. Known where all stages were run."""
        return any(kill.by != "notebook" for kill in self.kills)

    def note(self, stage: str, answer: Answer, names: dict[int, str]) -> None:
        """Add what one stage found; `names` are those of the cells by their index."""
        failed = [one for one in answer.outcomes if one.status not in ("pass", "not_run")]
        self.broken |= {one.promise for one in failed if one.promise}
        if failed:
            one = failed[0]
            test = one.test or names.get(one.cell, "")
            kill = Kill(stage, test, one.promise or "", one.on_screen[:600], one.status)
            self.kills.append(kill)
        elif answer.problem:
            begun = (one.test or "" for one in answer.outcomes if one.status == "not_run")
            status = answer.status or "error"
            self.kills.append(Kill(stage, next(begun, ""), "", answer.problem, status))


class Runs:
    """Runs mutants of one module."""

    def __init__(
        self,
        jobs: ProofJobs,
        progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
    ):
        self.jobs, self.progress = jobs, progress
        self.exercises = {one.name: one for one in asked(jobs.reference)}
        folders = jobs.module.tests, secrets_of(jobs.module) / "tests"
        self.tests = {
            stage: [test for path in sorted(folder.glob("test_*.py")) for test in tests_in(path)]
            for stage, folder in zip(STAGES[1:], folders, strict=True)
        }

    def verdicts(self, mutants: Sequence[Mutant], *, every_stage: bool = False) -> list[Verdict]:
        """One for each mutant, in order. With `every_stage`, the contract tests also run on those
        that the notebook's tests have killed.

        Raises:
            WorkError: a test fails for the reference itself, or a process broke off.
        """
        names = dict.fromkeys(mutant.exercise for mutant in mutants)
        controls = [Verdict(Mutant(_REFERENCE + name, name, {}, {})) for name in names]
        verdicts = [*controls, *map(Verdict, mutants)]
        for stages in [STAGES] if every_stage else [(stage,) for stage in STAGES]:
            self._run(stages, [one for one in verdicts if not one.kills])
        for control in controls:
            for kill in control.kills:
                raise WorkError(
                    f"the tests of {control.mutant.exercise} pass for the reference before mutants"
                    f" are made of it; {kill.test} does not: {kill.said}. Repair it first:"
                    f" tito dev check {self.jobs.module.number} --only 1"
                )
        return verdicts[len(controls) :]

    def _run(self, stages: Sequence[str], verdicts: list[Verdict]) -> None:
        added = [
            (verdict, stage, number)
            for verdict in verdicts
            for stage in stages
            if (number := self._add(stage, verdict.mutant)) is not None
        ]
        self.jobs.run(partial(self.progress, stages[0] if len(stages) == 1 else "wrong solutions"))
        names = {cell.index: cell.name for cell in self.jobs.reference}
        for verdict, stage, number in added:
            verdict.note(stage, self.jobs.answers[number], names)

    def _add(self, stage: str, mutant: Mutant) -> int | None:
        """The number of the job that runs one stage on a mutant; None for a stage without tests."""
        cells, home = mutant.in_place_of(self.jobs.reference), self.exercises[mutant.exercise]
        if stage == "notebook":
            own = {cell.index for cell in home.cells if cell.runs_tests}
            last = max(own | mutant.changes.keys())
            chosen = (one for one in cells if one.index <= last)
            return self.jobs.cells(
                [one for one in chosen if one.index in own or not one.runs_tests],
                limits=MUTANT,
                until_failure=True,
            )
        grade_id = home.graded.name if home.graded else ""
        tests = (
            test
            for test in self.tests[stage]
            if test.exercise == home.number or grade_id in test.grade_ids
        )
        paths = [*dict.fromkeys(test.path for test in tests)]
        options = [f"--tt-seconds={MUTANT.one_test:g}", *([] if mutant.every_test else ["-x"])]
        more = {"options": options, "seed": "1", "grade_id": grade_id, "limits": MUTANT}
        return self.jobs.contracts(cells, paths, **more) if paths else None  # type: ignore[arg-type]
