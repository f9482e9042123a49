"""How far a student is with a module. This is worked out from the files and the last test results
each time, never stored, so that it cannot be out of date.
"""

from __future__ import annotations

from dataclasses import dataclass

from tito.errors import TitoError, WorkError
from tito.exporter import is_exported, is_generated, stubs
from tito.notebook.exercises import exercises, unsolved
from tito.notebook.pair import read_work
from tito.state import LastTest, last_results
from tito.workspace import Module


@dataclass(frozen=True)
class Progress:
    """One module's row in `tito status`."""

    module: str
    title: str
    state: str  # "not started", "started", "tested", "done" or "damaged"
    exercises: int  # that the student edition asks for; 0 when unknown
    open_exercises: int  # still stubs
    open_exports: int  # the open exercises that the package needs
    passed: int | None  # tests in the last full run
    tests: int | None
    tested: str | None  # when
    changed_since_test: bool
    exported: str  # "no", "yes" or "behind the notebook"
    problem: str | None
    next: str  # the one command


def is_started(module: Module) -> bool:
    """Whether the student has changed the notebook's code since it was handed out. A notebook that
    does not say what was handed out counts as started.
    """
    if not module.notebook.exists() and not module.script.exists():
        return False
    try:
        work = read_work(module, remember=False)
    except WorkError:
        return True  # damaged or in conflict: somebody worked on it
    return work.released is None or work.code != work.released


def progress(module: Module) -> Progress:
    """Where the student stands with `module`, and the one next command."""
    if not module.notebook.exists() and not module.script.exists():
        return _row(module, "not started", next=f"tito start {module.number}")
    try:
        work = read_work(module, remember=False)
    except TitoError as problem:
        return _row(module, "damaged", problem=str(problem), next=f"tito test {module.number}")
    results, fresh = last_results(module.state_dir, module.name, work.code)
    todo, exported_cells = stubs(work.cells), {cell.index for cell in work.cells if cell.exported}
    exports = [stub for stub in todo if stub.index in exported_cells]
    asked = [one for one in exercises(work.cells) if not one.is_question]
    exported = "no"
    if is_generated(module.export_path):
        exported = "yes" if is_exported(module, work) else "behind the notebook"
    started = work.released is None or work.code != work.released
    if not started:
        state, following = "not started", f"tito start {module.number}"
    elif results is None or not fresh:
        state = "started" if results is None else "tested"
        following = f"tito test {module.number}"
    elif not results.ok:
        state, following = "tested", results.next or ""
    elif exported == "yes":
        state, following = "done", f"tito submit {module.number}"
    else:
        state, following = "tested", f"tito export {module.number}"
    return _row(
        module,
        state,
        asked=len(asked) or sum(cell.is_solution for cell in work.cells),
        open_exercises=unsolved(asked, todo),
        open_exports=unsolved(asked, exports),
        results=results,
        changed_since_test=results is not None and not fresh,
        exported=exported,
        next=following,
    )


def _row(
    module: Module,
    state: str,
    *,
    next: str,
    asked: int = 0,
    open_exercises: int = 0,
    open_exports: int = 0,
    results: LastTest | None = None,
    changed_since_test: bool = False,
    exported: str = "no",
    problem: str | None = None,
) -> Progress:
    return Progress(
        module.name,
        module.title,
        state,
        asked,
        open_exercises,
        open_exports,
        results.passed if results else None,
        results.total if results else None,
        results.when if results else None,
        changed_since_test,
        exported,
        problem,
        next,
    )
