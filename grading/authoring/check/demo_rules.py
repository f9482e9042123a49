"""Point 6 of `tito dev check`, its part on demos: each asks a question before it runs, and says
afterwards what to see and why. The site's measured pages show both texts beside the result.
"""

import re

from grading.authoring.check.checked_module import Findings, Subject
from tito.notebook.cells import Cell

TITLE = re.compile(r'\bdemo\(\s*"([^"]+)"')
GUESS, SEEN = "**Guess.**", "**What you see.**"  # each begins a paragraph of its own


def guess(cells: list[Cell], demo: Cell) -> str:
    """The question in the text cell directly above a demo; empty without one."""
    return _paragraph(cells, demo.index - 1, GUESS)


def caption(cells: list[Cell], demo: Cell) -> str:
    """What to see and why, from the text cell directly below a demo; empty without it."""
    return _paragraph(cells, demo.index + 1, SEEN)


def _paragraph(cells: list[Cell], index: int, opening: str) -> str:
    """The paragraph of cell `index`, counted from 1, that begins with `opening`."""
    if not 1 <= index <= len(cells) or cells[index - 1].kind != "markdown":
        return ""
    paragraphs = re.split(r"\n\s*\n", cells[index - 1].source)
    return next((text.strip() for text in paragraphs if text.strip().startswith(opening)), "")


def check_demos(subject: Subject) -> Findings:
    """Every demo without a question above it or a caption below it."""
    cells = subject.cells
    for cell in cells:
        if not (cell.is_demo and TITLE.search(cell.source)):
            continue
        if "?" not in guess(cells, cell):
            yield (
                cell,
                f"{cell.label}: the text cell directly above a demo asks what it will show, in a"
                f" paragraph that begins with {GUESS} and has a question mark; this demo has none",
                f"write above it, in a cell # %% [markdown]: {GUESS} How many times ...?",
            )
        if not caption(cells, cell):
            yield (
                cell,
                f"{cell.label}: the text cell directly below a demo says what to see and why, in a"
                f" paragraph that begins with {SEEN}; this demo has none",
                f"write below it, in a cell # %% [markdown]: {SEEN} ..., because ...",
            )
