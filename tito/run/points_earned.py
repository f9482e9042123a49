"""What contract tests earn: each promise of an exercise has an equal share of its points. Both
`tito test` and the grader ask here, so they say the same of the same outcomes.
"""

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tito.contract.facts_of_tests import promised, tests_in
from tito.notebook.cells import Cell
from tito.notebook.exercises import exercises
from tito.notebook.promises import plain, promises
from tito.outcome import Outcome
from tito.student_work.leave_out_broken_code import LeftOut, remaining, unreadable, with_followers

MOST_STOPS = 10  # of the import by different lines; each costs another start of the contract tests
_ENDLESS = "TimeoutError: "  # of these, one is left out
_NOTHING: dict[str, Any] = dict.fromkeys(("call", "got", "want", "look", "message"))
_NOT_ASKED = "not asked, because its test stopped before"


def promises_asked(cells: Iterable[Cell], tests: Path) -> dict[str, list[str]]:
    """For each graded cell of a release, the promises (plain) that a test in `tests` names."""
    paths = list(tests.rglob("*.py"))
    named = {
        plain(node.value)
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    of_laws = {(cell, plain(said)) for path in paths for cell, said in promised(tests_in(path))}
    promises_of = {}
    for exercise in exercises(cells):
        cell = exercise.graded.name if exercise.graded else ""
        all_said = dict.fromkeys(one.plain for one in promises(exercise))
        said = [one for one in all_said if one in named or (cell, one) in of_laws]
        if cell and said:
            promises_of[cell] = said
    return promises_of


def paid(points: float, passed: int, of: int) -> float:
    """The points of an exercise that are earned, rounded to 0.01; all promises weigh the same."""
    return round(points * passed / of, 2) if of else 0.0


def by_promise(tests: Sequence[Outcome], promises: Sequence[str]) -> list[Outcome]:
    """The outcome of each promise, from those of an exercise's tests; without promises the tests'
    own. A promise is kept if a test found it kept, and every test that asks for it came to a
    verdict and did not find it broken.
    """
    if not tests or not promises:
        return list(tests)
    return [_of_promise(promise, tests, promises) for promise in promises]


def _of_promise(promise: str, tests: Sequence[Outcome], promises: Sequence[str]) -> Outcome:
    broke = [test for test in tests if promise in _broken_by(test, promises)]
    for test in sorted(broke, key=lambda test: test.status != "fail"):  # a verdict says more
        if plain(test.promise or "") == promise:
            return replace(test, promise=promise)
    keeps = [test for test in tests if promise in map(plain, test.kept)]
    if keeps and not broke:
        return replace(keeps[0], **_NOTHING, status="pass", promise=promise)
    stopped = next((test for test in (*broke, *tests) if not test.passed), tests[0])
    first = stopped.promise or stopped.message or stopped.status
    why = "a test that asks for it ended without an answer" if broke else _NOT_ASKED
    return replace(
        stopped,
        **{**_NOTHING, "message": f"{why}: {first}"},
        status="fail" if stopped.passed else stopped.status,
        promise=promise,
    )


def _broken_by(test: Outcome, promises: Sequence[str]) -> Sequence[str]:
    """The promises that a test breaks: the one that it found broken; or, if it came to no verdict,
    every one that it names, and all of them if its code names none.
    """
    if test.passed:
        return ()
    broken = plain(test.promise or "")
    if test.status == "fail" and broken in promises:
        return (broken,)
    named = {broken, *map(plain, test.asks), *map(plain, test.kept)}
    return [promise for promise in promises if promise in named] or promises


def without_what_stops(
    cells: Sequence[Cell], run: Callable[[list[Cell]], list[Outcome]]
) -> tuple[list[Outcome], list[LeftOut]]:
    """The outcomes of contract tests on the package of the cells without what ends its import,
    which would take the points of all other cells with it; and the causes that were left out.

    Args:
        run: tests the package of some cells.
    """
    causes = unreadable(cells)
    most = len(causes) + MOST_STOPS
    while True:
        tests = run(remaining(cells, with_followers(cells, causes)))
        stopped = _stops_the_import(tests)
        if stopped is None or stopped in causes or len(causes) >= most:
            return tests, causes
        if _ENDLESS in stopped.said and any(_ENDLESS in one.said for one in causes):
            return tests, causes  # each one costs seconds of processor time
        causes.append(stopped)


def _stops_the_import(tests: Sequence[Outcome]) -> LeftOut | None:
    """Where the import of the package ended, if that is why every test failed."""
    said = {test.message or "" for test in tests if test.grade_id}
    if len(said) != 1:
        return None
    (one,) = said
    match = re.search(r" does not import: (.*) \((cell \d+(?: \([^()]*\))?), line (\d+)\)$", one)
    if match is None or match[1].startswith("MemoryError"):  # a limit, not a slip of the pen
        return None
    return LeftOut(match[2], int(match[3]), f"line {match[3]}: {match[1]}", match[2])
