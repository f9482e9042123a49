"""Show how far you are, module by module, and the next command.

Everything here is worked out from your files and the last `tito test`; when the code changed since
then, it says so.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict

from tito import console
from tito.progress import Progress, progress
from tito.workspace import find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "module", nargs="?", help="08, dataloader or 08_dataloader; all modules without it"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")


def run(args: argparse.Namespace) -> int:
    workspace = find_workspace()
    modules = [workspace.module(args.module)] if args.module else workspace.modules()
    rows = [progress(module) for module in modules]
    if args.json:
        console.emit(
            "status",
            {
                "ok": True,
                "workspace": str(workspace.root),
                "modules": [{**asdict(row), "words": row.words} for row in rows],
            },
        )
        return 0
    console.table(
        ["module", "exercises", "answers", "export", "state"], [_cells(row) for row in rows]
    )
    for row in rows:
        if row.problem:
            console.say(f"\n{row.module}: {row.problem}")
    current = modules[0] if args.module else workspace.current(modules)  # reads no file again
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
    state = row.state
    if row.changed_since_test:
        state = "changed since the last test"
    return [
        row.module,
        f"{len(row.passing)} of {len(row.exercises)}" if row.exercises else "-",
        f"{written} of {len(row.questions)}" if row.questions else "-",
        {"behind the notebook": "behind"}.get(row.exported, row.exported),
        state,
    ]
