"""Make the student edition from the source, or release an assignment to the course of a class."""

import argparse
import functools

from grading.engine.course.directory import Course
from grading.engine.texts import tell
from tito.commands._arguments import MODULE
from tito.workspace import find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    flag = functools.partial(add, action="store_true")
    add("module", nargs="?", help=f"{MODULE}; the current one without it")
    flag("--check", help="write nothing; exit 1 when the student edition differs from the source")
    add(
        "--course",
        metavar="DIR",
        help="also set up the course of a class in DIR, outside the repository",
    )
    flag("--force", help="replace a notebook that somebody worked in (a dated copy is kept)")


def run(args: argparse.Namespace) -> int:
    from grading.authoring import release

    workspace = find_workspace()
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
