"""Cells of a notebook, read from .ipynb with json or from .py in percent format. Standard library
only: importing nbformat takes seconds.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tito.errors import WorkError
from tito.files import sha256
from tito.notebook import magics, percent
from tito.outcome import YOUR_TURN

_YOUR_TURN = f"{YOUR_TURN}: "
# What the parsers of JSON and of Python raise when the nesting is too deep or the memory too small.
# Python 3.11 may raise SystemError in place of MemoryError: python/cpython issue 106905.
TOO_DEEP = (RecursionError, MemoryError, SystemError)

MAX_CELLS = 2000  # of a notebook: each cell, even an empty one, costs time in every step
MAX_JSON_BYTES = 256 * 2**20  # the most memory that the values of a notebook's JSON may take
# Bytes of memory that one of these characters of a JSON text may cost: half a string, a dict with
# its first key, a list with its first places, a value with its place in a list.
_QUOTE_COST = 32
_COSTS = (('"', _QUOTE_COST), ("{", 240), ("[", 96), (",", 48))
# The most characters of one cell that are passed to Python's compiler. It takes a thousand times as
# much memory as the text, and for some texts its time grows with the square of the length.
MAX_CODE = 2**18

_CHECK = re.compile(r"^check\((?:test_|[\"'])", re.MULTILINE)  # of a test, or of an exercise


@dataclass(frozen=True)
class Cell:
    """One cell. `index` is its place among all cells of the notebook, counted from 1."""

    index: int
    kind: str  # "code", "markdown" or "raw"
    source: str
    nbgrader: dict[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    id: str = ""

    @property
    def grade_id(self) -> str | None:
        return self.nbgrader.get("grade_id")

    @property
    def name(self) -> str:
        return self.grade_id or f"cell {self.index}"

    @property
    def label(self) -> str:
        """What the cell is called on screen: "cell 12 (tensor_dataset)"."""
        return f"cell {self.index} ({self.grade_id})" if self.grade_id else f"cell {self.index}"

    def at(self, line: int, *said: str) -> str:
        """A place in the cell: its label, the line's number, what is said of it, and its text."""
        lines = self.source.split("\n")
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return ": ".join([f"{self.label}, line {line}", *said, text])

    @cached_property
    def python(self) -> str:
        """The source as Python: lines in IPython's own syntax (%, !) become comments."""
        return magics.comment_magics(self.source)

    @cached_property
    def tree(self) -> ast.Module | None:
        """The syntax tree of a code cell; None when Python cannot read it. Do not change it."""
        if len(self.source) > MAX_CODE:
            return None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(self.python)
        except (SyntaxError, ValueError, *TOO_DEEP):
            return None

    @property
    def exported(self) -> bool:
        first = next((line.strip() for line in self.source.splitlines() if line.strip()), "")
        return self.kind == "code" and re.fullmatch(r"#\s*\|\s*export", first) is not None

    @property
    def is_test(self) -> bool:
        return self.kind == "code" and bool(self.nbgrader.get("grade"))

    @property
    def runs_tests(self) -> bool:
        """Whether the cell runs tests: a graded cell, or a locked one that only shows a promise."""
        shows = bool(self.nbgrader.get("locked")) and bool(_CHECK.search(self.source))
        return self.is_test or (self.kind == "code" and shows)

    @property
    def is_solution(self) -> bool:
        return self.kind == "code" and bool(self.nbgrader.get("solution"))

    @property
    def is_demo(self) -> bool:
        """Whether the cell is a demo; a test or a solution is none, because other cells need it."""
        return "demo" in self.tags and not (self.is_test or self.is_solution)


@dataclass(frozen=True)
class Stub:
    """An exercise that still raises "your turn"; `line` counts within the cell."""

    exercise: str
    cell: str
    index: int
    line: int


def read(path: Path) -> list[Cell]:
    """The cells of a .ipynb file or of a .py file in percent format."""
    return read_ipynb(path) if path.suffix == ".ipynb" else read_percent(path)


def read_ipynb(path: Path) -> list[Cell]:
    """The cells of a .ipynb file, in order."""
    return cells_of(load_ipynb(path))


def read_percent(path: Path) -> list[Cell]:
    """The cells of a .py file in percent format, in order; the same as jupytext reads."""
    return parse_percent(read_text(path), name=path.name)


def parse_percent(text: str, *, name: str = "the script") -> list[Cell]:
    """The cells of a text in percent format.

    Raises:
        WorkError: the options of a cell are not key=JSON.
    """
    return cells_of_parts(percent_parts(text, name))


def percent_parts(text: str, name: str) -> list[percent.Part]:
    """The kind, source and metadata of each cell; `name` is the file's, for the error."""
    try:
        return percent.split(text)[1]
    except ValueError as problem:
        rule = 'the options of a cell are key=JSON, such as tags=["demo"]'
        raise WorkError(f"{rule}; {name}, {problem}") from None


def cells_of_parts(parts: Iterable[percent.Part]) -> list[Cell]:
    """The cells that `percent_parts` has read."""
    return [_cell(index, *part, "") for index, part in enumerate(parts, start=1)]


def load_ipynb(path: Path) -> dict[str, Any]:
    """The notebook as parsed JSON, with a list of cells that each have a type and a source.

    Raises:
        WorkError: the file cannot be read, is not JSON, or is not a notebook of format 4.
    """
    notebook = read_json(read_text(path), path.name)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not isinstance(notebook.setdefault("metadata", {}), dict):
        raise WorkError(
            f"a notebook has metadata and a list of cells (format 4); {path.name} does not"
        )
    need_few(cells, path.name)
    for index, cell in enumerate(cells, start=1):
        if not is_cell(cell):
            raise WorkError(
                f"each cell has a cell_type, metadata and a source of text; cell {index} of"
                f" {path.name} does not"
            )
        try:
            source_of(cell).encode("utf-8")
        except UnicodeEncodeError as problem:
            # JSON can write half of a surrogate pair, which UTF-8 cannot encode
            raise WorkError(
                f"the source of a cell is text that UTF-8 can encode; cell {index} of {path.name}"
                f" holds {problem.object[problem.start]!r}"
            ) from None
    return notebook


def is_cell(raw: Any) -> bool:
    """Whether a value of the JSON is a cell, with a type, metadata and a source of text."""
    source = raw.get("source") if isinstance(raw, dict) else None
    lines = [source] if isinstance(source, str) else source
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return False
    kind, metadata = raw.get("cell_type"), raw.setdefault("metadata", {})
    return isinstance(kind, str) and isinstance(metadata, dict)


def read_json(text: str, name: str) -> Any:
    """The value of a notebook's JSON, of any type. The length of the text bounds time and memory;
    beside the text itself, memory is also bounded by MAX_JSON_BYTES.

    Raises:
        WorkError: the text is not JSON, or its values would take more memory.
    """
    if _json_bytes(text) > MAX_JSON_BYTES:
        raise WorkError(
            f"the values of a notebook fit into {MAX_JSON_BYTES // 2**20} MiB of memory; {name} has"
            " too many. Clear its outputs and save it again"
        )
    try:
        return json.loads(text, parse_int=_whole_number)
    except (ValueError, *TOO_DEEP) as problem:
        why = "" if text.strip() else "it is empty"
        why = why or ("" if text.rstrip().endswith("}") else "its end is missing: ") + str(problem)
        raise WorkError(
            f"a notebook is a JSON file; {name} is not: {why or 'nested too deeply'}"
        ) from None


def need_few(cells: list[Any], name: str) -> None:
    """Refuse a notebook of more cells than a person writes."""
    if len(cells) > MAX_CELLS:
        raise WorkError(
            f"a notebook has at most {MAX_CELLS:,} cells; {name} has {len(cells):,}. Delete the"
            " cells that you do not need"
        )


def _json_bytes(text: str) -> int:
    """An upper bound of the bytes of memory that the values of a JSON text take, found without
    creating them.

    Characters inside strings do not count. Finding the strings takes time, so it is done only where
    the whole text has too many of the characters in `_COSTS`.
    """
    whole = sum(text.count(mark) * cost for mark, cost in _COSTS)
    if whole <= MAX_JSON_BYTES:
        return whole
    text = text.replace("\\\\", "").replace('\\"', "")
    total = text.count('"') * _QUOTE_COST
    begin = 0
    while begin < len(text) and total <= MAX_JSON_BYTES:
        opening = text.find('"', begin)
        end = len(text) if opening < 0 else opening
        total += sum(text.count(mark, begin, end) * cost for mark, cost in _COSTS)
        closing = text.find('"', end + 1)
        begin = len(text) if closing < 0 else closing + 1
    return total


def _whole_number(digits: str) -> int:
    """The int that `digits` spell, refused above 4,300 digits, which take too long to convert.
    Python has had such a limit of its own only since 3.11.
    """
    if len(digits) > 4300:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


def cells_of(notebook: dict[str, Any]) -> list[Cell]:
    """The cells of a notebook that `load_ipynb` has read."""
    return [
        _cell(index, raw["cell_type"], source_of(raw), raw["metadata"], raw.get("id"))
        for index, raw in enumerate(notebook["cells"], start=1)
    ]


def source_of(raw: dict[str, Any]) -> str:
    """The source of one raw cell, whether it is kept as text or as a list of lines."""
    return raw["source"] if isinstance(raw["source"], str) else "".join(raw["source"])


def read_text(path: Path) -> str:
    """The text of a notebook or its script.

    Raises:
        WorkError: the file is absent, cannot be read or is not UTF-8. The caller adds what to do,
            which depends on whose file it is.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise WorkError(f"there is no {path}") from None
    except UnicodeDecodeError as problem:
        raise WorkError(
            f"a notebook is text in UTF-8; {path.name} is not (byte {problem.start})"
        ) from None
    except OSError as problem:
        raise WorkError(f"{path.name} cannot be read: {problem.strerror or problem}") from None


def _cell(index: int, kind: str, source: str, metadata: dict[str, Any], cell_id: Any) -> Cell:
    nbgrader, tags = metadata.get("nbgrader"), metadata.get("tags")
    names = (name for name in (cell_id, metadata.get("id")) if name and isinstance(name, str))
    flags = nbgrader.items() if isinstance(nbgrader, dict) else ()
    sound = {key: value for key, value in flags if _sound(key, value)}
    words = tuple(t for t in tags if isinstance(t, str)) if isinstance(tags, list) else ()
    return Cell(index, kind, source, sound, words, next(names, ""))


def _sound(key: str, value: Any) -> bool:
    """Whether an entry of nbgrader's metadata has the right type."""
    if key == "points":
        return isinstance(value, (int, float)) and abs(value) < 1e9  # refuses NaN and infinity too
    return key != "grade_id" or isinstance(value, str)


def code_sources(cells: list[Cell]) -> list[str]:
    """The code of each code cell, without the white space around it, which a save may change."""
    return [cell.source.strip() for cell in cells if cell.kind == "code"]


def code_hash(cells: list[Cell]) -> str:
    """A hash of a notebook's code: equal for a .ipynb and its .py, whatever their text cells,
    outputs and ids.

    The student edition carries this value in its metadata, `{"tito": {"released": <hash>}}`.
    """
    return sha256("\0".join(code_sources(cells)))[:16]


def text_hash(cells: Iterable[Cell]) -> str:
    """A hash of all cells, text included: an answer typed into a markdown cell is work too."""
    return sha256("\0".join(cell.source.strip() for cell in cells))[:16]


def syntax_errors(cells: list[Cell]) -> list[tuple[Cell, int, str]]:
    """(cell, line in the cell, message) for each code cell that Python cannot compile."""
    errors = []
    for cell in cells:
        if cell.kind == "code" and len(cell.source) > MAX_CODE:
            errors.append((cell, 1, f"a cell has at most {MAX_CODE:,} characters of code"))
        elif cell.kind == "code":
            try:
                with warnings.catch_warnings():
                    # "\d" in a student's string causes a warning, which is not a syntax error
                    warnings.simplefilter("ignore")
                    await_too = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
                    compile(cell.python, cell.name, "exec", await_too, dont_inherit=True)
            except SyntaxError as problem:
                errors.append((cell, problem.lineno or 1, problem.msg or "invalid syntax"))
            except (ValueError, *TOO_DEEP) as problem:  # a null byte; too many nested brackets
                errors.append((cell, 1, str(problem) or "nested too deeply"))
    return errors


def stubs(cells: list[Cell]) -> list[Stub]:
    """Every `raise NotImplementedError("your turn: ...")` in the code cells, in order. A cell that
    does not parse has none.

    In a cell with several functions, each stub is named after its function: "plots.plot_memory".
    """
    unsolved = []
    for cell in cells:
        tree = cell.tree if cell.kind == "code" and _YOUR_TURN in cell.source else None
        tops = tree.body if tree else []
        functions = sum(isinstance(top, ast.FunctionDef) for top in tops)
        for top in tops:
            for node in ast.walk(top):
                name = _your_turn(node)
                if name is None:
                    continue
                own = isinstance(top, ast.FunctionDef) and functions > 1 and top.name
                if own and own != name and "." not in name:
                    name = f"{name}.{own}"
                unsolved.append(Stub(name, cell.name, cell.index, getattr(node, "lineno", 0)))
    return sorted(unsolved, key=lambda stub: (stub.index, stub.line))


def _your_turn(node: ast.AST) -> str | None:
    """The exercise that a `raise` statement names, if it belongs to a stub; else None."""
    call = node.exc if isinstance(node, ast.Raise) else None
    if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "NotImplementedError":
        return None
    text = call.args[0] if call.args else None
    said = text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else ""
    return said.removeprefix(_YOUR_TURN) if said.startswith(_YOUR_TURN) else None
