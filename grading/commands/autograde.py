"""Grade submissions: the notebook's tests under nbgrader, then the contract tests."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("module", nargs="?", help="08_dataloader, 08 or dataloader; the current module without it")
    parser.add_argument("--course", metavar="DIR", help="the class's course directory")
    parser.add_argument("--student", action="append", metavar="S", help="only this student; may be given several times")
    parser.add_argument("--force", action="store_true", help="grade again what did not change; grades given by hand stay")
    parser.add_argument("--timeout", type=int, metavar="SECONDS", help="for all cells of one notebook (one cell gets a quarter)")
    parser.add_argument("--json", action="store_true", help="print one JSON list at the end")


def run(args: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict

    from grading.engine.autograde import Graded, Limits, autograde
    from grading.engine.course import Course
    from tito.course import find_workspace
    from tito.errors import UsageError

    if args.timeout is not None and args.timeout < 1:
        raise UsageError(f"--timeout is a number of seconds, 1 or more; got {args.timeout}. Try --timeout 240")
    workspace = find_workspace()
    course, module = Course.open(args.course, workspace), workspace.module(args.module)
    limits = Limits(max(1, args.timeout // 4), args.timeout, Limits.contract_seconds) if args.timeout else Limits()

    def say(graded: Graded) -> None:
        if not args.json:
            points = "" if graded.points is None else f"{graded.points:g} of {graded.max_points:g}"
            print(f"{graded.student:<20} {points:<12} {graded.status.replace('_', ' '):<13} {graded.seconds:5.1f} s  {'; '.join(graded.reasons)}",
                  flush=True)

    done = autograde(course, module, students=args.student, force=args.force, limits=limits, on_done=say)
    if args.json:
        print(json.dumps([asdict(graded) for graded in done], indent=1))
    elif not done:
        print(f"no submission of {module.name} is in; next: tito grade collect FILES --course {course.root}")
    else:
        review = sum(bool(graded.reasons) for graded in done)
        print(f"{len(done)} submissions, {review} need a person; reports in {course.reports(module)}\n"
              f"next: tito grade mark --course {course.root}")
    return 0
