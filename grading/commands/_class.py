"""The arguments that all verbs on a class share: the course and the assignment."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grading.engine.course.assignment import Assignment
from grading.engine.course.directory import Course
from grading.engine.course.roster import left_the_class
from grading.engine.safe_text import grades_wait, tell
from tito.commands._arguments import MODULE
from tito.console import counted
from tito.errors import UsageError
from tito.workspace import find_workspace


def add_class_arguments(parser: argparse.ArgumentParser, *, assignment: str = "module") -> None:
    """Add these arguments; `assignment` is "--module" for a verb with other positional
    arguments.
    """
    words: dict[str, Any] = {"nargs": "?"} if assignment == "module" else {}
    parser.add_argument(
        assignment,
        metavar="ASSIGNMENT",
        **words,
        help=f"{MODULE}, or any assignment that the course has released; its only one without it",
    )
    parser.add_argument("--course", metavar="DIR", help="the class's course directory")


def chosen(args: argparse.Namespace) -> tuple[Course, Assignment]:
    """The course and the assignment that the arguments name; it has been released."""
    workspace = find_workspace()
    course = Course.open(args.course, workspace)
    return course, course.assignment(args.module, workspace)


def need_positive(name: str, value: int | None, *, try_: int) -> None:
    """Raise UsageError for an option that is given and is not 1 or more."""
    if value is not None and value < 1:
        raise UsageError(f"{name} is a whole number, 1 or more; got {value}. Try {name} {try_}")


def progress_of(name: str) -> Callable[[str, int, int], None]:
    """Prints a line for each part, written over as it proceeds, on a terminal only."""

    def show(part: str, done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\r" if done < total else "\r\033[K"
            tell(f"{name}: {part}, {done} of {total}", end=end, file=sys.stderr, flush=True)

    return show


def need_place(to: Path | None) -> None:
    """Raise UsageError if no file can be written where --to says."""
    if to is not None and (to.is_dir() or not to.parent.is_dir()):
        fault = (
            f"{to} is a folder"
            if to.is_dir()
            else f"{to.parent} is missing. Make it: mkdir -p {to.parent}"
        )
        raise UsageError(f"--to takes a file in an existing folder; {fault}")


def what_waits(count: int, course: Course) -> str:
    """The end of a sentence: how many grades a person has to give, and where; empty if none."""
    return f"; {grades_wait(count)}: tito grade mark --course {course.root}" if count else ""


def tell_who_left(course: Course) -> None:
    """Name on stderr those whom the roster that was given lacks, and an earlier one had."""
    if gone := sorted(left_the_class(course)):
        why = "the roster lacks them, so no table has them; nothing of theirs was deleted"
        text = f"{counted(len(gone), 'student')} left the class: {', '.join(gone)} ({why})"
        tell(text, file=sys.stderr)
