"""Reference pages from docstrings. The files are parsed, not imported: a page shows signatures
and words, never a body.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
COLUMNS = 60  # characters of a signature that fit into a line of a page
_SECTION = re.compile(r"^(Args|Attributes|Returns|Yields|Raises|Example|Examples):\s*$")


def page(title: str, files: list[tuple[str, Path]], opening: str = "") -> str:
    """A page of Markdown.

    Args:
        files: import name and file of each part, in order; a part without a public name is left
            out.
    """
    parts = [f"# {title}", "", opening, ""]
    for name, path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        entries = list(_entries(tree))
        if entries or len(files) == 1:
            parts += ([f"## {name}", ""] if len(files) > 1 else []) + [
                _words(ast.get_docstring(tree) or ""),
                "",
            ]
            # no level is left out
            parts += [
                line[1:] if len(files) == 1 and line.startswith("###") else line
                for entry in entries
                for line in entry
            ]
    return "\n".join(parts).rstrip() + "\n"


def _entries(tree: ast.Module) -> Iterator[list[str]]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith(
            "_"
        ):
            yield _entry("###", node.name, signature(node), node)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
            yield _entry("###", f"class {node.name}", _constructor(node, methods), node)
            for item in methods:
                if not item.name.startswith("_") and ast.get_docstring(item):
                    yield _entry(
                        "####", f"{node.name}.{item.name}", signature(item, bound=True), item
                    )


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef, bound: bool = False) -> str:
    """`name(arguments) -> result` as it is in the source, one argument a line where a line
    would be too long; a bound one is shown without `self`.
    """
    arguments = _arguments(node.args)
    if bound and arguments and arguments[0] in ("self", "cls"):
        arguments = arguments[1:]
    return call(node.name, arguments, f" -> {ast.unparse(node.returns)}" if node.returns else "")


def call(name: str, arguments: list[str], result: str = "") -> str:
    """`name(arguments)` in one line of at most COLUMNS, or one argument a line."""
    line = f"{name}({', '.join(arguments)}){result}"
    if len(line) <= COLUMNS or not arguments:
        return line
    return "\n".join([f"{name}(", *(f"    {argument}," for argument in arguments), f"){result}"])


def _arguments(given: ast.arguments) -> list[str]:
    """Each argument with its annotation and default, and the marks `/` and `*` between them."""
    places = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(places) - len(given.defaults)) + list(given.defaults)
    shown = [_argument(*pair) for pair in zip(places, defaults, strict=True)]
    if given.posonlyargs:
        shown.insert(len(given.posonlyargs), "/")
    if given.vararg:
        shown.append(f"*{_argument(given.vararg)}")
    elif given.kwonlyargs:
        shown.append("*")
    shown += [_argument(*pair) for pair in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    return shown + ([f"**{_argument(given.kwarg)}"] if given.kwarg else [])


def _argument(one: ast.arg, default: ast.expr | None = None) -> str:
    shown = ast.unparse(one)
    if default is None:
        return shown
    return (
        f"{shown} = {ast.unparse(default)}" if one.annotation else f"{shown}={ast.unparse(default)}"
    )


def _fields(node: ast.ClassDef) -> list[str] | None:
    """What a dataclass's constructor takes; None for another class."""
    if not any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list):
        return None
    return [
        f"{ast.unparse(item.target)}: {ast.unparse(item.annotation)}"
        for item in node.body
        if isinstance(item, ast.AnnAssign)
        and "init=False" not in (ast.unparse(item.value) if item.value else "")
    ]


def _constructor(node: ast.ClassDef, methods: list[ast.FunctionDef]) -> str:
    start = next((item for item in methods if item.name == "__init__"), None)
    if start:
        return node.name + signature(start, bound=True).removeprefix("__init__").removesuffix(
            " -> None"
        )
    fields = _fields(node)
    return node.name if fields is None else call(node.name, fields)


def _entry(level: str, name: str, shown: str, node: _Documented) -> list[str]:
    return [
        f"{level} {name.replace('_', chr(92) + '_')}",
        "",
        "```{code-block} python",
        ":class: wraps",
        "",
        shown,
        "```",
        "",
        _words(ast.get_docstring(node) or ""),
        "",
    ]


def _words(text: str) -> str:
    """A docstring as Markdown: its sections as definition lists, indented examples as code."""
    lines, section, code = [], "", False
    for line in text.splitlines():
        if found := _SECTION.match(line):
            section = found[1]
            lines += ["", f"**{section}**", ""]
        elif section and line.strip() and not line.startswith(" "):
            section = ""
            lines.append(plain(line))
        elif section and (found := re.match(r"^    (\S[^:]*):\s+(.*)", line)):
            lines += ["", f"`{found[1]}`", f": {plain(found[2])}"]
        elif section:
            lines.append("  " + plain(line.strip()) if line.strip() else "")
        else:
            was, code = code, line.startswith("    ") or (code and not line.strip())
            fence = ["```{code-block} text", ":class: wraps", ""] if code else ["```"]
            lines += ([] if was == code else fence) + [line if code else plain(line)]
    return "\n".join([*lines, *(["```"] if code else [])])


def plain(line: str) -> str:
    """`**kwargs` and `a * b` in words are no emphasis."""
    return "".join(
        part if part.startswith("`") else re.sub(r"([*_<\[\]])", r"\\\1", part)
        for part in re.split(r"(`[^`]*`)", line)
    )
