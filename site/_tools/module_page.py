"""A module's page of the handbook: its ABOUT.md, with what module.toml says above it, dropdowns,
and code side by side.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tito.notebook import hours
from tito.notebook.cells import read_ipynb
from tito.notebook.exercises import Exercise, exercises

if TYPE_CHECKING:
    from tito.workspace import Module

_QUESTION = re.compile(r"^(\d+)\.\s+\*([^*]+)\*\s*(.*)$")
_CLAIMS = re.compile(
    r"^\| the page \| claims \| here \| where, or why \|\n\|[-|]+\|\n((?:\|.*\|\n)+)",
    re.MULTILINE,
)
_BESIDE = re.compile(
    r"^Here:\n\n(```.*?\n```)\n\nPyTorch:\n\n(```.*?\n```)$", re.MULTILINE | re.DOTALL
)
_GRID = """::::{grid} 1 1 2 2
:::{grid-item-card} Here
\\1
:::
:::{grid-item-card} PyTorch
\\2
:::
::::"""


class Claim(NamedTuple):
    """What another course's or library's page says, and whether it holds here."""

    text: str
    here: str  # "kept", "different", "not" or "not yet"
    reason: str


@dataclass(frozen=True)
class Ways:
    """Ways from a module's page to its notebook.

    Attributes:
        launch: names and addresses of the launch buttons; empty while the course has no public
            repository.
        start: the address of the notebook in the browser; None where the site has none.
        download: the notebook's path as seen from the page.
        measured: whether there is an executed page analysis/NAME.
    """

    launch: dict[str, str]
    start: str | None = None
    download: str | None = None
    measured: bool = False


def page(module: Module, about: str, later: str | None, ways: Ways) -> str:
    """The page as MyST Markdown.

    Args:
        about: the text of ABOUT.md, links already rewritten.
        later: what comes next, in Markdown; None leaves it out.
    """
    heading, _, rest = about.partition("\n")
    text = answers_hidden(side_by_side(claims_folded(rest)))
    return "\n".join(
        [
            heading,
            "",
            _facts(module),
            _buttons(module, ways),
            _objectives(module),
            re.sub(r"\n\n( *```)$", r"\n\1", text, flags=re.MULTILINE),  # a doctest may end empty
            exercise_list(exercises(read_ipynb(module.notebook))),
            _roadmap(module, later),
            "## Reference\n\nEvery name that this module exports:"
            f" [{module.import_name}](../reference/{module.name}.md).\n",
        ]
    )


def _facts(module: Module) -> str:
    facts = {
        "tier": module.meta.get("tier"),
        "difficulty": module.meta.get("difficulty"),
        "time": hours.summary(hours.minutes(read_ipynb(module.notebook))),
        "before it": ", ".join(module.meta.get("prerequisites", [])),
    }
    said = " · ".join(f"**{name}** {value}" for name, value in facts.items() if value)
    return f":::{{div}} facts\n{said}\n:::\n"


def _buttons(module: Module, ways: Ways) -> str:
    buttons = [f"`tito start {module.number}`"]
    buttons += [start_button(ways.start)] if ways.start else []
    buttons += [f"[{name}]({address})" for name, address in ways.launch.items()]
    if ways.download and not ways.launch:  # one of the buttons is a download
        buttons.append(f"{{download}}`The notebook <{ways.download}>`")
    if ways.measured:
        buttons.append(f"[See it measured](../analysis/{module.name}.md)")
    return " · ".join(buttons) + "\n"


def start_button(address: str) -> str:
    """The button to the notebook in the browser. It is no link of Sphinx's, which knows only pages
    of its own.
    """
    return f'<a class="reference external" href="{address}">Start in your browser</a>'


def _objectives(module: Module) -> str:
    objectives = module.meta.get("objectives", [])
    if not objectives:
        return ""
    return "At the end you can\n\n- " + ";\n- ".join(objectives) + ".\n"


def exercise_list(listed: list[Exercise]) -> str:
    """A table of the exercises by number; a question that a person reads says so."""
    rows = [
        f"| {one.number} | {one.title}{' (read by a person)' if one.is_question else ''}"
        f" | {one.minutes or ''} | {one.points:g} |"
        for one in listed
    ]
    head = "| | exercise | minutes | points |\n|---|---|---|---|"
    return "\n".join(["## Exercises\n", head, *rows, ""]) if rows else ""


def _roadmap(module: Module, later: str | None) -> str:
    before = [f"[{name}]({name}.md)" for name in module.after]
    steps = [*before, f"**{module.name}**", *([later] if later else [])]
    return f"## Where it stands\n\n{' → '.join(steps)}\n"


def answers_hidden(text: str) -> str:
    """Under "Check your understanding", each `1. *Question?* answer` becomes a question that
    unfolds.
    """
    before, heading, rest = text.partition("## Check your understanding\n")
    if not heading:
        return text
    section, mark, after = rest.partition("\n## ")
    items: list[tuple[str, list[str]]] = []
    for line in section.splitlines():
        if match := _QUESTION.match(line):
            items.append((match[2], [match[3]]))
        elif items:
            items[-1][1].append(re.sub(r"^ {1,3}", "", line))
    folded = "\n\n".join(
        f":::{{dropdown}} {question}\n" + "\n".join(answer).strip() + "\n:::"
        for question, answer in items
    )
    return f"{before}{heading}\n{folded}\n{mark}{after}"


def claims(rows: str) -> list[Claim]:
    """The claims in the rows of a table; `;` separates those that share a row."""
    return [
        Claim(text, here, reason)
        for row in rows.splitlines()
        for _, texts, here, reason in [[cell.strip() for cell in row.strip("|").split("|")]]
        for text in texts.split("; ")
    ]


def claims_of(text: str) -> list[list[Claim]]:
    """The claims of each table of claims on a page."""
    return [claims(table[1]) for table in _CLAIMS.finditer(text)]


def claims_folded(text: str) -> str:
    """Each table of claims unfolds below a line that counts them."""

    def folded(table: re.Match[str]) -> str:
        counts = Counter(claim.here for claim in claims(table[1]))
        said = ", ".join(f"{count} {here}" for here, count in counts.most_common())
        return f":::{{dropdown}} {counts.total()} claims: {said}\n{table[0]}:::\n"

    return _CLAIMS.sub(folded, text)


def side_by_side(text: str) -> str:
    """Two fences that follow the lines "Here:" and "PyTorch:" are beside each other where
    there is room.
    """
    return _BESIDE.sub(_GRID, text)
