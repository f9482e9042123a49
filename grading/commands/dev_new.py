"""Start a module: its folders, with one sample exercise that already passes `tito dev check`.

Nothing else has to be edited: the machinery finds modules by their folders.
"""

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", help="NN_name: two digits, perhaps a letter, and a name of your own"
    )


def run(args: argparse.Namespace) -> int:
    from grading.authoring.new_module import new_module
    from grading.engine.course.references import source_path
    from tito.console import say
    from tito.workspace import find_workspace

    workspace = find_workspace()
    module = new_module(workspace, args.name)
    say(
        f"{module.name}: one sample exercise with its laws and hints, wrong and other right"
        " solutions, and a question"
    )
    for path in (source_path(module), module.folder):
        say(f"  {path.relative_to(workspace.root)}")
    say(f"next: tito dev check {module.name}")
    return 0
