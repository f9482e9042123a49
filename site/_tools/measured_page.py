"""The measured page of a module: for each demo cell a question, what the cell showed, what to see
in it, and its code. Texts and code are those of the notebook.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from grading.authoring.check.demo_rules import TITLE, caption, guess
from grading.engine.course.references import source_path
from tito.notebook.cells import read_ipynb

from . import demo_outcomes
from .executed import demos, name_of

if TYPE_CHECKING:
    from tito.notebook.cells import Cell
    from tito.workspace import Module

    from .demo_outcomes import Outcome
    from .staging import Stage

RECORDS = "_records"  # the folder of site/ with quiet outcomes, in a folder for each module
STATIC = "_static/measured"
LETTERS = 88  # that fit into a line of a page where there is room


def write(module: Module, ran: Mapping[str, Outcome], stage: Stage, site: Path) -> bool:
    """Write the page and its pictures; return whether the module has demo cells.

    Args:
        ran: the outcomes of this build by the cell's name; empty for a draft.
        site: the folder with the records.
    """
    shown = demos(module)
    if not shown:
        return False
    cells = read_ipynb(module.notebook)
    parts = [
        f"# Measured: {module.title}",
        "Each section has a question, what a demo cell of"
        f" [module {module.number}](../modules/{module.name}.md) showed when it ran with the"
        " finished package, and the cell's code. Write down your guess before you look at the"
        " figure. Your numbers and, on a busy machine, your ratios will differ; a spread above 15%"
        " is marked.",
    ]
    for cell in shown:
        record = demo_outcomes.load(site / RECORDS / module.name, name_of(cell))
        outcome, where = demo_outcomes.choose(cell.source, ran.get(name_of(cell)), record)
        parts += [f"## {title_of(cell)}", _before(cells, cell)]
        parts.append(f":::{{div}} facts\n{where}\n:::" if where else "")
        if outcome:
            parts += blocks(outcome, module.name, stage)
        parts.append(caption(cells, cell))
        parts.append(f"::::{{dropdown}} The code\n```python\n{cell.source.strip()}\n```\n::::")
    stage.write(
        f"analysis/{module.name}.md", "\n\n".join(filter(None, parts)) + "\n", source_path(module)
    )
    return True


def title_of(cell: Cell) -> str:
    match = TITLE.search(cell.source)
    name = match[1] if match else cell.name.removeprefix("demo_").replace("_", " ")
    return name[0].upper() + name[1:]


def _before(cells: list[Cell], cell: Cell) -> str:
    """The question, or for a cell without one what is directly above it, without headings."""
    if asked := guess(cells, cell):
        return asked
    above = cells[cell.index - 2] if cell.index > 1 else None
    if above is None or above.kind != "markdown":
        return ""
    return re.split(r"^#+ .*$", above.source, flags=re.MULTILINE)[-1].strip()


def blocks(outcome: Outcome, name: str, stage: Stage, up: str = "../") -> list[str]:
    """What a cell showed, as Markdown; its pictures are staged in a folder `name`.

    Args:
        up: the way from the page to the site's top.
    """
    folder = f"{STATIC}/{name}"
    for file, png in outcome.pictures.items():
        stage.write(f"{folder}/{file}", png)
    return [
        _printed(text)
        if kind == "text"
        else "````{raw} html\n" + text.replace(demo_outcomes.PICTURES, f"{up}{folder}/") + "\n````"
        for kind, text in outcome.blocks
    ]


def _printed(text: str) -> str:
    """What a cell printed; its lines are wrapped, unless spaces align columns that fit."""
    fits = max(map(len, text.splitlines())) <= LETTERS
    option = "" if fits and "  " in text.strip() else ":class: wraps\n"
    return "````{code-block} text\n" + option + f"\n{text.rstrip()}\n````"
