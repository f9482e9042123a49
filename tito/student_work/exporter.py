"""Writes the exported cells of a notebook to a file of the package, never the other way. For each
line of that file the cell it came from can be found.
"""

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tito.console import counted
from tito.errors import EnvironmentBroken, WorkError
from tito.files import backup, sha256, write_atomic
from tito.notebook.cells import Cell
from tito.notebook.damage import damages
from tito.notebook.exercises import exercises, unsolved
from tito.notebook.pair import Work, read_work
from tito.notebook.stubs import Stub, stubs
from tito.student_work.add_to_class import whole_classes
from tito.student_work.refuse_syntax_errors import refuse_syntax_errors
from tito.workspace import Module, Workspace

__all__ = ["Export", "export", "is_generated", "locate", "render", "stubs"]

_FIRST = "# Made by `tito export"
_DEFINES = re.compile(r"^(?:def|class) ", re.MULTILINE)
_MARK = re.compile(r"^ *# %% \[cell (\d+)(?:, line (\d+))?\](?: (\S+))?$")

MOST_ROWS = 8  # of what is still open; a screen has room for more


@dataclass(frozen=True)
class Export:
    path: Path
    source: Path
    changed: bool
    cells: int  # how many cells were exported
    stubs: list[Stub] = field(default_factory=list)
    backup: Path | None = None  # the previous export
    stale: Path | None = None  # the .ipynb or .py that is behind


class Named(Protocol):
    """A module, or an assignment of a class."""

    @property
    def name(self) -> str: ...


def render(cells: list[Cell], module: Named, *, source_name: str) -> str:
    """The text of the package file.

    It holds the cells that begin with `#| export`: first those that contain only imports, then the
    others, each group in the order of the notebook. Line 1 of a cell (`#| export`) becomes the mark
    `# %% [cell 12] tensor_dataset`, so that line k of the cell is k - 1 lines below the mark.
    `from __future__` must come first in a file: it moves to the top, and a comment takes its place.
    A function that a cell attaches with `@add_to_class(Name)` becomes a method of that class (see
    `tito.student_work.add_to_class`).
    """
    exported = whole_classes([cell for cell in cells if cell.exported])
    # the sort is stable: within both groups the order stays
    exported.sort(key=lambda cell: not _only_imports(cell))
    blocks, futures = [], []
    for cell in exported:
        text, imported = _body(cell)
        futures += [name for name in imported if name not in futures]
        blocks.append(text)
    body = "\n\n\n".join(blocks)
    head = [
        f"{_FIRST} {module.name}` from modules/{module.name}/{source_name}.",
        "# Do not edit: your next export replaces this file (a copy goes to .tito/backups)."
        " Change the notebook, then export again.",
        f"# Source: sha256 {sha256(body)[:16]}; a line such as `# %% [cell 12] name` says which"
        " cell the code below it came from.",
    ]
    head += [f"from __future__ import {', '.join(futures)}"] if futures else []
    return "\n".join(head) + f"\n\n{body}\n"


def _only_imports(cell: Cell) -> bool:
    # parsing each cell would take a quarter of `tito status`
    if "import" not in cell.source or _DEFINES.search(cell.source):
        return False
    body = cell.tree.body if cell.tree else []
    return bool(body) and all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in body)


def _body(cell: Cell) -> tuple[str, list[str]]:
    """The cell as it is in the file, and the features it imports from __future__."""
    lines = cell.python.rstrip().split("\n")
    first = next(i for i, line in enumerate(lines) if line.strip())
    mark = f"# %% [cell {cell.index}]" + (f" {cell.grade_id}" if cell.grade_id else "")
    # Blank lines above `#| export` go below the mark, so that the lines under them keep their
    # numbers.
    lines = [mark, *[""] * first, *lines[first + 1 :]]
    futures: list[str] = []
    tree = cell.tree if "__future__" in cell.source else None
    for node in tree.body if tree else ():
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            futures += [alias.name for alias in node.names]
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = f"# {lines[number]}  (line 4)".rstrip()
    return "\n".join(lines), futures


def locate(text: str, line: int) -> tuple[str, int] | None:
    """The cell and the line in it from which line `line` (counted from 1) of the exported `text`
    came; None for the header of the file.

    >>> locate("# Made by ...\\n# %% [cell 12] tensor_dataset\\nclass TensorDataset:", 3)
    ('cell 12 (tensor_dataset)', 2)
    """
    lines = text.split("\n")
    for number in range(min(line, len(lines)), 0, -1):
        mark = _MARK.match(lines[number - 1])
        if mark:
            cell, begin, name = mark.groups()
            # the mark is in the place of line 1, or above the line that it names
            first = 1 if begin is None else int(begin) - 1
            return f"cell {cell}" + (f" ({name})" if name else ""), line - number + first
    return None


def in_cells(said: str | None, text: str, file_name: str) -> str | None:
    """A message with the cell and its line in place of each line of the exported `text`:
    "line 812 of dataloader.py" becomes "cell 46 (data_loader_init), line 3".
    """
    name = re.escape(file_name)

    def cell(match: re.Match) -> str:
        place = locate(text, int(match.group(1) or match.group(2)))
        return match.group(0) if place is None else f"{place[0]}, line {place[1]}"

    return said and re.sub(rf"line (\d+) of {name}|{name}:(\d+)", cell, said)


def is_generated(path: Path) -> bool:
    """Whether `path` was written by `tito export`."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline().startswith(_FIRST)
    except OSError:
        return False


def is_exported(module: Module, work: Work) -> bool:
    """Whether the package file is the export of exactly this work."""
    if not is_generated(module.export_path):
        return False
    return module.export_path.read_bytes() == render(
        work.cells, module, source_name=work.source.name
    ).encode("utf-8")


def export(module: Module, *, partial: bool = False) -> Export:
    """Write the module's package file from the student's notebook. The notebook is only read; with
    `partial` some of its exercises may still be stubs.

    Raises:
        WorkError: the notebook is absent, does not parse, disagrees with its .py, holds stubs, or
            exports nothing.
        EnvironmentBroken: module.toml names a destination that an export must not touch.
    """
    path = destination(module)
    work = read_work(module)
    refuse_syntax_errors(module, work)
    exported = [cell for cell in work.cells if cell.exported]
    if not exported:
        raise WorkError(
            f"a cell is exported when its first line is `#| export`; {work.source.name} has no such"
            f" cell. To get the starter back: tito reset {module.number}"
        )
    open_stubs = stubs(exported)
    if open_stubs and not partial:
        count = len(unsolved(exercises(work.cells), open_stubs))
        rows = [f"  {stub.exercise}: cell {stub.index}, line {stub.line}" for stub in open_stubs]
        raise WorkError(
            f"{counted(count, 'exercise')} that the package needs, still your turn:",
            *rows[:MOST_ROWS],
            *([f"  and {len(rows) - MOST_ROWS} more"] if rows[MOST_ROWS:] else []),
            *map(str, damages(module, work.cells)),
            f"To export the notebook as it is: tito export {module.number} --partial",
        )
    hide_from_git(module)
    text = render(work.cells, module, source_name=work.source.name)
    old = path.read_bytes() if path.exists() else None
    changed, kept = old != text.encode("utf-8"), None
    if changed:
        kept = backup(path, Workspace(module.root).backups) if old is not None else None
        write_atomic(path, text)
    return Export(path, work.source, changed, len(exported), open_stubs, kept, work.behind)


def hide_from_git(module: Module) -> None:
    """Write a .gitignore beside the export that lists every export in that folder and itself.

    So git ignores what students export, and the repository keeps no list of modules.
    """
    folder = module.export_path.parent
    exports = [other.export_path for other in Workspace(module.root).modules()]
    names = sorted(path.name for path in exports if path.parent == folder)
    lines = [f"{_FIRST}`: git passes over what is exported here.", "/.gitignore"]
    text = "\n".join([*lines, *(f"/{name}" for name in names)]) + "\n"
    path = folder / ".gitignore"
    if not path.is_file() or path.read_bytes() != text.encode("utf-8"):
        write_atomic(path, text)


def destination(module: Module) -> Path:
    """Where the export goes, after a check that the export overwrites no other file.

    Raises:
        EnvironmentBroken: the path is outside the course's package or not a .py file, or the file
            exists and `tito export` did not write it.
    """
    path = module.export_path
    package = Workspace(module.root).package
    inside = package.resolve()
    leaves = Path(module.export).is_absolute() or not path.resolve().is_relative_to(inside)
    if leaves or path.suffix != ".py":
        raise EnvironmentBroken(
            f"an export goes to a .py file in {package.name}/; modules/{module.name}/module.toml"
            f" says {module.export!r}. Repair `export` there"
        )
    if path.exists() and not is_generated(path):
        raise EnvironmentBroken(
            f"an export replaces only what `tito export` wrote; {module.export} was written by"
            " hand. Move it away, then export again"
        )
    return path
