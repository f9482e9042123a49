"""Make the student edition from the source, or release an assignment to the course of a class."""

import argparse
import functools
from typing import TYPE_CHECKING

from grading.engine.course.directory import Course
from grading.engine.safe_text import tell
from tito.commands._arguments import MODULE
from tito.console import counted
from tito.errors import UsageError
from tito.workspace import find_workspace

if TYPE_CHECKING:
    from grading.authoring.correction import Correction


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    flag = functools.partial(add, action="store_true")
    add("module", nargs="?", help=f"{MODULE}; the current one without it")
    flag("--check", help="write nothing; exit 1 when the student edition differs from the source")
    text = "also set up the course of a class in DIR, outside the repository"
    add("--course", metavar="DIR", help=text)
    flag(
        "--correct",
        help="with --course: also where students have handed in; their work stays valid, and is"
        " graded by the corrected tests",
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
        if changed:
            tell(f"repair: tito grade release {module.name}")
            return 1
        tell(f"{module.name}: the student edition agrees with its source")
        return 0
    if args.correct and not args.course:
        raise UsageError("--correct is for a class that has handed in. Add --course DIR")
    correction = None
    if args.course:  # what is refused changes nothing
        there = Course.checked(args.course, workspace)
        correction = release.check_course(module, there, correct=args.correct)
    done = release.release(module, workspace, force=args.force)
    for path in done.backups:
        tell(f"kept a copy: {path}")
    for path in done.changed:
        tell(f"wrote {path.relative_to(workspace.root)}")
    tell(
        f"{module.name}: {done.edition.cells} cells, {done.edition.points:g} points"
        + ("" if done.changed else "; the student edition was up to date")
    )
    if args.course:
        course = Course.create(args.course, workspace)
        release.release_to_course(module, course, correction)
        if correction:
            _tell_correction(correction, module.name, course)
        else:
            tell(
                f"course {course.root}: {module.name} is ready\nnext:"
                f" tito grade collect FILES --course {course.root}"
            )
    return 0


def _tell_correction(correction: "Correction", name: str, course: Course) -> None:
    cells = counted(len(correction.differences), "cell")
    tell(f"course {course.root}: {name} is corrected; {cells} of the edition of before differed:")
    for one in correction.differences:
        tell(f"  {one}")
    for edition, text in (
        ("earlier", "handed in work on an earlier edition"),
        ("later", "handed in work on the corrected edition"),
        ("", "handed in a notebook that does not name its edition"),
    ):
        if students := correction.students[edition]:
            tell(f"{counted(len(students), 'student')} {text}: {', '.join(students)}")
    tell(
        "All work stays valid. To see which marks would change:"
        f"\nnext: tito grade autograde {name} --dry-run --course {course.root}"
    )
