"""The text of one solution cell with its syntax tree: where each node is, and which parts a
student writes.
"""

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef
Mutants = Iterator[tuple[str, str]]  # the operator's name, and the whole text with one change
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"

# Arguments that change nothing that a contract could promise: one more copy, the dots of a plot.
NO_RESULT = ("copy=False", "marker='o'")


class Code:
    """The text of a cell. Places are offsets in the text, counted in characters."""

    def __init__(self, text: str):
        self.text = text
        self.tree = ast.parse(text)
        self._lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self.parents = {
            child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)
        }

    def at(self, node: Any) -> tuple[int, int]:
        """Where a node begins and ends."""
        begin = self._offset(node.lineno, node.col_offset)
        return begin, self._offset(node.end_lineno, node.end_col_offset)

    def _offset(self, line: int, column: int) -> int:
        """The tree counts columns in bytes of UTF-8."""
        before = self._lines[line - 1].encode("utf-8")[:column]
        return self._starts[line - 1] + len(before.decode("utf-8"))

    def of(self, node: ast.AST) -> str:
        begin, end = self.at(node)
        return self.text[begin:end]

    def put(self, *changes: tuple[int, int, str]) -> str:
        """The text with other words in some places: (begin, end, text)."""
        text = self.text
        for begin, end, new in sorted(changes, reverse=True):
            text = text[:begin] + new + text[end:]
        return text

    def replaced(self, node: ast.AST, new: str) -> str:
        return self.put((*self.at(node), new))

    def function_of(self, node: ast.AST) -> Function | None:
        """The innermost function around a node."""
        above = self.parents.get(node)
        while above is not None and not isinstance(above, Function):
            above = self.parents.get(above)
        return above

    def name_at(self, place: int) -> str:
        """The function, or the method, in which a place is: the outermost one."""
        for node in _definitions(self.tree.body):
            begin, end = self.at(node)
            if begin <= place <= end:
                return node.name
        return ""

    @cached_property
    def regions(self) -> list[tuple[int, int]]:
        """Between `### BEGIN SOLUTION` and `### END SOLUTION`."""
        solved_parts, begin = [], None
        for number, line in enumerate(self._lines):
            if BEGIN in line:
                begin = self._starts[number + 1]
            elif END in line and begin is not None:
                # with the white space in front of the mark, where a last line may be added
                solved_parts.append((begin, self._starts[number] + line.index(END)))
                begin = None
        return solved_parts

    def in_region(self, node: ast.AST) -> bool:
        return _within(self.at(node), self.regions)

    def around(self, region: tuple[int, int]) -> Function | None:
        """The innermost function that holds a solution."""
        functions = (
            node
            for node in ast.walk(self.tree)
            if isinstance(node, Function) and _within(region, [self._whole(node)])
        )
        return max(functions, key=lambda node: node.lineno, default=None)

    @cached_property
    def solved(self) -> list[Function]:
        """The innermost functions that hold a solution."""
        around = dict.fromkeys(map(self.around, self.regions))
        return [function for function in around if function]

    def _whole(self, node: Function) -> tuple[int, int]:
        """A function with the comment lines below its last statement."""
        begin, end = self.at(node)
        for number in range(node.end_lineno or node.lineno, len(self._lines)):
            line = self._lines[number]
            if line.strip() and len(line) - len(line.lstrip()) <= node.col_offset:
                break
            end = self._starts[number + 1]
        return begin, end

    def statements(self, function: Function) -> list[ast.stmt]:
        """The statements of a solution, at the function's own level, in order."""
        return [node for node in function.body if self.in_region(node)]

    @cached_property
    def _open(self) -> list[tuple[int, int]]:
        """What may be changed: solutions, and the defaults of the functions that hold one."""
        defaults = [
            self.at(value) for function in self.solved for _, value in defaults_of(function)
        ]
        return [*self.regions, *defaults]

    @cached_property
    def _closed(self) -> list[tuple[int, int]]:
        """What no mutant changes: docstrings, annotations, and what an error says."""
        closed: list[ast.AST] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                closed += node.exc.args
            elif isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation:
                closed.append(node.annotation)
            elif isinstance(node, Function) and node.returns:
                closed.append(node.returns)
            elif _is_docstring(node) or (
                isinstance(node, ast.keyword) and ast.unparse(node) in NO_RESULT
            ):
                closed.append(node)
        return [self.at(node) for node in closed]

    def may_change(self, begin: int, end: int) -> bool:
        return _within((begin, end), self._open) and not _within((begin, end), self._closed)


def _within(place: tuple[int, int], spans: Sequence[tuple[int, int]]) -> bool:
    return any(begin <= place[0] and place[1] <= end for begin, end in spans)


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _definitions(body: Sequence[ast.stmt]) -> Iterator[Function]:
    for node in body:
        if isinstance(node, Function):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from _definitions(node.body)


def defaults_of(function: Function) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, each with it."""
    given = function.args
    several = [*given.posonlyargs, *given.args][-len(given.defaults) or None :]
    pairs = (
        *zip(several, given.defaults, strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    )
    return [(one, value) for one, value in pairs if value is not None]


def difference(old: str, new: str) -> tuple[int, int]:
    """Where the part of the old text that differs begins and ends."""
    begin = _same(old, new)
    return begin, len(old) - _same(old[begin:][::-1], new[begin:][::-1])


def _same(one: str, two: str) -> int:
    """How many characters at the beginning of two texts are the same."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(two)))


def without_prose(text: str) -> str:
    """Code without comments, docstrings and blank lines: the same while nothing but prose changes,
    in each version of Python.
    """
    code = Code(text)
    drop = [(*code.at(node), '""') for node in ast.walk(code.tree) if _is_docstring(node)]
    text = code.put(*drop)
    lines = text.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    return "\n".join(line.rstrip() for line in lines if line.strip())
