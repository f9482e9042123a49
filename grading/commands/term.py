"""Print the marks of the whole term: points by assignment, late hours, and a total.

An empty field is nothing handed in, or a grade that waits for a person; then there is no total.
DIR/term.toml may give weights: [weights], then a line such as "08_dataloader" = 60.
"""

import argparse
import shlex
import sys
from pathlib import Path

from grading.commands._class import need_place, tell_who_left, what_waits
from grading.commands.export import on_platform
from grading.engine.course.directory import Course
from grading.engine.safe_text import tell
from tito.console import counted
from tito.errors import WorkError
from tito.workspace import find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--course", metavar="DIR", help="the class's course directory")
    add(
        "--format",
        choices=("plain", "canvas", "moodle"),
        default="plain",
        help="canvas, moodle: the totals, as this platform imports them",
    )
    add("--column", metavar="NAME", default="Term", help="with --format canvas: the total's name")
    add("--roster", metavar="FILE", type=Path, help="as for tito grade export")
    add("--to", metavar="FILE", type=Path, help="write to a file instead of the screen")


def run(args: argparse.Namespace) -> int:
    from grading.engine.course.roster import course_roster
    from grading.engine.marks import sent_marks
    from grading.engine.marks.term import as_csv, read_weights, term
    from tito.files import write_text

    need_place(args.to)
    workspace = find_workspace()
    course = Course.open(args.course, workspace)
    assignments = course.assignments(workspace)
    names = [one.name for one in assignments]
    file = course.root / "term.toml"
    weights = read_weights(file, names) if file.is_file() else {}
    roster = course_roster(course, args.roster)
    if args.roster:
        tell_who_left(course)
    whole = term(course, assignments, weights)
    if not whole.marks:
        raise WorkError(
            f"a term's table has the marks of graded submissions; {course.root} has none. Run: tito"
            f" grade autograde ASSIGNMENT --course {course.root}"
        )
    for name in whole.left_out:
        tell(f"{name} is left out, because nobody's work is graded", file=sys.stderr)
    if args.format == "plain":
        text = as_csv(whole, roster)
    else:
        text = on_platform(args.format, whole.totals, roster, args.column)
    words = ["tito", "grade", "term"]
    words += ["--format", args.format] if args.format != "plain" else []
    words += ["--column", args.column] if args.column != "Term" else []
    for one in assignments:
        if one.name in whole.marks and (args.to or not sys.stdout.isatty()):
            rows = list(whole.marks[one.name].values())
            sent_marks.note(course, one, rows, shlex.join(words), args.to)
    if args.to is None:
        tell(text, end="")
        return 0
    write_text(args.to, text)
    tell(
        f"wrote {args.to}: {counted(len(whole.totals), 'student')},"
        f" {counted(len(whole.marks), 'assignment')}"
        f"{what_waits(sum(row.waiting for row in whole.totals), course)}"
    )
    return 0
