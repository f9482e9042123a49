"""What a misconception loses in sealed tests: in its own exercise, and in others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.authoring.check.proof import Fault, ProofJobs
from grading.engine.course.variants import Variant
from grading.engine.results import contract_mark
from tito.notebook.cells import Cell
from tito.notebook.exercises import Exercise, exercises
from tito.notebook.promises import promises


@dataclass(frozen=True)
class Loss:
    """What one misconception loses, in points."""

    misconception: str  # "exercise/file name"
    own: float
    elsewhere: dict[str, float]  # graded cell of another exercise -> points

    @property
    def total_elsewhere(self) -> float:
        return round(sum(self.elsewhere.values()), 2)


def losses(
    proofs: ProofJobs, jobs: Sequence[tuple[Variant, int]], cells: Sequence[Cell]
) -> tuple[list[Loss], list[Fault]]:
    """The losses of each misconception, and a fault for each one that keeps its own points.

    Args:
        jobs: a misconception with the number of its answer: all sealed tests, run on it.
    """
    found, faults = [], []
    asked = [one for one in exercises(cells) if one.graded and not one.is_question]
    for variant, number in jobs:
        answer = proofs.answers[number]
        own, elsewhere = 0.0, {}
        if not any(_belongs(variant, exercise) for exercise in asked):
            continue  # point 6 names the exercise that has no number, point 3 an unknown folder
        for exercise in asked:
            assert exercise.graded
            tests = [one for one in answer.outcomes if one.grade_id == exercise.graded.name]
            said = [one.plain for one in promises(exercise)]
            mark = contract_mark("", exercise.graded.name, exercise.points, tests, said)
            lost = round(exercise.points - (mark.points or 0.0), 2)
            if _belongs(variant, exercise):
                own += lost
            elif lost:
                elsewhere[exercise.graded.name] = lost
        if answer.problem:
            text = f"{variant.path}: the sealed tests did not run on it: {answer.problem}"
            faults.append(Fault(3, text, f"mend {variant.path}"))
            continue
        found.append(Loss(variant.name, round(own, 2), elsewhere))
        if own <= 0:
            faults.append(
                Fault(
                    3,
                    f"{variant.path}: no sealed test of its exercise catches it, so it keeps all"
                    " points",
                    "write a contract test of this exercise, public or hidden, that fails for it",
                )
            )
    return found, faults


def _belongs(variant: Variant, exercise: Exercise) -> bool:
    names = {exercise.name, *(stub.name for stub in exercise.stubs)}
    return variant.exercise in names or exercise.name.startswith(f"{variant.exercise}_")
