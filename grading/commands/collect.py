"""Collect submissions: zips, notebooks, folders, downloads from Canvas, Moodle or Gradescope.

Every file gets a line: taken, unchanged, replaced (the earlier one is kept in DIR/replaced), older,
duplicate, refused, request (for a regrade), left (it is nobody's). Students of the class without a
submission are listed as missing.
"""

import argparse
from pathlib import Path

from grading.commands._class import add_class_arguments, chosen, tell_who_left
from grading.engine.course.roster import PLATFORMS, left_the_class
from grading.engine.safe_text import shown, tell
from tito.console import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("places", nargs="+", metavar="FILES_OR_DIR", type=Path)
    add_class_arguments(parser, assignment="--module")
    add(
        "--from",
        dest="platform",
        choices=(*PLATFORMS, "files"),
        help="what the places are; for a single place, the form of its names decides",
    )
    add(
        "--roster",
        metavar="FILE",
        type=Path,
        help="CSV with the columns id, name, email, canvas_id, moodle_id, gradescope_id, ...;"
        " kept in the course",
    )
    add(
        "--file-times",
        action="store_true",
        help="where no better time is known, a file's modification time is when it was handed in",
    )


def run(args: argparse.Namespace) -> int:
    from collections import Counter

    from grading.engine.intake.collect import collect
    from grading.engine.intake.hand_in_times import MARKED_LATE

    course, assignment = chosen(args)
    options = {name: getattr(args, name) for name in ("roster", "platform", "file_times")}
    lines = collect(course, assignment, args.places, **options)
    for line in lines:
        hours = f"{line.late_seconds / 3600:.1f} h late by {line.time_from}"
        parts = (line.source, hours if line.late_seconds else "", line.reason)
        text = "; ".join(filter(None, parts))
        tell(shown(f"{line.status:<10} {line.student or '?':<20} {text}", 4000))
    counts = Counter(line.status for line in lines)
    kept = ("taken", "replaced", "unchanged")
    taken = {line.student: line for line in lines if line.status in kept}  # one of each student
    late = sum(one.late_seconds > 0 or one.time_from == MARKED_LATE for one in taken.values())
    clocks = Counter(line.time_from for line in taken.values())
    if clocks:
        said = (f"{count} by {clock}" for clock, count in sorted(clocks.items()))
        tell(f"times of handing in: {', '.join(said)}")
    if args.roster:
        tell_who_left(course)
    for student in sorted(left_the_class(course) & taken.keys()):
        tell(f"{student} handed in and is in no table, because the last roster lacks {student}")
    others = ("request", "older", "duplicate", "refused", "left", "missing")
    rest = ", ".join(f"{counts[name]} {name}" for name in others if counts[name])
    verb, in_all = "is" if len(taken) == 1 else "are", len(course.students(assignment))
    tell(
        f"{counted(len(taken), 'submission')} of {assignment.name} {verb} in"
        + (f", {late} late" if late else "")
        + (f" (with earlier ones {in_all})" if in_all > len(taken) else "")
        + (f"; {rest}" if rest else "")
        + f"; next: tito grade autograde {assignment.name} --course {course.root}"
    )
    return 1 if counts["refused"] else 0
