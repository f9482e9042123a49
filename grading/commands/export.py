"""Print the class's marks as CSV: plain, test by test, for Canvas, Moodle or Gradescope.

An empty field is a grade that has not been given yet; `final` is `total` minus the late penalty.
"""

import argparse
import shlex
import sys
from pathlib import Path

from grading.commands._class import (
    add_class_arguments,
    chosen,
    need_place,
    tell_who_left,
    what_waits,
)
from grading.engine.course.assignment import Assignment
from grading.engine.course.roster import PLATFORMS, Roster, course_roster
from grading.engine.safe_text import tell
from grading.engine.submission_marks import StudentMark
from tito.console import counted
from tito.errors import UsageError
from tito.files import write_json, write_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_class_arguments(parser)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--format",
        choices=("plain", *PLATFORMS),
        default="plain",
        help="what this platform imports; gradescope: --to FOLDER, a results file for each student",
    )
    kind.add_argument(
        "--per-test",
        action="store_true",
        help="for each student a row for each cell, and for each promise or test in it",
    )
    add = parser.add_argument
    add(
        "--column",
        metavar="NAME",
        help="with --format canvas: the assignment's name in Canvas, such as 'Homework 1 (12345)'",
    )
    add(
        "--roster",
        metavar="FILE",
        type=Path,
        help="ids, names and numbers of the class (see tito grade collect); kept in the course",
    )
    add("--to", metavar="FILE", type=Path, help="write to a file instead of the screen")


def run(args: argparse.Namespace) -> int:
    from grading.engine.marks import export_tables, late_penalties, sent_marks

    in_files = args.format == "gradescope"
    if not in_files:
        need_place(args.to)
    elif args.to is None or args.to.is_file() or not args.to.parent.is_dir():
        raise UsageError(
            "--format gradescope writes a file for each student into a folder; --to is"
            f" {args.to or 'not given'}. Try: --to results"
        )
    course, assignment = chosen(args)
    roster = course_roster(course, args.roster)
    if args.roster:
        tell_who_left(course)
    rows = export_tables.marks(course, assignment)
    if no_penalties := late_penalties.without_due_date(course, assignment):
        tell(no_penalties, file=sys.stderr)
    left = what_waits(sum(row.waiting for row in rows), course)
    if in_files:
        from grading.engine.marks.gradescope import results

        files = results(course, assignment, rows)
        args.to.mkdir(exist_ok=True)
        for student, result in files.items():
            write_json(args.to / f"{student}.json", result)
        sent_marks.note(course, assignment, rows, _command(args, assignment), args.to)
        tell(f"wrote {counted(len(files), 'file')} to {args.to}{left}")
        return 0
    if args.per_test:
        text = export_tables.per_test(course, assignment, rows)
    elif args.format == "plain":
        text = export_tables.as_csv(rows)
    else:
        text = on_platform(args.format, rows, roster, args.column or assignment.name)
    if args.to or not sys.stdout.isatty():  # which may be a file
        sent_marks.note(course, assignment, rows, _command(args, assignment), args.to)
    if args.to is None:
        tell(text, end="")
        return 0
    write_text(args.to, text)
    tell(f"wrote {args.to}: {counted(len(rows), 'student')}{left}")
    return 0


def _command(args: argparse.Namespace, assignment: Assignment) -> str:
    """The command that prints this table."""
    words = ["tito", "grade", "export", assignment.name]
    words += ["--per-test"] if args.per_test else []
    words += ["--format", args.format] if args.format != "plain" else []
    words += ["--column", args.column] if args.column else []
    return shlex.join(words)


def on_platform(platform: str, rows: list[StudentMark], roster: Roster, column: str) -> str:
    """The table that Canvas or Moodle imports; rows that it cannot match are named on stderr."""
    from grading.engine.marks import export_tables

    if strange := export_tables.unmatched(rows, roster, platform):
        tell(
            f"{platform.capitalize()} knows {counted(len(strange), 'row')} by nothing, first"
            f" {strange[0]}'s; fill in the roster's column {platform}_id, then add --roster FILE",
            file=sys.stderr,
        )
    if platform == "moodle":
        return export_tables.as_moodle(rows, roster)
    return export_tables.as_canvas(rows, roster, column)
