"""Pack your notebook for handing in: one zip, and a look at what a grader will see.

Stubs and failing tests are reported and do not stop you. A notebook that does not parse is refused
unless --force is given.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tito import console
from tito.commands import _arguments
from tito.console import counted
from tito.errors import UsageError
from tito.progress import progress
from tito.submission import prepare, write
from tito.workspace import find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser)
    parser.add_argument(
        "--student",
        metavar="ID",
        help="your id in the class, written in the manifest and in the name of the zip",
    )
    parser.add_argument(
        "--output", metavar="DIR", default=".", help="where the zip goes (default: here)"
    )
    parser.add_argument(
        "--force", action="store_true", help="hand in a notebook that does not parse"
    )
    parser.add_argument(
        "--no-test",
        action="store_true",
        help="do not run the tests first; show the last results if they belong to this code",
    )
    _arguments.take_json(parser)


def run(args: argparse.Namespace) -> int:
    workspace = find_workspace()
    module = workspace.module(args.module)
    folder = Path(args.output)
    if not folder.is_dir():
        remedy = "Name another place" if folder.exists() else f"Make it first: mkdir {args.output}"
        raise UsageError(
            f"--output must name an existing folder; {args.output!r} is not one. {remedy}"
        )
    ready = prepare(module, student=args.student, force=args.force, test=not args.no_test)
    path = write(ready, folder)
    row = progress(module)
    if args.json:
        document = {
            "ok": True,
            "module": module.name,
            "path": str(path),
            "manifest": ready.manifest,
            "stubs": ready.stubs,
            "syntax_errors": ready.broken,
            "answers_empty": ready.empty_answers,
            "passed": ready.standing.passed if ready.tested else None,
            "tests": ready.standing.tests if ready.tested else None,
            "next": row.next,
        }
        console.emit("submit", document)
        return 0
    console.say(f"{module.name}: what a grader will see")
    console.say(
        f"  notebook  {module.notebook.name}, {counted(ready.cells, 'cell')}, sha256"
        f" {ready.manifest['sha256'][:16]}..."
    )
    if ready.tested:
        console.say(
            f"  tests     {ready.standing.passed} of {ready.standing.tests} that you can run pass;"
            " the grader has more, and they give the points"
        )
    else:
        console.say(f"  tests     not run on this code; to see them: tito test {module.number}")
    _list("warn", "does not parse", ready.broken)
    _list("your_turn", "still your turn", ready.stubs)
    _list("your_turn", "answer is empty", ready.empty_answers)
    if ready.answers:
        written = ready.answers - len(ready.empty_answers)
        console.say(f"  answers   {written} of {ready.answers} written")
    console.say(f"\nwrote {path}  ({path.stat().st_size:,} bytes). This is the file to hand in.")
    if not args.student:
        console.say(
            "It names no student. A class that is graded with tito needs your id in it:"
            f" tito submit {module.number} --student ID"
        )
    console.say(f"{row.module}: {row.words}\n{row.advice}")
    return 0


def _list(mark: str, title: str, names: list[str]) -> None:
    for name in names[:10]:
        console.say(f"  {console.mark(mark)} {title}: {name}")
    if len(names) > 10:
        console.say(f"    and {len(names) - 10} more")
