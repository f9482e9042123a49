"""Where a student is: the state of each exercise, and the one next command. Every verb asks here.

All of it is worked out each time, from the files and the last tests, so it cannot be out of date.
"""

from dataclasses import replace

from tito.errors import TitoError
from tito.notebook.cells import Cell, text_hash
from tito.notebook.damage import damages, elsewhere
from tito.notebook.exercises import answers, exercises
from tito.notebook.pair import Work, read_work
from tito.remembered_state import ModuleState, Seen, module_state
from tito.student_work.exporter import is_exported, is_generated, stubs
from tito.student_work.next_step import next_step
from tito.student_work.progress import BAD, Progress, Row
from tito.workspace import Module, Workspace


def progress(
    module: Module, *, work: Work | None = None, state: ModuleState | None = None
) -> Progress:
    """Where the student is with `module`, and the one next command. A caller that has read the
    notebook, or knows better than the disk what is remembered, gives `work` or `state`.
    """
    row = _alone(module, work, state)
    if row.next:
        return row
    modules = (one for one in Workspace(module.root).modules() if one.name != module.name)
    following = next((other for other in map(_alone, modules) if other.next), None)
    if following is None:
        return row
    return replace(row, next=following.next, why=following.why or "the next module")


def _alone(module: Module, work: Work | None = None, state: ModuleState | None = None) -> Progress:
    """The progress with one module; `next` is "" when it is done and packed."""
    start = f"tito start {module.number}"
    if not module.notebook.exists() and not module.script.exists():
        damaged = tuple(elsewhere(module))
        begin = next((one.command for one in damaged), start)
        return Progress(module.name, module.title, "not started", begin, damages=damaged)
    try:
        work = work or read_work(module, remember=False)
    except TitoError as problem:
        command = problem.next or f"tito test {module.number}"
        return Progress(module.name, module.title, "damaged", command, problem=str(problem))
    damaged = tuple(damages(module, work.cells))
    state = state or module_state(module.state_dir, module.name)
    asked, questions = _exercises(work, state), _questions(work.cells)
    exported = "no"
    if is_generated(module.export_path):
        exported = "yes" if is_exported(module, work) else "behind the notebook"
    packed = "no"
    if state.packed:
        packed = "yes" if state.packed == text_hash(work.cells) else "behind the notebook"
    seen = list(state.seen.values())
    row = Progress(
        module.name,
        module.title,
        "",
        "",
        exercises=tuple(asked),
        questions=tuple(questions),
        passed=sum(row.passed for row in seen) if seen else None,
        tests=sum(row.tests for row in seen) if seen else None,
        changed_since_test=bool(seen) and any(row.code != work.code for row in seen),
        exported=exported,
        packed=packed,
        damages=damaged,
    )
    name, following, why = next_step(module, work, state, row)
    if damaged:
        command = next((one.command for one in damaged if one.command), "")
        following = command or f"tito test {module.number}"
        why = "" if command else "after the repair"
    return replace(row, state=name, next=following, why=why)


def _exercises(work: Work, state: ModuleState) -> list[Row]:
    open_cells = {stub.index for stub in stubs(work.cells)}
    graded = [one for one in exercises(work.cells) if one.graded]
    owned = {one.graded.name for one in graded if one.graded}
    rows = []

    def add(cell: Cell, number: str | None, name: str, title: str, stub: int | None) -> None:
        seen = state.seen.get(cell.name)
        points = float(cell.nbgrader.get("points") or 0)
        tested = seen is not None and seen.code == work.code and seen.status != "not_run"
        where = _state(seen, stub is not None)
        rows.append(Row(cell.name, number, name, title, points, where, tested, stub))

    for one in graded:
        if one.graded and not one.is_question:
            stub = next((cell.index for cell in one.cells if cell.index in open_cells), None)
            add(one.graded, one.number, one.name, one.title, stub)
    for cell in work.cells:  # headings without numbers
        if cell.is_test and cell.nbgrader.get("points") and cell.name not in owned:
            seen = state.seen.get(cell.name)
            add(cell, None, (seen and seen.exercise) or cell.name, cell.name, None)
    return rows


def _state(seen: Seen | None, is_open: bool) -> str:
    status = seen.status if seen else ""
    if is_open or status == "your_turn":
        return "your turn"
    return "passes" if status == "pass" else "red" if status in BAD else "not tested"


def _questions(cells: list[Cell]) -> list[Row]:
    numbered = {one.graded.name: one for one in exercises(cells) if one.graded}
    points = {cell.name: float(cell.nbgrader.get("points") or 0) for cell in cells}
    rows = []
    for answer in answers(cells):
        one, name = numbered.get(answer.question), answer.question
        number, short, title = (one.number, one.name, one.title) if one else (None, name, name)
        state = "empty" if answer.empty else "written"
        rows.append(Row(name, number, short, title, points.get(name, 0.0), state))
    return rows
