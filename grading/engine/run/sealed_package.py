"""The package that sealed tests get: what a notebook exports, beside what is given."""

import ast
import dataclasses
import shutil
from pathlib import Path

from grading.engine.run.grading_kit import Kit
from tito.files import write_atomic
from tito.notebook.cells import Cell
from tito.run import runner
from tito.student_work import exporter


def packaged(kit: Kit, cells: list[Cell], folder: Path) -> Path:
    """A workspace whose package holds the code that the cells export."""
    if kit.assignment.module:
        return runner.make_scratch(kit.assignment.module, cells, folder, given_from=kit.given)
    if not any(cell.exported for cell in cells):
        cells = [
            dataclasses.replace(cell, source="#| export\n" + _definitions(cell))
            for cell in cells
            if cell.kind == "code" and cell.is_solution
        ]
    shutil.copytree(kit.given, folder)
    assert kit.assignment.sealed  # the caller has checked this
    text = exporter.render(cells, kit.assignment, source_name=kit.assignment.stem)
    write_atomic(folder / kit.assignment.sealed.export, text)
    return folder


def _definitions(cell: Cell) -> str:
    """A cell's imports, functions and classes, on their lines. Other statements (a plot, a stub's
    `raise`) are not part of a package.
    """
    lines = cell.python.split("\n")
    kept: set[int] = set()
    wanted = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in cell.tree.body if cell.tree else ():
        if isinstance(node, wanted):
            decorators = getattr(node, "decorator_list", ())
            first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
            kept.update(range(first - 1, node.end_lineno or node.lineno))
    return "\n".join(line if number in kept else "" for number, line in enumerate(lines))
