"""Build the site into site/_build/html: pages from the rooms, their snippets and demo cells run.

What did not change is not done again; --clean begins anew. The pages need no network, and no
server: open index.html.
"""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--clean", action="store_true", help="remove what earlier builds left, then build"
    )
    parser.add_argument(
        "--draft",
        action="store_true",
        help="do not run the demo cells and the landing page's measurement",
    )
    parser.add_argument(
        "--browser",
        action="store_true",
        help="also make the notebooks in the browser (JupyterLite): a button on each module's page",
    )
    parser.add_argument(
        "--pyodide",
        metavar="DIR",
        help="for --browser: a folder with Pyodide and its wheels (or $COURSE_PYODIDE); without"
        " one they are fetched by checksum",
    )
    parser.add_argument(
        "--to", metavar="DIR", help="also copy the finished site there; DIR must be new or empty"
    )


def run(args: argparse.Namespace) -> int:
    import shutil
    from pathlib import Path

    from tito.console import say, warn
    from tito.errors import EnvironmentBroken, UsageError
    from tito.workspace import TOOLS, Workspace, find_workspace

    from ..browser_edition import given
    from ..build import build

    root, to = find_workspace().root, Path(args.to) if args.to else None
    if to and to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise UsageError(f"--to is a folder that is new or empty; {args.to} is not")
    if args.clean:
        shutil.rmtree(root / "site" / "_build", ignore_errors=True)
    parts, package = None, Workspace(root).package.name
    if args.browser and package != TOOLS:
        raise UsageError(
            f"--browser packs {TOOLS}, which holds all that its notebooks import; this course's"
            f" package is {package}. Leave --browser out"
        )
    if args.browser:
        try:
            parts = given(args.pyodide, root / "site" / "_build" / "pyodide")
        except EnvironmentBroken as problem:
            warn(f"the site gets no notebooks in the browser, and no button. {problem}")
    try:
        built = build(
            root, run_cells=not args.draft, pyodide=parts, say=lambda text: say(f"  {text}")
        )
    except KeyboardInterrupt:
        removed = "--clean removed the earlier pages" if args.clean else "the pages are incomplete"
        raise KeyboardInterrupt(f"{removed}; to make them, run: tito site build") from None
    if to:
        shutil.copytree(built.html, to, dirs_exist_ok=True)
    say(
        f"{built.pages} pages in {built.seconds:.0f} s: {(to or built.html) / 'index.html'}\n"
        "next: tito site check, or tito site serve"
    )
    return 0
