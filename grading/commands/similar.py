"""List pairs of submissions with the same code or answer, for a person to read; not a verdict."""

from __future__ import annotations

import argparse
from pathlib import Path

from grading.commands._class import add_class_arguments, chosen
from grading.engine.texts import tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_class_arguments(parser)
    parser.add_argument(
        "--least",
        type=float,
        default=50,
        metavar="PERCENT",
        help="of the smaller one's own code (default 50)",
    )
    parser.add_argument(
        "--to",
        metavar="FILE",
        type=Path,
        help="the page, in an existing folder (default: the course's reports/NN_name/similar.html)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the groups and pairs as JSON and write nothing"
    )


def run(args: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict

    from grading.engine.files import write_text
    from grading.engine.marks import similarity
    from tito.console import counted
    from tito.errors import UsageError

    if not 0 < args.least <= 100:
        raise UsageError(
            f"--least is a percentage, above 0 and up to 100; got {args.least:g}. Try --least 50"
        )
    if args.to is not None and (args.to.is_dir() or not args.to.parent.is_dir()):
        raise UsageError(
            f"--to takes a file in an existing folder; got {args.to}. Make the folder first:"
            f" mkdir -p {args.to.parent}"
        )
    course, assignment = chosen(args)
    groups, pairs, works = similarity.similar(course, assignment, least=args.least / 100)
    if args.json:
        found = {
            "groups": [asdict(group) for group in groups],
            "pairs": [asdict(pair) for pair in pairs],
        }
        tell(json.dumps(found, indent=1))
        return 0
    for group in groups:
        tell(
            f"{len(group.students)} of {len(works)} have the same in {', '.join(group.cells)}:"
            f" {', '.join(group.students)}"
        )
    for pair in pairs[:50]:
        answers = f"; same answer: {', '.join(pair.answers)}" if pair.answers else ""
        tell(
            f"{pair.share * 100:5.0f} %  {pair.first:<20} {pair.second:<20}"
            f" {', '.join(pair.cells[:3])}{answers}"
        )
    from grading.engine.pages.similar_page import similar_page

    path = args.to or course.reports(assignment) / "similar.html"
    write_text(path, similar_page(assignment, groups, pairs, works))
    tell(
        f"wrote {path}: {counted(len(groups), 'group')} and {counted(len(pairs), 'pair')} of"
        f" {counted(len(works), 'submission')}, for a person to read; this is no verdict"
    )
    return 0
