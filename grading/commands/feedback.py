"""Write one feedback page per student."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", nargs="?", help="08_dataloader, 08 or dataloader; the current module without it")
    parser.add_argument("--course", metavar="DIR", help="the class's course directory")
    parser.add_argument("--student", action="append", metavar="S", help="only this student; may be given several times")
    parser.add_argument("--show-hidden", action="store_true", help="show the source of hidden tests and the mark schemes")


def run(args: argparse.Namespace) -> int:
    from grading.engine.course import Course
    from grading.engine.feedback import feedback
    from tito.course import find_workspace

    workspace = find_workspace()
    course = Course.open(args.course, workspace)
    module = course.assignment(args.module, workspace)
    pages = feedback(course, module, students=args.student, show_hidden=args.show_hidden)
    for page in pages:
        print(page)
    print(f"{len(pages)} pages; next: tito grade export {module.name} --course {course.root}")
    return 0
