"""Show one hint for an exercise: first the idea, then the function to use, then a line that is
almost finished.

Name an exercise by its number (3a) or its name, or a test as its message names it. Without a name,
the exercises are listed. Each call shows one more hint.
"""

import argparse
import re
from typing import Any

from tito import console
from tito.commands import _arguments
from tito.errors import UsageError, WorkError
from tito.notebook.exercises import Exercise, exercises, named
from tito.notebook.pair import read_work
from tito.remembered_state import module_state, remember
from tito.student_work.next_step import advice_on
from tito.student_work.read_progress import progress
from tito.workspace import HINT_LAYERS, Module, Workspace, find_workspace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    _arguments.take_module(parser)
    parser.add_argument(
        "exercise", nargs="?", help="the name of an exercise or of one of its tests"
    )
    parser.add_argument(
        "--again", action="store_true", help="repeat the hints seen so far, show no new one"
    )
    _arguments.take_json(parser)


def run(args: argparse.Namespace) -> int:
    workspace = find_workspace()
    module, wanted = _which(workspace, args.module, args.exercise)
    levels = module_state(workspace.state_dir, module.name).hints
    if wanted is None:
        return _list(module, levels, args.json)
    exercise = find_exercise(module, wanted)
    number = next((one.number for one in _numbered(module) if one.name == exercise), None)
    hints = module.hints[exercise]
    seen = levels.get(exercise, 0)
    level = min(seen if args.again else seen + 1, len(hints))
    remember(workspace.state_dir, module.name, hints={exercise: level})
    short = number or exercise
    following = advice_on(module, exercise, short, level)
    if args.json:
        document = {
            "ok": True,
            "module": module.name,
            "exercise": exercise,
            "number": number,
            "level": level,
            "of": len(hints),
            "hints": hints[:level],
            "layers": [_layer(index) for index in range(level)],
            "next": following,
        }
        console.emit("hint", document)
        return 0
    title = " ".join(filter(None, [number, exercise]))
    console.say(console.paint(f"{title}: hint {level} of {len(hints)}", "bold"))
    for index, text in enumerate(hints[:level]):
        console.say(f"\n  {index + 1}. {_layer(index)}\n     {text}")
    console.say(f"\n{'one more' if level < len(hints) else 'then'}: {following}")
    return 0


def _layer(index: int) -> str:
    return HINT_LAYERS[index] if index < len(HINT_LAYERS) else "more"


def _which(
    workspace: Workspace, module: str | None, exercise: str | None
) -> tuple[Module, str | None]:
    """The module and the exercise that are meant. A single word that names no module is taken as an
    exercise of the current one: `tito hint epoch_order`.
    """
    if module and not exercise:
        current = workspace.module()
        if named(_numbered(current), module):
            return current, find_exercise(current, module)
        try:
            return workspace.module(module), None
        except UsageError as problem:
            try:
                return current, find_exercise(current, module)
            except UsageError as other:
                raise UsageError(f"{problem}\n{other}") from None
    return workspace.module(module), exercise


def find_exercise(module: Module, wanted: str) -> str:
    """The exercise in module.toml's [hints] that `wanted` names: by its number, by its own name, by
    a test's, or by a method of its class.

    Raises:
        UsageError: no exercise or test has that name; the message suggests the nearest one.
    """
    name = wanted.strip().lower().replace("-", "_").replace(" ", "_")
    plain = name.removeprefix("test_").removeprefix("contract_")
    spelled = re.sub(r"[._]+", "_", plain).strip("_")
    for candidate in (name, plain, spelled):
        if candidate in module.hints:
            return candidate
    exercise = named(_numbered(module), name)
    if exercise and exercise.name in module.hints:
        return exercise.name
    if exercise and exercise.is_question:
        raise UsageError(f"{exercise.label} of {module.name} has no hints: a person reads it")
    key_of = next((key for key in module.hints if spelled.startswith(f"{key}_")), None)
    if key_of:
        return key_of
    import difflib

    if name.startswith("contract_"):
        raise UsageError(
            f"hints belong to exercises, and {wanted} tests several. To see which one fails: tito"
            f" test {module.number} -k {wanted}"
        )
    close = difflib.get_close_matches(spelled, module.hints, n=1, cutoff=0.5)
    suggestion = (
        f"did you mean {close[0]}?" if close else f"all exercises: tito hint {module.number}"
    )
    raise UsageError(f"{module.name} has no exercise or test called {wanted!r}; {suggestion}")


def _numbered(module: Module) -> list[Exercise]:
    """The exercises of the student's notebook; none where it cannot be read."""
    try:
        return exercises(read_work(module, remember=False).cells)
    except WorkError:
        return []


def _list(module: Module, levels: dict[str, int], as_json: bool) -> int:
    standing = progress(module)
    known = {one.name: one for one in standing.exercises}
    order = [name for name in known if name in module.hints]
    order += [name for name in module.hints if name not in known]
    rows: list[dict[str, Any]] = []
    for name in order:
        one = known.get(name)
        number, title, state = (one.number, one.title, one.state) if one else (None, name, "")
        told = {"exercise": name, "number": number, "title": title, "state": state}
        rows.append({**told, "seen": levels.get(name, 0), "of": len(module.hints[name])})
    if as_json:
        document = {"ok": True, "module": module.name, "exercises": rows}
        told = {"words": standing.words, "next": standing.next, "advice": standing.advice}
        console.emit("hint", {**document, **told})
        return 0
    cells = [
        (row["number"] or "", row["title"], row["state"], f"{row['seen']} of {row['of']}")
        for row in rows
    ]
    console.table(["", "exercise", "state", "hints seen"], cells)
    first = next((row for row in rows if row["state"] != "passes"), rows[0] if rows else None)
    name = (first["number"] or first["exercise"]) if first else "EXERCISE"
    console.say(f"\none hint: tito hint {module.number} {name}")
    console.say(f"{standing.module}: {standing.words}\n{standing.advice}")
    return 0
