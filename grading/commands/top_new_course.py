"""Start a course of your own: its folder, a package for students to finish, one small module."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("name", help="of the folder and of the package that students finish, such as numerics")
    add("--title", help="of the course, as its pages show it (default: from the name)")
    add(
        "--module",
        default="01_first",
        metavar="NN_name",
        help="the first module (default 01_first)",
    )


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from grading.authoring.new_course import new_course
    from tito.console import say

    title = args.title or args.name.replace("_", " ").capitalize()
    course = new_course(Path(args.name).resolve(), title, args.module)
    say(
        f"{course.root}: a course whose students finish the package {course.package.name}, with the"
        f" module {args.module}\nnext: cd {args.name}, then tito dev check {args.module}"
    )
    return 0
