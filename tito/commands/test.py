"""Test your notebook: its own cells, and the code that it would export.

The notebook is tested as you saved it, exported to a scratch folder; an older export or the
reference solution is never used. Without a module, every module that you have started is tested.
The exit code is 1 when a test fails or an exercise is still your turn.
"""

import argparse

from tito import console
from tito.commands import _arguments
from tito.console import counted
from tito.contract.facts_of_tests import tests_in
from tito.errors import TitoError, UsageError
from tito.notebook.exercises import exercises, meant, named
from tito.notebook.pair import read_work
from tito.run.student_tests import Check, SelfTest, contract_tests, run_checks
from tito.student_work.read_progress import progress
from tito.time_and_memory_limits import WHOLE_SECONDS
from tito.workspace import Module, Workspace, find_workspace

_LABELS = (("called", "call"), ("got", "got"), ("wanted", "want"), ("look at", "look"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser, "every started module without it")
    parser.add_argument("exercise", nargs="?", help="3a, or 3 for all of section 3; as -k")
    parser.add_argument(
        "-k",
        metavar="PART",
        dest="part",
        help="only tests with PART in their name, exercise or group",
    )
    parser.add_argument("--list", action="store_true", help="list the tests and run none")
    parser.add_argument("--laws", action="store_true", help="show the laws and run none")
    parser.add_argument(
        "--timeout",
        type=float,
        default=WHOLE_SECONDS,
        metavar="SECONDS",
        help="limit for all cells together, and for all contract tests together (default"
        f" {WHOLE_SECONDS:g})",
    )
    parser.add_argument(
        "--output", action="store_true", help="also show what failing test cells printed"
    )
    _arguments.take_json(parser)


def run(args: argparse.Namespace) -> int:
    if not args.timeout > 0:
        raise UsageError(f"--timeout is more than 0 seconds; got {args.timeout:g}")
    if args.exercise and args.part:
        raise UsageError(
            f"an exercise and -k are two ways to pick tests; got {args.exercise!r} and"
            f" {args.part!r}. Leave one out"
        )
    workspace = find_workspace()
    module, part = _which(workspace, args.module, args.exercise or args.part)
    started = (one for one in workspace.modules() if progress(one).state != "not started")
    modules = [module] if module else list(started)
    if not modules:
        number = workspace.module().number
        raise TitoError(
            "`tito test` alone tests the modules whose notebook you changed, and you changed none."
            f" To begin: tito start {number}. To test the notebook as it is: tito test {number}"
        )
    if args.list:
        return _list(modules, args)
    if args.laws:
        return _laws(modules, part)
    reports, failures = [], []
    for module in modules:
        try:
            report = run_checks(module, part=part, timeout_seconds=args.timeout)
        except TitoError as problem:
            if len(modules) == 1:
                raise
            why = {"error": str(problem), "exit_code": problem.exit_code}
            failures.append({"module": module.name, "ok": False, **why})
            if not args.json:
                console.say(f"{module.name}\n{problem}\n")
            continue
        reports.append(report)
        if not args.json:
            show(report, output=args.output)
    ok = not failures and all(report.ok for report in reports)
    if args.json and module:
        console.emit("test", reports[0].as_json())
    elif args.json:
        documents = [*(report.as_json() for report in reports), *failures]
        console.emit("test", {"ok": ok, "modules": documents})
    return 0 if ok else 1


def _which(
    workspace: Workspace, name: str | None, part: str | None
) -> tuple[Module | None, str | None]:
    """The module and the part that are meant. A single word that names no module is taken as an
    exercise of the current one: `tito test 3a`.
    """
    try:
        return (workspace.module(name) if name else None), part
    except UsageError:
        current = workspace.module()
        if part or not name or not named(exercises(read_work(current).cells), name):
            raise
        return current, name


def _laws(modules: list[Module], part: str | None) -> int:
    """Print the files of laws, those of one exercise or of all."""
    for module in modules:
        numbers = [one.number for one in meant(exercises(read_work(module).cells), part or "")]
        paths = sorted(
            path
            for number in numbers or ([] if part else [""])
            for path in module.tests.glob(f"test_{number}*.py")
            if any(test.exercise for test in tests_in(path))
        )
        if not paths:
            raise UsageError(
                f"--laws shows the laws of an exercise; {module.name} has none for"
                f" {part or 'any'}. To see its tests: tito test {module.number} --list"
            )
        for path in paths:
            console.say(f"# {path.relative_to(module.root).as_posix()}\n")
            console.say(path.read_text(encoding="utf-8"))
    return 0


def _list(modules: list[Module], args: argparse.Namespace) -> int:
    names = {
        m.name: [c.name for c in read_work(m).cells if c.runs_tests] + contract_tests(m)
        for m in modules
    }
    if args.json:
        console.emit("test", {"ok": True, "tests": names})
    else:
        for module in modules:
            asked = exercises(read_work(module).cells)
            numbers = {one.graded.name: f"{one.number} " for one in asked if one.graded}
            for name in names[module.name]:
                console.say(f"{numbers.get(name, '')}{name}")
    return 0


def show(report: SelfTest, *, output: bool = False) -> None:
    """Print a report: a line for each test, and below a red one the promise and what was got."""
    console.say(console.paint(f"{report.module}  ({report.source}, your code as saved)", "bold"))
    if report.stale:
        console.say(f"  {report.stale} is behind; `tito sync {report.module}` refreshes it")
    turns = [check for check in report.checks if check.status == "your_turn"]
    for check in report.checks:
        if check.status != "your_turn":
            _row(check, output)
    if turns:
        _turns(turns)
    console.say()
    for line in _totals(report):
        console.say(line)
    if report.standing:
        console.say(f"{report.module}: {report.standing.words}\n{report.standing.advice}\n")


def _totals(report: SelfTest) -> list[str]:
    """What this run found. Only a run over everything counts points, each kind apart."""
    passed = counted(report.passed, "test", "pass", of=report.tests)
    passed += f", {report.seconds:.1f} s"
    rows = [check for check in report.checks if check.points]
    if report.part is not None or report.standing is None:
        return [f"{passed}; only {counted(len(rows), 'exercise')} tested: {report.part}"]
    asked = report.standing.exercises
    most = max(sum(row.points for row in some) for some in (asked, report.checks))
    earned = counted(report.earned, "point", of=most)  # of a deleted test cell, too
    lines = [
        f"{passed}\n{counted(report.count('pass'), 'exercise', of=len(asked))} done. The promises"
        f" that hold are worth {earned}; the grader tests with other inputs and gives the points."
    ]
    questions = report.standing.questions
    if questions:
        worth = sum(row.points for row in questions)
        answers = counted(len(questions) - len(report.standing.empty), "answer", of=len(questions))
        lines.append(f"{answers} written; a person gives their {counted(worth, 'point')}.")
    return lines


def _row(check: Check, output: bool) -> None:
    outcome = check.outcome
    name = _name(check)
    if check.kind != "exercise":
        name = f"cell {outcome.cell}"
        name += "" if check.id.startswith("cell ") else f" ({check.id})"
    tests = f"  {counted(check.passed, 'test', of=check.tests)}" if check.tests else ""
    worth = counted(check.earned, "point", of=check.points) if check.points else ""
    worth = worth and f"  worth {worth}"
    console.say(f"  {console.mark(check.status)} {name}{tests}{worth}")
    if check.status == "pass":
        return
    for line in _told(check):
        console.say(f"      {line}")
    if output and outcome.stdout:
        said = "".join(f"      | {line}\n" for line in outcome.stdout.splitlines())
        console.say(said.rstrip("\n"))


def red_lines(check: Check) -> list[str]:
    """The block of one row: its name and, when it is red, what its first failing test says."""
    name = _name(check) if check.kind == "exercise" else f"cell {check.outcome.cell} ({check.id})"
    head = f"{console.mark(check.status)} {name}"
    return [head] if check.status == "pass" else [head, *(f"  {line}" for line in _told(check))]


def _told(check: Check) -> list[str]:
    """The promise that is broken, and the lines "called", "got", "wanted" and "look at"."""
    outcome = check.outcome
    lines = []
    if check.failing and check.failing != check.id:
        lines.append(f"test      {check.failing}")
    lines += [outcome.promise] if outcome.promise else []
    lines += (outcome.message or "").splitlines()[:12]
    for label, field in _LABELS:
        value = getattr(outcome, field)
        if value is not None:
            lines.append(f"{label:<9} {' '.join(str(value).split())}")
    return lines


def _name(check: Check) -> str:
    """Such as "3a file_ranges"; a test without a number has the name of its cell."""
    return f"{check.number} {check.exercise}" if check.number else check.id


def _turns(turns: list[Check]) -> None:
    worth = counted(sum(check.points for check in turns), "point")
    waiting = [check.number or check.id for check in turns if check.points]
    more = f" and {len(waiting) - 6} more" if len(waiting) > 6 else ""
    whole = counted(len(waiting), "exercise")
    names = ", ".join(waiting[:6])
    console.say(f"  {console.mark('your_turn')} your turn: {whole} for {worth}: {names}{more}")
    if turns[0].outcome.look:
        console.say(f"      look at   {turns[0].outcome.look}")
