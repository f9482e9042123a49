"""Write the cells that begin with `#| export` to the course's package.

The notebook is only read, never changed. A notebook that does not parse is refused; so is one that
still holds stubs, unless --partial is given. The previous export is kept in .tito/backups.
"""

import argparse

from tito import console
from tito.commands import _arguments
from tito.console import counted
from tito.remembered_state import remember
from tito.student_work.exporter import export
from tito.student_work.read_progress import progress
from tito.workspace import find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser)
    parser.add_argument(
        "--partial",
        action="store_true",
        help="export even though some exercises are still stubs; these are listed",
    )
    _arguments.take_json(parser)


def run(args: argparse.Namespace) -> int:
    workspace = find_workspace()
    module = workspace.module(args.module)
    done = export(module, partial=args.partial)
    remember(workspace.state_dir, module.name)
    place = done.path.relative_to(workspace.root).as_posix()
    row = progress(module)
    if args.json:
        document = {
            "ok": True,
            "module": module.name,
            "path": place,
            "source": done.source.name,
            "changed": done.changed,
            "cells": done.cells,
            "stubs": [stub.exercise for stub in done.stubs],
            "backup": str(done.backup) if done.backup else None,
            "next": row.next,
        }
        console.emit("export", document)
        return 0
    if done.changed:
        console.say(
            f"{counted(done.cells, 'cell')} of {done.source.name} -> {place}"
            + (f"  (the previous one: .tito/backups/{done.backup.name})" if done.backup else "")
        )
    else:
        console.say(f"unchanged: {place} already is what {done.source.name} says")
    for stub in done.stubs:
        mark = console.mark("your_turn")
        console.say(f"  {mark} still your turn: {stub.exercise}, cell {stub.index}")
    if done.stale:
        console.say(f"{done.stale.name} is behind; `tito sync {module.number}` refreshes it")
    console.say(f"use it: from {module.import_name} import ...")
    console.say(f"{row.module}: {row.words}\n{row.advice}")
    return 0
