"""Pack the student's room for a class as one zip, without answers or history.

The zip is searched for answers, unpacked and tried out before it is written. The same files give
the same bytes.
"""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("modules", nargs="*", help="which modules; all that were released without it")
    add("--out", required=True, type=Path, metavar="FILE.zip", help="where to write it")


def run(args: argparse.Namespace) -> int:
    from grading.authoring import bundle
    from grading.authoring.check.module_check import secrets_of_all
    from tito.console import say
    from tito.errors import WorkError
    from tito.files import sha256
    from tito.workspace import find_workspace

    workspace = find_workspace()
    modules = [workspace.module(name) for name in args.modules] or bundle.released(workspace)
    if not modules:
        raise WorkError(
            f"a bundle holds student editions; {workspace.root / 'modules'} has none. Make one:"
            " tito grade release NN_name"
        )
    data = bundle.build(workspace, modules)
    wanted = secrets_of_all(workspace)
    bundle.prove(data, wanted, args.out.name)
    bundle.write(args.out, data)
    say(
        f"wrote {args.out}: {', '.join(m.name for m in modules)}; {len(data) / 1e6:.1f} MB, sha256"
        f" {sha256(data)[:16]}\nsearched for {len(wanted)} secret lines, none found; `tito status`"
        " ran from the unpacked copy"
    )
    return 0
