"""Open nbgrader's formgrader on the course of a class."""

import argparse

from grading.engine.course.directory import Course
from tito.workspace import find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--course", metavar="DIR", help="the class's course directory")
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address and open no browser"
    )
    parser.add_argument("--port", type=int, default=0, help="default: 0, which chooses a free port")


def run(args: argparse.Namespace) -> int:
    from grading.engine.marks.formgrader import serve

    course = Course.open(args.course, find_workspace())
    course.renew_config()  # an earlier version's may import what is no longer there
    return serve(course, browser=not args.no_browser, port=args.port)
