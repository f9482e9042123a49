"""The one next step: a command, or the place of an exercise that is not written yet."""

from tito.console import counted
from tito.notebook.pair import Work
from tito.remembered_state import ModuleState, Seen
from tito.student_work.progress import BAD, Progress, Row
from tito.workspace import Module, Workspace


def next_step(
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
    """The first row that is red, with its exercise; first a cell that does not run."""
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
