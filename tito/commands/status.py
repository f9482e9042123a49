"""Show how far you are, module by module, and the next command.

Everything here is worked out from your files and the last `tito test`; when the code changed since
then, it says so.
"""

import argparse
from dataclasses import asdict

from tito import console
from tito.commands import _arguments
from tito.student_work.progress import Progress
from tito.student_work.read_progress import progress
from tito.workspace import find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser, "all modules without it")
    _arguments.take_json(parser)


def run(args: argparse.Namespace) -> int:
    workspace = find_workspace()
    modules = [workspace.module(args.module)] if args.module else workspace.modules()
    rows = [progress(module) for module in modules]
    if args.json:
        listed = [{**asdict(row), "words": row.words} for row in rows]
        console.emit("status", {"ok": True, "workspace": str(workspace.root), "modules": listed})
        return 0
    headings = ["module", "exercises", "answers", "export", "state"]
    console.table(headings, [_cells(row) for row in rows])
    for row in rows:
        if row.problem:
            console.say(f"\n{row.module}: {row.problem}")
    current = modules[0] if args.module else workspace.current(modules)
    mine = next(row for row in rows if row.module == current.name)
    console.say(f"\n{mine.module}: {mine.words}\n{mine.advice}")
    return 0


def where_am_i() -> int:
    """`tito` alone: the current module in one line, and the one next command."""
    row = progress(find_workspace().module())
    console.say(f"{row.module}: {row.words}" + (f"\n{row.problem}" if row.problem else ""))
    console.say(f"all verbs: tito --help\n{row.advice}")
    return 0


def _cells(row: Progress) -> list[str]:
    written = len(row.questions) - len(row.empty)
    return [
        row.module,
        f"{len(row.passing)} of {len(row.exercises)}" if row.exercises else "-",
        f"{written} of {len(row.questions)}" if row.questions else "-",
        row.exported.removesuffix(" the notebook"),
        "changed since the last test" if row.changed_since_test else row.state,
    ]
