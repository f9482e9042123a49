"""Where a student is: the state of each exercise, and the one next command. Every verb asks here.

All of it is worked out each time, from the files and the last tests, so it cannot be out of date.
"""

from dataclasses import dataclass, replace

from tito.console import counted
from tito.errors import TitoError
from tito.notebook.cells import Cell, text_hash
from tito.notebook.damage import Damage, damages, elsewhere
from tito.notebook.exercises import answers, exercises, unsolved
from tito.notebook.pair import Work, read_work
from tito.state import ModuleState, Seen, module_state
from tito.student_work.exporter import is_exported, is_generated, stubs
from tito.workspace import Module, Workspace

BAD = ("fail", "error", "timeout", "your_turn")


@dataclass(frozen=True)
class Row:
    """One exercise, or one question.

    Attributes:
        id: the name of its graded cell.
        name: what to ask `tito hint` for.
        state: "passes", "red", "your turn" or "not tested"; of a question "written" or "empty".
        tested: whether its tests ran on the code as it is now.
        stub: the number of the first cell that is still a stub; None where none is.
    """

    id: str
    number: str | None
    name: str
    title: str
    points: float
    state: str
    tested: bool = False
    stub: int | None = None

    @property
    def place(self) -> str:
        """Where its code is still to be written, such as "1b, cell 21"."""
        return f"{self.short}, cell {self.stub}"

    @property
    def label(self) -> str:
        return " ".join(filter(None, [self.number, self.name]))

    @property
    def short(self) -> str:
        return self.number or self.name


@dataclass(frozen=True)
class Progress:
    """Where the student is with one module.

    Attributes:
        state: "not started"; "damaged"; "started": something was not tested since it changed;
            "tested": all was, and something is left to do; "done"; "packed".
        exercises: those that tests grade, in order; a person grades the `questions`.
        open_exercises: how many exercises are still stubs, and `open_exports` how many of them the
            package needs.
        passed, tests: how many tests passed when each last ran; None before the first run.
        exported: "no", "yes" or "behind the notebook".
        packed: the same about the zip of `tito submit`.
        problem: why the notebook cannot be read.
        damages: what happened to a notebook that can be read.
        next: the one next step, a command or the place of an exercise that is not written yet; ""
            when nothing is left to do.
        why: what the command is for, where the command does not say it.
    """

    module: str
    title: str
    state: str
    next: str
    why: str = ""
    exercises: tuple[Row, ...] = ()
    questions: tuple[Row, ...] = ()
    open_exercises: int = 0
    open_exports: int = 0
    passed: int | None = None
    tests: int | None = None
    changed_since_test: bool = False
    exported: str = "no"
    packed: str = "no"
    problem: str | None = None
    damages: tuple[Damage, ...] = ()

    @property
    def passing(self) -> list[Row]:
        return [row for row in self.exercises if row.state == "passes"]

    @property
    def empty(self) -> list[Row]:
        return [row for row in self.questions if row.state == "empty"]

    @property
    def words(self) -> str:
        """Exercises, answers and export, each counted apart, in one line."""
        if self.state in ("not started", "damaged"):
            return self.state
        parts = [counted(len(self.passing), "exercise", "pass", of=len(self.exercises))]
        if self.questions:
            written = len(self.questions) - len(self.empty)
            parts.append(f"{counted(written, 'answer', of=len(self.questions))} written")
        behind = "the export is behind the notebook"
        parts.append({"no": "not exported", "yes": "exported"}.get(self.exported, behind))
        parts += ["not all tested since the last change"] if self.changed_since_test else []
        parts += {"no": [], "yes": ["packed"]}.get(self.packed, ["packed before the last change"])
        return ", ".join(parts)

    @property
    def advice(self) -> str:
        """The last lines of every verb: what is damaged, and the next step."""
        why = f"   # {self.why}" if self.why else ""
        following = f"next: {self.next or 'nothing is left to do'}{why}"
        return "\n".join([*map(str, self.damages), following])


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
    todo, exported_cells = stubs(work.cells), {cell.index for cell in work.cells if cell.exported}
    listed = exercises(work.cells)
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
        open_exercises=len(unsolved(listed, todo)),
        open_exports=len(unsolved(listed, [stub for stub in todo if stub.index in exported_cells])),
        passed=sum(row.passed for row in seen) if seen else None,
        tests=sum(row.tests for row in seen) if seen else None,
        changed_since_test=bool(seen) and any(row.code != work.code for row in seen),
        exported=exported,
        packed=packed,
        damages=damaged,
    )
    name, following, why = _standing(module, work, state, row)
    if damaged:
        command = next((one.command for one in damaged if one.command), "")
        following = command or f"tito test {module.number}"
        why = "" if command else "after the repair"
    return replace(row, state=name, next=following, why=why)


def _standing(
    module: Module, work: Work, state: ModuleState, row: Progress
) -> tuple[str, str, str]:
    """The state's name, the next step, and what it is for."""
    number, asked = module.number, row.exercises
    changed = work.released is None or work.code != work.released
    answered = any(one.state == "written" for one in row.questions)
    if not (changed or answered or state.started or state.seen or state.hints or state.packed):
        return "not started", f"tito start {number}", ""
    gaps = Workspace(module.root).gaps(module)
    fresh = {name: one for name, one in state.seen.items() if one.code == work.code}
    tested = len(fresh) == len(state.seen) and all(one.tested for one in asked) and bool(fresh)
    name = "tested" if tested else "started"
    if gaps and not fresh:
        return name, f"tito export {gaps[0].number}", f"{module.name} builds on {gaps[0].name}"
    red, todo = _first_red(fresh, asked), {one.id: one for one in asked if one.stub}
    if red:
        seen, mine = red
        if mine and mine.id in todo:
            return name, mine.place, ""
        short, hints = mine.short if mine else "", state.hints.get(seen.exercise or "", 0)
        command = advice_on(module, seen.exercise, short, hints)
        return name, command, f"{short} is red" if short else ""
    if todo and all(one.tested for one in asked if not one.stub):
        return name, next(iter(todo.values())).place, ""
    if not tested:
        return name, f"tito test {number}", ""
    if row.exported != "yes":
        return name, f"tito export {number}", ""
    if empty := [one.short for one in row.empty]:
        why = f"{counted(len(empty), 'answer', 'are')} empty: {', '.join(empty)}"
        return name, f"tito start {number}", why
    if row.packed != "yes":
        return "done", f"tito submit {number}", ""
    return "packed", "", ""


def _first_red(fresh: dict[str, Seen], asked: tuple[Row, ...]) -> tuple[Seen, Row | None] | None:
    """The first row that is red, and its exercise. A cell that does not run comes first, because
    exercises may be red for its sake.
    """
    numbers = {row.id: row for row in asked}
    bad = {name: row for name, row in fresh.items() if row.status in BAD}
    order = [name for name in bad if bad[name].kind != "exercise"]
    order += [name for name in numbers if name in bad]
    order += list(bad)
    return (bad[order[0]], numbers.get(order[0])) if order else None


def advice_on(module: Module, exercise: str | None, short: str, seen: int) -> str:
    """The command that helps with an exercise: its next hint, and after the last one a test."""
    if exercise and seen < len(module.hints.get(exercise, [])):
        return f"tito hint {module.number} {short or exercise}"
    return f"tito test {module.number}" + (f" -k {short}" if short else "")


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
