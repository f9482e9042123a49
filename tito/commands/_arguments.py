"""The arguments that many verbs share."""

import argparse

MODULE = "a module, by its folder, number or name"


def take_module(
    parser: argparse.ArgumentParser, without: str = "the current module without it"
) -> None:
    parser.add_argument("module", nargs="?", help=f"{MODULE}; {without}")


def take_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
