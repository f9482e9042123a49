"""The refusal of a notebook that Python cannot read."""

from tito.errors import WorkError
from tito.notebook.damage import damages
from tito.notebook.pair import Work
from tito.notebook.syntax_errors import syntax_errors
from tito.workspace import Module


def refuse_syntax_errors(module: Module, work: Work) -> None:
    """Raise a WorkError that lists each cell and line that does not parse."""
    wrong = syntax_errors(work.cells)
    if wrong:
        rows = [f"  {cell.at(line, message)}" for cell, line, message in wrong]
        raise WorkError(
            f"Python cannot read {work.source.name}:",
            *rows,
            *map(str, damages(module, work.cells)),
            f"Repair the cell, save, then: tito test {module.number}",
        )
