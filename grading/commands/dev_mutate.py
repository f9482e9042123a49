"""Change the reference in small ways, and see which test notices each change.

A change that no test notices is a gap in the tests: write a test that fails for it, or paste the
entry that is printed into grading/modules/NN_name/equivalent.toml. Exit code 1 when more than 2%
are left.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from grading.commands._class import progress_of
from tito.commands._arguments import MODULE

if TYPE_CHECKING:
    from grading.authoring.mutate.mutation_report import Report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("module", help=MODULE)
    text = "only the mutants of these exercises"
    add("--only", action="extend", nargs="+", default=[], metavar="EXERCISE", help=text)
    add("--sample", type=int, metavar="N", help="only N mutants, the same ones each time")
    add("--jobs", type=int, metavar="N", help="processes at a time (default: one for each core)")
    add("--record", action="store_true", help="keep the result for `tito dev check`")


def run(args: argparse.Namespace) -> int:
    import time

    from grading.authoring.mutate.mutation_report import mutate, record
    from grading.engine.run.how_many_at_once import processors
    from grading.engine.sandbox import temporary_folders
    from tito import console
    from tito.errors import UsageError
    from tito.workspace import find_workspace

    for name in ("sample", "jobs"):
        given = getattr(args, name)
        if given is not None and given < 1:
            raise UsageError(f"--{name} is 1 or more, got {given}")
    if args.record and (args.only or args.sample):
        raise UsageError("--record keeps the result of all mutants; leave out --only and --sample")
    workspace = find_workspace()
    module = workspace.module(args.module)
    start = time.perf_counter()
    with temporary_folders.folder("mutate") as folder:
        report = mutate(
            module,
            folder / "runs",
            only=args.only,
            sample=args.sample,
            jobs=args.jobs or processors(),
            progress=progress_of(module.name),
        )
    report.seconds = time.perf_counter() - start
    kept = record(module, report) if args.record else None
    _show(report)
    if kept:
        console.say(f"kept in {kept.relative_to(workspace.root)}")
    return 1 if report.problems else 0


def _show(report: Report) -> None:
    from grading.authoring.mutate.equivalent import entry_of
    from grading.authoring.mutate.mutation_report import COLUMNS
    from tito.console import say, table

    table(COLUMNS, report.table())
    timeouts = sum(one.kills[0].status == "timeout" for one in report.verdicts if one.kills)
    say(
        f"\n{report.module}: {_share(report.killed, report.others)} of those that are not"
        f" equivalent are killed, {_share(report.in_sight, report.killed)} of these in the notebook"
        f" or by public tests, {timeouts} by their time limit"
    )
    say(f"{report.seconds:.0f} s")
    for one in report.survivors:
        say(f"\n{entry_of(one.mutant)}")
    for problem in report.problems:
        say(f"\n{problem}")


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})" if whole else "0 of 0"
