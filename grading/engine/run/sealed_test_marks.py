"""The marks that sealed tests give one submission.

A cell that does not parse, or a statement that raises while the package is imported, would take
every sealed point of the notebook with it. The tests run on the package without them; the marks are
then a proposal, with one reason for a person.
"""

import dataclasses
import itertools
import re
from collections.abc import Sequence
from pathlib import Path

from grading.engine import submission_marks
from grading.engine.run.grading_kit import Kit
from grading.engine.run.request_to_grade import Request
from grading.engine.run.sealed_package import packaged
from grading.engine.safe_text import some
from grading.engine.submission_marks import Verdict
from grading.engine.trusted_process_limits import bounded
from tito.errors import TitoError
from tito.notebook.cells import Cell
from tito.outcome import Outcome
from tito.run.points_earned import without_what_stops
from tito.student_work import exporter
from tito.student_work.leave_out_broken_code import LeftOut

_TEST = re.compile(r"^\s*def (test_\w+)", re.MULTILINE)


def contracts(
    kit: Kit, request: Request, cells: dict[str, list[Cell]], reasons: Sequence[str]
) -> Verdict:
    """Run public and hidden contract tests on the student's exported cells; anything that prevents
    them from running becomes a reason.
    """
    wanted = [(stem, cell, most) for stem, cell, kind, most in kit.graded if kind == "contract"]
    if not wanted:
        return Verdict()
    tests, why = _sealed(kit, request, cells, reasons) if kit.assignment.sealed else ([], [])
    unanswered = {test.grade_id for test in _unanswered(kit, tests)}
    marks = []
    for stem, grade_id, points in wanted:
        mine = [test for test in tests if test.grade_id == grade_id]
        named = kit.promises.get(grade_id, ())
        mark = submission_marks.contract_mark(stem, grade_id, points, mine, named)
        outcome = mark.outcome
        if not mine:
            why = why or ([] if reasons else [f"no contract test carries the mark {grade_id}"])
            outcome = dataclasses.replace(outcome, message=[*reasons, *why][0])
        review = grade_id in unanswered or not mine
        marks.append(dataclasses.replace(mark, outcome=outcome, review=review))
    killed = any(test.status == submission_marks.KILLED for test in tests)
    return Verdict(tuple(marks), tuple(why), killed_outside=killed)


def _sealed(
    kit: Kit, request: Request, by_notebook: dict[str, list[Cell]], reasons: Sequence[str]
) -> tuple[list[Outcome], list[str]]:
    """The outcomes of the sealed tests, and what a person has to know about them."""
    cells = [cell for part in by_notebook.values() for cell in part]
    if reasons or not cells:  # if a notebook cannot be read, its code is missing
        return [], []
    count = itertools.count()

    def tested(rest: list[Cell]) -> list[Outcome]:
        package = request.scratch / f"export-{next(count)}"
        with bounded("exporting the code"):
            packaged(kit, rest, package)
        return _tested(kit, request, package)

    try:
        tests, left_out = without_what_stops(cells, tested)
    except (TitoError, OSError) as problem:
        return [], [f"the contract tests could not run: {problem}"]
    return tests, [*_without(left_out), *_unfinished(kit, tests)]


def _tested(kit: Kit, request: Request, package: Path) -> list[Outcome]:
    """The outcomes of the sealed tests on a package, which name cells of the notebook."""
    from grading.engine.run.sealed_tests import SealedRun, run_sealed

    sealed = kit.assignment.sealed
    assert sealed  # the caller has checked this
    run = SealedRun(
        sealed.import_name,
        list(sealed.tests),
        given=kit.given,
        seed=kit.seed,
        test_seconds=request.limits.test_seconds,
        total_seconds=request.limits.contract_seconds,
        report=request.scratch / f"{package.name}.jsonl",
    )
    tests = run_sealed(package, run, request.sandbox, request.limits.sandbox)
    target = package / sealed.export
    text = target.read_text(encoding="utf-8")

    def in_cells(said: str | None) -> str | None:
        return exporter.in_cells(said, text, target.name)

    return [
        dataclasses.replace(test, look=in_cells(test.look), message=in_cells(test.message))
        for test in tests
    ]


def _without(left_out: Sequence[LeftOut]) -> list[str]:
    """One reason for a person, whatever the number of cells."""
    if not left_out:
        return []
    cells = "; ".join(f"{one.label}, {one.said}" for one in left_out)
    return [f"the mark is a proposal, graded without code that Python cannot run: {cells}"]


def _unfinished(kit: Kit, tests: Sequence[Outcome]) -> list[str]:
    """Why some of the tests came to no verdict."""
    others = [test for test in tests if test.grade_id is None]
    why = [f"{test.test} ({test.status}): {test.message}" for test in others]
    collected = [test for test in tests if test.grade_id]
    causes = {test.message for test in collected}
    if len(collected) > 1 and len(causes) == 1 and collected[0].status in ("error", "timeout"):
        return [*why, f"all {len(collected)} contract tests ended alike: {causes.pop()}"]
    ended = [test for test in _unanswered(kit, tests) if test.status != "not_run"]
    if ended:
        names = some([str(test.test) for test in ended])
        said = (ended[0].message or "").splitlines()
        why.append(
            "contract tests that ended without an answer, so that every promise that they ask for"
            f" counts as broken: {names}; the first: {' '.join(said)[:200]}"
        )
    missing = sum(test.status == "not_run" for test in collected)
    if missing:
        why.append(
            f"the run broke off: {missing} of {len(collected)} contract tests were not run, and a"
            " test that was not run earns nothing until a person has looked"
        )
    return why


def _unanswered(kit: Kit, tests: Sequence[Outcome]) -> list[Outcome]:
    """The tests that came to no verdict, where a person has to look why: the process ended or was
    silent; or the code raised an error in a hidden test of an exercise whose public tests pass, as
    code does that knows the public inputs. An error that a public test shows needs nobody.
    """
    names = _public(kit)
    shown = [test for test in tests if (test.test or "").partition("[")[0] in names]
    seen_to_pass = {test.grade_id for test in shown}
    seen_to_pass -= {test.grade_id for test in shown if not test.passed}

    def unanswered(test: Outcome) -> bool:
        gone = test.status == "error" and test.look is None  # its process
        raised = test.status in ("error", "your_turn") and test.grade_id in seen_to_pass
        return gone or raised or test.status in ("timeout", "not_run", submission_marks.KILLED)

    return [test for test in tests if test.grade_id and unanswered(test)]


def _public(kit: Kit) -> set[str]:
    """The names of the tests that students have, where a course also has others."""
    sealed = kit.assignment.sealed
    if not sealed or len(sealed.tests) < 2:
        return set()
    texts = [path.read_text(encoding="utf-8") for path in sealed.tests[0].rglob("*.py")]
    return {name for text in texts for name in _TEST.findall(text)}
