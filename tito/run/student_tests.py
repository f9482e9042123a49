"""`tito test` without its output: runs every test that a student has on the student's code, freshly
exported to a scratch workspace.
"""

from __future__ import annotations

import ast
import re
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from tito.errors import UsageError
from tito.exporter import is_exported, locate
from tito.notebook.cells import Cell, syntax_errors
from tito.notebook.pair import Work, read_work
from tito.outcome import Outcome
from tito.run.runner import kill_all, make_scratch, run_cells, run_contracts
from tito.state import LastTest, remember
from tito.workspace import Module, Workspace

_HINT = re.compile(r"\bhint\s*=\s*[\"']([^\"']+)[\"']")
_BAD = ("fail", "error", "timeout", "your_turn")


@dataclass(frozen=True)
class Check:
    """One row on the screen: a test cell, a group of contract tests (with their carrier's
    points), or a cell that does not run.
    """

    id: str
    kind: str  # "test", "contract", "cell" or "syntax"
    outcome: Outcome  # for a group, the outcome of the first test that fails
    points: float = 0.0
    earned: float = 0.0
    exercise: str | None = None  # what to ask `tito hint` for
    passed: int | None = None  # of a group of contract tests
    tests: int | None = None

    @property
    def status(self) -> str:
        return self.outcome.status

    @property
    def failing(self) -> str | None:
        """The name of the contract test that failed first."""
        return self.outcome.test

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "status": self.status,
            "points": self.points,
            "earned": self.earned,
            "cell": self.outcome.cell or None,
            "line": self.outcome.line,
            **self.outcome.texts(),
            "exercise": self.exercise,
            "passed": self.passed,
            "tests": self.tests,
            "failing": self.failing,
            "stdout": self.outcome.stdout,
        }


@dataclass(frozen=True)
class SelfTest:
    """The results of a run of all tests, or of those that `-k` picked."""

    module: str
    checks: list[Check]
    code: str  # hash of the code that was tested
    source: str
    part: str | None = None
    seconds: float = 0.0
    hidden_points: float = 0.0  # of carriers whose tests only the grader has
    question_points: float = 0.0  # graded by hand
    next: str | None = None
    stale: str | None = None

    @property
    def ok(self) -> bool:
        return not any(check.status in _BAD for check in self.checks)

    @property
    def points(self) -> float:
        return sum(check.points for check in self.checks)

    @property
    def earned(self) -> float:
        return sum(check.earned for check in self.checks)

    def count(self, *statuses: str) -> int:
        return sum(check.status in statuses for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        checks = [check.as_json() for check in self.checks]
        totals = {"ok": self.ok, "points": self.points, "earned": self.earned}
        return {**own, "checks": checks, **totals}


def run_checks(
    module: Module, *, part: str | None = None, timeout_seconds: float = 120.0
) -> SelfTest:
    """Test the student's own code and remember the result.

    Args:
        module: the module whose notebook is tested.
        part: run only tests with this text in their name, exercise or group; None runs all tests.
        timeout_seconds: the limit for all cells, and also for all contract tests; the two run at
            the same time.

    Raises:
        WorkError: there is no readable notebook, or its two files disagree.
        UsageError: no test has `part` in its name.
    """
    work = read_work(module)
    began = time.perf_counter()
    wrong = syntax_errors(work.cells)
    if wrong:
        checks = [
            Check(
                cell.name,
                "syntax",
                Outcome(
                    "error",
                    cell=cell.index,
                    line=line,
                    message=f"SyntaxError: {message}",
                    look=f"{cell.label}, line {line}: {_line(cell.source, line)}",
                ),
            )
            for cell, line, message in wrong
        ]
    else:
        checks = _run(module, work, part, timeout_seconds)
    totals = {}
    if part is None:  # points that no test here can show; left out where only some tests ran
        shown = {check.id for check in checks}
        totals = {
            "hidden_points": _points(c for c in work.cells if c.is_test and c.name not in shown),
            "question_points": _points(c for c in work.cells if c.nbgrader.get("task")),
        }
    report = SelfTest(
        module.name,
        checks,
        work.code,
        work.source.name,
        part,
        time.perf_counter() - began,
        **totals,
        next=next_command(module, work, checks, part),
        stale=work.stale.name if work.stale else None,
    )
    _remember(module, report)
    return report


def _points(cells: Any) -> float:
    return float(sum(c.nbgrader.get("points") or 0 for c in cells))


def _line(source: str, line: int) -> str:
    lines = source.split("\n")
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


def _run(module: Module, work: Work, part: str | None, timeout_seconds: float) -> list[Check]:
    contracts = contract_tests(module, part)
    picked = {
        cell.index for cell in work.cells if cell.is_test and (part is None or _matches(cell, part))
    }
    if part is not None and not picked and not contracts:
        raise UsageError(
            f"-k picks tests by a part of their name or exercise; none has {part!r}. To see all"
            f" tests: tito test {module.number} --list"
        )
    Workspace(module.root).refuse_gaps(module)
    with tempfile.TemporaryDirectory(prefix="tito-", ignore_cleanup_errors=True) as folder:
        scratch = make_scratch(module, work.cells, Path(folder) / "workspace")
        nodes = (
            [scratch / "modules" / module.name / "tests" / node for node in contracts]
            if part
            else [scratch / "modules" / module.name / "tests"]
        )
        with ThreadPoolExecutor(1) as pool:
            try:
                later = (
                    pool.submit(
                        run_contracts, scratch, module, nodes, timeout_seconds=timeout_seconds
                    )
                    if contracts
                    else None
                )
                outcomes = run_cells(
                    work.cells,
                    scratch,
                    select=lambda cell: cell.index in picked,
                    timeout_seconds=timeout_seconds,
                )
                groups = later.result() if later else []
            except BaseException:
                kill_all()  # otherwise the pool would wait until pytest has ended
                raise
        text = (scratch / module.export).read_text(encoding="utf-8")
    by_index = {cell.index: cell for cell in work.cells}
    carriers = {cell.grade_id: cell for cell in work.cells if cell.is_test and is_carrier(cell)}
    checks = []
    for outcome in outcomes:
        cell = by_index[outcome.cell]
        fails = not cell.is_test and outcome.status not in ("pass", "not_run")
        if cell.name not in carriers and (cell.index in picked or fails):
            checks.append(_cell_check(outcome, cell))
    return checks + _group_checks(groups, carriers, module, text)


def is_carrier(cell: Cell) -> bool:
    """Whether a test cell only holds the points of contract tests."""
    return "carrier(" in cell.source and "def " not in cell.source


def _matches(cell: Cell, part: str) -> bool:
    if is_carrier(cell):
        return False
    names = " ".join(
        [cell.name, *_HINT.findall(cell.source), *re.findall(r"def (test_\w+)", cell.source)]
    )
    return part.lower() in names.lower()


def contract_tests(module: Module, part: str | None = None) -> list[str]:
    """The contract tests that a student has, as `file::test`. The files are only read, not run.
    With `part`, only tests whose name or group contains it.
    """
    found = []
    for path in sorted(module.tests.glob("test_*.py")):
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError, OSError):
            found.append(path.name)  # pytest will report what is wrong with it
            continue
        everywhere = [
            _group_of(node)
            for node in tree.body
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "pytestmark"
        ]
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                groups = [_group_of(mark) for mark in node.decorator_list] + everywhere
                if part is None or any(
                    part.lower() in text.lower() for text in [node.name, *groups]
                ):
                    found.append(f"{path.name}::{node.name}")
    return found


def _group_of(node: ast.AST) -> str:
    marks = [
        n
        for n in ast.walk(node)
        if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "contract" and n.args
    ]
    return next(
        (str(mark.args[0].value) for mark in marks if isinstance(mark.args[0], ast.Constant)), ""
    )


def _cell_check(outcome: Outcome, cell: Cell) -> Check:
    hint = outcome.hint or next(iter(_HINT.findall(cell.source)), None)
    points = float(cell.nbgrader.get("points") or 0.0) if cell.is_test else 0.0
    look = outcome.look
    if outcome.status in ("error", "timeout"):
        line = outcome.line
        place = f"{cell.label}, line {line}: {_line(cell.source, line)}" if line else cell.label
        look = _innermost(outcome) or place
    message = outcome.message if outcome.promise is None else None
    return Check(
        cell.name,
        "test" if cell.is_test else "cell",
        replace(outcome, look=look, message=message),
        points,
        points if outcome.passed else 0.0,
        hint.split()[-1] if hint else cell.grade_id,
    )


def _innermost(outcome: Outcome) -> str | None:
    """The innermost line of the traceback that is in a cell, such as `cell 14 (collate), line 9:
    return a + b`.
    """
    found = re.findall(
        r'File "<(cell \d+[^>]*)>", line (\d+), in [^\n]*(?:\n    ([^\n]*))?',
        outcome.traceback or "",
    )
    if not found:
        return None
    label, line, code = found[-1]
    return f"{label}, line {line}" + (f": {code.strip()}" if code else "")


def _group_checks(
    outcomes: list[Outcome], carriers: dict[str | None, Cell], module: Module, text: str
) -> list[Check]:
    checks = []
    for group in dict.fromkeys(outcome.grade_id for outcome in outcomes):
        mine = [outcome for outcome in outcomes if outcome.grade_id == group]
        passed = sum(outcome.passed for outcome in mine)
        first = next((outcome for outcome in mine if not outcome.passed), None)
        carrier = carriers.get(group)
        points = float(carrier.nbgrader.get("points") or 0) if carrier else 0.0
        found = Outcome("pass")
        if first is not None:
            message = first.message if first.promise is None else None
            found = replace(
                first,
                look=_with_cells(first.look, module, text),
                message=_with_cells(message, module, text),
            )
        checks.append(
            Check(
                group or found.test or "contract tests",
                "contract",
                replace(found, cell=carrier.index if carrier else 0),
                points,
                round(points * passed / len(mine), 2),
                passed=passed,
                tests=len(mine),
            )
        )
    return checks


def _with_cells(said: str | None, module: Module, text: str) -> str | None:
    """Replace each line of the package file in a message by the cell and line that it came from."""
    name = re.escape(Path(module.export).name)

    def cell(match: re.Match) -> str:
        place = locate(text, int(match.group(1) or match.group(2)))
        return match.group(0) if place is None else f"{place[0]}, line {place[1]}"

    return said and re.sub(rf"line (\d+) of {name}|{name}:(\d+)", cell, said)


def next_command(module: Module, work: Work, checks: list[Check], part: str | None) -> str:
    """The next command to suggest."""
    for check in checks:
        if check.status in _BAD:
            if check.exercise and check.exercise in module.hints:
                return f"tito hint {module.number} {check.exercise}"
            return (
                f"tito test {module.number} -k {check.failing.partition('[')[0]}"
                if check.failing and not part
                else f"tito hint {module.number}"
            )
    if part:
        return f"tito test {module.number}"
    return f"tito {'submit' if is_exported(module, work) else 'export'} {module.number}"


def _remember(module: Module, report: SelfTest) -> None:
    """Keep the results for `tito status`, together with the hash of the code that was tested."""
    kept = LastTest(
        report.code,
        report.ok,
        report.earned,
        report.points,
        report.count("pass"),
        len(report.checks),
        time.strftime("%Y-%m-%d %H:%M"),
        report.next,
        report.count("your_turn"),
        report.hidden_points,
        report.question_points,
    )
    remember(module.state_dir, module.name, results=kept if report.part is None else None)
