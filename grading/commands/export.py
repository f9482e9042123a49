"""Print the class's marks as CSV or JSON: plain, test by test, or for the gradebook of Canvas or Moodle.

An empty field is a grade that nobody gave yet; `final` is `total` less the late penalty.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", nargs="?", help="08_dataloader, 08 or dataloader; the current module without it")
    parser.add_argument("--course", metavar="DIR", help="the class's course directory")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--json", action="store_true", help="JSON in place of CSV")
    kind.add_argument("--format", choices=("plain", "canvas", "moodle"), default="plain", help="the columns that a platform's import takes")
    kind.add_argument("--per-test", action="store_true", help="a line for each test of each student")
    parser.add_argument("--column", metavar="NAME", help="with --format canvas: the assignment as Canvas calls it, such as 'DataLoader (12345)'")
    parser.add_argument("--roster", metavar="FILE", type=Path, help="ids, names and numbers of the class (see tito grade collect); kept in the course")
    parser.add_argument("--to", metavar="FILE", type=Path, help="write to a file in place of the screen")


def run(args: argparse.Namespace) -> int:
    import json

    from grading.engine import export
    from grading.engine.course import Course
    from grading.engine.files import write_text
    from grading.engine.roster import course_roster
    from tito.course import find_workspace
    from tito.errors import UsageError

    if args.to is not None and (args.to.is_dir() or not args.to.parent.is_dir()):
        raise UsageError(f"--to names a file in a folder that is there; {args.to if args.to.is_dir() else args.to.parent} is "
                         + ("a folder" if args.to.is_dir() else f"not. Make it first: mkdir -p {args.to.parent}"))
    workspace = find_workspace()
    course = Course.open(args.course, workspace)
    module = course.assignment(args.module, workspace)
    course.need_release(module)
    roster = course_roster(course, args.roster)
    rows = export.marks(course, module)
    if args.json:
        text = json.dumps(rows, indent=1) + "\n"
    elif args.per_test:
        text = export.per_test_csv(export.per_test(course, module))
    elif args.format == "canvas":
        text = export.as_canvas(rows, roster, args.column or module.name)
    elif args.format == "moodle":
        text = export.as_moodle(rows, roster)
    else:
        text = export.as_csv(rows)
    if args.to is None:
        print(text, end="")
        return 0
    write_text(args.to, text)
    waits = sum(row["waiting"] for row in rows)
    print(f"wrote {args.to}: {len(rows)} students" + (f"; {waits} grades still wait for a person: tito grade mark --course {course.root}" if waits else ""))
    return 0
