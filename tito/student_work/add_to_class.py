"""`@add_to_class(Name)` in a notebook becomes a method in its class when it is exported."""

import ast
import dataclasses
import io
import re
import tokenize
from collections.abc import Iterator

from tito.notebook.cells import Cell

DECORATOR = "add_to_class"
_PLACE = re.compile(r"# %% \[cell \d+, line (\d+)\]")  # not indented: behind a class
Function = ast.FunctionDef | ast.AsyncFunctionDef


def attached(cell: Cell) -> list[tuple[str, Function]]:
    """(class, function) of each function that the cell attaches to a class, in order."""
    if DECORATOR not in cell.source or cell.tree is None:
        return []
    return [
        (name, node)
        for node in cell.tree.body
        if isinstance(node, Function) and (name := class_of(node))
    ]


def class_of(node: ast.stmt) -> str | None:
    """The name in a function's `@add_to_class(Name)`, or None without such a decorator."""
    for decorator in node.decorator_list if isinstance(node, Function) else ():
        if (
            isinstance(decorator, ast.Call)
            and ast.unparse(decorator.func).split(".")[-1] == DECORATOR
            and len(decorator.args) == 1
            and isinstance(decorator.args[0], ast.Name)
        ):
            return decorator.args[0].id
    return None


def whole_classes(cells: list[Cell]) -> list[Cell]:
    """The cells with each attached function moved into its class.

    A cell that attaches functions and defines nothing else disappears. A function stays where it
    is when no earlier cell defines its class at top level. Marks such as `# %% [cell 30, line 3]
    name` say where the lines below them came from.
    """
    moved = list(cells)
    for place, cell in enumerate(cells):
        for name, function in attached(cell):
            home = next((number for number in range(place) if _class_in(moved[number], name)), None)
            if home is not None:
                moved[home] = _with_method(moved[home], name, cell, function)
                moved[place] = _without(moved[place], function)
    return [cell for cell, was in zip(moved, cells, strict=True) if cell is was or _says(cell)]


def _class_in(cell: Cell, name: str) -> ast.ClassDef | None:
    nodes = cell.tree.body if cell.tree and f"class {name}" in cell.source else []
    return next((n for n in nodes if isinstance(n, ast.ClassDef) and n.name == name), None)


def _with_method(home: Cell, name: str, cell: Cell, function: Function) -> Cell:
    """`home` with the function of `cell` at the end of the class `name`."""
    holder = _class_in(home, name)
    assert holder is not None  # the caller has found it
    lines = home.python.split("\n")
    end = _last(holder, lines)
    own = " " * holder.body[0].col_offset
    moved = ["", f"{own}{_mark(cell, _first(function))}", *_indented(cell, function, own)]
    rest = lines[end:]
    following = next((line for line in rest if line.strip()), "")
    if following and not _PLACE.match(following):
        moved += ["", _mark(home, _line_in_cell(lines, end))]
    return dataclasses.replace(home, source="\n".join(lines[:end] + moved + rest))


def _line_in_cell(lines: list[str], place: int) -> int:
    """The line, in the notebook's own cell, of `lines[place]`."""
    for above in range(place - 1, -1, -1):
        mark = _PLACE.match(lines[above])
        if mark:
            return int(mark[1]) + place - above - 1
    return place + 1


def _mark(cell: Cell, line: int) -> str:
    return f"# %% [cell {cell.index}, line {line}]" + (f" {cell.grade_id}" if cell.grade_id else "")


def _first(function: Function) -> int:
    """The first line of a function that becomes a method: its `add_to_class` goes."""
    kept = [node.lineno for node in function.decorator_list if not _is_ours(node)]
    return min([function.lineno, *kept])


def _last(node: Function | ast.ClassDef, lines: list[str]) -> int:
    """The last line of a definition, with the indented comments below its last statement."""
    end = node.end_lineno or node.lineno
    for number in range(end, len(lines)):
        if lines[number].strip() and not lines[number].startswith((" ", "\t")):
            break
        end = number + 1 if lines[number].strip() else end
    return end


def _is_ours(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith(DECORATOR)


def _indented(cell: Cell, function: Function, own: str) -> Iterator[str]:
    """The function's lines, moved right, but not those inside a long string."""
    documented = function.body[0].lineno if ast.get_docstring(function) is not None else 0
    fixed = {
        number
        for first, last in _long_strings(cell.python)
        if first != documented
        for number in range(first + 1, last + 1)
    }
    lines = cell.python.split("\n")
    for number in range(_first(function), _last(function, lines) + 1):
        line = lines[number - 1]
        yield line if number in fixed or not line.strip() else own + line


def _long_strings(source: str) -> Iterator[tuple[int, int]]:
    """(first line, last line) of each string literal that has more than one line."""
    begin: list[int] = []  # of the f-strings that are open, which are several tokens since 3.12
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        name = tokenize.tok_name[token.type]
        if name == "FSTRING_START":
            begin.append(token.start[0])
        first = begin.pop() if name == "FSTRING_END" else token.start[0]
        if name in ("STRING", "FSTRING_END") and token.end[0] > first:
            yield first, token.end[0]


def _without(cell: Cell, function: Function) -> Cell:
    """The cell with blank lines in place of the function."""
    lines = cell.python.split("\n")
    begin = min([function.lineno, *(node.lineno for node in function.decorator_list)])
    end = _last(function, lines)
    lines[begin - 1 : end] = [""] * (end - begin + 1)
    return dataclasses.replace(cell, source="\n".join(lines))


def _says(cell: Cell) -> bool:
    """Whether anything but comments is left of a cell."""
    return bool(cell.tree and cell.tree.body)
