"""`tito test` without its output: each test that a student has, on the freshly exported code."""

import contextlib
import re
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tito.contract.facts_of_tests import tests_in
from tito.errors import UsageError
from tito.files import backup, backups
from tito.notebook.cells import Cell, read_ipynb
from tito.notebook.damage import TESTED, damages
from tito.notebook.exercises import Exercise, exercises, meant
from tito.notebook.pair import Work, read_work
from tito.notebook.syntax_errors import syntax_errors
from tito.outcome import TEXTS, Outcome
from tito.remembered_state import Seen, module_state, remember
from tito.run import without_processes
from tito.run.points_earned import by_promise, paid, promises_asked, without_what_stops
from tito.run.runner import kill_all, make_scratch, run_cells, run_contracts
from tito.student_work.exporter import in_cells
from tito.student_work.leave_out_broken_code import names_lost, with_followers
from tito.student_work.progress import BAD, Progress
from tito.student_work.read_progress import progress
from tito.time_and_memory_limits import WHOLE_SECONDS
from tito.workspace import Module, Workspace

_MOST_BYTES = 16 * 2**20  # of a notebook that is kept: five such copies are on the disk
_HINT = re.compile(r"\bhint\s*=\s*[\"']([^\"']+)[\"']")
_NO_TEXTS: dict[str, Any] = dict.fromkeys(TEXTS)


@dataclass(frozen=True)
class Check:
    """One row on the screen: the public tests of an exercise, or a cell that does not run.

    Attributes:
        id: the graded cell's name, such as "test_file_ranges".
        kind: "exercise", "cell" or "syntax".
        outcome: that of the first test that fails.
        points: what the exercise is worth.
        earned: what of it the promises that hold are worth. The tests here give no points: the
            grader's do, by the same rule.
        passed: how many of `tests` passed.
        number: the exercise's number, such as "4a"; None where headings have no numbers.
        exercise: what to ask `tito hint` for.
        failing: the name of the contract test that failed first.
    """

    id: str
    kind: str
    outcome: Outcome
    points: float = 0.0
    earned: float = 0.0
    passed: int = 0
    tests: int = 0
    number: str | None = None
    exercise: str | None = None
    failing: str | None = None

    @property
    def status(self) -> str:
        return self.outcome.status

    def as_json(self) -> dict[str, Any]:
        own, ran = {**vars(self)}, self.outcome
        del own["outcome"]
        shown = {"status": ran.status, "line": ran.line, "stdout": ran.stdout, **ran.texts()}
        return {**own, **shown, "cell": ran.cell or None}


@dataclass(frozen=True)
class SelfTest:
    """The results of a run of all tests, or of those that `-k` picked."""

    module: str
    checks: list[Check]
    code: str  # hash of the code that was tested
    source: str
    part: str | None = None
    seconds: float = 0.0
    standing: Progress | None = None  # where the student is now
    stale: str | None = None

    @property
    def ok(self) -> bool:
        return not any(check.status in BAD for check in self.checks)

    @property
    def passed(self) -> int:
        return sum(check.passed for check in self.checks)

    @property
    def tests(self) -> int:
        return sum(check.tests for check in self.checks)

    @property
    def earned(self) -> float:
        return round(sum(check.earned for check in self.checks), 2)

    def count(self, *statuses: str) -> int:
        """How many exercises have one of these statuses."""
        return sum(check.status in statuses and check.points > 0 for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        own = {**vars(self)}
        del own["standing"]
        own["checks"] = [check.as_json() for check in self.checks]
        own["next"] = self.standing.next if self.standing else None
        return {**own, "ok": self.ok, "passed": self.passed, "tests": self.tests}


def run_checks(
    module: Module, *, part: str | None = None, timeout_seconds: float = WHOLE_SECONDS
) -> SelfTest:
    """Test the student's own code and remember the result.

    Args:
        part: run only tests with this text in their name, exercise or group; None runs all tests.
        timeout_seconds: the limit for all cells, and also for all contract tests; the two run at
            the same time.

    Raises:
        WorkError: there is no readable notebook, or its two files disagree.
        UsageError: no test has `part` in its name.
    """
    work = read_work(module)
    _keep(module, work)
    began = time.perf_counter()
    wrong = syntax_errors(work.cells)
    broken = []
    for cell, line, message in wrong:
        place: Any = {"cell": cell.index, "line": line, "look": cell.at(line)}
        outcome = Outcome("error", message=f"SyntaxError: {message}", **place)
        broken.append(Check(cell.name, "syntax", outcome))
    checks = broken + _run(module, work.cells, part, timeout_seconds)
    seconds, stale = time.perf_counter() - began, work.behind.name if work.behind else None
    report = SelfTest(module.name, checks, work.code, work.source.name, part, seconds, stale=stale)
    return replace(report, standing=_remember(module, work, report))


def _keep(module: Module, work: Work) -> None:
    """Keep a copy of a notebook in which somebody worked, as no other is left if it is emptied."""
    folder, path = module.state_dir / TESTED, module.notebook
    with contextlib.suppress(OSError):
        copies = backups(folder, path.name)
        fits = work.source == path and path.stat().st_size < _MOST_BYTES
        new = work.code != work.released
        if fits and new and not (copies and copies[-1].read_bytes() == path.read_bytes()):
            backup(path, folder, keep=5)


def _run(
    module: Module, whole: list[Cell], part: str | None, timeout_seconds: float
) -> list[Check]:
    """The rows of the tests on the cells that Python can read: one bad cell hides no other."""
    asked, unreadable = exercises(whole), {cell.index for cell, _, _ in syntax_errors(whole)}
    cells = [cell for cell in whole if cell.index not in unreadable]
    alone = [one for one in meant(asked, part or "") if one.graded and not one.is_question]
    last = cells[-1].index if cells else 0
    if alone:
        names = [one.graded.name for one in alone if one.graded]
        contracts = [test for name in names for test in contract_tests(module, group=name)]
        picked = {cell.index for one in alone for cell in one.cells if cell.runs_tests}
        last = alone[-1].cells[-1].index  # no cell below an exercise is needed for it
    else:
        contracts = contract_tests(module, part)
        testing = [cell for cell in cells if cell.runs_tests]
        picked = {cell.index for cell in testing if part is None or _matches(cell, part)}
    if part is not None and not picked and not contracts:
        raise UsageError(
            f"tests are picked by exercise, or by a part of their name; none has {part!r}. To see"
            f" all tests: tito test {module.number} --list",
            *map(str, damages(module, whole)),
        )
    Workspace(module.root).refuse_gaps(module)
    with tempfile.TemporaryDirectory(prefix="tito-", ignore_cleanup_errors=True) as folder:
        limit = {"timeout_seconds": timeout_seconds}
        needed = [cell for cell in cells if cell.index <= last]

        def tested(rest: list[Cell]) -> list[Outcome]:
            place = make_scratch(module, rest, Path(tempfile.mkdtemp(dir=folder)) / "workspace")
            tests = place / "modules" / module.name / "tests"
            nodes = [tests / node for node in contracts] if part else [tests] if contracts else []
            text = (place / module.export).read_text(encoding="utf-8")
            ended = run_contracts(place, module, nodes, **limit)
            return [_with_cells(outcome, module, text) for outcome in ended]

        scratch = make_scratch(module, cells, Path(folder) / "workspace")
        with without_processes.beside() as pool:
            try:
                later = pool.submit(without_what_stops, whole, tested)
                outcomes = run_cells(
                    needed, scratch, select=lambda cell: cell.index in picked, **limit
                )
                groups, causes = later.result()
            except BaseException:
                kill_all()  # otherwise the pool would wait until pytest has ended
                raise
    groups = [_left_out(outcome) for outcome in groups]
    outcomes = [_left_out(outcome) for outcome in outcomes]
    rows = _rows(module, cells, asked, [*outcomes, *groups], picked)
    of_label = {one.label: one for one in causes}
    lost = names_lost(whole, with_followers(whole, causes))
    told = {name: one.said for one in damages(module, whole) for name in one.names}
    told = {name: f"{name} is missing: {said}" for name, said in told.items()}
    for name, label in lost.items():
        told[name] = f"{name} is missing because of {label}, {of_label[label].said}"
    return [row for row in (_of_cause(row, told) for row in rows) if row]


_MISSING = re.compile(r"\bname '(\w+)' is not defined|^(\w+) is not defined here|attribute '(\w+)'")


def _of_cause(row: Check, told: dict[str, str]) -> Check | None:
    """A row that is red because a name is missing says which cell is the cause, in place of what
    follows from it; None for a row of a cell, because the cause has one.

    Args:
        told: each missing name -> the sentence that says why.
    """
    named = [next(filter(None, groups)) for groups in _MISSING.findall(row.outcome.on_screen)]
    lost = [name for name in named if name in told] if row.status in ("fail", "error") else []
    if not lost:
        return row
    if row.kind != "exercise":
        return None
    message = {**_NO_TEXTS, "message": told[lost[0]]}
    return replace(row, outcome=replace(row.outcome, **message))


def _rows(
    module: Module,
    cells: list[Cell],
    asked: list[Exercise],
    outcomes: list[Outcome],
    picked: set[int],
) -> list[Check]:
    """A row for each exercise that was tested, in order, and for each other cell that fails."""
    released = read_ipynb(module.starter) if module.starter.is_file() else cells
    promises = promises_asked(released, module.tests)
    numbers = {one.graded.name: one.number for one in asked if one.graded}
    of_cell = {outcome.cell: outcome for outcome in outcomes if outcome.cell}
    groups: dict[str | None, list[Outcome]] = {}
    for outcome in outcomes:
        if not outcome.cell:
            groups.setdefault(outcome.grade_id, []).append(outcome)
    rows = []
    for cell in cells:
        ran = of_cell.get(cell.index)
        if cell.runs_tests:
            own = [ran] if ran and cell.index in picked else []
            cells_own = [_told(one, cell) for one in own]
            contracts = groups.pop(cell.grade_id, [])
            if ended := cells_own + contracts:
                kept = by_promise(contracts, promises.get(cell.name, ())) or cells_own
                rows.append(_row(cell, ended, kept, numbers.get(cell.name)))
        elif ran and ran.status not in ("pass", "not_run"):
            told = _told(ran, cell)
            rows.append(Check(cell.name, "cell", told, exercise=cell.grade_id))
    lost = {cell.grade_id: cell for cell in released}
    for group, ended in groups.items():  # no cell has this name
        name = group or "contract tests"
        nbgrader = lost[group].nbgrader if group in lost else {"grade_id": name}
        kept = by_promise(ended, promises.get(name, ()))
        rows.append(_row(Cell(0, "code", "", nbgrader), ended, kept, numbers.get(name)))
    return rows


def _row(cell: Cell, outcomes: list[Outcome], kept: list[Outcome], number: str | None) -> Check:
    """The row of an exercise whose points are shared among the outcomes in `kept`."""
    points = float(cell.nbgrader.get("points") or 0.0)
    bad = [one for one in outcomes if one.status in BAD]
    first = next((one for one in bad or outcomes if not one.passed), Outcome("pass"))
    hint = first.hint or next(iter(_HINT.findall(cell.source)), None)
    return Check(
        cell.name,
        "exercise",
        replace(first, cell=cell.index),
        points,
        earned=paid(points, sum(one.passed for one in kept), len(kept)),
        passed=sum(one.passed for one in outcomes),
        tests=len(outcomes),
        number=number,
        exercise=hint.split()[-1] if hint else cell.grade_id,
        failing=first.test,
    )


def _matches(cell: Cell, part: str) -> bool:
    names = " ".join(
        [cell.name, *_HINT.findall(cell.source), *re.findall(r"def (test_\w+)", cell.source)]
    )
    return part.lower() in names.lower()


def contract_tests(
    module: Module, part: str | None = None, *, group: str | None = None
) -> list[str]:
    """The contract tests that a student has, as `file::test`. The files are only read, not run.
    With `part`, only tests whose name or group contains it; with `group`, only those of this group.
    """
    names = []
    for path in sorted(module.tests.glob("test_*.py")):
        try:
            tests = tests_in(path)
        except (SyntaxError, ValueError, OSError):
            names.append(path.name)  # pytest will report what is wrong with it
            continue
        for test in tests:
            texts = [test.name, *test.grade_ids]
            wanted = part is None or any(part.lower() in text.lower() for text in texts)
            if wanted and group in (None, *test.grade_ids):
                names.append(f"{path.name}::{test.name}")
    return names


def _left_out(outcome: Outcome) -> Outcome:
    """The outcome of a test; "not_run" if it needs what Python in the browser lacks."""
    if not without_processes.NEEDED:
        return outcome
    from tinytorch.testing import left_out

    why = left_out(outcome.on_screen)
    if outcome.passed:  # `check` in the cell printed the sentence and went on
        match = re.search(r"^· .*?: (left out here: .*)", outcome.stdout, re.MULTILINE)
        why = match[1] if match else None
    return replace(outcome, status="not_run", **{**_NO_TEXTS, "message": why}) if why else outcome


def _told(outcome: Outcome, cell: Cell) -> Outcome:
    """The outcome of a cell, with the place to look at where the cell itself does not say it."""
    look = outcome.look
    if outcome.status in ("error", "timeout"):
        look = _innermost(outcome) or (cell.at(outcome.line) if outcome.line else cell.label)
    message = outcome.message if outcome.promise is None else None
    return replace(outcome, look=look, message=message)


def _innermost(outcome: Outcome) -> str | None:
    """The innermost line of the traceback in a cell: `cell 14 (collate), line 9: return a + b`."""
    frame = r'File "<(cell \d+[^>]*)>", line (\d+), in [^\n]*(?:\n    ([^\n]*))?'
    frames = re.findall(frame, outcome.traceback or "")
    if not frames:
        return None
    label, line, code = frames[-1]
    return f"{label}, line {line}" + (f": {code.strip()}" if code else "")


def _with_cells(outcome: Outcome, module: Module, text: str) -> Outcome:
    """The outcome of a contract test, with the notebook's lines in place of those of `text`."""
    name = Path(module.export).name
    # the promise, with what was called and came of it, says the same
    message = None if outcome.got else in_cells(outcome.message, text, name)
    return replace(outcome, look=in_cells(outcome.look, text, name), message=message)


def _remember(module: Module, work: Work, report: SelfTest) -> Progress:
    """Keep the rows with the hash of the code, and say where the student is."""
    before = module_state(module.state_dir, module.name)
    listed = exercises(work.cells)
    asked, whole = {one.number for one in listed}, report.part is None
    one = bool(meant(listed, report.part or ""))
    seen = {} if whole else dict(before.seen)
    if one:
        seen = {name: row for name, row in seen.items() if row.kind == "exercise"}
    for row in report.checks:
        if whole or (one and (row.kind != "exercise" or row.number in asked)):
            told = (row.status, report.code, row.kind, row.passed, row.tests, row.exercise)
            seen[row.id] = Seen(*told)
    remember(module.state_dir, module.name, seen=seen)
    return progress(module, work=work, state=replace(before, seen=seen))
