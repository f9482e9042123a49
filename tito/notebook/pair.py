"""A module's .ipynb and .py: which of the two holds the student's work. The code in their cells
decides, never the time of the last change.

JupyterLab with jupytext writes both at each save. If both hold the same code, either is used. If
only one differs from the code that both last agreed on, that one is used. If both differ from that
code and from each other, the command stops and names the cells.
"""

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tito.errors import WorkError
from tito.files import backup, backups, write_atomic
from tito.notebook import percent_format
from tito.notebook.cells import (
    Cell,
    cells_of,
    code_hash,
    code_sources,
    percent_parts,
    read_ipynb,
    read_percent,
)
from tito.notebook.damage import elsewhere
from tito.notebook.ipynb_format import load_ipynb, read_text, source_of
from tito.remembered_state import module_state
from tito.remembered_state import remember as keep
from tito.workspace import Module, Workspace


@dataclass(frozen=True)
class Work:
    """The student's work on one module."""

    cells: list[Cell]
    source: Path  # the file that holds the work
    stale: Path | None  # the other file, when its code differs; `tito sync` refreshes it
    code: str  # hash of the code
    released: str | None  # hash of the student edition's code, if the notebook's metadata hold it
    untouched: bool = False  # the stale file is as it was handed out: nobody needs to hear of it

    @property
    def behind(self) -> Path | None:
        """The stale file, if somebody has worked in it or refreshed it."""
        return None if self.untouched else self.stale


def read_work(module: Module, *, remember: bool = True) -> Work:
    """The student's cells, from whichever of the two files holds the latest work.

    Args:
        remember: note in .tito/state.json the code that both files agree on; False writes nothing.

    Raises:
        WorkError: no notebook, a damaged one, or both files changed and disagree.
    """
    if not module.notebook.exists() and not module.script.exists():
        others = elsewhere(module)
        command = others[0].command if others else f"tito start {module.number}"
        raise WorkError(
            f"{module.name} has not been started: there is no {module.notebook.name}",
            *map(str, others),
            f"Next: {command}",
            next=command,
        )
    if not module.notebook.exists():
        cells = _script_cells(module)
        return Work(cells, module.script, module.notebook, code_hash(cells), None)
    try:
        notebook = load_ipynb(module.notebook)
        released = _released(module, notebook)
    except WorkError as problem:
        if problem.next:
            raise
        remedy, command = _remedy(module)
        raise WorkError(f"{problem}. {remedy}: {command}", next=command) from None
    cells = cells_of(notebook)
    code = code_hash(cells)
    if not module.script.exists():
        return Work(cells, module.notebook, None, code, released)
    script_cells = _script_cells(module)
    script_code = code_hash(script_cells)
    workspace = Workspace(module.root)
    if code == script_code:
        if remember:
            keep(workspace.state_dir, module.name, synced=code, current=False)
        return Work(cells, module.notebook, None, code, released)
    base = module_state(workspace.state_dir, module.name).synced or released
    if script_code == base:
        return Work(cells, module.notebook, module.script, code, released, base == released)
    if code == base:
        return Work(script_cells, module.script, module.notebook, script_code, released)
    raise WorkError(
        f"{module.notebook.name} and {module.script.name} were both changed, and they disagree in:",
        *(f"  {name}" for name in disagreements(cells, script_cells)),
        f"Keep one: tito sync {module.number} --from ipynb, or tito sync {module.number} --from py"
        " (the other is backed up first)",
        next=f"tito sync {module.number}",
    )


def _script_cells(module: Module) -> list[Cell]:
    try:
        return read_percent(module.script)
    except WorkError as problem:
        if module.notebook.exists():
            repair = "Repair it, or use the code of the .ipynb (this file is backed up first)"
            command = f"tito sync {module.number} --from ipynb"
        else:
            repair = "Begin again (it is backed up first)"
            command = f"tito reset {module.number}"
        raise WorkError(f"{problem}. {repair}: {command}", next=command) from None


def _remedy(module: Module) -> tuple[str, str]:
    """What is left of the work of a damaged .ipynb, and the command that brings it back."""
    if others := elsewhere(module):
        return others[0].said[:1].upper() + others[0].said[1:], others[0].command
    if module.script.exists():
        return "To make it from the .py", f"tito sync {module.number} --from py"
    if backups(Workspace(module.root).backups, module.notebook.name):
        return "You have backups", f"tito reset {module.number} --list"
    return "To begin again (the damaged one is backed up first)", f"tito reset {module.number}"


def _released(module: Module, notebook: dict[str, Any]) -> str | None:
    """The hash of the student edition's code, as the notebook's metadata or else the starter say.

    Raises:
        WorkError: it is another module's notebook, or the folder has another name now.
    """
    note = notebook["metadata"].get("tito")
    note = note if isinstance(note, dict) else {}
    home = note.get("module")
    if not (isinstance(home, str) and home.replace("_", "").isalnum()):
        home = module.name  # it becomes a part of a command, so nothing but a name is taken
    if not (module.folder.parent / home).exists():
        here, folder = module.folder.relative_to(module.root), module.folder.parent
        there = (folder / home).relative_to(module.root)
        command = f'ren "{here}" {home}' if os.name == "nt" else f'mv "{here}" {there}'
        raise WorkError(
            f"the tests need the folder's first name: {home} is called {module.name} now. To rename"
            f" it, in the folder of the course: {command}",
            next=command,
        )
    if home != module.name:
        raise WorkError(f"a module's folder holds its notebook; {module.notebook.name} is {home}'s")
    if isinstance(note.get("released"), str):
        return str(note["released"])
    with contextlib.suppress(WorkError):
        return code_hash(read_ipynb(module.starter))
    return None


MOST_LABELS = 12  # of what disagrees


def disagreements(ours: list[Cell], theirs: list[Cell]) -> list[str]:
    """The labels of the code cells in which two notebooks differ."""
    from difflib import SequenceMatcher

    left, right = [
        [c for c in cells if c.kind == "code" and c.source.strip()] for cells in (ours, theirs)
    ]
    matcher = SequenceMatcher(None, code_sources(left), code_sources(right), autojunk=False)
    labels: list[str] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            labels += [f"{c.label} of the .ipynb" for c in left[i1:i2]]
            known = {c.grade_id for c in left[i1:i2]} - {None}
            labels += [
                f"{c.label} of the .py"
                for c in right[j1:j2]
                if c.grade_id not in known and (i1 == i2 or c.grade_id)
            ]
    more = len(labels) - MOST_LABELS
    return labels[:MOST_LABELS] + ([f"and {more} more"] if more > 0 else [])


def sync(module: Module, folder: Path, *, winner: str | None = None) -> Path | None:
    """Refresh the file that is behind and return its path; None when both agree.

    Args:
        folder: where a copy of the overwritten file is kept.
        winner: "ipynb" or "py" to settle a conflict; None lets `read_work` decide.

    The .ipynb keeps its metadata, and a cell that is found again keeps its id, metadata and
    outputs. A damaged file that loses is replaced like any other, after its backup.

    Raises:
        WorkError: as for `read_work`, or the file to keep is absent or damaged itself.
    """
    if winner:
        source = module.notebook if winner == "ipynb" else module.script
        if not source.exists():
            raise WorkError(
                f"--from names the file to keep, and there is no {source.name}. Without it: tito"
                f" sync {module.number}"
            )
    else:
        work = read_work(module)
        if work.stale is None and module.script.exists():
            return None
        source = work.source
    stale = module.script if source == module.notebook else module.notebook
    text = script_of(module) if stale == module.script else notebook_of(module)
    if stale.exists():
        if stale.read_bytes() == text.encode("utf-8"):
            return None
        backup(stale, folder)
    write_atomic(stale, text)
    cells = cells_of(load_ipynb(module.notebook))
    keep(module.state_dir, module.name, synced=code_hash(cells))
    return stale


def script_of(module: Module) -> str:
    """The text of the .py that agrees with the .ipynb; the header of the present .py stays."""
    notebook = load_ipynb(module.notebook)
    header, form = _HEADER, True
    with contextlib.suppress(WorkError, ValueError):  # absent or damaged: it has no header to keep
        old = read_text(module.script)
        old_header, parts = percent_format.split(old)
        header = old_header or header
        form = '\n"""' in old or not any(kind == "markdown" for kind, _, _ in parts)
    cells = [(raw["cell_type"], source_of(raw), _options(raw)) for raw in notebook["cells"]]
    return percent_format.join(header, cells, quotes=form)


def _options(raw: dict[str, Any]) -> dict[str, Any]:
    """What a cell's `# %%` line shows of its metadata, and an answer's id, by which it is found."""
    kept = {key: value for key, value in raw["metadata"].items() if key not in _UNSAID}
    return {**kept, "id": raw["id"]} if str(raw.get("id", "")).startswith("answer-") else kept


# Metadata that viewers write about folding, trust or scrolling: a notebook keeps its own where the
# script says nothing.
_VIEWERS = (
    "collapsed scrolled trusted execution jupyter ExecuteTime cell_marker lines_to_next_cell"
).split()
_UNSAID = [key for key in _VIEWERS if key != "jupyter"]  # which cells are folded, jupytext writes
_HEADER = '''# ---
# jupyter:
#   jupytext:
#     cell_markers: '"""'
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---'''


def notebook_of(module: Module) -> str:
    """The text of the .ipynb that agrees with the .py."""
    parts = percent_parts(read_text(module.script), module.script.name)
    try:
        old = load_ipynb(module.notebook)
    except WorkError:
        # The .ipynb is absent or damaged. Use the starter's metadata, so that progress is still
        # measured from the starter.
        old = _starter(module)
    cells: list[dict[str, Any]] = []
    used: set[str] = set()
    for index, ((kind, source, metadata), match) in enumerate(
        zip(parts, _matches(old["cells"], parts), strict=True), start=1
    ):
        cell = dict(match or {"cell_type": kind, "metadata": {}})
        if match is None or source_of(cell).strip("\n") != source.strip("\n"):
            cell["source"] = source.splitlines(keepends=True)
            if kind == "code":
                cell["outputs"], cell["execution_count"] = [], None
        viewers = {key: value for key, value in cell["metadata"].items() if key in _VIEWERS}
        cell["metadata"] = {**viewers, **metadata}
        cell["metadata"].pop("id", None)
        cell["id"] = _fresh(cell.get("id") or derived_id(metadata, index), used)
        cells.append(cell)
    return json.dumps({**old, "cells": cells}, indent=1, ensure_ascii=False) + "\n"


def _matches(
    old: list[dict[str, Any]], parts: list[percent_format.Part]
) -> list[dict[str, Any] | None]:
    """For each part of the script, the cell it came from: the one with the same grade_id, id or
    text, else the cell that follows the one of the previous part.
    """
    free = dict(enumerate(old))
    places: list[int | None] = []
    for part in parts:
        same = next((i for i, raw in free.items() if _same(raw, part)), None)
        places.append(same)
        if same is not None:
            del free[same]
    for k, (kind, _, metadata) in enumerate(parts):
        before = places[k - 1] if k else -1
        raw = None if before is None else free.get(before + 1)
        if before is None or places[k] is not None or not raw or raw["cell_type"] != kind:
            continue
        if not _grade_id(raw["metadata"]) and not _grade_id(metadata):
            places[k] = before + 1
            del free[before + 1]
    return [None if i is None else old[i] for i in places]


def _same(raw: dict[str, Any], part: percent_format.Part) -> bool:
    kind, source, metadata = part
    if _grade_id(metadata) or _grade_id(raw["metadata"]):
        return raw["cell_type"] == kind and _grade_id(metadata) == _grade_id(raw["metadata"])
    if metadata.get("id"):
        return raw.get("id") == metadata["id"]
    return raw["cell_type"] == kind and source_of(raw).strip() == source.strip()


def _grade_id(metadata: dict[str, Any]) -> str | None:
    nbgrader = metadata.get("nbgrader")
    return nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None


def derived_id(metadata: dict[str, Any], index: int) -> str:
    """Its grade_id with - instead of _, else cell-<n>; jupytext would invent a random one."""
    grade_id = _grade_id(metadata)
    return str(metadata.get("id") or (grade_id.replace("_", "-") if grade_id else f"cell-{index}"))


def _fresh(name: str, used: set[str]) -> str:
    number, candidate = 1, name
    while candidate in used:
        number += 1
        candidate = f"{name}-{number}"
    used.add(candidate)
    return candidate


def _starter(module: Module) -> dict[str, Any]:
    with contextlib.suppress(WorkError):
        return load_ipynb(module.starter)
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": [], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
