"""Make the student edition from the source, or release an assignment to the course of a class."""

import argparse
import functools

from grading.engine.course.directory import Course
from grading.engine.texts import tell
from tito.errors import UsageError
from tito.workspace import Workspace, find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    flag = functools.partial(add, action="store_true")
    add("module", nargs="?", help="08_dataloader, 08 or dataloader (default: the current module)")
    flag("--check", help="write nothing; exit 1 when the student edition differs from the source")
    add(
        "--course",
        metavar="DIR",
        help="also set up the course of a class in DIR, outside the repository",
    )
    flag(
        "--solutions",
        help="with --course: from now on, feedback pages show the solutions; after the deadline",
    )
    flag("--now", help="with --solutions: do not wait for the deadline")
    flag("--force", help="replace a notebook that somebody worked in (a dated copy is kept)")


def run(args: argparse.Namespace) -> int:
    from grading.authoring import release

    workspace = find_workspace()
    if args.solutions or args.now:
        return _solutions(args, workspace)
    module = workspace.module(args.module)
    if args.check:
        changed = release.drift(module)
        for path in changed:
            tell(f"out of date: {path.relative_to(workspace.root)}")
        tell(
            f"repair: tito grade release {module.name}"
            if changed
            else f"{module.name}: the student edition agrees with its source"
        )
        return 1 if changed else 0
    course = Course.create(args.course, workspace) if args.course else None
    done = release.release(module, workspace, force=args.force)
    for path in done.backups:
        tell(f"kept a copy: {path}")
    for path in done.changed:
        tell(f"wrote {path.relative_to(workspace.root)}")
    tell(
        f"{module.name}: {done.edition.cells} cells, {done.edition.points:g} points"
        + ("" if done.changed else "; the student edition was up to date")
    )
    if course:
        release.release_to_course(module, course)
        tell(
            f"course {course.root}: {module.name} is ready\nnext:"
            f" tito grade collect FILES --course {course.root}"
        )
    return 0


def _solutions(args: argparse.Namespace, workspace: Workspace) -> int:
    from grading.engine.steps.solutions import release_solutions

    if not (args.solutions and args.course):
        raise UsageError(
            "solutions are shown to the class of a course. Try: tito grade release"
            f" {args.module or '08'} --solutions --course DIR"
        )
    course = Course.open(args.course, workspace)
    assignment = course.assignment(args.module, workspace)
    path = release_solutions(course, assignment, now=args.now)
    tell(
        f"{assignment.name}: feedback pages show the solutions from now on; to take them back,"
        f" delete {path}\nnext: tito grade feedback {assignment.name} --course {course.root}"
    )
    return 0
