"""Open every page of the built site in Chromium and say what is wrong with it.

Console errors, requests that leave the machine, dead links and anchors, images without alternative
text, text below WCAG AA in either theme, sideways scrolling at 390 px. Exit code 1 when something
is found, 3 when there is no browser.
"""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--html", metavar="DIR", help="a built site elsewhere; site/_build/html without it"
    )


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from tito.console import say
    from tito.errors import WorkError
    from tito.workspace import find_workspace

    from ..check import check

    html = Path(args.html) if args.html else find_workspace().root / "site" / "_build" / "html"
    if not (html / "index.html").is_file():
        raise WorkError(f"a built site has an index.html; {html} has none. Run: tito site build")
    checked = check(html)
    for fault in checked.faults:
        say(fault)
    say(
        f"{checked.pages} pages: {checked.outside} outside requests, {len(checked.faults)} faults"
        + ("" if checked.faults else ", nothing to repair")
    )
    return 1 if checked.faults else 0
