"""Prove a module: references, stubs, wrong and right solutions, leaks, structure, drift,
promises.

Eight points; a fault names the line to edit and the repair. What can be seen without running code
is printed first, then the reference, where a fault ends the check, then the rest. Exit code 1 when
there is a fault.
Where the source has changed since it was released, a terminal is asked whether to release it first.
"""

from __future__ import annotations

import argparse
import functools
from typing import TYPE_CHECKING

from grading.commands._class import progress_of
from tito import console
from tito.commands._arguments import MODULE
from tito.console import say, table
from tito.errors import WorkError
from tito.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from grading.authoring.check.check_report import Proof
    from grading.authoring.check.checked_module import Subject

_POINTS = [str(number) for number in range(1, 9)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    flag = functools.partial(add, action="store_true")
    add("module", nargs="?", help=f"{MODULE}; every module with a source without it")
    text = "only these points, 1 to 8, or these exercises, such as 2a"
    add("--only", action="extend", nargs="+", default=[], metavar="N", help=text)
    text = "release first, without asking, where the source changed since the last release"
    flag("--release", help=text)
    flag("-v", "--verbose", help="show the whole text of each failure")


def run(args: argparse.Namespace) -> int:
    from grading.authoring.check.checked_module import Subject
    from grading.authoring.check.module_check import check_module
    from grading.engine.course.references import source_path

    workspace = find_workspace()
    modules = [m for m in workspace.modules() if source_path(m).is_file()]
    if args.module:
        modules = [workspace.module(args.module)]
    if not modules:
        raise WorkError(
            f"a module is checked from its source; {workspace.root / 'grading' / 'modules'} has"
            " none. Start one: tito dev new 01_NAME"
        )
    only = {int(one) for one in args.only if one in _POINTS}
    exercises = [one for one in args.only if one not in _POINTS]
    reports = []
    for module in modules:
        subject = Subject(module, exercises)
        _offer_release(subject, args)
        say(module.name)
        told = functools.partial(_tell, verbose=args.verbose)
        report = check_module(subject, only, progress_of(module.name), told)
        reports.append(report)
        _show(report)
    return 0 if all(report.ok for report in reports) else 1


def _offer_release(subject: Subject, args: argparse.Namespace) -> None:
    """Release the module if its source changed and somebody wants it: never without a word."""
    from grading.authoring import release

    module, workspace = subject.module, Workspace(subject.module.root)
    try:
        changed = release.drift(module, subject.edition)
    except WorkError:
        return  # the check names the cell
    if not changed:
        return
    if not args.release:
        question = (
            f"The source of {module.name} has changed since it was released"
            f" ({len(changed)} files in modules/ are behind). Release it now?"
        )
        if not console.confirm(question):
            return  # point 7 names the files and the command
    for path in release.release(module, workspace).changed:
        say(f"released: {path.relative_to(workspace.root)}")


def _tell(report: Proof, point: int, *, verbose: bool) -> None:
    """Print a point."""
    from grading.authoring.check.check_report import POINTS

    faults = [fault for fault in report.faults if fault.point == point]
    fact = f" ({report.facts[point]})" if report.facts.get(point) else ""
    say(f"  {point} {'ok  ' if not faults else 'FAIL'} {POINTS[point]}{fact}")
    for fault in faults:
        text = fault.text if verbose or len(fault.text) < 400 else fault.text[:397] + "..."
        say(f"         {fault.place}: {text}\n           repair: {fault.repair}")


def _show(report: Proof) -> None:
    from grading.authoring.check.exercise_rules import EXERCISE_COLUMNS
    from grading.authoring.check.untested_promises import PROMISE_COLUMNS

    if report.exercises and not report.stopped:
        say("")
        table(EXERCISE_COLUMNS, report.exercises)
    if report.promises:
        say("")
        table(PROMISE_COLUMNS, report.promises)
    found = console.counted(len(report.faults), "fault") if report.faults else "no faults"
    parts = [f"{found}, {report.seconds:.1f} s", report.stopped, report.unproved]
    say("  " + "; ".join(filter(None, parts)))
