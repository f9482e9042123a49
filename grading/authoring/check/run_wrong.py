"""Point 3: each wrong solution turns the tests of its exercise red, the student reads the promise
that its header names, and it loses points.
"""

from collections.abc import Callable, Iterator, Sequence

from grading.authoring.check.checked_module import Subject
from grading.authoring.check.exercise_rules import law_or_test
from grading.authoring.mutate.mutants import from_variant
from grading.authoring.mutate.run_mutants import Runs, Verdict
from grading.authoring.variants.check_jobs import Fault, ProofJobs
from grading.engine.course.wrong_and_right_solutions import Variant
from tinytorch.laws import OWN_PROCESS
from tito.errors import WorkError
from tito.notebook.exercises import Exercise
from tito.notebook.promises import Promise, plain, promises


def wrong_solutions(
    subject: Subject,
    jobs: ProofJobs,
    progress: Callable[[str, int, int], None],
) -> Iterator[Fault]:
    """The faults of all wrong solutions; each runs in a fork, in the notebook and on its export."""
    # of laws that a notebook leaves out
    apart = {test.name for test in subject.tests if OWN_PROCESS.keys() & {*test.fixtures}}
    mutants = [from_variant(subject.cells, variant) for variant in subject.wrong]
    try:
        verdicts = Runs(jobs, progress).verdicts(mutants, every_stage=True)
    except WorkError as problem:
        text = f"no wrong solution was tried: {problem}"
        yield Fault(3, subject.at(subject.path), text, "repair that first")
        return
    for verdict, variant in zip(verdicts, subject.wrong, strict=True):
        broken = variant.breaks(subject.asked)
        assert broken, "the rules of structure come first"
        if fault := _of_verdict(verdict, variant, *broken, apart):
            yield Fault(3, subject.of_file(variant), *fault)


def _of_verdict(
    verdict: Verdict,
    variant: Variant,
    exercise: Exercise,
    named: Sequence[Promise],
    apart: set[str],
) -> tuple[str, str] | None:
    """What is wrong with a wrong solution, and its repair."""
    kind, repair = law_or_test(exercise.graded)
    if not verdict.loses_points:
        text = f"{variant.label}: no {kind} of its exercise catches it, so it keeps all points"
        return text, f"if it is right, move it to right/; else {repair}"
    first = verdict.kills[0]
    if first.status == "your_turn":
        text = f'{variant.label}: reads as an unsolved stub ("your turn")'
        return text, 'a wrong solution raises no NotImplementedError("your turn...")'
    if kind == "law" and first.by != "notebook" and first.test not in apart:
        text = f"{variant.label}: green in the notebook, and {first.test} takes points for it"
        return text, "let the law find it with the notebook's inputs, too"
    numbers = {one.plain: number for number, one in enumerate(promises(exercise), start=1)}
    if plain(first.promise) != named[0].plain:
        number = numbers.get(plain(first.promise))
        read = repr(first.promise) if number else first.said
        text = f"{variant.label}: the student does not read {named[0].text!r} but {read}"
        if number:
            return text, f"if that is what breaks first, write (promise {number})"
        return text, f"repair it, or let {first.test or 'a test'} say which promise broke"
    broken = {plain(one) for one in verdict.broken}
    for one in named[1:]:
        if one.plain not in broken:
            text = f"{variant.label}: keeps promise {numbers[one.plain]}: {one.text}"
            return text, "take its number out of the header"
    return None
