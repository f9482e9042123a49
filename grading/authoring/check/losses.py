"""Whether a wrong solution loses points: the laws and contract tests of its exercise, run on its
export.
"""

from __future__ import annotations

from pathlib import Path

from grading.authoring.check.exercise_rules import law_or_test
from grading.authoring.check.proof import Fault, ProofJobs
from grading.authoring.check.splice import splice
from grading.authoring.check.structure import all_tests
from grading.engine.course.variants import Variant
from grading.engine.results import contract_mark
from tito.notebook.cells import Cell
from tito.notebook.exercises import Exercise, exercises
from tito.notebook.promises import promises


class Losses:
    """The jobs of wrong solutions, each with the laws and contract tests of its own exercise."""

    def __init__(self, proofs: ProofJobs, cells: list[Cell]):
        self.proofs, self.cells = proofs, cells
        self.asked = [one for one in exercises(cells) if one.graded and not one.is_question]
        self.files: dict[str, list[Path]] = {}  # graded cell -> the files with its tests
        for test in all_tests(proofs.module):
            for grade_id in test.grade_ids:
                self.files.setdefault(grade_id, []).append(test.path)
        self.jobs: list[tuple[Variant, list[Exercise], int]] = []

    def add(self, variant: Variant) -> None:
        """Raises WorkError where the solution cannot be put into the notebook."""
        own = [one for one in self.asked if _belongs(variant, one)]
        files = [path for one in own if one.graded for path in self.files.get(one.graded.name, ())]
        if files:
            spliced = splice(self.cells, variant)
            number = self.proofs.contracts(spliced, list(dict.fromkeys(files)))
            self.jobs.append((variant, own, number))

    def faults(self) -> list[Fault]:
        """A fault for each wrong solution that keeps all points of its exercise."""
        return [fault for job in self.jobs for fault in self._faults(*job)]

    def _faults(self, variant: Variant, own: list[Exercise], number: int) -> list[Fault]:
        answer = self.proofs.answers[number]
        if answer.problem:
            text = f"{variant.path}: the tests of its exercise did not run on it: {answer.problem}"
            return [Fault(3, text, f"mend {variant.path}")]
        for exercise in own:
            assert exercise.graded
            tests = [one for one in answer.outcomes if one.grade_id == exercise.graded.name]
            said = [one.plain for one in promises(exercise)]
            mark = contract_mark("", exercise.graded.name, exercise.points, tests, said)
            if round(exercise.points - (mark.points or 0.0), 2) > 0:
                return []
        kind, repair = law_or_test(own[0].graded)
        text = f"{variant.path}: no {kind} of its exercise catches it, so it keeps all points"
        return [Fault(3, text, repair)]


def _belongs(variant: Variant, exercise: Exercise) -> bool:
    names = {exercise.name, *(stub.name for stub in exercise.stubs)}
    return variant.exercise in names or exercise.name.startswith(f"{variant.exercise}_")
