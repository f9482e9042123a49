"""Take in submissions: zips from `tito submit`, notebooks, or a folder of them."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("places", nargs="+", metavar="FILES_OR_DIR", type=Path)
    parser.add_argument("--module", help="the assignment; the current module without it")
    parser.add_argument("--course", metavar="DIR", help="the class's course directory")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(args: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict

    from grading.engine.collect import collect
    from grading.engine.course import Course
    from tito.course import find_workspace

    workspace = find_workspace()
    course, module = Course.open(args.course, workspace), workspace.module(args.module)
    lines = collect(course, module, args.places)
    if args.json:
        print(json.dumps([asdict(line) for line in lines], indent=1))
    else:
        for line in lines:
            late = f", {line.late_seconds / 3600:.1f} h late" if line.late_seconds else ""
            print(f"{line.status + late:<10} {line.student or '?':<20} {line.reason or line.source}")
        taken = sum(line.status in ("taken", "replaced", "unchanged") for line in lines)
        print(f"{taken} submissions of {module.name} are in; next: tito grade autograde {module.name} --course {course.root}")
    return 1 if any(line.status == "refused" for line in lines) else 0
