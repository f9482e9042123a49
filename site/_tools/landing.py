"""The landing page: what the cells of site/_landing.py showed is where index.md asks for it.

`<!-- output: NAME -->` is what the cell NAME showed, `<!-- code: NAME -->` its code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from tito.notebook.cells import read_percent

from . import demo_outcomes, measured_page
from .executed import Shown, name_of

if TYPE_CHECKING:
    from .demo_outcomes import Outcome
    from .staging import Stage

NAME = "landing"
SOURCE = "_landing.py"
NEEDED = "tinytorch.core.dataloader"  # a course made of other modules has no such page
_PLACE = re.compile(r"<!-- (output|code): (\w+) -->")


def shown_on(site: Path) -> Shown:
    cells = [cell for cell in read_percent(site / SOURCE) if cell.grade_id]
    repair = f"Repair site/{SOURCE}, then: tito site build"
    return Shown(NAME, NEEDED, tuple(cells), repair, site.parent, (site / SOURCE,))


def possible(package: Path) -> bool:
    """Whether the package has the loader that the page shows."""
    return (package / Path(*NEEDED.split("."))).with_suffix(".py").is_file()


def filled(text: str, ran: Mapping[str, Outcome], site: Path, stage: Stage) -> str:
    """The page with codes and outputs in their places.

    Args:
        ran: the outcomes of this build by the cell's name; empty for a draft. A quiet record is
            shown in the place of one that is missing or noisy.
    """
    cells = {name_of(cell): cell for cell in shown_on(site).cells}

    def place(match: re.Match[str]) -> str:
        cell = cells[match[2]]
        if match[1] == "code":
            return f"```python\n{cell.source.strip()}\n```"
        record = demo_outcomes.load(site / measured_page.RECORDS / NAME, name_of(cell))
        outcome, where = demo_outcomes.choose(cell.source, ran.get(name_of(cell)), record)
        if not outcome:
            return ""
        note = f":::{{div}} facts\n{where}\n:::" if where else ""
        if name_of(cell) in ("red", "green"):
            (_, said), *_ = outcome.blocks
            return f'<div class="test {name_of(cell)}"><pre>{escape(said.rstrip())}</pre></div>'
        return "\n\n".join([*measured_page.blocks(outcome, NAME, stage, up=""), note])

    return _PLACE.sub(place, text)
