"""The top-level statements of code cells: which are the student's own, which are left-over stubs,
and which belong into the exported file although they are in another cell.
"""

import ast
import builtins
import functools
import re
import symtable
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from tito.notebook.cells import Cell
from tito.student_work.add_to_class import DECORATOR

EXPORT = "#| export"
_DEFINES = re.compile(r"^(?:class|def|async def) (\w+)", re.MULTILINE)
_WORD = re.compile(r"\w+")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Piece:
    """One statement with the comments above it; `node` is None for comments at a cell's end."""

    text: str
    node: ast.stmt | None

    @cached_property
    def form(self) -> str:
        """Equal for two statements that differ in layout and comments only."""
        return ast.dump(self.node) if self.node else ""

    @cached_property
    def key(self) -> str:
        """The function or class that it defines. Methods that `@add_to_class` attaches to different
        classes have different keys.
        """
        if not isinstance(self.node, _FUNCTIONS):
            return ""
        return " ".join([self.node.name, *map(ast.dump, self.node.decorator_list)])

    @cached_property
    def stubs(self) -> int:
        """How many parts of it still raise NotImplementedError."""
        nodes = ast.walk(self.node) if self.node and "NotImplementedError" in self.text else ()
        return sum(isinstance(node, ast.Raise) and "NotImpl" in ast.dump(node) for node in nodes)

    @cached_property
    def binds(self) -> frozenset[str]:
        """The names that an import, a definition or an assignment of the whole cell binds."""
        node = self.node
        if isinstance(node, _FUNCTIONS):
            return frozenset([node.name])
        if isinstance(node, _IMPORTS):
            names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
            return frozenset(names)
        parts = ast.walk(node) if isinstance(node, (ast.Assign, ast.AnnAssign)) else ()
        return frozenset(
            part.id
            for part in parts
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        )

    @property
    def is_import(self) -> bool:
        return isinstance(self.node, _IMPORTS)


def defined(source: str) -> set[str]:
    """The functions and classes that a cell defines."""
    return set(_DEFINES.findall(source))


@functools.lru_cache(maxsize=1024)  # a notebook is rebuilt twice
def pieces(source: str) -> tuple[Piece, ...] | None:
    """The statements of a code cell, in order; None if Python cannot read it."""
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    tree = Cell(0, "code", source).tree
    if tree is None:
        return None
    lines, begin, column = source.split("\n"), 0, 0
    # a line of thousands of statements is encoded once
    encoded = functools.lru_cache(maxsize=2)(lambda number: lines[number].encode())
    parts: list[Piece] = []
    for number, node in enumerate(tree.body):
        following = tree.body[number + 1] if number + 1 < len(tree.body) else None
        end = node.end_lineno or node.lineno
        text = lines[begin:end]
        shared = following is not None and following.lineno <= end
        until = following.col_offset if following is not None and shared else 0
        if until:
            start = column if len(text) == 1 else 0
            text[-1] = encoded(end - 1)[start:until].decode().rstrip(" ;")
        if column and not (until and len(text) == 1):
            text[0] = encoded(begin)[column:].decode()
        parts.append(Piece("\n".join(text), node))
        begin, column = (end - 1 if until else end), until
    rest = "\n".join(lines[begin:])
    return (*parts, Piece(rest, None)) if rest.strip() else tuple(parts)


def is_exported(source: str) -> bool:
    return Cell(0, "code", source).exported


def joined(parts: Iterable[str], *, exported: bool = False) -> str:
    """Pieces as the source of a cell."""
    text = "\n\n".join(part for part in (part.strip("\n") for part in parts) if part.strip())
    return f"{EXPORT}\n{text}" if exported and not is_exported(text) else text


def own_code(source: str, released: str) -> str:
    """What the student typed into a code cell that is restored from the release: statements and
    comments that the released cell does not have. Of code that Python cannot read: the lines.
    """
    theirs, mine = pieces(released), pieces(source)
    lines = {line.strip() for line in released.splitlines()}
    if theirs is None or mine is None:
        return "\n".join(line for line in source.splitlines() if line.strip() not in lines).strip()
    forms = {piece.form for piece in theirs if piece.node}
    kept = []
    for piece in mine:
        same = not piece.node or piece.form in forms
        kept.append(
            "\n".join(
                line
                for line in piece.text.split("\n")
                if (line.strip() not in lines and line.lstrip()[:1] in "#%!") or not same
            )
        )
    return joined(kept)


def without(source: str, unwanted: set[str]) -> str:
    """A cell without the statements of these forms; as it is if it has none of them."""
    parts = pieces(source) or ()
    if not any(piece.node and piece.form in unwanted for piece in parts):
        return source
    kept = [piece.text for piece in parts if not piece.node or piece.form not in unwanted]
    return joined(kept, exported=is_exported(source))


def without_tests(source: str, tests: dict[str, set[str]]) -> str:
    """A cell without the statements of test cells (source: its lines) that were merged into it."""
    first = {line for line in source.splitlines() if line[:1].isalpha()}
    merged = [text for text, lines in tests.items() if first & lines]
    forms = {piece.form for text in merged for piece in pieces(text) or () if piece.node}
    return without(source, forms) if forms else source


def left_over_stubs(sources: list[str], released: list[str]) -> dict[int, set[str]]:
    """{index of a cell: forms of the stubs in it} for stubs of solutions that are elsewhere in
    the notebook with fewer parts unsolved: a stub below its solution would replace it.

    Args:
        released: the released sources of the solution cells.
    """
    often = Counter(name for text in sources for name in _DEFINES.findall(text))
    names = {name for text in released for name in defined(text) if often[name] > 1}
    if not names or not any("NotImplementedError" in text for text in sources):
        return {}
    known = {
        piece.key
        for text in released
        for piece in (pieces(text) or () if names & defined(text) else ())
        if piece.stubs
    }
    places_of: dict[str, list[tuple[int, Piece]]] = {}
    for index, text in enumerate(sources):
        for piece in (pieces(text) or ()) if names & defined(text) else ():
            if piece.key in known:
                places_of.setdefault(piece.key, []).append((index, piece))
    forms: dict[int, set[str]] = {}
    for places in places_of.values():
        least = min(piece.stubs for _, piece in places)
        for index, piece in places:
            if piece.stubs > least:
                forms.setdefault(index, set()).add(piece.form)
    return forms


def needed(
    exported: list[str], candidates: list[tuple[int, Piece]], wanted: set[str]
) -> list[tuple[int, Piece]]:
    """The candidates that bind a name which the exported cells use, or which the course asks for,
    and which no exported cell binds.
    """
    candidates = [(place, piece) for place, piece in candidates if piece.binds and not piece.stubs]
    # What follows is exact, but slow; in most notebooks no candidate binds one of these words.
    seen = wanted.union(*map(_WORD.findall, exported)) - {DECORATOR}
    maybe = seen & frozenset().union(*(piece.binds for _, piece in candidates))
    solved = not any("NotImplementedError" in text for text in exported)
    sure = {name for name in maybe if (solved or name not in wanted) and _surely(name, exported)}
    if maybe == sure:
        return []
    inside = [piece for text in exported for piece in pieces(text) or ()]
    bound = {name for piece in inside if not piece.stubs for name in piece.binds}
    # the export attaches the methods of `@add_to_class` itself, without that decorator
    bound |= {DECORATOR, *dir(builtins)}
    used = wanted.union(*map(_globals, exported))
    chosen: list[tuple[int, Piece]] = []
    while more := [
        one for one in candidates if one not in chosen and one[1].binds & (used - bound)
    ]:
        chosen += more
        used = used.union(*(_globals(piece.text) for _, piece in more))
        bound |= {name for _, piece in more for name in piece.binds}
    return [one for one in candidates if one in chosen]


def _surely(name: str, exported: list[str]) -> bool:
    """Whether a line of these cells binds the name."""
    form = re.compile(
        rf"^(?:(?:class|def|async def) {name}\b|{name} *=[^=]|(?:import|from) [^#]*\b{name}\b)",
        re.MULTILINE,
    )
    return any(form.search(text) for text in exported)


@functools.lru_cache(maxsize=1024)
def _globals(source: str) -> set[str]:
    """The names that code takes from its module."""
    cell = Cell(0, "code", source)
    if cell.tree is None:
        return set()
    try:
        tables = [symtable.symtable(cell.python, "cell", "exec")]
    except (SyntaxError, ValueError, RecursionError):
        return set()
    names = set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        top = table.get_type() == "module"
        names |= {
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_referenced() and (top or symbol.is_global())
        }
    return names
