"""Statements that a package, or a notebook's kernel, lacks because Python cannot read or run them,
and those that follow: a statement that uses a name that is lost in this way.

A package without them can be tested, so one cell takes no points of others; and a student reads of
the cause alone.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tito.notebook.cells import Cell
from tito.notebook.syntax_errors import syntax_errors

_DEFINES = re.compile(r"^(?:async def|def|class) +(\w+)|^(\w+)(?:: [^=]+)? *=[^=]", re.MULTILINE)
_LATER = re.compile(r"^from __future__ import .*\bannotations\b", re.MULTILINE)


@dataclass(frozen=True)
class LeftOut:
    """The statements of a cell from `line` on; 0 is the whole cell. `said` is why, with the line;
    "" where they follow from another cell, whose label is `cause`.
    """

    label: str
    line: int
    said: str = ""
    cause: str = ""


def unreadable(cells: Iterable[Cell]) -> list[LeftOut]:
    """The exported cells that Python cannot read."""
    wrong = syntax_errors([cell for cell in cells if cell.exported])
    return [
        LeftOut(cell.label, 0, f"line {line}: {said}", cell.label) for cell, line, said in wrong
    ]


def remaining(cells: Sequence[Cell], left_out: Sequence[LeftOut]) -> list[Cell]:
    """The cells without what is left out; what is above it in its cell stays."""
    lines = {one.label: one.line for one in left_out}
    parts = []
    for cell in cells:
        above = [node for node in _body(cell) if _last(node) < lines.get(cell.label, 10**9)]
        if cell.label not in lines:
            parts.append(cell)
        elif above:
            source = "\n".join(cell.python.split("\n")[: _last(above[-1])])
            parts.append(replace(cell, source=source))
    return parts


def with_followers(cells: Sequence[Cell], causes: Sequence[LeftOut]) -> list[LeftOut]:
    """The causes, and the statements of exported cells that need what these define."""
    left = {one.label: one for one in causes}
    exported = [cell for cell in cells if cell.exported]
    lazy = sys.version_info >= (3, 14) or any(_LATER.search(cell.source) for cell in exported)
    changed = True
    while changed:
        changed = False
        lost = names_lost(exported, list(left.values()))
        for cell in exported:
            stop = left[cell.label].line if cell.label in left else 10**9
            for node in _body(cell):
                cause = next((lost[name] for name in _needed(node, lazy) if name in lost), None)
                if cause and _first(node) < stop:
                    left[cell.label] = LeftOut(cell.label, _first(node), "", cause)
                    changed = True
                    break
    return list(left.values())


def names_lost(cells: Sequence[Cell], left_out: Sequence[LeftOut]) -> dict[str, str]:
    """Each name that only these statements define -> the label of the cell that is the cause."""
    lines = {one.label: one for one in left_out}
    kept: set[str] = set()
    lost: dict[str, str] = {}
    for cell in cells:
        out = lines.get(cell.label)
        if out and cell.kind == "code" and cell.tree is None:
            for match in _DEFINES.finditer(cell.source):
                lost.setdefault(match[1] or match[2], out.cause)
        for node in _body(cell):
            if out and _last(node) >= out.line:
                for name in _defined(node):
                    lost.setdefault(name, out.cause)
            else:
                kept.update(_defined(node))
    return {name: cause for name, cause in lost.items() if name not in kept}


def _body(cell: Cell) -> list[ast.stmt]:
    return cell.tree.body if cell.kind == "code" and cell.tree else []


def _first(node: ast.stmt) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])


def _last(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _defined(node: ast.stmt) -> Iterator[str]:
    """The names that a statement gives a value."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
        return
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        elif isinstance(one, ast.alias):
            yield (one.asname or one.name).partition(".")[0]


def _needed(node: ast.AST, lazy: bool) -> Iterator[str]:
    """The names that a statement reads when it runs; `lazy`: annotations are not evaluated."""
    if isinstance(node, ast.Name):
        yield node.id
    parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        parts = [node.args, *node.decorator_list]
        parts += [] if lazy or node.returns is None else [node.returns]
    elif isinstance(node, ast.Lambda):
        parts = [node.args]
    elif isinstance(node, ast.arg) and lazy:
        parts = []
    for part in parts:
        yield from _needed(part, lazy)
