"""The student edition as it was handed out: modules/NN/.starter/<notebook>.ipynb.

`tito grade release` writes it, git ignores it, and `tito dev bundle` includes it. No student's verb
changes it. With it, `tito start` and `tito reset` work offline and without git.
"""

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tito.errors import EnvironmentBroken, UsageError, WorkError
from tito.files import backup, backups, dated, write_atomic
from tito.notebook.cells import Cell, cells_of, code_hash, read_ipynb, text_hash
from tito.notebook.damage import TESTED
from tito.notebook.exercises import exercises, named
from tito.notebook.ipynb_format import load_ipynb
from tito.notebook.pair import notebook_of, read_work, script_of
from tito.notebook.salvage import names as defined
from tito.notebook.salvage import raw_cells, rebuilt
from tito.notebook.stubs import stubs
from tito.remembered_state import remember
from tito.workspace import Module, Workspace

_BEGINS = ("#| export", "@", "def ", "class ", "async def ")  # lines that a solution begins with


@dataclass(frozen=True)
class Restored:
    """What was written, and the copies of what was there before."""

    written: list[Path]
    kept: list[Path]


def missing(module: Module) -> str | None:
    """A sentence that names the repair, when this copy of the course has no starter; else None."""
    if module.starter.is_file():
        return None
    if (module.root / "grading").is_dir():
        repair = f"Make it from the source: tito grade release {module.name}"
    else:
        repair = "Unpack the course's zip again, beside this folder, and copy the file from there"
    return f"the starter of {module.name} is missing: {module.starter}. {repair}"


def starter_bytes(module: Module) -> bytes:
    """The starter notebook.

    Raises:
        EnvironmentBroken: this copy of the course has none.
    """
    if problem := missing(module):
        raise EnvironmentBroken(problem)
    load_ipynb(module.starter)  # a damaged starter must not replace a notebook
    return module.starter.read_bytes()


def pristine(module: Module) -> bytes | None:
    """The notebook, if nobody has worked in it since it was released; else None."""
    try:
        released = load_ipynb(module.notebook)["metadata"]["tito"]
        cells = read_ipynb(module.notebook)
    except (WorkError, KeyError, TypeError):
        return None
    same = released == {**released, "released": code_hash(cells), "text": text_hash(cells)}
    return module.notebook.read_bytes() if same else None


def restore_missing(module: Module) -> bool:
    """Make a missing notebook, from its .py or else from the starter; True when it was made."""
    if module.notebook.exists():
        return False
    if module.script.exists():
        # the .py holds the student's work, and a starter notebook would disagree with it
        write_atomic(module.notebook, notebook_of(module))
        return True
    write_atomic(module.notebook, starter_bytes(module))
    write_atomic(module.script, script_of(module))
    return True


def reset(module: Module) -> Restored:
    """Put the student edition back, after a backup of both files in .tito/backups. What `tito test`
    kept becomes a backup, because who resets does not look for lost work.
    """
    starter, folder = starter_bytes(module), Workspace(module.root).backups
    folder.mkdir(parents=True, exist_ok=True)
    for copy in backups(module.state_dir / TESTED, module.notebook.name):
        place = folder / copy.name
        os.replace(copy, dated(folder, module.notebook.name) if place.exists() else place)
    return _replace(module, starter)  # last, so that its backup is the latest


def reset_from(module: Module, file: Path) -> Restored:
    """Put another notebook in the place of the module's, after a backup; `file` stays. Of a damaged
    one, what can be read is put into the starter.

    Raises:
        WorkError: nothing of `file` can be read.
    """
    released, left = json.loads(starter_bytes(module)), raw_cells(file)
    known = {cell.grade_id for cell in cells_of(released)} - {None}
    with contextlib.suppress(WorkError):
        load_ipynb(file)
        if known & {cell.grade_id for cell in cells_of({"cells": left})}:
            return _replace(module, file.read_bytes())
    if not left:
        raise WorkError(f"--from takes a notebook with cells; of {file} none can be read")
    return _replace(module, _json(rebuilt(released, left)))


def _json(notebook: dict[str, Any]) -> bytes:
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()


def reset_cells(module: Module, wanted: str) -> Restored:
    """Put the stub, the test and the given code of one exercise back, or the one cell of this name,
    after a backup. A cell of the student's own stays, and so does every other cell.

    Raises:
        UsageError: the starter has no such exercise or cell.
        WorkError: the notebook cannot be read, or its .py holds newer work.
    """
    starter_bytes(module)
    if read_work(module).source != module.notebook:
        raise WorkError(
            f"--cell changes the .ipynb, and {module.notebook.name} is behind {module.script.name}."
            f" First: tito sync {module.number}"
        )
    released, notebook = load_ipynb(module.starter), load_ipynb(module.notebook)
    cells = cells_of(released)
    chosen = [cell for cell in cells if cell.grade_id == wanted]
    if not chosen and (one := named(exercises(cells), wanted)):
        chosen = [cell for cell in one.cells if cell.grade_id]
    if not chosen:
        raise UsageError(
            f"--cell takes an exercise such as 1b, or a cell's name; {module.name} has no"
            f" {wanted!r}. To see the exercises: tito hint {module.number}"
        )
    names = [cell.grade_id for cell in cells]
    here = [cell.grade_id for cell in cells_of(notebook)]
    moved: dict[str, str] = {}

    def put_back(raw: dict[str, Any], name: str | None) -> None:
        """Below the nearest cell that is above it in the starter."""
        earlier = reversed(names[: names.index(name)])
        above = next((here.index(one) for one in earlier if one and one in here), -1)
        notebook["cells"].insert(above + 1, raw)
        here.insert(above + 1, name)

    # a solution that is there is work; it is put back only where it alone is asked for
    work = {cell.grade_id for cell in chosen if cell.is_solution} if len(chosen) > 1 else set()
    for cell in chosen:
        raw = released["cells"][cell.index - 1]
        if cell.grade_id not in here:
            put_back(raw, cell.grade_id)
        elif cell.grade_id not in work:
            place = here.index(cell.grade_id)
            moved |= _own_solutions(cells, cells_of(notebook)[place], cell)
            notebook["cells"][place] = raw
    open_here = {stub.cell for stub in stubs(cells_of(notebook))}
    for name, code in moved.items():
        raw = released["cells"][names.index(name)] | {"source": code.splitlines(keepends=True)}
        if name not in here:
            put_back(raw, name)
        elif name in open_here:
            notebook["cells"][here.index(name)] = raw
    return _replace(module, _json(notebook))


def _own_solutions(released: list[Cell], here: Cell, locked: Cell) -> dict[str, str]:
    """The name of each stub that a student solved in a locked cell, and the code that is there."""
    wanted = {
        name: cell.grade_id for cell in released if cell.is_solution for name in defined(cell)
    }
    homes = [wanted[name] for name in defined(here) if name in wanted]
    own = here.source.replace(locked.source.strip(), "").split("\n")
    begin = next((k for k, line in enumerate(own) if line.startswith(_BEGINS)), 0)
    code = "\n".join(own[begin:]).strip("\n").removeprefix("#| export\n")
    return {home: f"#| export\n{code}\n" for home in homes[:1] if home}


def undo(module: Module, which: str | None = None) -> Restored:
    """Put the backup `which` back, else the latest one that differs from the notebook."""
    folder = Workspace(module.root).backups
    copies = backups(folder, module.notebook.name)
    present = module.notebook.read_bytes() if module.notebook.exists() else None
    if which is not None:
        chosen = next((path for path in copies if path.name == which), None)
        if chosen is None:
            raise UsageError(
                f"no backup of {module.name} is called {which!r}. To see them: tito reset"
                f" {module.number} --list"
            )
    else:
        chosen = next((path for path in reversed(copies) if path.read_bytes() != present), None)
        if chosen is None:
            raise WorkError(
                f"there is no backup of {module.notebook.name} that differs from it. To see all:"
                f" tito reset {module.number} --list"
            )
    return _replace(module, chosen.read_bytes())


def _replace(module: Module, notebook: bytes) -> Restored:
    folder = Workspace(module.root).backups
    kept = [backup(path, folder) for path in (module.notebook, module.script) if path.exists()]
    # The .ipynb is written first: if the second write fails, the .py is the file that is behind,
    # and it is backed up.
    write_atomic(module.notebook, notebook)
    try:
        write_atomic(module.script, script_of(module))
    except WorkError:  # the backup is a damaged notebook; it is put back all the same
        return Restored([module.notebook], kept)
    code = code_hash(read_ipynb(module.notebook))
    remember(module.state_dir, module.name, synced=code)
    return Restored([module.notebook, module.script], kept)
