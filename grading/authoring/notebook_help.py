"""Help where the cursor is: what the release writes into every notebook, so that no source has to.

A text that names a hint of the command line (`tito hint 08 3a`) names the notebook's own (`%hint
3a`), and a cell loads the extension that has it.
"""

import re
from typing import Any

CELL_ID = "extension"
_LOADS = re.compile(r"^%(?:re)?load_ext tinytorch\b", re.MULTILINE)
SOURCE = """\
# Given: shows batches as pictures; it also adds %hint, %test and %%profile here.
%reload_ext tinytorch"""


def in_the_notebook(text: str, number: str) -> str:
    """The text of a cell with a notebook's own commands in place of the command line's.

    Args:
        number: of the module, such as "08"; hints of other modules are left as they are.
    """
    return re.sub(rf"`tito hint {re.escape(number)} (\w+)`", r"`%hint \1`", text)


def with_extension(cells: list[Any]) -> list[Any]:
    """The cells of a student edition, with one below the title that loads the extension, unless
    one of them does.
    """
    from grading.engine.nbgrader.import_nbgrader import nbformat

    if any(_LOADS.search(cell.source) for cell in cells if cell.cell_type == "code"):
        return cells
    kinds = [cell.cell_type for cell in cells]
    below_title = kinds.index("markdown") + 1 if "markdown" in kinds else 0
    loads = nbformat.v4.new_code_cell(SOURCE, id=CELL_ID)
    return [*cells[:below_title], loads, *cells[below_title:]]
