"""What happened to a notebook: one sentence and one way back for each kind of damage."""

import ast
import builtins
import itertools
import os
import re
import shlex
import stat
import symtable
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tito.console import counted
from tito.files import backups
from tito.notebook.cells import Cell, code_sources, read_ipynb
from tito.notebook.exercises import checked, exercises, unsolved
from tito.notebook.salvage import merged, names, places, readable
from tito.notebook.stubs import stubs
from tito.notebook.syntax_errors import syntax_errors
from tito.workspace import Module, Workspace

# kind -> (what happened, the way back); a way back that begins with `tito` is a command
KINDS = {
    "elsewhere": (
        "your work may be in {file}: {count} there",
        "tito reset {number} --from {quoted}",
    ),
    "script": ("your code is in {file} as well: {count} there", "tito sync {number} --from py"),
    "partly readable": (
        "a part of {file} can be read: {count} there",
        "tito reset {number} --from {quoted}",
    ),
    "no cells": ("{file} has none of the cells of {module}", "{undo}"),
    "metadata gone": (
        "the cells of {file} have lost their metadata, as in another editor",
        "tito reset {number} --from {quoted}",
    ),
    "read only": ("{file} cannot be changed, so no editor can save it", "{unlock}"),
    "laws gone": (
        "{folder} has no tests",
        "unpack the course's zip again, beside this folder, and copy {folder} from there",
    ),
    "cell gone": ("{name} is missing: the notebook has no such cell", "{reset}"),
    "cell changed": ("{label} is locked, and its code was changed", "{reset}"),
    "work in test": (
        "{label} is locked, and your {missing} is in it. The command moves it to its own cell",
        "{reset}",
    ),
    "foreign": ("{label} is from another notebook, and gives no points", "delete the cell"),
    "text cell": ("{label} is a text cell now", "select it, press Esc, then Y"),
    "name gone": (
        "{label} does not define {missing} any more{instead}",
        "write its first lines as they were, or, to get the stub: {reset}",
    ),
    "not exported": (
        "{label} is not exported: its first line is not `#| export`",
        "write `#| export` as its first line",
    ),
    "magic": ("{label} is not exported: `{first}` is above `#| export`", "delete the line"),
    "helper": (
        "{label} uses {missing}, which {other} defines and does not export",
        "write `#| export` as the first line of {other}",
    ),
    "below": ("{label} is below {other}, which needs it", "drag it above {other}"),
    "split": (
        "{label} begins inside a function of {other}: one cell was split in two",
        "select both cells, then Edit > Merge Selected Cells",
    ),
    "character": (
        "{label}, line {line}: Python cannot read {first}, which copied text may hold",
        "delete the line and type it again",
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
_EXITS = re.compile(r"^(?:import \w+; *)?((?:sys\.|os\._)?(?:exit|quit)\([^)]*\))", re.MULTILINE)
_MOST = 5  # lines on the screen
TESTED = "tested"  # the folder of .tito in which `tito test` keeps the last notebooks


@dataclass(frozen=True)
class Damage:
    """One thing that happened, and how the work comes back; tests miss the `names` for its sake."""

    kind: str
    said: str
    back: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"damaged: {self.said}. To repair it: {self.back}"

    @property
    def command(self) -> str:
        return self.back if self.back.startswith("tito ") else ""


def damages(module: Module, cells: list[Cell]) -> list[Damage]:
    """What happened to a notebook that was handed out, the worst first."""
    if not module.starter.is_file():
        return []
    released = read_ipynb(module.starter)
    listed = [
        *_elsewhere(module, released, cells),
        *_whole(module, cells, released),
        *_cells(module, cells, released),
        *_code(cells, released),
    ]
    return listed[:_MOST]


def elsewhere(module: Module) -> list[Damage]:
    """Where the most of the student's work is if the notebook is missing or cannot be read."""
    if not module.starter.is_file():
        return []
    return list(_elsewhere(module, read_ipynb(module.starter), None))


def _made(kind: str, lost: Iterable[str] = (), **facts: object) -> Damage:
    said, back = (text.format_map(facts) for text in KINDS[kind])
    return Damage(kind, said, back, tuple(lost))


def _file(module: Module, path: Path) -> dict[str, Any]:
    """The path as a person reads it and as a terminal does, on every system."""
    name = path.relative_to(module.root).as_posix()
    quoted = name if re.fullmatch(r"[\w./-]+", name) else f'"{name}"'
    quoted = shlex.quote(name) if re.search(r'["$`\\]', name) else quoted
    return {"file": name, "quoted": quoted, "number": module.number}


def _elsewhere(module: Module, released: list[Cell], cells: list[Cell] | None) -> Iterator[Damage]:
    """The file in which the most exercises are solved that are stubs in the notebook; None for its
    cells: it cannot be read.
    """
    asked, before = exercises(released), merged(released, cells or [])
    open_here = unsolved(asked, stubs(before))
    gone = not cells or not places(released, cells) or code_sources(cells) == code_sources(released)
    best: tuple[int, int] = (0, 0)
    place: Path | None = None
    for path in _candidates(module, cells is None, gone):
        theirs = merged(released, readable(path))
        solved = len(open_here - unsolved(asked, stubs(theirs)))
        pairs = zip(theirs, before, strict=True)
        changed = sum(one.source.strip() != other.source.strip() for one, other in pairs)
        if (solved, changed) > best and (solved or cells is None):
            best, place = (solved, changed), path
    if place:
        kinds = {module.script: "script", module.notebook: "partly readable"}
        count = f"{counted(best[0], 'exercise', 'are')} solved"
        if not best[0]:
            count = f"{counted(best[1], 'cell', 'are')} changed"
        yield _made(kinds.get(place, "elsewhere"), count=count, **_file(module, place))


def _candidates(module: Module, unreadable: bool, gone: bool) -> Iterable[Path]:
    """Notebooks that may be the module's, under another name or in a folder beside it; where it
    cannot be read, also what is left of it, and the .py; where no work is left, also what `tito
    test` kept, the newest first.
    """
    if unreadable:
        yield from (path for path in (module.script, module.notebook) if path.is_file())
    folders = (module.folder, *(one for one in module.folder.glob("*") if one.is_dir()))
    for folder in folders:
        if folder in (module.starter.parent, module.tests):
            continue
        for path in [*folder.glob("*.ipynb"), *folder.glob("*.ipynb.txt"), *folder.glob("*.json")]:
            if path != module.notebook:
                yield path
    yield from module.root.glob("*.ipynb")
    if gone:
        yield from reversed(backups(module.state_dir / TESTED, module.notebook.name))


def _whole(module: Module, cells: list[Cell], released: list[Cell]) -> Iterator[Damage]:
    """What happened to all cells at once, and to the tests."""
    facts = _file(module, module.notebook)
    if module.notebook.is_file() and not module.notebook.stat().st_mode & stat.S_IWUSR:
        unlock = "attrib -R" if os.name == "nt" else "chmod u+w"
        yield _made("read only", unlock=f"{unlock} {facts['quoted']}", **facts)
    if any(checked(cell.source) for cell in released) and not any(module.tests.glob("test_*.py")):
        yield _made("laws gone", folder=module.tests.relative_to(module.root).as_posix())
    if {cell.grade_id for cell in cells} & {cell.grade_id for cell in released} - {None}:
        return
    if places(released, cells):
        yield _made("metadata gone", **facts)
    elif any(cell.grade_id for cell in released):
        kept = backups(Workspace(module.root).backups, module.notebook.name)
        undo = f"tito reset {module.number}{' --undo' if kept else ''}"
        yield _made("no cells", undo=undo, module=module.name, **facts)


def _cells(module: Module, cells: list[Cell], released: list[Cell]) -> Iterator[Damage]:
    """Cells that are missing, or are not what they were."""
    known = {cell.grade_id for cell in released} - {None}
    mine: dict[str | None, Cell] = {}
    for cell in cells:
        mine.setdefault(cell.grade_id, cell)
    if not known & mine.keys():
        return
    for cell in cells:
        if (cell.is_test or cell.is_solution) and cell.grade_id not in known:
            yield _made("foreign", label=cell.label)
    defined = {name for cell in cells if cell.kind == "code" for name in names(cell)}
    homes = {name: cell for cell in released if cell.is_solution for name in names(cell)}
    numbers = {cell.grade_id: one.number for one in exercises(released) for cell in one.cells}
    for cell in released:
        if not cell.grade_id or cell.is_demo:
            continue
        number = numbers.get(cell.grade_id) if cell.is_test or cell.is_solution else None
        here, lost = mine.get(cell.grade_id), set(names(cell)) - defined
        number = None if here and cell.is_solution else number  # `--cell 1a` keeps a solution
        reset = f"tito reset {module.number} --cell {number or cell.grade_id}"
        facts: dict[str, Any] = {"reset": reset, "name": cell.grade_id}
        if here is None:
            if lost or not cell.is_solution:
                yield _made("cell gone", lost, **facts)
            continue
        facts |= {"label": here.label, "missing": " and ".join(sorted(lost))}
        if here.kind != cell.kind:
            yield _made("text cell", lost, **facts)
        elif cell.is_solution and lost:
            new = " and ".join(sorted(set(names(here)) - set(names(cell))))
            yield _made("name gone", lost, instead=new and f", but {new}", **facts)
        elif cell.exported and not here.exported:
            first = here.source.strip().partition("\n")[0]
            kind = "magic" if first.startswith("%") else "not exported"
            yield _made(kind, names(here), first=first, **facts)
        elif cell.nbgrader.get("locked") and cell.kind == "code" and not _same(cell, here):
            if own := sorted({name for name in names(here) if name in homes}):
                yield _made("work in test", **(facts | {"missing": " and ".join(own)}))
            else:
                yield _made("cell changed", **facts)
    for one in exercises(released):
        test = mine.get(one.graded.grade_id) if one.graded else None
        for stub in one.stubs:
            here = mine.get(stub.grade_id)
            if here and test and here.index > test.index:
                yield _made("below", names(here), label=here.label, other=test.label)


def _same(cell: Cell, other: Cell) -> bool:
    """Whether the code is equal but for its layout and comments, which a formatter may change."""
    if cell.source.split() == other.source.split():
        return True
    trees = [one.tree for one in (cell, other) if one.tree]
    return len(trees) == 2 and ast.dump(trees[0]) == ast.dump(trees[1])


def _code(cells: list[Cell], released: list[Cell]) -> Iterator[Damage]:
    """Code that cannot do what its writer wants."""
    given, of_id = {cell.source for cell in released}, {cell.grade_id: cell for cell in released}
    of_name = {name: cell.grade_id for cell in released for name in names(cell)}
    homes: dict[str, Cell] = {}
    above: Cell | None = None
    unsolved_cells = {stub.index for stub in stubs(cells)}
    own = []
    for cell in cells:
        if cell.kind != "code":
            continue
        before_it = above
        above = cell
        if cell.exported:
            for name in names(cell):
                before = homes.setdefault(name, cell)
                stub_last = cell.index in unsolved_cells and before.index not in unsolved_cells
                if before is not cell and stub_last and of_name.get(name) == before.grade_id:
                    yield _made("two", missing=name, label=before.label, other=cell.label)
        if cell.source in given:
            continue
        own.append(cell)
        begins_inside = cell.source.lstrip("\n")[:1] in (" ", "\t")
        if before_it and begins_inside and cell.grade_id in (None, before_it.grade_id):
            yield _made("split", label=cell.label, other=before_it.label)
        elif cell.tree is None and (wrong := _character(cell)):
            yield wrong
        if match := _EXITS.search(cell.source):
            line = cell.source[: match.start()].count("\n") + 1
            yield _made("exit", label=cell.label, line=line, first=match[1])
        below = _below_raise(cell, of_id.get(cell.grade_id)) if cell.index in unsolved_cells else 0
        if below:
            yield _made("code below raise", label=cell.label, line=below)
    yield from _helpers(cells, own)


def _character(cell: Cell) -> Damage | None:
    """A character that looks like one of Python's, or like none."""
    for _, line, said in syntax_errors([cell]):
        text = cell.source.split("\n")[line - 1 : line]
        for one in "".join(text):
            tab = one == "\t" and "tabs" in said
            if tab or (ord(one) > 127 and unicodedata.category(one)[0] in "CPSZ"):
                named = "a tab among spaces" if tab else unicodedata.name(one, "this").lower()
                first = f"{named} (U+{ord(one):04X})"
                return _made("character", label=cell.label, line=line, first=first)
    return None


def _below_raise(cell: Cell, given: Cell | None) -> int | None:
    """The line of the first statement below the `raise` of a stub that was not handed out there."""
    handed_out = ast.unparse(given.tree) if given and given.tree else ""
    for node in ast.walk(cell.tree) if cell.tree else ():
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for place, one in enumerate(body):
            if isinstance(one, ast.Raise) and "your turn" in ast.unparse(one):
                for below in body[place + 1 :]:
                    lines = ast.unparse(below).split("\n")
                    if any(line.strip() not in handed_out for line in lines):
                        return below.lineno
    return None


def _helpers(cells: list[Cell], own: list[Cell]) -> Iterator[Damage]:
    """Names that exported code uses and that only a cell which is not exported defines."""
    scratch = {
        name: cell
        for cell in own
        if not cell.exported and not cell.grade_id
        for name in _table(cell)[0]
    }
    if not scratch:
        return
    exported = [_table(cell)[0] for cell in cells if cell.exported]
    known = set(itertools.chain(*exported, dir(builtins)))
    for cell in own:
        for name in sorted(_table(cell)[1] - known) if cell.exported else ():
            if name in scratch:
                other = scratch[name].label
                yield _made("helper", [name], label=cell.label, missing=name, other=other)


def _table(cell: Cell) -> tuple[set[str], set[str]]:
    """The names that a cell defines at its top, and the global names that it uses."""
    if cell.tree is None:
        return set(), set()
    top = symtable.symtable(cell.python, cell.label, "exec")
    defined = {
        one.get_name() for one in top.get_symbols() if one.is_assigned() or one.is_imported()
    }
    used = {one.get_name() for one in top.get_symbols() if one.is_referenced()}
    tables = list(top.get_children())
    for table in tables:
        tables += table.get_children()
        used |= {one.get_name() for one in table.get_symbols() if one.is_global()}
    return defined, used
