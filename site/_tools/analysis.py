"""The executed page of a module: its demo cells, run on the reference's package while the site
is built.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tito.notebook.cells import cells_of, load_ipynb

if TYPE_CHECKING:
    from tito.notebook.cells import Cell
    from tito.workspace import Module

_TITLE = re.compile(r'with demo\("([^"]+)"')
_OPENING = """import importlib, os, sys
sys.path.insert(0, os.environ["COURSE_SITE_TOOLS"])
import both_themes
both_themes.install()
from tinytorch.testing import *
package = importlib.import_module({import_name!r})
globals().update({{k: v for k, v in vars(package).items() if k[:2] != "__"}})
# The package is {digest}: another one, and this page runs again.
"""


def demos(module: Module) -> list[Cell]:
    """The demo cells of a module's student edition."""
    return [
        cell
        for cell in cells_of(load_ipynb(module.notebook))
        if cell.is_demo and cell.kind == "code"
    ]


def notebook(module: Module, digest: str) -> str | None:
    """The page as the text of a notebook without outputs; None for a module without demo cells.

    Args:
        digest: of the package that the cells import.
    """
    shown = demos(module)
    if not shown:
        return None
    cells = [
        _markdown(
            f"# Measured: {module.title}\n\nThe demo cells of [module"
            f" {module.number}](../modules/{module.name}.md), run while this page was built, with"
            " the finished package and on the data that ship with the course. Your own numbers"
            " will differ; the ratios should not differ by much."
        ),
        _code(_OPENING.format(import_name=module.import_name, digest=digest), ["remove-cell"]),
    ]
    for cell in shown:
        title = _TITLE.search(cell.source)
        name = title[1] if title else cell.name.removeprefix("demo_").replace("_", " ")
        cells += [_markdown(f"## {name[0].upper()}{name[1:]}"), _code(cell.source, ["hide-input"])]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    for number, cell in enumerate(book["cells"]):
        cell["id"] = f"cell-{number}"
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str, tags: list[str]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {"tags": tags},
        "source": text,
        "outputs": [],
        "execution_count": None,
    }
