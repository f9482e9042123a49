"""Put a module's notebook back to the starter; your work is kept in .tito/backups first.

`--cell 1b` puts one exercise's missing cells back and keeps the rest. `--list` shows the backups,
`--undo` puts the latest one back.
"""

import argparse
from pathlib import Path

from tito import console
from tito.commands import _arguments
from tito.errors import UsageError
from tito.files import backups
from tito.notebook.reset_notebook import reset, reset_cells, reset_from, starter_bytes, undo
from tito.workspace import find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="show the backups, change nothing")
    what.add_argument(
        "--cell",
        metavar="1b",
        help="put back the missing cells of an exercise, or the cell of a name; the rest stays",
    )
    what.add_argument(
        "--from",
        dest="file",
        metavar="FILE",
        help="put another copy of your notebook in its place, or what can be read of a damaged one",
    )
    what.add_argument(
        "--undo",
        nargs="?",
        const="",
        metavar="BACKUP",
        help="put a backup back: the one that is named, else the latest",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace) -> int:
    workspace = find_workspace()
    module = workspace.module(args.module)
    if args.list:
        copies = backups(workspace.backups, module.notebook.name)
        console.say(
            "\n".join(path.name for path in copies) or f"no backups of {module.notebook.name} yet"
        )
        if copies:
            console.say(f"\nput one back: tito reset {module.number} --undo {copies[-1].name}")
        return 0
    # tito names a file from the course's folder on, wherever the student types
    places = [Path(args.file), workspace.root / args.file] if args.file else []
    file = next((place for place in places if place.is_file()), None)
    if args.file and not file:
        raise UsageError(f"--from names a notebook; there is no {args.file}")
    if args.undo is None and not args.cell and not args.file:
        starter_bytes(module)  # before the question: without a starter there is nothing to ask
        if not args.yes:
            answer = console.confirm(
                f"Put {module.notebook.name} back to the starter? Your work is backed up first."
            )
            if answer is None:
                raise UsageError(
                    "reset asks before it replaces your notebook, and there is no terminal to ask"
                    f" on. To confirm, run: tito reset {module.number} --yes"
                )
            if not answer:
                console.say("Nothing was changed.")
                return 0
    if args.cell:
        done = reset_cells(module, args.cell)
    elif file:
        done = reset_from(module, file)
    else:
        done = reset(module) if args.undo is None else undo(module, args.undo or None)
    for path in done.kept:
        console.say(f"kept: {path.relative_to(workspace.root).as_posix()}")
    for path in done.written:
        console.say(f"restored: {path.relative_to(workspace.root).as_posix()}")
    console.say(
        "If JupyterLab has it open: File > Reload Notebook from Disk.\nundo this: tito reset"
        f" {module.number} --undo"
    )
    return 0
