"""Print the class's marks as CSV or JSON."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", nargs="?", help="08_dataloader, 08 or dataloader; the current module without it")
    parser.add_argument("--course", metavar="DIR", help="the class's course directory")
    parser.add_argument("--json", action="store_true", help="JSON in place of CSV")
    parser.add_argument("--to", metavar="FILE", type=Path, help="write to a file in place of the screen")


def run(args: argparse.Namespace) -> int:
    import json

    from grading.engine.course import Course
    from grading.engine.export import as_csv, marks
    from grading.engine.files import write_text
    from tito.course import find_workspace

    workspace = find_workspace()
    course, module = Course.open(args.course, workspace), workspace.module(args.module)
    rows = marks(course, module)
    text = json.dumps(rows, indent=1) + "\n" if args.json else as_csv(rows)
    if args.to is None:
        print(text, end="")
        return 0
    write_text(args.to, text)
    waits = sum(row["waiting"] for row in rows)
    print(f"wrote {args.to}: {len(rows)} students" + (f"; {waits} grades still wait for a person: tito grade mark --course {course.root}" if waits else ""))
    return 0
