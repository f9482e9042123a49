"""Point 3: each wrong solution, tried on the one test that it names; and laws and contract tests,
tried on a package of which a part gives nothing or refuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grading.authoring.check.proof import Fault, ProofJobs, function_of
from grading.authoring.check.splice import splice
from grading.engine.course.variants import Variant
from tito.errors import WorkError
from tito.notebook.cells import Cell
from tito.outcome import Outcome


@dataclass(frozen=True)
class Attempt:
    """A misconception with the job that should catch it."""

    variant: Variant
    answer: int
    cell: Cell | None = None  # the test cell that should; None for a law or a contract test


def attempt(
    proofs: ProofJobs, cells: list[Cell], variant: Variant, contracts: dict[str, Path]
) -> Attempt | Fault:
    """Add the job of one misconception: the notebook's own cells and the one test it names."""
    test = next((c for c in cells if c.is_test and c.grade_id == variant.caught_by), None)
    if test is None and variant.caught_by not in contracts:
        names = [c.name for c in cells if c.is_test] + list(contracts)
        return Fault(
            3,
            f"{variant.path}: caught by {variant.caught_by!r}, which is no graded cell, no law"
            " and no contract test",
            f"name one of: {', '.join(names)}",
        )
    try:
        wrong = splice(cells, variant)
    except WorkError as problem:
        return Fault(3, str(problem), f"mend {variant.path}")
    if test is not None:
        return Attempt(variant, proofs.cells(wrong, only=test.grade_id), test)
    return Attempt(
        variant, proofs.contracts(wrong, [contracts[variant.caught_by]], only=variant.caught_by)
    )


def caught(proofs: ProofJobs, tried: Attempt) -> list[Fault]:
    """The named test fails, and the student reads the named sentence."""
    variant, answer = tried.variant, proofs.answers[tried.answer]
    if answer.problem:
        return [Fault(3, f"{variant.path}: {answer.problem}", f"mend {variant.path}")]
    if tried.cell is not None:
        named = [one for one in answer.outcomes if one.cell == tried.cell.index]
    else:
        named = [one for one in answer.outcomes if function_of(one) == variant.caught_by]
    failing = [one for one in named if one.status not in ("pass", "not_run")]
    if not failing:
        return [
            Fault(
                3,
                f"{variant.path}: {variant.caught_by} does not catch it and it loses no points",
                f"strengthen {variant.caught_by}, or name another test in the line `# caught by:`",
            )
        ]
    if any(one.status == "your_turn" for one in failing):
        return [
            Fault(
                3,
                f'{variant.path}: reads as an unsolved stub ("your turn")',
                'a misconception raises no NotImplementedError("your turn...")',
            )
        ]
    wanted = " ".join(variant.reads.split())
    if any(wanted in one.on_screen for one in failing):
        return []
    first = failing[0]
    read = first.promise or " ".join(str(first.message).split())
    return [
        Fault(
            3,
            f"{variant.path}: the student does not read {variant.reads!r} but: {first.on_screen}",
            f"# reads: {read}",
        )
    ]


def blind(proofs: ProofJobs, answers: tuple[int, int], files: Mapping[str, Path]) -> list[Fault]:
    """No law or contract test passes with a part of the package that gives nothing or refuses."""
    noting, turning = (proofs.answers[number] for number in answers)
    faults = [
        Fault(3, f"tests on a part that was turned: {one.problem}", "mend the tests")
        for one in (noting, turning)
        if one.problem
    ]
    blind_to: dict[str, list[str]] = {}
    looked = {_of_law(one) for one in turning.outcomes if one.promise and not one.passed}
    for one in turning.outcomes:
        if one.passed and function_of(one) in files and _of_law(one) not in looked - {None}:
            turn = (one.test or "").partition("[")[2].rstrip("]")
            blind_to.setdefault(function_of(one), []).append(turn)
    for name, turns in blind_to.items():
        text = f"{name} passes although {', '.join(turns)}"
        repair = (
            f"in {files[name]}, let it look at one value as well: a law yields a case that returns"
            ' it, a contract test says expect(got.shape == (5, 3) and got.any(), "...")'
        )
        faults.append(Fault(3, text, repair))
    return faults


def _of_law(one: Outcome) -> tuple[str | None, str, str] | None:
    """The promise of a law, with the part that was turned: another law of the same promise may have
    looked at this part. None for a test that is no law, and so names more sentences or none.
    """
    said = {*one.kept, *([one.promise] if one.promise else [])}
    if len(one.asks) != 1 or said != set(one.asks):
        return None
    return one.grade_id, (one.test or "").partition("[")[2], one.asks[0]
