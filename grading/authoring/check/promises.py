"""Point 8 of `tito dev check`: every promise of a Contract has a test that dies."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grading.authoring.check.exercise_rules import law_or_test
from grading.authoring.variants.proof import Answer, Fault
from grading.engine.course.variants import Variant
from tito.contract.marks import ContractTest
from tito.notebook.cells import Cell
from tito.notebook.exercises import Exercise, exercises
from tito.notebook.promises import by_sentence, plain, promises

_BY_SENTENCE = "name the promise by its sentence in the Contract, or promise it there"
PROMISE_COLUMNS = ("exercise", "promises", "notebook", "laws or contract tests", "proved by")


@dataclass
class Guard:
    """What guards one promise, and what proves that the guard bites."""

    cells: set[str] = field(default_factory=set)  # test cells that found it kept by the reference
    tests: set[str] = field(default_factory=set)  # laws and contract tests that did
    bitten: int = 0  # wrong solutions for which the student reads it
    mutants: int = 0  # generated mutants that it killed first


class Promises:
    """The promises of a module, with the tests that asked for them on the reference."""

    def __init__(
        self,
        cells: Sequence[Cell],
        notebook: Answer,
        contracts: Answer | None,
        wrong: Iterable[Variant],
        killed: dict[str, int],
    ):
        """
        Args:
            notebook, contracts: the outcomes of all tests on the reference.
            killed: promise -> how many generated mutants it killed first.
        """
        self.asked = [one for one in exercises(cells) if one.graded and not one.is_question]
        self.guards = {
            (one.number, promise.plain): Guard() for one in self.asked for promise in promises(one)
        }
        self.strangers: dict[str, str] = {}  # a sentence that is no promise here -> who said it
        self.unread: dict[str, str] = {}  # one that cannot be read from a test's code -> the test
        home = {cell.index: one for one in self.asked for cell in one.cells}
        named = {one.graded.name: one for one in self.asked if one.graded}
        for outcome in notebook.outcomes:
            if outcome.cell in home:
                label = next(c.label for c in home[outcome.cell].cells if c.index == outcome.cell)
                self._note(home[outcome.cell], outcome.kept, "cells", label)
        for outcome in contracts.outcomes if contracts else ():
            if outcome.grade_id in named:
                test = (outcome.test or "").partition("[")[0]
                self._note(named[outcome.grade_id], outcome.kept, "tests", test)
                self.unread |= {said: test for said in outcome.kept if said not in outcome.asks}
        for variant in wrong:
            if broken := variant.breaks(self.asked):
                exercise, said = broken
                for promise in said:
                    self.guards[exercise.number, promise.plain].bitten += 1
        for (_, sentence), guard in self.guards.items():
            guard.mutants += killed.get(sentence, 0)

    def _note(self, exercise: Exercise, kept: Iterable[str], kind: str, who: str) -> None:
        for sentence in map(plain, kept):
            guard = self.guards.get((exercise.number, sentence))
            if guard is None:
                self.strangers.setdefault(f"{sentence} (exercise {exercise.label})", who)
            else:
                getattr(guard, kind).add(who)

    def faults(self) -> Iterator[Fault]:
        for one in self.asked:
            if not promises(one):
                text = f"exercise {one.label}: its Contract has no numbered promises"
                repair = "write below **Contract.**, after an empty line: 1. A SHORT SENTENCE."
                yield Fault(8, text, repair)
        for said, who in self.strangers.items():
            yield Fault(8, f"{who} asks what no Contract promises: {said}", _BY_SENTENCE)
        for said, who in self.unread.items():
            repair = (
                "write the whole sentence in the test or in a helper beside it: a test that ends"
                " without an answer breaks the promises that its code names"
            )
            yield Fault(8, f"{who} asks for what cannot be read from its code: {said}", repair)
        for one in self.asked:
            for promise in promises(one):
                guard = self.guards[one.number, promise.plain]
                if not guard.tests:
                    kind, repair = law_or_test(one.graded)
                    text = f"promise {promise.id} has no {kind}: {promise.text}"
                    yield Fault(8, text, repair)
                if not guard.bitten + guard.mutants:
                    text = f"promise {promise.id} is proved by no wrong solution: {promise.text}"
                    repair = "write a wrong solution that breaks it, or: tito dev mutate --record"
                    yield Fault(8, text, repair)

    def summary(self) -> str:
        tests = {name for guard in self.guards.values() for name in guard.cells | guard.tests}
        guards = self.guards.values()
        return (
            f"{len(guards)} promises, {len(tests)} tests,"
            f" {sum(guard.bitten > 0 for guard in guards)} proved by wrong solutions,"
            f" {sum(not guard.bitten and guard.mutants > 0 for guard in guards)} by mutants alone"
        )

    def rows(self) -> list[tuple[str, ...]]:
        """Rows of PROMISE_COLUMNS, one for each exercise."""
        rows = []
        for one in self.asked:
            guards = [self.guards[one.number, promise.plain] for promise in promises(one)]
            counts = (
                len(guards),
                sum(bool(guard.cells) for guard in guards),
                sum(bool(guard.tests) for guard in guards),
                sum(bool(guard.bitten + guard.mutants) for guard in guards),
            )
            rows.append((one.label, *map(str, counts)))
        return rows


def unknown_sentences(cells: Sequence[Cell], files: Iterable[Path]) -> Iterator[Fault]:
    """Sentences that a test would say when it fails, and that no Contract has. Run on the
    reference, a test may never come to them.
    """
    known = by_sentence(exercises(cells))
    sources = [(cell.label, cell.tree) for cell in cells if cell.runs_tests and cell.tree]
    sources += [(path.name, ast.parse(path.read_text(encoding="utf-8"))) for path in files]
    for name, tree in sources:
        for line, said in _sentences(tree):
            if plain(said) not in known:
                text = f"{name}, line {line}: asks what no Contract promises: {said}"
                yield Fault(8, text, _BY_SENTENCE)


def misnamed_laws(cells: Sequence[Cell], tests: Iterable[ContractTest]) -> Iterator[Fault]:
    """Laws whose number and words do not name one promise of their exercise."""
    asked = {one.number: promises(one) for one in exercises(cells)}
    for law in (test for test in tests if test.exercise is not None):
        said = [one.plain for one in asked.get(law.exercise or "", ())]
        if problem := _misnamed(law, said):
            text = f"{law.path}, line {law.line}: {law.name} {problem}"
            number = law.promise if law.promise and law.promise <= len(said) else 1
            yield Fault(8, text, f'@law({number}, "two words of promise {number}")')


def _misnamed(law: ContractTest, said: Sequence[str]) -> str | None:
    if law.promise is None or not 1 <= law.promise <= len(said):
        return f"names promise {law.promise}; {law.exercise} has promises 1 to {len(said)}"
    words = law.words or ""
    if len(words.split()) < 2:
        return f"names its promise by two words or more, not by {words!r}"
    found = [number for number, one in enumerate(said, start=1) if words in one]
    if found != [law.promise]:
        where = " and ".join(map(str, found)) or "no promise"
        return f"says {words!r}, which occurs in {where}, and names promise {law.promise}"
    return None


def _sentences(tree: ast.AST) -> list[tuple[int, str]]:
    """The promises of each call of `expect...` in a test, with their lines; a sentence that is put
    together from values can be nobody's promise.
    """
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "").startswith("expect"):
            for argument in node.args:
                last = argument.values[-1] if isinstance(argument, ast.JoinedStr) else argument
                text = last.value if isinstance(last, ast.Constant) else ""
                if isinstance(text, str) and text.endswith("."):
                    said = ast.unparse(argument) if last is not argument else text
                    found.append((node.lineno, said))
    return found
