"""Prove a module: references, stubs, wrong and right solutions, leaks, structure, drift,
promises.

Eight points, each with the command or the line that repairs what fails. Exit code 1 when one does.
Where the source has changed since it was released, a terminal is asked whether to release it first.
"""

from __future__ import annotations

import argparse
import functools
from pathlib import Path
from typing import TYPE_CHECKING

from grading.commands._class import progress_of
from tito import console
from tito.console import say, table
from tito.errors import UsageError, WorkError
from tito.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from grading.authoring.check.report import Proof
    from tito.workspace import Module

DRIFT = 7  # the point that compares modules/ with the source


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    flag = functools.partial(add, action="store_true")
    add(
        "module",
        nargs="?",
        help="08_dataloader, 08 or dataloader; every module with a source without it",
    )
    add(
        "--only",
        action="extend",
        nargs="+",
        type=int,
        choices=range(1, 9),
        metavar="N",
        help="only these points, 1 to 8",
    )
    flag(
        "--release",
        help="release first, without asking, where the source changed since the last release",
    )
    add(
        "--artifact",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="also look for answers in this .zip or .whl",
    )
    flag("-v", "--verbose", help="show the whole text of each failure")


def run(args: argparse.Namespace) -> int:
    from grading.authoring.check.points import check_module
    from grading.engine.course.references import source_path

    workspace = find_workspace()
    modules = [m for m in workspace.modules() if source_path(m).is_file()]
    if args.module:
        modules = [workspace.module(args.module)]
    if not modules:
        raise WorkError(
            f"a module is checked from its source; {workspace.root / 'grading' / 'source'} has"
            " none. Start one: tito dev new 01_NAME"
        )
    for path in args.artifact:
        if not path.is_file():
            raise UsageError(
                f"--artifact names a file; {path} is none. Make one:"
                " tito dev bundle --out bundle.zip"
            )
    reports = []
    for module in modules:
        if args.release or DRIFT in (args.only or [DRIFT]):
            _offer_release(module, args)
        only = set(args.only) if args.only else None
        report = check_module(module, only, progress_of(module.name), tuple(args.artifact))
        reports.append(report)
        _show(report, verbose=args.verbose)
    return 0 if all(report.ok for report in reports) else 1


def _offer_release(module: Module, args: argparse.Namespace) -> None:
    """Release the module if its source changed and somebody wants it: never without a word."""
    from grading.authoring import release

    workspace = Workspace(module.root)
    try:
        changed = release.drift(module)
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


def _show(report: Proof, *, verbose: bool) -> None:
    from grading.authoring.check.exercise_rules import EXERCISE_COLUMNS
    from grading.authoring.check.promises import PROMISE_COLUMNS
    from grading.authoring.check.report import POINTS

    say(f"{report.module}")
    for point in sorted(report.facts.keys() | {fault.point for fault in report.faults}):
        faults = [fault for fault in report.faults if fault.point == point]
        fact = f" ({report.facts[point]})" if report.facts.get(point) else ""
        say(f"  {point} {'ok  ' if not faults else 'FAIL'} {POINTS[point]}{fact}")
        for fault in faults:
            text = fault.text if verbose or len(fault.text) < 400 else fault.text[:397] + "..."
            say(f"         {text}\n           repair: {fault.repair}")
    if report.exercises:
        say("")
        table(EXERCISE_COLUMNS, report.exercises)
    if report.promises:
        say("")
        table(PROMISE_COLUMNS, report.promises)
    noun = "fault" if len(report.faults) == 1 else "faults"
    say(f"  {len(report.faults) or 'no'} {noun}, {report.seconds:.1f} s")
