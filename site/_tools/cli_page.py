"""The command line's page: each verb's own help, asked from its parser, with an example."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from unittest import mock

from tito.verbs import GROUPS, load, verbs

from .api import plain

if TYPE_CHECKING:
    from tito.verbs import Verb

    from .verb_examples import Example

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
_OPTION = re.compile(r"(?<![\w`-])(--?[a-z][a-z-]*)(?![\w`])")


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
            parts += [f"### tito {name}", "", *_entry(verb), *_shown(examples.get(name, []))]
    return "\n".join(parts)


def _entry(verb: Verb) -> Iterator[str]:
    """What the verb does, its usage, and its arguments as a definition list."""
    module = load(verb)
    parser = argparse.ArgumentParser(
        prog=" ".join(filter(None, ["tito", verb.group, verb.name])), add_help=False
    )
    module.add_arguments(parser)
    first, *others = re.split(r"\n\s*\n", (module.__doc__ or "").strip())
    yield from (_words(" ".join(first.split())), "")
    yield from (":::{div} usage", " ".join(f"`{piece}`" for piece in usage(parser)), ":::", "")
    for paragraph in others:
        yield from (_paragraph(paragraph), "")
    formatter = argparse.HelpFormatter(parser.prog, width=1000)
    for action in parser._actions:
        said = formatter._expand_help(action) if action.help else _undocumented(action)
        yield from (f"`{formatter._format_action_invocation(action)}`", f": {_words(said)}", "")


def usage(parser: argparse.ArgumentParser) -> list[str]:
    """The usage in pieces that stay whole when a line is broken: `tito test`, `[-k PART]`, ..."""
    with mock.patch.dict(os.environ, {"COLUMNS": "1000", "NO_COLOR": "1"}):
        rest = parser.format_usage().removeprefix("usage: ").strip().removeprefix(parser.prog)
    pieces, depth = [parser.prog], 0
    for word in rest.split():
        if depth:
            pieces[-1] += f" {word}"
        else:
            pieces.append(word)
        depth += sum(word.count(mark) for mark in "[{(") - sum(word.count(mark) for mark in "]})")
    return pieces


def _undocumented(action: argparse.Action) -> str:
    return f"one of {', '.join(action.choices)}" if action.choices else "has to be given"


def _paragraph(text: str) -> str:
    """A paragraph; lines of the form `name: command` become a list."""
    lines = [line.strip() for line in text.splitlines()]
    pairs = [re.fullmatch(r"(\w+): (.+)", line) for line in lines]
    if len(lines) > 1 and all(pairs):
        return "\n".join(f"- {found[1]}: `{found[2]}`" for found in pairs if found)
    return _words(" ".join(lines))


def _words(text: str) -> str:
    """Words of a help text as Markdown: options are code, and nothing else is a mark."""
    return plain(
        "".join(
            part if part.startswith("`") else _OPTION.sub(r"`\1`", part)
            for part in re.split(r"(`[^`]*`)", text)
        )
    )


def _shown(examples: list[Example]) -> Iterator[str]:
    for example in examples:
        yield from ("```{code-block} text", ":class: wraps", "")
        yield from (f"$ {example.command}", example.output, "```", "")
