"""The syntax errors in a notebook's code cells, as IPython's Python would find them."""

import ast
import warnings

from tito.notebook.cells import MAX_CODE, Cell
from tito.notebook.ipynb_format import TOO_DEEP


def syntax_errors(cells: list[Cell]) -> list[tuple[Cell, int, str]]:
    """(cell, line in the cell, message) for each code cell that Python cannot compile."""
    errors = []
    for cell in cells:
        if cell.kind == "code" and len(cell.source) > MAX_CODE:
            errors.append((cell, 1, f"a cell has at most {MAX_CODE:,} characters of code"))
        elif cell.kind == "code":
            try:
                with warnings.catch_warnings():
                    # "\d" in a student's string causes a warning, which is not a syntax error
                    warnings.simplefilter("ignore")
                    await_too = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
                    compile(cell.python, cell.name, "exec", await_too, dont_inherit=True)
            except SyntaxError as problem:
                errors.append((cell, problem.lineno or 1, problem.msg or "invalid syntax"))
            except (ValueError, *TOO_DEEP) as problem:  # a null byte; too many nested brackets
                errors.append((cell, 1, str(problem) or "nested too deeply"))
    return errors
