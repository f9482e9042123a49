"""Stubs: `raise NotImplementedError("your turn: NAME")`, where a student's code belongs."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tito.notebook.cells import Cell

YOUR_TURN = "your turn"  # begins the message of a stub that nobody has solved
_YOUR_TURN = f"{YOUR_TURN}: "


@dataclass(frozen=True)
class Stub:
    """An exercise that still raises "your turn"; `line` counts within the cell."""

    exercise: str
    cell: str
    index: int
    line: int


def stubs(cells: list[Cell]) -> list[Stub]:
    """Every `raise NotImplementedError("your turn: ...")` in the code cells, in order. A cell that
    does not parse has none.

    In a cell with several functions, each stub is named after its function: "plots.plot_memory".
    """
    unsolved = []
    for cell in cells:
        tree = cell.tree if cell.kind == "code" and _YOUR_TURN in cell.source else None
        tops = tree.body if tree else []
        functions = sum(isinstance(top, ast.FunctionDef) for top in tops)
        for top in tops:
            for node in ast.walk(top):
                name = _your_turn(node)
                if name is None:
                    continue
                own = isinstance(top, ast.FunctionDef) and functions > 1 and top.name
                if own and own != name and "." not in name:
                    name = f"{name}.{own}"
                unsolved.append(Stub(name, cell.name, cell.index, getattr(node, "lineno", 0)))
    return sorted(unsolved, key=lambda stub: (stub.index, stub.line))


def _your_turn(node: ast.AST) -> str | None:
    """The exercise that a `raise` statement names, if it belongs to a stub; else None."""
    call = node.exc if isinstance(node, ast.Raise) else None
    if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "NotImplementedError":
        return None
    text = call.args[0] if call.args else None
    said = text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else ""
    return said.removeprefix(_YOUR_TURN) if said.startswith(_YOUR_TURN) else None
