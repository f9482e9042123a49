"""The command line's page: what each verb's `--help` prints, with an example."""

from __future__ import annotations

import contextlib
import io
import os
import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from unittest import mock

from tito import cli
from tito.verbs import GROUPS, verbs

if TYPE_CHECKING:
    from .verb_examples import Example

COLUMNS = 80  # characters of a help text's line
_TITLES = {
    None: "A student's verbs",
    "grade": "An instructor's verbs: tito grade",
    "dev": "An author's verbs: tito dev",
    "site": "The site's verbs: tito site",
}
_OPENING = """# Command line

`tito` alone says where you are and what is next. A module goes by its number, its name or both:
`08`, `dataloader`, `08_dataloader`. The verbs are here in the order in which you need them, with
the words that `--help` prints. The exit code is 0 when all is done, 1 when the work fails, 2 for a
wrong usage, and 3 when the environment is broken.
"""
_EXAMPLES = """
The examples were run while this page was built, one after the other, on the sample module that
`tito dev new 09_spatial` makes.
"""


def page(examples: Mapping[str, list[Example]] | None = None) -> str:
    """The page as Markdown.

    Args:
        examples: what commands printed, for each verb such as "grade release"; none without it.
    """
    examples = examples or {}
    parts = [_OPENING, *([_EXAMPLES] if examples else []), *_shown(examples.get("", []))]
    for group in (None, *GROUPS):
        parts += [f"## {_TITLES.get(group, f'tito {group}')}", ""]
        for verb in verbs(group).values():
            name = " ".join(filter(None, (verb.group, verb.name)))
            parts += [f"### tito {name}", "", *_block(_help(name)), *_shown(examples.get(name, []))]
    return "\n".join(parts)


def _help(verb: str) -> str:
    with (
        mock.patch.dict(os.environ, {"COLUMNS": str(COLUMNS), "NO_COLOR": "1"}),
        contextlib.redirect_stdout(io.StringIO()) as printed,
        contextlib.suppress(SystemExit),
    ):
        cli.main([*verb.split(), "--help"])
    paragraphs = printed.getvalue().rstrip().split("\n\n")
    return "\n\n".join(
        textwrap.fill(text, COLUMNS) if max(map(len, text.splitlines())) > COLUMNS else text
        for text in paragraphs
    )


def _block(text: str) -> Iterator[str]:
    yield from ("```{code-block} text", ":class: wraps", "", text, "```", "")


def _shown(examples: list[Example]) -> Iterator[str]:
    for example in examples:
        yield from _block(f"$ {example.command}\n{example.output}")
