"""Reference pages from docstrings. The files are parsed, not imported: a page shows signatures
and words, never a body.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

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
            start = next((item for item in methods if item.name == "__init__"), None)
            arguments = signature(start, bound=True) if start else _fields(node)
            yield _entry(
                "###",
                f"class {node.name}",
                node.name + arguments.partition("(")[1] + arguments.partition("(")[2],
                node,
            )
            for item in methods:
                if not item.name.startswith("_") and ast.get_docstring(item):
                    yield _entry(
                        "####", f"{node.name}.{item.name}", signature(item, bound=True), item
                    )


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef, bound: bool = False) -> str:
    """`name(arguments) -> result` as it stands in the source; a bound one is shown without
    `self`.
    """
    text = ast.unparse(node.args)
    if bound:
        text = re.sub(r"^(self|cls)(, |$)", "", text)
    return f"{node.name}({text})" + (f" -> {ast.unparse(node.returns)}" if node.returns else "")


def _fields(node: ast.ClassDef) -> str:
    """What a dataclass's constructor takes; empty for a class without one."""
    if not any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list):
        return ""
    fields = [
        item
        for item in node.body
        if isinstance(item, ast.AnnAssign)
        and "init=False" not in (ast.unparse(item.value) if item.value else "")
    ]
    return (
        "("
        + ", ".join(
            f"{ast.unparse(item.target)}: {ast.unparse(item.annotation)}" for item in fields
        )
        + ")"
    )


def _entry(level: str, name: str, shown: str, node: ast.AST) -> list[str]:
    return [
        f"{level} {name.replace('_', chr(92) + '_')}",
        "",
        "```python",
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
            lines.append(_plain(line))
        elif section and (found := re.match(r"^    (\S[^:]*):\s+(.*)", line)):
            lines += ["", f"`{found[1]}`", f": {_plain(found[2])}"]
        elif section:
            lines.append("  " + _plain(line.strip()) if line.strip() else "")
        else:
            was, code = code, line.startswith("    ") or (code and not line.strip())
            lines += ([] if was == code else ["```text" if code else "```"]) + [
                line if code else _plain(line)
            ]
    return "\n".join([*lines, *(["```"] if code else [])])


def _plain(line: str) -> str:
    """`**kwargs` and `a * b` in words are no emphasis."""
    return "".join(
        part if part.startswith("`") else re.sub(r"([*_<\[\]])", r"\\\1", part)
        for part in re.split(r"(`[^`]*`)", line)
    )
