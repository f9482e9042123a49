"""Wrong and other right solutions, as the few definitions that differ, put in place of the
reference's.

A solution under grading/misconceptions/ or grading/alternatives/ holds only what differs. A
function replaces the reference's of that name; a class is partial, and its methods replace those of
the same qualified name; what the reference does not have is put in front of the first cell that
changes.
Spans come from `ast` and the replacement is textual, so that the rest of a cell stays as the author
wrote it.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from grading.engine.course.variants import HEADER, Variant
from tito import methods
from tito.errors import WorkError
from tito.notebook.cells import Cell


def splice(cells: Sequence[Cell], variant: Variant) -> list[Cell]:
    """The cells with the variant's definitions in place of the reference's.

    Raises:
        WorkError: the file does not parse, nothing in it has a name that the reference has, or a
            class of the reference is given other bases (the class statement is not the student's).
    """
    tree = parse(variant.text, variant.place)
    homes = _homes(cells)
    solutions = {cell.index for cell in cells if cell.is_solution}
    attached = {
        (name, function.name): cell.index
        for cell in cells
        if cell.is_solution
        for name, function in methods.attached(cell)
    }
    # classes whose methods stand in cells of their own; students cannot change the class's cell
    given = {name for name, _ in attached}
    changed = {cell.index: cell.source for cell in cells}
    added: list[str] = []
    places: list[int] = []
    twice = Counter(name for node in tree.body if (name := getattr(node, "name", None)))
    for name in (name for name, count in twice.items() if count > 1):
        raise WorkError(
            f"{variant.place}: {name} is defined {twice[name]} times; each wrong solution begins"
            f" with {HEADER}"
        )
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring of the file
        if isinstance(node, ast.ClassDef) and node.name in given:
            for member in _functions(node, variant):
                own = attached.get((node.name, member.name))
                # a helper stands in front of the first cell that attaches a method to its class
                own_cell = own or next(n for (name, _), n in attached.items() if name == node.name)
                places.append(own_cell)
                changed[own_cell] = _put_attached(
                    changed[own_cell], node.name, member, variant.text, new=own is None
                )
            continue
        place = homes.get(getattr(node, "name", None) or _assigned(node) or "")
        if place is None:
            added.append(_text(variant.text, node))
            continue
        if place not in solutions:
            raise WorkError(
                f"{variant.place}: {getattr(node, 'name', None) or _assigned(node)} is given, and a"
                " student cannot change it; write a name of your own"
            )
        places.append(place)
        changed[place] = _replace(changed[place], node, variant)
    if not places:
        names = [
            name for name in (getattr(n, "name", None) or _assigned(n) for n in tree.body) if name
        ]
        raise WorkError(
            f"{variant.place}: at least one name must be the reference's;"
            f" {', '.join(names) or 'no definition'} is not. The reference defines:"
            f" {', '.join(sorted(homes))}"
        )
    if added:
        first = min(places)
        changed[first] = _in_front(changed[first], "\n\n\n".join(added))
    return [dataclasses.replace(cell, source=changed[cell.index]) for cell in cells]


def parse(text: str, name: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as problem:
        raise WorkError(f"{name} must be Python; line {problem.lineno}: {problem.msg}") from None


def _homes(cells: Sequence[Cell]) -> dict[str, int]:
    """Which cell defines a top-level name: the exported one, else the last."""
    homes: dict[str, int] = {}
    usable = [
        cell for cell in cells if cell.kind == "code" and not cell.is_test and not cell.is_demo
    ]
    for cell in sorted(usable, key=lambda cell: cell.exported):
        if cell.tree is None or cell.python != cell.source:
            # a cell with a % line; the reference's proof says if it is more than that
            continue
        homes.update(
            {
                name: cell.index
                for node in cell.tree.body
                if (name := getattr(node, "name", None) or _assigned(node))
            }
        )
    return homes


def _assigned(node: ast.stmt) -> str | None:
    """The name that a statement such as `eps = 1e-8` or `eps: float = 1e-8` defines."""
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def _replace(source: str, node: ast.stmt, variant: Variant) -> str:
    name = getattr(node, "name", None) or _assigned(node)
    old = next(
        part
        for part in ast.parse(source).body
        if (getattr(part, "name", None) or _assigned(part)) == name
    )
    if isinstance(node, ast.ClassDef) and isinstance(old, ast.ClassDef):
        if node.bases and [ast.unparse(b) for b in node.bases] != [
            ast.unparse(b) for b in old.bases
        ]:
            raise WorkError(
                f"{variant.place}: class {name} is partial and its class statement is the"
                f" reference's; write `class {name}:`"
            )
        return _merge_class(source, (node.name,), node, variant.text)
    return _put(source, old, variant.text, node)


def _functions(node: ast.ClassDef, variant: Variant) -> list[ast.FunctionDef]:
    """The methods of a partial class. It can hold nothing else: they are attached one by one."""
    for member in node.body:
        if not isinstance(member, (ast.FunctionDef, ast.Expr, ast.Pass)):
            raise WorkError(
                f"{variant.place}: class {node.name} is given, so only methods can be written for"
                f" it; {ast.unparse(member).splitlines()[0]!r} is none"
            )
    return [member for member in node.body if isinstance(member, ast.FunctionDef)]


def _put_attached(source: str, name: str, member: ast.FunctionDef, text: str, *, new: bool) -> str:
    """The cell with the method in place of the one of that name, or in front as a new one."""
    method = f"@{methods.DECORATOR}({name})\n{_text(text, member)}"
    if new:
        return _in_front(source, method)
    old = next(
        part
        for part in ast.parse(source).body
        if isinstance(part, ast.FunctionDef) and part.name == member.name
    )
    lines = source.splitlines()
    lines[_first_line(old) - 1 : old.end_lineno] = [method]
    return "\n".join(lines)


def _merge_class(source: str, qualified: tuple[str, ...], node: ast.ClassDef, text: str) -> str:
    """Replace the members of the class `qualified` that `node` has too, and append the others."""
    for member in node.body:
        name = getattr(member, "name", None) or _assigned(member)
        if name is None or isinstance(member, ast.Expr):
            continue  # a docstring, `...` or `pass`
        holder = _find(ast.parse(source), qualified)
        old = next(
            (
                part
                for part in holder.body
                if (getattr(part, "name", None) or _assigned(part)) == name
            ),
            None,
        )
        if isinstance(member, ast.ClassDef) and isinstance(old, ast.ClassDef):
            source = _merge_class(source, (*qualified, name), member, text)
        elif old is not None:
            source = _put(source, old, text, member)
        else:
            lines = source.splitlines()
            lines[holder.end_lineno : holder.end_lineno] = [
                "",
                _text(text, member, holder.body[0].col_offset),
            ]
            source = "\n".join(lines)
    return source


def _find(tree: Any, qualified: tuple[str, ...]) -> ast.ClassDef:
    """The class inside a module or a class that its names lead to, from the outside in."""
    for name in qualified:
        tree = next(
            node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name
        )
    return tree


def _first_line(node: ast.stmt) -> int:
    return min(
        [node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))]
    )


def _text(text: str, node: ast.stmt, column: int = 0) -> str:
    """The lines of a definition with its decorators, moved so that it starts in `column`; a
    string's own lines stay where they are.
    """
    lines = text.splitlines()[_first_line(node) - 1 : node.end_lineno]
    if node.col_offset == column:
        return "\n".join(lines)
    before, after = " " * node.col_offset, " " * column
    return "\n".join(
        after + line.removeprefix(before) if line.startswith(before) and line.strip() else line
        for line in lines
    )


def _put(source: str, old: ast.stmt, text: str, new: ast.stmt) -> str:
    lines = source.splitlines()
    lines[_first_line(old) - 1 : old.end_lineno] = [_text(text, new, old.col_offset)]
    return "\n".join(lines)


def _in_front(source: str, new: str) -> str:
    """Put `new` in front of a cell's code, behind its `#| export` line."""
    lines = source.splitlines()
    after = next(
        (
            i + 1
            for i, line in enumerate(lines)
            if re.fullmatch(r"#\s*\|\s*export\s*", line.strip())
        ),
        0,
    )
    return "\n".join([*lines[:after], new, "", "", *lines[after:]])
