"""List pairs of submissions with the same code or answer, for a person to read; not a verdict."""

import argparse
from pathlib import Path

from grading.commands._class import add_class_arguments, chosen, need_place
from grading.engine.safe_text import tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_class_arguments(parser)
    parser.add_argument(
        "--to",
        metavar="FILE",
        type=Path,
        help="the page, in an existing folder (default: the course's reports/NN_name/similar.html)",
    )


def run(args: argparse.Namespace) -> int:
    from grading.engine.marks import similarity
    from grading.engine.pages.similar_page import similar_page
    from tito.console import counted
    from tito.files import write_text

    need_place(args.to)
    course, assignment = chosen(args)
    groups, pairs, works = similarity.similar(course, assignment)
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
    path = args.to or course.reports(assignment) / "similar.html"
    write_text(path, similar_page(assignment, groups, pairs, works))
    tell(
        f"wrote {path}: {counted(len(groups), 'group')} and {counted(len(pairs), 'pair')} of"
        f" {counted(len(works), 'submission')}, for a person to read; this is no verdict"
    )
    return 0
