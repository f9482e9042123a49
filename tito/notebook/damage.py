"""What happened to a notebook that Python can read and that is not as it was handed out: each kind
of damage has one sentence and one way back.
"""

import ast
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tito.console import counted
from tito.errors import WorkError
from tito.notebook.cells import Cell, read_ipynb, stubs
from tito.notebook.exercises import exercises
from tito.workspace import Module

# kind -> (what happened, the way back); a way back that begins with `tito` is a command
KINDS = {
    "elsewhere": (
        "your work may be in {file}: {count} solved there",
        "tito reset {number} --from {file}",
    ),
    "cell gone": ("{name} is missing: the notebook has no such cell", "{reset}"),
    "cell changed": ("{label} is locked, and its code was changed", "{reset}"),
    "text cell": ("{label} is a text cell now", "select it, press Esc, then Y"),
    "name gone": (
        "{label} does not define {missing} any more",
        "write its first lines as they were, or, to get the stub: {reset}",
    ),
    "not exported": (
        "{label} is not exported: its first line is not `#| export`",
        "write `#| export` as its first line",
    ),
    "magic": ("{label} is not exported: `{first}` is above `#| export`", "delete the line"),
    "split": (
        "{label} begins inside a function of {other}: one cell was split in two",
        "select both cells, then Edit > Merge Selected Cells",
    ),
    "code below raise": (
        "{label}, line {line}: this line never runs, because a `raise` is above it",
        "delete the line `raise NotImplementedError(...)`",
    ),
    "exit": ("{label}, line {line}: {first} ends Python, and every cell below", "delete the line"),
    "two": (
        "{missing} is defined in {label} and again in {other}, and the last one, a stub, counts",
        "delete {other}",
    ),
}
_DEFINED = re.compile(
    r"^(?:@add_to_class\((\w+)\)[^\n]*\n)?(?:async +)?(?:def|class) +(\w+)", re.MULTILINE
)
_EXITS = re.compile(r"^(?:import \w+; *)?((?:sys\.|os\._)?(?:exit|quit)\([^)]*\))", re.MULTILINE)
_MOST = 5  # lines on the screen


@dataclass(frozen=True)
class Damage:
    """One thing that happened to a notebook, and how the work comes back."""

    kind: str
    said: str
    back: str

    def __str__(self) -> str:
        return f"damaged: {self.said}. To repair it: {self.back}"

    @property
    def command(self) -> str:
        return self.back if self.back.startswith("tito ") else ""


def damages(module: Module, cells: list[Cell]) -> list[Damage]:
    """What happened to the notebook, the worst first; an empty list where nothing did, and for a
    module that was not handed out.
    """
    if not module.starter.is_file():
        return []
    released = read_ipynb(module.starter)
    found = [*_elsewhere(module, cells), *_cells(module, cells, released), *_code(cells, released)]
    return found[:_MOST]


def elsewhere(module: Module) -> list[Damage]:
    """The notebook with the student's work where the one of the module is missing or unreadable."""
    return list(_elsewhere(module, [])) if module.starter.is_file() else []


def _made(kind: str, **facts: object) -> Damage:
    said, back = (text.format_map(facts) for text in KINDS[kind])
    return Damage(kind, said, back)


def _elsewhere(module: Module, cells: list[Cell]) -> Iterator[Damage]:
    """The file beside the notebook in which the most exercises are solved that are stubs here."""
    open_here = {stub.exercise for stub in stubs(cells)} if cells else None
    asked = {stub.exercise for stub in stubs(read_ipynb(module.starter))}
    best: tuple[int, Path] | None = None
    for path in _candidates(module):
        try:
            theirs = read_ipynb(path)
        except WorkError:
            continue
        names = {cell.grade_id for cell in theirs}
        solved = (asked if open_here is None else open_here) - {s.exercise for s in stubs(theirs)}
        solved = {name for name in solved if names & {name, name.partition(".")[0]}}
        if len(solved) > (best[0] if best else 0):
            best = len(solved), path
    if best:
        file = best[1].relative_to(module.root).as_posix()
        count = counted(best[0], "exercise", "are")
        yield _made("elsewhere", file=file, count=count, number=module.number)


def _candidates(module: Module) -> Iterable[Path]:
    """Notebooks that may be the module's, under another name or in a folder beside it."""
    folders = (module.folder, *(one for one in module.folder.glob("*") if one.is_dir()))
    for folder in folders:
        if folder in (module.starter.parent, module.tests):
            continue
        for path in [*folder.glob("*.ipynb"), *folder.glob("*.ipynb.txt"), *folder.glob("*.json")]:
            if path != module.notebook:
                yield path
    yield from module.root.glob("*.ipynb")


def _cells(module: Module, cells: list[Cell], released: list[Cell]) -> Iterator[Damage]:
    """Cells that are missing, or are not what they were."""
    mine = {cell.grade_id: cell for cell in cells if cell.grade_id}
    if not mine:
        return
    defined = {name for cell in cells if cell.kind == "code" for name in _names(cell)}
    numbers = {cell.grade_id: one.number for one in exercises(released) for cell in one.cells}
    for cell in released:
        if not cell.grade_id or cell.is_demo:
            continue
        number = numbers.get(cell.grade_id) if cell.is_test or cell.is_solution else None
        here, lost = mine.get(cell.grade_id), set(_names(cell)) - defined
        number = None if here and cell.is_solution else number  # `--cell 1a` keeps a solution
        reset = f"tito reset {module.number} --cell {number or cell.grade_id}"
        facts: dict[str, object] = {"reset": reset, "name": cell.grade_id}
        if here is None:
            if lost or not cell.is_solution:
                yield _made("cell gone", **facts)
            continue
        facts |= {"label": here.label, "missing": " and ".join(sorted(lost))}
        if here.kind != cell.kind:
            yield _made("text cell", **facts)
        elif cell.is_solution and lost:
            yield _made("name gone", **facts)
        elif cell.exported and not here.exported:
            first = here.source.strip().partition("\n")[0]
            yield _made("magic" if first.startswith("%") else "not exported", first=first, **facts)
        elif cell.is_test and here.source.split() != cell.source.split():
            yield _made("cell changed", **facts)


def _names(cell: Cell) -> Iterator[str]:
    """The functions and classes that a cell defines; a method as `Name.method`."""
    for holder, name in _DEFINED.findall(cell.source):
        yield f"{holder}.{name}" if holder else name


def _code(cells: list[Cell], released: list[Cell]) -> Iterator[Damage]:
    """Code that cannot do what its writer wants."""
    given = {cell.source for cell in released}
    of_name = {name: cell.grade_id for cell in released for name in _names(cell)}
    homes: dict[str, Cell] = {}
    above: Cell | None = None
    unsolved = {stub.index for stub in stubs(cells)}
    for cell in cells:
        if cell.kind != "code":
            continue
        if cell.exported:
            for name in _names(cell):
                before = homes.setdefault(name, cell)
                stub_last = cell.index in unsolved and before.index not in unsolved
                if before is not cell and stub_last and of_name.get(name) == before.grade_id:
                    yield _made("two", missing=name, label=before.label, other=cell.label)
        if cell.source in given:
            above = cell
            continue
        if above and not cell.grade_id and cell.source.lstrip("\n")[:1] in (" ", "\t"):
            yield _made("split", label=cell.label, other=above.label)
        above = cell
        if found := _EXITS.search(cell.source):
            line = cell.source[: found.start()].count("\n") + 1
            yield _made("exit", label=cell.label, line=line, first=found[1])
        if cell.index in unsolved and (below := _below_raise(cell)):
            yield _made("code below raise", label=cell.label, line=below)


def _below_raise(cell: Cell) -> int | None:
    """The line of the first statement below the `raise` of a stub."""
    for node in ast.walk(cell.tree) if cell.tree else ():
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for one, following in itertools.pairwise(body):
            if isinstance(one, ast.Raise) and "your turn" in ast.unparse(one):
                return following.lineno
    return None
