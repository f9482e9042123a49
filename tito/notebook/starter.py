"""The student edition as it was handed out: modules/NN/.starter/<notebook>.ipynb.

`tito grade release` writes it, git ignores it, and `tito dev bundle` includes it. No student's verb
changes it. With it, `tito start` and `tito reset` work offline and without git.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from tito.errors import EnvironmentBroken, UsageError, WorkError
from tito.files import backup, backups, write_atomic
from tito.notebook.cells import cells_of, code_hash, load_ipynb, read_ipynb, text_hash
from tito.notebook.exercises import exercises, named
from tito.notebook.pair import read_work, script_of
from tito.state import remember
from tito.workspace import Module, Workspace


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
    """Make the notebook if it does not exist, from its .py where there is one, else from the
    starter. True when it was made.
    """
    if module.notebook.exists():
        return False
    if module.script.exists():
        # the .py holds the student's work, and a starter notebook would disagree with it
        from tito.notebook.pair import notebook_of

        write_atomic(module.notebook, notebook_of(module))
        return True
    write_atomic(module.notebook, starter_bytes(module))
    write_atomic(module.script, script_of(module))
    return True


def reset(module: Module) -> Restored:
    """Put the student edition back, after a backup of both files in .tito/backups."""
    return _replace(module, starter_bytes(module))


def reset_from(module: Module, file: Path) -> Restored:
    """Put another notebook in the place of the module's, after a backup; `file` stays.

    Raises:
        WorkError: `file` is no notebook.
    """
    load_ipynb(file)
    return _replace(module, file.read_bytes())


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
    # a solution that is there is work; it is put back only where it alone is asked for
    work = {cell.grade_id for cell in chosen if cell.is_solution} if len(chosen) > 1 else set()
    for cell in chosen:
        raw = released["cells"][cell.index - 1]
        if cell.grade_id not in here:
            above = next(
                (here.index(n) for n in reversed(names[: cell.index - 1]) if n and n in here), -1
            )
            notebook["cells"].insert(above + 1, raw)
            here.insert(above + 1, cell.grade_id)
        elif cell.grade_id not in work:
            notebook["cells"][here.index(cell.grade_id)] = raw
    return _replace(module, (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode())


def undo(module: Module, which: str | None = None) -> Restored:
    """Put a backup of the notebook back: the one called `which`, else the latest one that differs
    from the present notebook.
    """
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
