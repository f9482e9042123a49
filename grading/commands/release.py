"""Make the student edition from the source, or release an assignment to the course of a class."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "module", nargs="?", help="08_dataloader, 08 or dataloader (default: the current module)"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 when the student edition differs from the source",
    )
    parser.add_argument(
        "--course",
        metavar="DIR",
        help="also set up the course of a class in DIR, outside the repository",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace a notebook that somebody worked in (a dated copy is kept)",
    )


def run(args: argparse.Namespace) -> int:
    from grading.authoring import release
    from grading.engine.course.directory import Course
    from tito.workspace import find_workspace

    workspace = find_workspace()
    module = workspace.module(args.module)
    if args.check:
        changed = release.drift(module)
        for path in changed:
            print(f"out of date: {path.relative_to(workspace.root)}")
        print(
            f"repair: tito grade release {module.name}"
            if changed
            else f"{module.name}: the student edition agrees with its source"
        )
        return 1 if changed else 0
    course = Course.create(args.course, workspace) if args.course else None
    done = release.release(module, workspace, force=args.force)
    for path in done.backups:
        print(f"kept a copy: {path}")
    for path in done.changed:
        print(f"wrote {path.relative_to(workspace.root)}")
    print(
        f"{module.name}: {done.edition.cells} cells, {done.edition.points:g} points"
        + ("" if done.changed else "; the student edition was up to date")
    )
    if course:
        release.release_to_course(module, course)
        print(
            f"course {course.root}: {module.name} is ready\nnext:"
            f" tito grade collect FILES --course {course.root}"
        )
    return 0
