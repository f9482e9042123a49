"""Write one feedback page per student."""

from __future__ import annotations

import argparse

from grading.commands._class import add_class_arguments, chosen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_class_arguments(parser)
    parser.add_argument(
        "--student",
        action="append",
        metavar="S",
        help="only this student; may be given several times",
    )
    parser.add_argument(
        "--show-hidden",
        action="store_true",
        help="show the source of hidden tests and the mark schemes",
    )


def run(args: argparse.Namespace) -> int:
    from grading.engine.marks.feedback import feedback
    from tito.console import counted

    course, assignment = chosen(args)
    pages = feedback(course, assignment, students=args.student, show_hidden=args.show_hidden)
    for page in pages:
        print(page)
    print(
        f"{counted(len(pages), 'page')}; next:"
        f" tito grade export {assignment.name} --course {course.root}"
    )
    return 0
