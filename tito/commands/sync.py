"""Refresh the .ipynb or the .py of a module from the other one, whichever was changed.

A notebook keeps its ids, its metadata and the outputs of cells that stay the same. The file that is
replaced is backed up first. When both files were changed and disagree, the cells are listed, and
you choose with --from which file to keep.
"""

import argparse

from tito import console
from tito.commands import _arguments
from tito.notebook.pair import sync
from tito.workspace import find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser)
    parser.add_argument(
        "--from", dest="winner", choices=("ipynb", "py"), help="which file holds the work to keep"
    )


def run(args: argparse.Namespace) -> int:
    workspace = find_workspace()
    module = workspace.module(args.module)
    written = sync(module, workspace.backups, winner=args.winner)
    if written is None:
        console.say(
            f"nothing to do: {module.notebook.name} and {module.script.name} hold the same code"
        )
    else:
        console.say(
            f"refreshed: {written.relative_to(workspace.root).as_posix()}  (the old one is in"
            " .tito/backups)\nIf JupyterLab has it open: File > Reload Notebook from Disk."
        )
    return 0
