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
                "modules": [asdict(row) for row in rows],
            },
        )
        return 0
    console.table(["module", "", "tests", "state"], [_cells(row) for row in rows])
    for row in rows:
        if row.problem:
            console.say(f"\n{row.module}: {row.problem}")
    current = modules[0] if args.module else workspace.current(modules)  # reads no file again
    console.say(f"\nnext: {_next(rows, current.name)}")
    return 0


def where_am_i() -> int:
    """`tito` alone: the current module in one line, and the one next command."""
    workspace = find_workspace()
    module = workspace.module()
    row = progress(module)
    console.say(
        f"{row.module}  {_words(row)}"
        + (f"\n{row.problem}" if row.problem else "")
        + f"\nnext: {row.next}        (all verbs: tito --help)"
    )
    return 0


def _cells(row: Progress) -> list[str]:
    tests = f"{row.passed}/{row.tests}" if row.tests is not None else "-"
    return [row.module, console.bar(row.passed or 0, row.tests or 0), tests, _words(row)]


def _words(row: Progress) -> str:
    parts = [row.state]
    if row.state in ("started", "tested") and row.open_exercises:
        parts.append(
            f"{row.open_exercises} exercises left, {row.open_exports} of them for the package"
        )
    if row.changed_since_test:
        parts.append("changed since the last test")
    if row.exported != "no":
        parts.append("exported" if row.exported == "yes" else "export is behind the notebook")
    return ", ".join(parts)


def _next(rows: list[Progress], current: str) -> str:
    mine = next((row for row in rows if row.module == current), rows[0])
    return (
        mine.next
        if mine.state != "done" or all(row.state == "done" for row in rows)
        else next(row.next for row in rows if row.state != "done")
    )
