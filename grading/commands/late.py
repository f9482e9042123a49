"""Show late submissions and their penalties (late.toml); set the due date, grant an extension, say
when a student handed in.
"""

import argparse
from typing import Any

from grading.commands._class import add_class_arguments, chosen
from grading.engine.safe_text import tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_class_arguments(parser)
    add = parser.add_argument
    add("--due", metavar="TIME", help="set the due date, such as 2026-11-20T12:00+01:00")
    pairs: dict[str, Any] = {"nargs": 2, "action": "append", "default": []}
    days = "grant one student an extension; 0 removes it"
    add("--extend", **pairs, metavar=("S", "DAYS"), help=days)
    add("--handed-in", **pairs, metavar=("STUDENT", "TIME"), help="set when a student handed in")


def run(args: argparse.Namespace) -> int:
    from grading.engine.intake.hand_in_times import HandInTimes
    from grading.engine.marks import late_penalties

    course, assignment = chosen(args)
    if args.due:
        late_penalties.set_due(course, assignment, args.due)
    for student, days in args.extend:
        late_penalties.extend(course, assignment, student, days)
        tell(f"{student}: extended by {days} days")
    times = HandInTimes(course, assignment)
    for student, text in args.handed_in:
        for member in times.set(student, text):
            tell(f"{member}: handed in {text}")
    overdue = [
        one for one in late_penalties.apply(course, assignment).values() if one.seconds_late > 0
    ]
    due, policy = course.due(assignment), late_penalties.read_policy(course, assignment)
    none = f"no date. {late_penalties.how_to_set_due(course, assignment)}"
    tell(f"due: {f'{due:%Y-%m-%d %H:%M} UTC' if due else none}")
    none = f"none. Write one: {course.root / 'late.toml'}, with percent_per_day = 10"
    plugin = course.settings.late_plugin and "that of the plugin in nbgrader_config.py"
    tell(f"policy: {policy or plugin or none}")
    for one in sorted(overdue, key=lambda one: -one.seconds_late):
        tell(
            f"{one.student:<20} {one.seconds_late / 3600:8.1f} h  {one.before:g} - {one.penalty:g}"
            f" = {one.after:g} points, by {times.whose_clock(one.student)}"
        )
    for remark in times.remarks():
        tell(remark)
    tell(f"{len(overdue)} of the graded submissions {'is' if len(overdue) == 1 else 'are'} late")
    return 0
