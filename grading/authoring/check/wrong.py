"""Point 3: each wrong solution turns the tests of its exercise red, the student reads the promise
that its header names, and it loses points.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from grading.authoring.check.exercise_rules import law_or_test
from grading.authoring.check.structure import all_tests
from grading.authoring.check.wanted import MOST_WRONG
from grading.authoring.mutate.mutants import Mutant, asked, from_variant
from grading.authoring.mutate.run import Runs, Verdict
from grading.authoring.variants.proof import Fault
from grading.engine.course.variants import HEADER, Variant
from tinytorch.laws import OWN_PROCESS
from tito.errors import WorkError
from tito.notebook.cells import Cell
from tito.notebook.exercises import Exercise
from tito.notebook.promises import Promise, plain, promises
from tito.workspace import Module

PROCESSES = 2


def wrong_solutions(
    module: Module,
    cells: list[Cell],
    variants: Sequence[Variant],
    folder: Path,
    progress: Callable[[str, int, int], None],
) -> Iterator[Fault]:
    """The faults of all wrong solutions; each runs in a fork, in the notebook and on its export."""
    found = asked(cells)
    yield from _crowded(variants)
    # of laws that a notebook leaves out
    apart = {test.name for test in all_tests(module) if OWN_PROCESS.keys() & {*test.fixtures}}
    tried: dict[str, tuple[Variant, Exercise, list[Promise]]] = {}
    mutants: list[Mutant] = []
    for variant in variants:
        named = variant.breaks(found)
        if named is None:
            yield _of_no_promise(variant, found)
            continue
        try:
            mutants.append(from_variant(cells, variant, variant.name, (variant.exercise,)))
            tried[variant.name] = variant, *named
        except WorkError as problem:
            yield Fault(3, str(problem), f"repair {variant.place}")
    try:
        runs = Runs(module, cells, folder, PROCESSES, progress)
        verdicts = runs.verdicts(mutants, every_stage=True) if mutants else []
    except WorkError as problem:
        yield Fault(3, f"no wrong solution was tried: {problem}", "repair that first")
        return
    for verdict in verdicts:
        if fault := _of_verdict(verdict, *tried[verdict.mutant.name], apart):
            yield fault


def _crowded(variants: Sequence[Variant]) -> Iterator[Fault]:
    """Exercises with too many wrong solutions, and labels that two of them have."""
    for path, count in Counter(variant.path for variant in variants).items():
        if count > MOST_WRONG:
            text = f"{path}: at most {MOST_WRONG} wrong solutions; there are {count}"
            yield Fault(3, text, "leave some out")
    for place, count in Counter(variant.place for variant in variants).items():
        if count > 1:
            text = f"{place} is there {count} times"
            yield Fault(3, text, "give each wrong solution a name of its own")


def _of_no_promise(variant: Variant, found: Sequence[Exercise]) -> Fault:
    one = next((one for one in found if one.name == variant.exercise), None)
    if one is None:
        names = ", ".join(one.name for one in found)
        text = f"{variant.path} belongs to no exercise"
        return Fault(3, text, f"rename it to NAME.py, where NAME is one of: {names}")
    numbers = ", ".join(map(str, variant.numbers))
    text = f"{variant.place}: names promise {numbers}; {one.number} has promises 1 to"
    return Fault(3, f"{text} {len(promises(one))}", HEADER)


def _of_verdict(
    verdict: Verdict,
    variant: Variant,
    exercise: Exercise,
    named: Sequence[Promise],
    apart: set[str],
) -> Fault | None:
    kind, repair = law_or_test(exercise.graded)
    if not verdict.loses_points:
        text = f"{variant.place}: no {kind} of its exercise catches it, so it keeps all points"
        return Fault(3, text, f"if it is right, move it to right/; else {repair}")
    first = verdict.kills[0]
    if first.status == "your_turn":
        text = f'{variant.place}: reads as an unsolved stub ("your turn")'
        return Fault(3, text, 'a wrong solution raises no NotImplementedError("your turn...")')
    if kind == "law" and first.by != "notebook" and first.test not in apart:
        text = f"{variant.place}: green in the notebook, and {first.test} takes points for it"
        return Fault(3, text, "let the law find it with the notebook's inputs, too")
    numbers = {one.plain: number for number, one in enumerate(promises(exercise), start=1)}
    if plain(first.promise) != named[0].plain:
        number = numbers.get(plain(first.promise))
        read = repr(first.promise) if number else first.said
        text = f"{variant.place}: the student does not read {named[0].text!r} but {read}"
        if number:
            return Fault(3, text, f"if that is what breaks first, write (promise {number})")
        return Fault(3, text, f"repair it, or let {first.test or 'a test'} say which promise broke")
    broken = {plain(one) for one in verdict.broken}
    for one in named[1:]:
        if one.plain not in broken:
            text = f"{variant.place}: keeps promise {numbers[one.plain]}: {one.text}"
            return Fault(3, text, "take its number out of the header")
    return None
