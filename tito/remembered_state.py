"""What tito remembers in <workspace>/.tito/state.json: the hints that were shown, the code that the
.ipynb and the .py last agreed on, the last results. Losing the file loses no work.
"""

import contextlib
import json
import os
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
    """What `folder` (a workspace's .tito) holds on one module, without values of a wrong type."""
    return _of_module(_read(folder), name)


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
    known = _of_module(state, name)
    now = ModuleState(
        {**known.hints, **(hints or {})},
        synced or known.synced,
        known.seen if seen is None else seen,
        started or known.started,
        packed or known.packed,
    )
    modules = state.setdefault("modules", {})
    kept = modules.get(name) if isinstance(modules.get(name), dict) else {}
    modules[name] = {**kept, **asdict(now)}  # what a newer tito wrote stays
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
    """The state in `folder`, or {}; a damaged file is renamed, not deleted."""
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


def _of_module(state: dict[str, Any], name: str) -> ModuleState:
    """The part of `state` that belongs to one module, without values of a wrong type."""
    modules = state.get("modules", {})
    part = modules[name] if isinstance(modules.get(name), dict) else {}

    def of_kind(key: str, kind: type, otherwise: Any) -> Any:
        return part[key] if isinstance(part.get(key), kind) else otherwise

    levels, rows = of_kind("hints", dict, {}), of_kind("seen", dict, {})
    return ModuleState(
        {key: level for key, level in levels.items() if isinstance(level, int)},
        of_kind("synced", str, None),
        {key: seen for key, row in rows.items() if (seen := _seen(row))},
        of_kind("started", bool, False),
        of_kind("packed", str, None),
    )


def _seen(row: Any) -> Seen | None:
    try:
        seen = Seen(**row)
    except TypeError:
        return None
    texts = (seen.status, seen.code, seen.kind, seen.exercise or "")
    sound = all(isinstance(text, str) for text in texts)
    return seen if sound and isinstance(seen.passed, int) and isinstance(seen.tests, int) else None
