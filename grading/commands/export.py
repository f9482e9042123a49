"""Print the class's marks as CSV or JSON: plain, test by test, for Canvas, Moodle or Gradescope.

An empty field is a grade that has not been given yet; `final` is `total` minus the late penalty.
"""

import argparse
from pathlib import Path

from grading.commands._class import add_class_arguments, chosen, need_place
from grading.engine.course.roster import PLATFORMS, course_roster
from grading.engine.texts import grades_wait, tell
from tito.console import counted
from tito.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_class_arguments(parser)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--json", action="store_true", help="JSON instead of CSV")
    kind.add_argument(
        "--format",
        choices=("plain", *PLATFORMS),
        default="plain",
        help="what this platform imports; gradescope: --to FOLDER, a results file for each student",
    )
    kind.add_argument(
        "--per-test", action="store_true", help="one line for each test of each student"
    )
    add = parser.add_argument
    add(
        "--column",
        metavar="NAME",
        help="with --format canvas: the assignment's name in Canvas, such as 'DataLoader (12345)'",
    )
    add(
        "--roster",
        metavar="FILE",
        type=Path,
        help="ids, names and numbers of the class (see tito grade collect); kept in the course",
    )
    add("--to", metavar="FILE", type=Path, help="write to a file instead of the screen")


def run(args: argparse.Namespace) -> int:
    import json
    import sys

    from grading.engine.files import write_text
    from grading.engine.marks import tables

    if args.format == "gradescope":
        return _results(args)
    need_place(args.to)
    course, assignment = chosen(args)
    roster = course_roster(course, args.roster)
    rows = tables.marks(course, assignment)
    if args.json:
        text = json.dumps([row.as_json() for row in rows], indent=1) + "\n"
    elif args.per_test:
        text = tables.per_test(course, assignment, rows)
    elif args.format == "canvas":
        text = tables.as_canvas(rows, roster, args.column or assignment.name)
    elif args.format == "moodle":
        text = tables.as_moodle(rows, roster)
    else:
        text = tables.as_csv(rows)
    strange = tables.unmatched(rows, roster, args.format)
    if args.format in ("canvas", "moodle") and strange:
        tell(
            f"{args.format.capitalize()} knows {counted(len(strange), 'row')} by nothing, first"
            f" {strange[0]}'s; fill in the roster's column {args.format}_id, then"
            " add --roster FILE",
            file=sys.stderr,
        )
    if args.to is None:
        tell(text, end="")
        return 0
    write_text(args.to, text)
    waits = sum(row.waiting for row in rows)
    left = f"; {grades_wait(waits)}: tito grade mark --course {course.root}"
    tell(f"wrote {args.to}: {counted(len(rows), 'student')}" + (left if waits else ""))
    return 0


def _results(args: argparse.Namespace) -> int:
    """Write FOLDER/STUDENT.json in Gradescope's format."""
    from grading.engine.files import write_json
    from grading.engine.marks.gradescope import results

    if args.to is None or args.to.is_file() or not args.to.parent.is_dir():
        raise UsageError(
            "--format gradescope writes a file for each student into a folder; --to is"
            f" {args.to or 'not given'}. Try: --to results"
        )
    course, assignment = chosen(args)
    found = results(course, assignment)
    args.to.mkdir(exist_ok=True)
    for student, result in found.items():
        write_json(args.to / f"{student}.json", result)
    waits = sum(result["score"] is None for result in found.values())
    left = f"; {grades_wait(waits, 'score')}" if waits else ""
    tell(f"wrote {counted(len(found), 'file')} to {args.to}{left}")
    return 0
