"""Start a course of your own: its folder, a package for students to finish, one small module."""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("name", help="of the folder and of the package that students finish, such as numerics")
    add("--title", help="of the course, as its pages show it (default: from the name)")
    add("--module", metavar="NN_name", help="the first module (default: 01_ and the name)")


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from grading.authoring.new_course import new_course
    from tito.console import say

    title = args.title or args.name.replace("_", " ").capitalize()
    module = args.module or f"01_{args.name}"
    course = new_course(Path(args.name).resolve(), title, module)
    say(
        f"{course.root}: a course whose students finish the package {course.package.name}, with the"
        f" module {module}\nnext: cd {args.name}, change its sample exercise in"
        f" grading/modules/{module}, then: tito dev check {module} --release"
    )
    return 0
