"""Point 8 of `tito dev check`: every promise of a Contract has a test that dies."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grading.authoring.check.checked_module import Findings, Subject
from grading.authoring.check.exercise_rules import law_or_test
from grading.authoring.variants.check_jobs import Answer, Fault, function_of
from grading.engine.course.wrong_and_right_solutions import Variant
from tito.contract.facts_of_tests import ContractTest
from tito.notebook.cells import Cell
from tito.notebook.exercises import Exercise, exercises
from tito.notebook.promises import Promise, by_sentence, plain, promises

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
        asked: Sequence[Exercise],
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
        self.asked = list(asked)
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
                test = function_of(outcome)
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

    def faults(self, subject: Subject, proved: bool) -> Iterator[Fault]:
        """Every fault; that of promises which no wrong solution breaks only if each one breaks what
        it says (`proved`).
        """
        places = {test.name: subject.at(test.path, test.line) for test in subject.tests}
        for said, who in self.strangers.items():
            place = places.get(who, subject.at(subject.path))
            yield Fault(8, place, f"{who} asks what no Contract promises: {said}", _BY_SENTENCE)
        for said, who in self.unread.items():
            repair = (
                "write the whole sentence in the test or in a helper beside it: a test that ends"
                " without an answer breaks the promises that its code names"
            )
            text = f"{who} asks for what cannot be read from its code: {said}"
            yield Fault(8, places[who], text, repair)
        for one in self.asked:
            for promise in promises(one):
                guard = self.guards[one.number, promise.plain]
                place = _place(subject, one, promise)
                if not guard.tests:
                    kind, repair = law_or_test(one.graded)
                    text = f"promise {promise.id} has no {kind}: {promise.text}"
                    yield Fault(8, place, text, repair)
                elif proved and not guard.bitten + guard.mutants:
                    text = f"promise {promise.id} is proved by no wrong solution: {promise.text}"
                    repair = "write a wrong solution that breaks it, or: tito dev mutate"
                    repair += f" {subject.module.number} --record"
                    yield Fault(8, place, text, repair)

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


def _place(subject: Subject, exercise: Exercise, promise: Promise) -> str:
    """The line on which a promise begins."""
    number = promise.id.partition(".")[2]
    for cell in exercise.cells:
        for line, text in enumerate(cell.source.split("\n"), start=1):
            begin = text.removeprefix(f"{number}. ").strip()
            if begin != text.strip() and promise.text.startswith(begin):
                return subject.at(cell, line)
    return subject.at(exercise.cells[0])


def unnumbered(subject: Subject) -> Findings:
    """Exercises whose Contract has no numbers."""
    for one in subject.asked:
        if not promises(one):
            text = f"exercise {one.label}: its Contract has no numbered promises"
            repair = "write below **Contract.**, after an empty line: 1. A SHORT SENTENCE."
            yield subject.at(one.cells[0]), text, repair


def unknown_sentences(subject: Subject) -> Findings:
    """Sentences that a test would say when it fails, and that no Contract has. Run on the
    reference, a test may never come to them.
    """
    known = by_sentence(exercises(subject.cells))
    cells = [cell for cell in subject.cells if cell.runs_tests]
    tests: list[tuple[Cell | Path, str, ast.AST | None]] = [(c, c.label, c.tree) for c in cells]
    for path in {test.path: None for test in subject.tests if not test.is_law}:
        tests.append((path, path.name, ast.parse(path.read_text(encoding="utf-8"))))
    for where, label, tree in tests:
        for line, said in _sentences(tree):
            if plain(said) not in known:
                text = f"{label}: asks what no Contract promises: {said}"
                yield subject.at(where, line), text, _BY_SENTENCE


def misnamed_laws(subject: Subject) -> Findings:
    """Laws whose number and words do not name one promise of their exercise. A sentence that was
    changed or moved misnames several laws of a file: that is one fault.
    """
    asked = {one.number: promises(one) for one in exercises(subject.cells)}
    laws_of: dict[Path, list[tuple[ContractTest, str]]] = {}
    for law in (test for test in subject.tests if test.exercise is not None):
        said = [one.plain for one in asked.get(law.exercise or "", ())]
        if problem := _misnamed(law, said):
            laws_of.setdefault(law.path, []).append((law, problem))
    for path, laws in laws_of.items():
        (law, text), more = laws[0], [f"line {one.mark_line}" for one, _ in laws[1:]]
        own = len(asked.get(law.exercise or "", ()))
        number = law.promise if law.promise and law.promise <= own else 1
        also = f"; so do {', '.join(more)}" if more else ""
        repair = f'@law({number}, "two words of promise {number}"), or repair the sentence'
        yield subject.at(path, law.mark_line), f"{law.name} {text}{also}", repair


def _misnamed(law: ContractTest, said: Sequence[str]) -> str | None:
    if law.promise is None or not 1 <= law.promise <= len(said):
        return f"names promise {law.promise}; {law.exercise} has promises 1 to {len(said)}"
    words = plain(law.words or "")
    if len(words.split()) < 2:
        return f"names its promise by two words or more, not by {words!r}"
    numbers = [number for number, one in enumerate(said, start=1) if words in one]
    if numbers != [law.promise]:
        where = " and ".join(map(str, numbers)) or "no promise"
        return f"says {words!r}, which occurs in {where}, and names promise {law.promise}"
    return None


def _sentences(tree: ast.AST | None) -> list[tuple[int, str]]:
    """The promises of each call of `expect...` in a test, with their lines; a sentence that is put
    together from values can be nobody's promise.
    """
    sentences = []
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Call) and getattr(node.func, "id", "").startswith("expect"):
            for argument in node.args:
                last = argument.values[-1] if isinstance(argument, ast.JoinedStr) else argument
                text = last.value if isinstance(last, ast.Constant) else ""
                if isinstance(text, str) and text.endswith("."):
                    said = ast.unparse(argument) if last is not argument else text
                    sentences.append((node.lineno, said))
    return sentences
