"""Write one feedback page per student."""

import argparse

from grading.commands._class import add_class_arguments, chosen, need_positive, what_waits
from grading.engine.safe_text import tell
from tito.console import counted
from tito.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_class_arguments(parser)
    add = parser.add_argument
    add("--student", action="append", metavar="S", help="only this student; may be repeated")
    right = "show a right answer below the student's code; after the deadline"
    add("--solutions", action="store_true", help=right)
    add("--now", action="store_true", help="with --solutions: do not wait for the deadline")
    add("--jobs", type=int, metavar="N", help="students at a time (default: one per processor)")


def run(args: argparse.Namespace) -> int:
    from grading.engine.marks.feedback import feedback
    from grading.engine.marks.grade_by_hand import waiting_in_cells
    from grading.engine.run.how_many_at_once import processors

    need_positive("--jobs", args.jobs, try_=2)
    if args.now and not args.solutions:
        raise UsageError("--now shows solutions before the deadline. Add --solutions")
    course, assignment = chosen(args)
    options = {"students": args.student, "solutions": args.solutions, "now": args.now}
    pages = feedback(course, assignment, **options, jobs=args.jobs or processors())
    left = sum(waiting_in_cells(course, assignment).values())
    for page in pages if args.student else ():
        tell(page)
    tell(
        f"{counted(len(pages), 'page')} in {course.root / 'feedback'}{what_waits(left, course)}"
        f"\nnext: tito grade export {assignment.name} --course {course.root}"
    )
    return 0
