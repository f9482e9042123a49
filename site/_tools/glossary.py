"""Links from the glossary to the exercises that teach a word."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tito.errors import WorkError
from tito.notebook.cells import read_ipynb
from tito.notebook.exercises import exercises

if TYPE_CHECKING:
    from tito.workspace import Module

_TAUGHT = re.compile(r" ?<!-- taught (\w+)(?: (\d+[a-z]))? -->")


def filled(text: str, path: Path, modules: list[Module]) -> str:
    """`text` with a link in place of each `<!-- taught 08 3a -->` (an exercise) and each
    `<!-- taught 08 -->` (a module's page). The mark of a module that the course lacks is removed.

    Args:
        path: the page that a person edits, for the message.

    Raises:
        WorkError: the module has no such exercise.
    """
    known = {module.number: module for module in modules}

    def link(mark: re.Match[str]) -> str:
        number, wanted = mark.groups()
        module = known.get(number)
        if module is None:
            return ""
        if wanted is None:
            return f" [Module {number}](modules/{module.name}.md)."
        if wanted not in {one.number for one in exercises(read_ipynb(module.notebook))}:
            line = text.count("\n", 0, mark.start()) + 1
            raise WorkError(
                f"{path}:{line}: module {number} has no exercise {wanted}. All exercises:"
                f" tito hint {number}"
            )
        return f" [Module {number}, exercise {wanted}](modules/{module.name}.md#exercises)."

    return _TAUGHT.sub(link, text)
