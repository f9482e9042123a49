"""nbgrader's ClearSolutions with one change: each stub names its exercise.

raise NotImplementedError("your turn: epoch_order")
    a function of the cell epoch_order
raise NotImplementedError("your turn: tensor_dataset.__getitem__")
    a method of a class in the cell tensor_dataset
"""

import ast
from typing import Any

from grading.engine.nbgrader.import_nbgrader import quiet
from tito.errors import WorkError
from tito.notebook.stubs import YOUR_TURN

with quiet():
    from nbgrader.preprocessors import ClearSolutions

_HOLE = "raise NotImplementedError('@ whose turn @')"


def owners(source: str, grade_id: str) -> list[str]:
    """The stub's name for each solution region of a cell, in order.

    Raises:
        WorkError: the cell does not parse, or a region is outside every function.
    """
    try:
        tree = ast.parse(source)
    except SyntaxError as problem:
        raise WorkError(
            f"a solution cell must be plain Python; cell {grade_id}, line {problem.lineno}:"
            f" {problem.msg}. Correct the source and run `tito grade release` again."
        ) from None
    names = []
    for number, line in enumerate(source.splitlines(), start=1):
        if "BEGIN SOLUTION" not in line:
            continue
        name = _owner(tree.body, number, grade_id)
        if name is None:
            raise WorkError(
                f"solution markers are inside a function; cell {grade_id}, line {number} is in"
                " none. Move `### BEGIN SOLUTION` below the"
                " `def` and run `tito grade release` again."
            )
        names.append(name)
    return names


def _owner(statements: list[ast.stmt], line: int, name: str) -> str | None:
    for node in statements:
        if not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return name
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                inside = part.lineno <= line <= (part.end_lineno or part.lineno)
                if inside and isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    return f"{name}.{part.name}"
            return None
    return None


class NamedStubs(ClearSolutions):
    """Replace each solution region by a line that names its exercise; the indentation is kept."""

    code_stub: Any  # nbgrader's setting

    def preprocess_cell(self, cell: Any, resources: dict, cell_index: int) -> tuple[Any, dict]:
        flags, before = cell.metadata.get("nbgrader", {}), cell.source
        solved = "BEGIN SOLUTION" in before and flags.get("solution") and cell.cell_type == "code"
        whose = owners(before, flags["grade_id"]) if solved else []
        self.code_stub = {**self.code_stub, "python": _HOLE}
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        for name in whose:
            stub = f'raise NotImplementedError("{YOUR_TURN}: {name}")'
            cell.source = cell.source.replace(_HOLE, stub, 1)
        if _HOLE in cell.source:
            raise WorkError(
                "a solution cell needs `### BEGIN SOLUTION` and `### END SOLUTION` inside a"
                f" function, or nbgrader wipes it whole; cell {flags['grade_id']} starts with"
                f" {before.splitlines()[:1]}. Add them to the source."
            )
        return cell, resources
