"""Evidence that a kernel cannot easily forge: proof that a test cell ran to its end, and strict
parsing of the kernel's answers.

The student's code and the test cell share one Python process, so nothing that happens in it can be
strictly proved. These checks are tripwires: each known cheat triggers one, an honest notebook
triggers none, and a triggered check becomes a flag for a person. A flag changes no score.
`KNOWN_GAPS` lists the cheats that no check detects; points that must not be at risk belong to
sealed contract tests.

A cell without proof scores 0 and is flagged, because perhaps none of its assertions ran, and points
are only given for what a test has checked. The person who reads the flag can give them.
"""

from __future__ import annotations

import ast
import json
import math
import re
import secrets
from dataclasses import dataclass, field
from typing import Any

from grading.engine.nbgrader.library import nbformat

# Cheats that no check detects. Each can gain the points of the test cells it targets, at most all
# points of test cells; the two that show or replace outputs gain none.
KNOWN_GAPS = {
    "reads the test": (
        "code called by a test reads the assert line, the frame or the sent source, and returns"
        " what is compared with"
    ),
    "runs our lines only": (
        "a transformer or hook takes the sent source apart, runs the last statement,"
        " and lets controls fail"
    ),
    "patches everything alike": (
        "expect, check or numpy.testing replaced by what passes only for the real expectation"
    ),
    "knows the controls": (
        "code that replaces os.fork, or sees that it runs in a fork or under this module's names,"
        " fails there; no answer is taken as no controls"
    ),
    "patches and mends": (
        "replaces expect before one test cell and puts it back behind it; controls run at the end"
    ),
    "changes the shell": (
        "a transformer, trace function or method of IPython that leaves test cells, and their"
        " controls, as they are"
    ),
    "forges replies": (
        "code with the kernel's session key answers a request itself, or a second time, with the"
        " proof that it read from the request"
    ),
    "replaces displays": (
        "outputs that a test cell showed with a display_id are changed later; a reader sees them,"
        " the score does not rest on them"
    ),
    # The one gap of sealed tests. Points that rest on such answers alone, in this course's modules:
    # 5.5 of 100 in 08, 4.4 of 60 in 08a, 4.1 of 60 in 08b, 3.4 of 60 in 08c.
    "answers for a figure": (
        "asked by `inside` for what no pipe carries (a figure, a subclass, shared memory), the"
        " process gives the right facts about something that it never made"
    ),
    "fakes a clock or a counter": (
        "time.perf_counter or tracemalloc replaced, in a test that reads it"
    ),
    "shows hidden tests": (
        "code finds the source of the test cell that is running, as in In[] or a hook, and prints"
        " it into the student's own output"
    ),
    "not controlled": (
        "objects that are equal to everything, where points are added up under `if`; no second run"
        " of slow cells, or without fork"
    ),
    "not guarded": ("no proof of cells that end in a magic; they score as nbgrader scores them"),
}

PRIME = 2**61 - 1
GRADED = "tito_guard"  # key of `resources`: {grade_id: Seen}
_NUMBER = re.compile(r"(?:np\.(?:float|u?int)\d+\()?([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\)?")
_MAGIC = re.compile(r"^[%!?].*$", re.MULTILINE)
_COLOR = r"(?:\x1b\[[0-9;]*m|\s)*"


@dataclass
class Seen:
    """Observations made from outside while one test cell ran."""

    proof: bool = False
    needs_proof: bool = True
    # the cell's last statement is an expression whose value Jupyter shows
    last_is_value: bool = True
    errors: int = 0  # error outputs and error replies, cleared or not
    results: list[Any] = field(default_factory=list)  # the data of each execute_result
    flags: list[tuple[str, str]] = field(default_factory=list)  # (kind, sentence)

    def flag(self, kind: str, text: str) -> None:
        if (kind, text) not in self.flags:
            self.flags.append((kind, text))


@dataclass(frozen=True)
class Guarded:
    """A test cell as it is sent: its own lines with code around or after them that proves that the
    last line was reached.
    """

    name: str
    code: str
    expression: str
    answer: str
    last_is_value: bool
    prefix: str = ""

    def proved(self, reply: dict[str, Any]) -> bool:
        return value_of(reply, "proof") == self.answer

    def clean(self, text: str) -> str:
        """A traceback without what was added to the cell."""
        if self.name not in text:
            return text
        text = re.sub(self.prefix, "", text) if self.prefix else text
        return "\n".join(line for line in text.split("\n") if self.name not in line)


def guarded(source: str) -> Guarded | None:
    """The cell with its proof; None if it is not plain Python (a magic, another language, a syntax
    error).

    Lines keep their numbers: the proof follows on a line of its own. If the last line is an
        expression, whose value Jupyter shows as the score, it is wrapped in a call that returns its
        value.
    """
    source = source.replace("\r\n", "\n")
    tree = _parsed(source) or _parsed(_MAGIC.sub("pass", source))
    if tree is None or not tree.body or source.startswith("%%"):
        return None
    name, first, second = (
        f"_t{secrets.token_hex(8)}",
        secrets.randbelow(PRIME),
        secrets.randbelow(PRIME),
    )
    last, lines = tree.body[-1], source.split("\n")
    if isinstance(last, ast.Pass) and lines[last.lineno - 1].strip() != "pass":
        return None  # a magic: unknown whether Jupyter shows its value
    last_line = lines[(last.end_lineno or last.lineno) - 1]
    after = last_line.encode()[last.end_col_offset :].decode().lstrip(" \t")
    shown = isinstance(last, ast.Expr) and not after.startswith(";")
    prefix = ""
    if shown:
        row, column = (
            last.lineno - 1,
            len(lines[last.lineno - 1].encode()[: last.col_offset].decode()),
        )
        lines[row] = f"{lines[row][:column]}({name} := [{lines[row][column:]}"
        lines.append(f", {first}])[0]  # {name}")
        prefix = rf"\({_COLOR}{name}{_COLOR}:={_COLOR}\[{_COLOR}"
        value = f"globals().pop({name!r})[1]"
    else:
        lines.append(f"{name} = {first}")
        value = f"globals().pop({name!r})"
    code = "\n".join(lines) + "\n"
    if _parsed(_MAGIC.sub("pass", code)) is None:  # a last expression that cannot be wrapped
        return None
    return Guarded(
        name, code, f"{value} * {second} % {PRIME}", str(first * second % PRIME), shown, prefix
    )


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def value_of(reply: dict[str, Any], name: str) -> str | None:
    try:
        text = reply["content"]["user_expressions"][name]["data"]["text/plain"]
    except (KeyError, TypeError):
        return None
    return text if isinstance(text, str) else None


def partial_score(data: Any, max_points: float) -> float | None:
    """The score given by the last value of a test cell: a plain finite number within 0..max_points,
    else None.
    """
    text = data.get("text/plain") if isinstance(data, dict) else None
    text = (
        "".join(text)
        if isinstance(text, list) and all(isinstance(part, str) for part in text)
        else text
    )
    if not isinstance(text, str) or len(text) >= 100:
        return None
    match = _NUMBER.fullmatch(text.strip())
    if match is None or text.strip().endswith(")") != text.strip().startswith("np."):
        return None
    score = float(match.group(1))
    return score if math.isfinite(score) and 0 <= score <= max_points else None


def is_bool(data: Any) -> bool:
    """True when a cell's last value is a bool, for which nbgrader gives full marks, True or not."""
    text = data.get("text/plain") if isinstance(data, dict) else None
    return text in ("True", "False", "np.True_", "np.False_")


def harmless_value(source: str) -> bool:
    """True when the last line is text or another constant that is not a number: a remark of the
    instructor, not a score.
    """
    try:
        last = ast.parse(source).body[-1]
    except (SyntaxError, IndexError, ValueError):
        return False
    if not (isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)):
        return False
    value = last.value.value
    return isinstance(value, (str, bool)) or value in (None, Ellipsis)


def well_formed(output: Any) -> bool:
    """True when an output is valid in nbformat's schema and can be written as UTF-8."""
    try:
        nbformat.validate(output, ref="output", version=4)
        json.dumps(output, ensure_ascii=False).encode()
    except (nbformat.ValidationError, ValueError, TypeError, RecursionError):
        return False
    return True
