"""The cells of a notebook, whichever of its two formats they are read from, and hashes of them.
Standard library only: importing nbformat takes seconds.
"""

import ast
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tito.errors import WorkError
from tito.files import sha256
from tito.notebook import magics, percent_format
from tito.notebook.ipynb_format import TOO_DEEP, load_ipynb, read_text, source_of

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


def percent_parts(text: str, name: str) -> list[percent_format.Part]:
    """The kind, source and metadata of each cell; `name` is the file's, for the error."""
    try:
        return percent_format.split(text)[1]
    except ValueError as problem:
        rule = 'the options of a cell are key=JSON, such as tags=["demo"]'
        raise WorkError(f"{rule}; {name}, {problem}") from None


def cells_of_parts(parts: Iterable[percent_format.Part]) -> list[Cell]:
    """The cells that `percent_parts` has read."""
    return [_cell(index, *part, "") for index, part in enumerate(parts, start=1)]


def cells_of(notebook: dict[str, Any]) -> list[Cell]:
    """The cells of a notebook that `load_ipynb` has read."""
    return [
        _cell(index, raw["cell_type"], source_of(raw), raw["metadata"], raw.get("id"))
        for index, raw in enumerate(notebook["cells"], start=1)
    ]


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
