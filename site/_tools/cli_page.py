"""The command line's page: every verb's own help, asked from its parser."""

from __future__ import annotations

import argparse
import os
from unittest import mock

_TITLES = {
    None: "A student's verbs",
    "grade": "An instructor's verbs: tito grade",
    "dev": "An author's verbs: tito dev",
    "site": "The site's verbs: tito site",
}


def page() -> str:
    """The page as Markdown; the words are those that `--help` prints."""
    from tito.verbs import GROUPS, verbs

    parts = [
        "# Command line",
        "",
        (
            "`tito` alone says where you are and what is next. A module goes by its number, its"
            " name or both: `08`, `dataloader`, `08_dataloader`. Exit codes: 0 done, 1 the work"
            " fails, 2 wrong usage, 3 the environment is broken."
        ),
        "",
    ]
    for group in (None, *GROUPS):
        parts += [f"## {_TITLES.get(group, f'tito {group}')}", ""]
        for verb in verbs(group).values():
            parts += [
                f"### tito {group + ' ' if group else ''}{verb.name}",
                "",
                "```text",
                help_of(verb),
                "```",
                "",
            ]
    return "\n".join(parts)


def help_of(verb) -> str:
    """What `tito VERB --help` prints at 96 columns."""
    from tito.verbs import load

    module = load(verb)
    with mock.patch.dict(os.environ, {"COLUMNS": "96", "NO_COLOR": "1"}):
        parser = argparse.ArgumentParser(
            prog=" ".join(filter(None, ["tito", verb.group, verb.name])),
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(parser)
        return parser.format_help().rstrip()
