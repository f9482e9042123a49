"""Wrong and other right solutions, as the few definitions that differ, put in place of the
reference's.

A solution in a module's folder wrong/ or right/ holds only what differs. A
function replaces the reference's of that name; a class is partial, and its methods replace those of
the same qualified name, as does a function below `@add_to_class(Name)`; what the reference does not
have is put in front of the first cell that changes.
Spans come from `ast` and the replacement is textual, so that the rest of a cell stays as the author
wrote it.
"""

import ast
import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

from grading.engine.course.wrong_and_right_solutions import HEADER, Variant
from tito.errors import WorkError
from tito.notebook.cells import Cell
from tito.student_work.add_to_class import DECORATOR, attached, class_of


def splice(cells: Sequence[Cell], variant: Variant) -> list[Cell]:
    """The cells with the variant's definitions in place of the reference's.

    Raises:
        WorkError: the file does not parse, nothing in it has a name that the reference has, or a
            class of the reference is given other bases (the class statement is not the student's).
    """
    homes, solutions = _homes(cells), {cell.index for cell in cells if cell.is_solution}
    homes_of_methods = {
        (name, function.name): cell
        for cell in cells
        if cell.is_solution
        for name, function in attached(cell)
    }
    # Classes whose methods have cells of their own, with the first of these cells. Students
    # cannot change the class's cell.
    given = {name: cell for (name, _), cell in reversed(homes_of_methods.items())}
    changed = {cell.index: cell.source for cell in cells}
    nodes, added, places = _definitions(variant), list[str](), list[int]()
    for node in nodes:
        name = _name(node) or ""
        holders = sorted(holder for holder, method in homes_of_methods if method == name)
        if replaced := _methods(node, given, variant):
            for holder, method, text in replaced:
                home = homes_of_methods.get((holder, method))
                place = (home or given[holder]).index
                changed[place] = (
                    _put(changed[place], _attached(home, changed[place], holder, method), text)
                    if home
                    else _in_front(changed[place], text)  # a helper
                )
                places.append(place)
        elif holders:
            raise WorkError(
                f"{_at(variant, node)}: {name} is a method of {' and of '.join(holders)}, and this"
                f" does not say of which class. Write above it: @{DECORATOR}({holders[0]})"
            )
        elif name not in homes:
            added.append(_text(variant.text, node))
        elif homes[name] not in solutions:
            raise WorkError(
                f"{_at(variant, node)}: {name} is given, and a student cannot change it; write a"
                " name of your own"
            )
        else:
            places.append(homes[name])
            changed[homes[name]] = _replace(changed[homes[name]], (), node, variant)
    if not places:
        raise WorkError(
            f"{variant.place}: at least one name must be the reference's;"
            f" {', '.join(filter(None, map(_name, nodes))) or 'no definition'} is not. The"
            f" reference defines: {', '.join(sorted(homes))}"
        )
    if added:
        first = min(places)
        changed[first] = _in_front(changed[first], "\n\n\n".join(added))
    return [dataclasses.replace(cell, source=changed[cell.index]) for cell in cells]


def _at(variant: Variant, node: ast.stmt) -> str:
    return f"{variant.path}:{_first_line(node)}"


def _methods(
    node: ast.stmt, given: Mapping[str, Cell], variant: Variant
) -> list[tuple[str, str, str]]:
    """(class, method, text) of what a statement writes for classes whose methods are in cells of
    their own: a function below `@add_to_class(Box)`, or a partial class.
    """
    own, name = class_of(node), _name(node) or ""
    if own is None:
        if not (isinstance(node, ast.ClassDef) and name in given):
            return []
        mark = f"@{DECORATOR}({name})\n"
        functions = _functions(node, variant)
        return [(name, one.name, mark + _text(variant.text, one)) for one in functions]
    if own not in given:
        raise WorkError(
            f"{_at(variant, node)}: @{DECORATOR} names a class whose methods are exercises;"
            f" {own} is none of: {', '.join(sorted(given)) or 'none'}"
        )
    return [(own, name, _text(variant.text, node))]


def _attached(home: Cell, source: str, holder: str, name: str) -> ast.stmt:
    """The statement in the changed text of a cell that attaches a method."""
    pairs = attached(dataclasses.replace(home, source=source))
    return next(node for owner, node in pairs if (owner, node.name) == (holder, name))


def _definitions(variant: Variant) -> list[ast.stmt]:
    """The statements of a variant, without docstrings. None of them defines a name again."""
    try:
        tree = ast.parse(variant.text)
    except SyntaxError as problem:
        raise WorkError(
            f"{variant.path}:{problem.lineno}: it must be Python: {problem.msg}"
        ) from None
    seen: set[tuple[str | None, str]] = set()
    for node in tree.body:
        name = getattr(node, "name", "")
        key = class_of(node), name
        if name and key in seen:
            raise WorkError(
                f"{_at(variant, node)}: {name} is defined twice; each wrong solution begins with"
                f" {HEADER}"
            )
        seen.add(key)
    return [
        node
        for node in tree.body
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    ]


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
        plain = [node for node in cell.tree.body if class_of(node) is None]
        homes.update({name: cell.index for node in plain if (name := _name(node))})
    return homes


def _name(node: ast.stmt) -> str | None:
    """The name that a statement such as `def f():`, `eps = 1e-8` or `eps: float = 1e-8` defines."""
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    if len(targets) == 1 and isinstance(targets[0], ast.Name):
        return targets[0].id
    return getattr(node, "name", None)


def _member(holder: Any, name: str | None) -> Any:
    """The statement of a module or class that defines the name."""
    return next((node for node in holder.body if _name(node) == name), None)


def _replace(source: str, path: tuple[str, ...], node: ast.stmt, variant: Variant) -> str:
    """The source with `node` in place of the definition of its name, in the class that the names in
    `path` lead to from the outside in. Of a class only the members are replaced; new ones follow.
    """
    holder: Any = ast.parse(source)
    for name in path:
        holder = _member(holder, name)
    old = _member(holder, _name(node))
    if isinstance(node, ast.ClassDef) and isinstance(old, ast.ClassDef):
        bases, known = ([ast.unparse(base) for base in one.bases] for one in (node, old))
        if bases and bases != known and not path:
            raise WorkError(
                f"{_at(variant, node)}: class {node.name} is partial and its class statement is"
                f" the reference's; write `class {node.name}:`"
            )
        for member in filter(_name, node.body):
            source = _replace(source, (*path, node.name), member, variant)
        return source
    if old is not None:
        return _put(source, old, _text(variant.text, node, old.col_offset))
    lines = source.splitlines()
    new = _text(variant.text, node, holder.body[0].col_offset)
    return "\n".join([*lines[: holder.end_lineno], "", new, *lines[holder.end_lineno :]])


def _functions(node: ast.ClassDef, variant: Variant) -> list[ast.FunctionDef]:
    """The methods of a partial class. It can hold nothing else: they are attached one by one."""
    for member in node.body:
        if not isinstance(member, (ast.FunctionDef, ast.Expr, ast.Pass)):
            raise WorkError(
                f"{_at(variant, member)}: class {node.name} is given, so only methods can be"
                f" written for it; {ast.unparse(member).splitlines()[0]!r} is none"
            )
    return [member for member in node.body if isinstance(member, ast.FunctionDef)]


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


def _put(source: str, old: ast.stmt, new: str) -> str:
    lines = source.splitlines()
    return "\n".join([*lines[: _first_line(old) - 1], new, *lines[old.end_lineno :]])


def _in_front(source: str, new: str) -> str:
    """Put `new` in front of a cell's code, behind its `#| export` line."""
    lines = source.splitlines()
    marks = (n for n, line in enumerate(lines, 1) if re.fullmatch(r"\s*#\s*\|\s*export\s*", line))
    after = next(marks, 0)
    return "\n".join([*lines[:after], new, "", "", *lines[after:]])
