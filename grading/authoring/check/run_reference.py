"""Points 1, 2 and 4: what must pass passes, what must fail fails, and of what follows from one
mistake only the first is a fault.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from grading.authoring.check.checked_module import Subject
from grading.authoring.variants.check_jobs import Answer, Fault, function_of
from grading.authoring.variants.inputs import Notes
from grading.engine.course.wrong_and_right_solutions import Variant
from tito.contract.facts_of_tests import ContractTest
from tito.notebook.cells import Cell
from tito.notebook.exercises import Exercise
from tito.notebook.promises import plain, promises
from tito.outcome import Outcome

# What a law reads that does not follow from `draw`.
_OTHER_SOURCES = re.compile(
    r"\bnp\.random\.(?!default_rng|Generator)|\brandom\.\w+\(|\bdefault_rng\(\)"
    r"|\btime\.|\bsecrets\.|\buuid\.|\bos\.urandom"
)


def notebook_faults(subject: Subject, answer: Answer) -> Iterator[Fault]:
    """The first given cell that fails, else each exercise whose check fails."""
    if answer.problem:
        text = f"the notebook does not run: {answer.problem}"
        yield Fault(1, subject.at(subject.path), text, "repair the cell that the text names")
    cells, failed = {cell.index: cell for cell in subject.cells}, set[str]()
    for one in (one for one in answer.outcomes if not one.passed):
        cell = cells[one.cell]
        exercise = _exercise_of(subject, cell.name)
        if not cell.is_test or exercise is None:
            if not failed:  # else it may use what the exercise above it gives
                text = f"{cell.label} fails: {one.on_screen}"
                yield Fault(1, subject.at(cell, one.line or 0), text, "repair this line")
            return
        failed.add(exercise.number)
        yield _broken(subject, exercise, one, "the reference")


def package_faults(subject: Subject, answers: Sequence[Answer]) -> Iterator[Fault]:
    """The first test of each exercise that fails on the package, or through the pipe; the notebook
    passes. One fault if all fail for the same reason.
    """
    for form, answer in zip(("on the package", "through the pipe"), answers, strict=True):
        if answer.problem:
            text = f"no law runs {form}: {answer.problem}"
            yield Fault(1, subject.at(subject.path), text, "repair what the text names")
            return
        failed: dict[str, Outcome] = {}
        for one in answer.outcomes:
            if not one.passed and _is_named(subject, one):
                failed.setdefault(one.grade_id or function_of(one), one)
        reasons = {(one.status, one.got, one.message) for one in failed.values()}
        for one in [*failed.values()][: None if len(reasons) > 1 else 1]:
            place = _test_at(subject, one)
            text = f"{one.test} passes in the notebook, and {form} the reference gives"
            repair = (
                "what a law sends and gets crosses a pipe: use plain data and arrays, or `inside`"
            )
            if form == "on the package":
                repair = "the export holds only cells that begin with #| export: use nothing else"
            yield Fault(1, place, f"{text} {one.status!r}: {one.on_screen}", repair)
        if failed:
            return


def other_faults(subject: Subject, again: Answer, notes: Sequence[Notes]) -> Iterator[Fault]:
    """Laws that hold once, and do something else in a second run with the same draw: one fault for
    each exercise.

    Args:
        again: of the run in which the last law ran first.
        notes: of two runs in the usual order.
    """
    told: set[str | None] = set()
    for one in again.outcomes:
        test = _test_of(subject, one)
        if one.passed or test is None or not _is_named(subject, one) or one.grade_id in told:
            continue
        told.add(one.grade_id)
        text = f"{test.name} holds after the laws above it, and not when the laws run in reversed"
        text += f" order with the same draw: {one.on_screen}"
        yield Fault(1, _other_source(subject, test), text, _DRAW)
    if told or len(notes) < 2:
        return
    for exercise in subject.named:
        laws = [test for test in subject.tests if test.exercise == exercise.number]
        first, second = (set(one.get(exercise.number, ())) for one in notes)
        if laws and first != second:
            text = f"the laws of {exercise.number} are not deterministic: they ran twice with the"
            text += " same draw, and called the student's code with other inputs"
            yield Fault(1, _other_source(subject, laws[0]), text, _DRAW)


_DRAW = "draw every input with `draw`, and keep nothing for another law"


def _other_source(subject: Subject, law: ContractTest) -> str:
    """The line in a law's file that reads a clock or another generator; else the law's own."""
    for number, line in enumerate(law.path.read_text(encoding="utf-8").splitlines(), start=1):
        if _OTHER_SOURCES.search(line):
            return subject.at(law.path, number)
    return subject.at(law.path, law.line)


def stub_faults(
    subject: Subject, cells: Sequence[Cell], answers: Sequence[Answer]
) -> Iterator[Fault]:
    """Every test of the student edition fails, and says whose turn it is; the first that does not,
    of each exercise.
    """
    by_index = {cell.index: cell for cell in cells}
    told: set[str | None] = set()
    for answer in answers:
        if answer.problem:
            place = subject.at(subject.path)
            yield Fault(2, place, f"student edition: {answer.problem}", "repair the source")
            return
        for one in answer.outcomes:
            cell = by_index.get(one.cell)
            if cell and not cell.is_test:
                if one.status in ("error", "fail", "timeout"):
                    text = f"student edition: {cell.label} fails before anything is solved"
                    repair = 'tag the cell "demo", or let it not depend on an exercise'
                    place = _source_of(subject, cell, one.line or 0)
                    yield Fault(2, place, f"{text}: {one.on_screen}", repair)
                    return
                continue
            name = cell.name if cell else one.grade_id
            if one.status == "your_turn" or name in told or not _is_named(subject, one, name):
                continue
            told.add(name)
            what = f"student edition: {cell.label if cell else one.test}"
            text = f"{what} gives {one.status!r}, not 'your turn': {one.on_screen}"
            repair = "let the test call an exercise, or remove it: what is given earns no points"
            if cell:
                repair = (
                    f"let {cell.name} call the exercise first, and let nothing accept its"
                    " NotImplementedError"
                )
            place = _source_of(subject, cell) if cell else _test_at(subject, one)
            yield Fault(2, place, text, repair)


def _source_of(subject: Subject, cell: Cell, line: int = 0) -> str:
    """The place in the source of a cell of the student edition, where cells have other numbers."""
    for own in subject.cells:
        if own.grade_id == cell.grade_id if cell.grade_id else own.source == cell.source:
            return subject.at(own, line)
    return subject.at(subject.path)


def right_faults(subject: Subject, variant: Variant, answers: Sequence[Answer]) -> Iterator[Fault]:
    """The first cell or test that another right solution fails."""
    cells = {cell.index: cell for cell in subject.cells}
    for answer in answers:
        if answer.problem:
            yield Fault(4, subject.of_file(variant), answer.problem, "repair the solution")
            return
        for one in answer.outcomes:
            cell = cells.get(one.cell)
            name = cell.name if cell else one.grade_id
            if one.passed or not ((cell and not cell.is_test) or _is_named(subject, one, name)):
                continue
            exercise = _exercise_of(subject, name)
            if exercise is None:
                said = f"{cell.label if cell else one.test} fails: {one.on_screen}"
                yield Fault(4, subject.of_file(variant), said, "repair the solution")
                return
            broken = _broken(subject, exercise, one, variant.path.name)
            repair = f"if it is right, the law asks for too much: {broken.repair}"
            place = subject.of_file(variant, _definition(variant, exercise))
            yield Fault(4, place, broken.text, repair)
            return


def _definition(variant: Variant, exercise: Exercise) -> int:
    """The line of a solution that begins its last function for an exercise; 0 if it is a method."""
    lines = [
        node.lineno
        for node in ast.walk(ast.parse(variant.text))
        if isinstance(node, ast.FunctionDef) and node.name == exercise.name
    ]
    return max(lines, default=0)


def said_at(subject: Subject, cell: Cell) -> str:
    """The line of the laws that writes to stderr, if one can be seen; else the graded cell."""
    exercise = _exercise_of(subject, cell.name)
    number = exercise.number if exercise else None
    for path in dict.fromkeys(test.path for test in subject.tests if test.exercise == number):
        for line, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if re.search(r"\bstderr\b|\bwarnings\.warn\b", text):
                return subject.at(path, line)
    return subject.at(cell)


def _broken(subject: Subject, exercise: Exercise, one: Outcome, who: str) -> Fault:
    """An exercise whose solution breaks a promise, with the law that says so."""
    sentences = [promise.plain for promise in promises(exercise)]
    said = plain(one.promise or "")
    number = sentences.index(said) + 1 if said in sentences else 0
    laws = (t for t in subject.tests if (t.exercise, t.promise) == (exercise.number, number))
    law = next(laws, None)
    text = f"{who} gives {one.status!r} in exercise {exercise.number}: {one.on_screen}"
    repair = f"repair the law: {subject.at(law.path, law.line)}" if law else "repair the test"
    return Fault(1, subject.answer(exercise), text, f"repair this answer, or {repair}")


def _exercise_of(subject: Subject, name: str | None) -> Exercise | None:
    return next((one for one in subject.asked if one.graded and one.graded.name == name), None)


def _is_named(subject: Subject, one: Outcome, name: str | None = None) -> bool:
    return _exercise_of(subject, name or one.grade_id) in (None, *subject.named)


def _test_of(subject: Subject, one: Outcome) -> ContractTest | None:
    tests = [test for test in subject.tests if test.name == function_of(one)]
    own = [test for test in tests if one.grade_id in subject.cell_of(test)]
    return next(iter([*own, *tests]), None)


def _test_at(subject: Subject, one: Outcome) -> str:
    test = _test_of(subject, one)
    return subject.at(test.path, test.line) if test else subject.at(subject.path)
