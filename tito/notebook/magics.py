"""IPython's lines in Python code: `%magic`, `!command`, `?help`, `x = !command`. A percent file and
Python's compiler get them as comments.
"""

import re
from collections.abc import Iterable
from typing import Any

# Lines that IPython accepts and Python does not: %magic, !command, ?help, x = !command.
_IPYTHON = r"(?:%{1,3}[a-zA-Z]|[!?]\s*[A-Za-z.~$\\/{}]|[a-zA-Z_]\w*\s*=\s*(?:%{1,3}|!)[a-zA-Z])"
_MAGIC = re.compile(r"^\s*" + _IPYTHON)
_ESCAPED_MAGIC = re.compile(r"^(\s*)# ?(?=(?:# ?)*" + _IPYTHON + ")")
_TO_ESCAPE = re.compile(r"^(\s*)(?=(?:# ?)*" + _IPYTHON + ")")
# Strings and comments: they may hold quotes or hashes that a reader line by line must skip.
_OUTSIDE = re.compile(r'"""|\'\'\'|#.*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')


def quoted_lines(lines: Iterable[str]) -> list[bool]:
    """For each line, whether it begins inside a triple-quoted string."""
    answer: list[bool] = []
    quote = None
    for line in lines:
        answer.append(quote is not None)
        position = 0
        while position < len(line):
            pattern = _OUTSIDE if quote is None else re.compile(r"\\.|" + quote)
            match = pattern.search(line, position)
            if match is None:
                break
            position = match.end()
            if quote is None and match.group() in ('"""', "'''"):
                quote = match.group()
            elif match.group() == quote:
                quote = None
    return answer


def comment_magics(source: str) -> str:
    """The source for Python's compiler, with IPython's lines as comments."""
    lines = source.split("\n")
    # A cell magic applies to the whole cell. A `%%bash` cell is not Python at all; a `%%time` cell
    # is Python, so it is run without its magic.
    first = next((line.strip() for line in lines if line.strip()), "")
    python = ("%%time", "%%timeit", "%%capture", "%%prun")
    if first.startswith("%%") and first.split()[0] not in python:
        return "\n".join("# " + line for line in lines)
    return "\n".join(_swap(lines, _MAGIC, _as_comment))


def escape_magics(lines: list[str]) -> list[str]:
    """The lines as a percent file stores them: `%time` becomes `# %time`."""
    return _swap(lines, _TO_ESCAPE, lambda line: _TO_ESCAPE.sub(r"\1# ", line))


def unescape_magics(lines: list[str]) -> list[str]:
    """The inverse of `escape_magics`."""
    return _swap(lines, _ESCAPED_MAGIC, lambda line: _ESCAPED_MAGIC.sub(r"\1", line))


def _as_comment(line: str) -> str:
    # In an indented block a comment alone is a syntax error, so a `pass` stands in for the magic.
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}pass  # {line.lstrip()}" if indent else f"# {line}"


def _swap(lines: list[str], pattern: re.Pattern, change: Any) -> list[str]:
    if not any(pattern.match(line) for line in lines):
        return lines
    return [
        line if inside or not pattern.match(line) else change(line)
        for line, inside in zip(lines, quoted_lines(lines), strict=True)
    ]
