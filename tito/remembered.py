"""What tito remembers in <workspace>/.tito/state.json: the hints that were shown, the code that the
.ipynb and the .py last agreed on, the last results. Losing the file loses no work.
"""

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tito.files import stamp, write_atomic

SCHEMA = 1


@dataclass(frozen=True)
class Seen:
    """How one row of `tito test` ended when it was last run.

    Attributes:
        status: as in `tito.outcome.Outcome`.
        code: hash of the code that was tested.
        kind: "exercise", "cell" or "syntax", as in a `Check`.
        exercise: what to ask `tito hint` for.
    """

    status: str
    code: str
    kind: str = "exercise"
    passed: int = 0
    tests: int = 0
    exercise: str | None = None


@dataclass(frozen=True)
class ModuleState:
    """What tito remembers of one module.

    Attributes:
        hints: how many hints of each exercise were shown.
        synced: hash of the code that the notebook and its script last agreed on.
        seen: the rows of the tests, by the name of the graded cell.
        started: whether `tito start` made or opened the notebook.
        packed: hash of the text that was last packed by `tito submit`.
    """

    hints: dict[str, int] = field(default_factory=dict)
    synced: str | None = None
    seen: dict[str, Seen] = field(default_factory=dict)
    started: bool = False
    packed: str | None = None


def module_state(folder: Path, name: str) -> ModuleState:
    """What `folder` (a workspace's .tito) holds on one module; damaged entries are left out."""
    part = _of_module(_read(folder), name)
    synced, packed = part.get("synced"), part.get("packed")
    return ModuleState(
        part["hints"],
        synced if isinstance(synced, str) else None,
        {name: Seen(**row) for name, row in part["seen"].items()},
        part.get("started") is True,
        packed if isinstance(packed, str) else None,
    )


def remember(
    folder: Path,
    name: str,
    *,
    hints: dict[str, int] | None = None,
    synced: str | None = None,
    seen: dict[str, Seen] | None = None,
    started: bool = False,
    packed: str | None = None,
    current: bool = True,
) -> None:
    """Store the given values of a module and leave the others as they are. The file is written only
    if something differs. If the disk refuses, a warning is printed and the command goes on.

    Args:
        hints: for each exercise whose hints were just shown, how many were shown.
        seen: all rows of the tests; they replace the ones of before.
        current: whether this becomes the current module.
    """
    state = _read(folder)
    before = json.dumps(state, sort_keys=True)
    part = _of_module(state, name)
    part["hints"].update(hints or {})
    given = {"synced": synced, "packed": packed, "started": started or None}
    part.update({key: value for key, value in given.items() if value is not None})
    if seen is not None:
        part["seen"] = {name: asdict(row) for name, row in seen.items()}
    state["schema"] = SCHEMA
    if current:
        state["current"] = name
    if json.dumps(state, sort_keys=True) != before:
        try:
            write_atomic(folder / "state.json", json.dumps(state, indent=1, sort_keys=True) + "\n")
        except OSError as problem:
            # A read-only folder or a full disk: tests and hints are still useful without the state.
            from tito.console import warn

            warn(
                f"tito cannot remember this run: {problem.strerror or problem}:"
                f" {problem.filename or folder}. Look at it with: tito doctor"
            )


def _read(folder: Path) -> dict[str, Any]:
    """The state in `folder`; empty when there is none, or when the file is damaged. A damaged file
    is renamed, not deleted.
    """
    path = folder / "state.json"
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(state, dict) and isinstance(state.get("modules", {}), dict):
            return state
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        pass
    with contextlib.suppress(OSError):
        os.replace(path, path.with_name(f"state-damaged-{stamp()}.json"))
    return {}


def _of_module(state: dict[str, Any], name: str) -> dict[str, Any]:
    """The part of `state` that belongs to one module; it is created when absent, and values of a
    wrong type are left out.
    """
    modules = state.setdefault("modules", {})
    part = modules[name] = modules[name] if isinstance(modules.get(name), dict) else {}
    part["hints"] = _sound(part.get("hints"), lambda level: isinstance(level, int))
    part["seen"] = _sound(part.get("seen"), _is_seen)
    return part


def _sound(part: Any, holds: Callable[[Any], bool]) -> dict[str, Any]:
    if not isinstance(part, dict):
        return {}
    return {key: value for key, value in part.items() if holds(value)}


def _is_seen(row: Any) -> bool:
    try:
        seen = Seen(**row)
    except TypeError:
        return False
    texts = (seen.status, seen.code, seen.kind, seen.exercise or "")
    numbers = (seen.passed, seen.tests)
    return all(isinstance(text, str) for text in texts) and all(
        isinstance(number, int) for number in numbers
    )
