"""What tito remembers in <workspace>/.tito/state.json: the hints that were shown, the code that the
.ipynb and the .py last agreed on, the last results. Losing the file loses no work.
"""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from tito.files import stamp, write_atomic

SCHEMA = 1


@dataclass(frozen=True)
class LastTest:
    """What the last full `tito test` of a module found, for the code whose hash is `code`."""

    code: str
    ok: bool
    passed: int
    total: int
    when: str
    next: str | None
    your_turn: int = 0


@dataclass(frozen=True)
class ModuleState:
    """What tito remembers of one module.

    Attributes:
        hints: how many hints of each exercise were shown.
        synced: hash of the code that the notebook and its script last agreed on.
        results: of the last full test.
    """

    hints: dict[str, int] = field(default_factory=dict)
    synced: str | None = None
    results: LastTest | None = None


def module_state(folder: Path, name: str) -> ModuleState:
    """What `folder` (a workspace's .tito) holds on one module; damaged entries are left out."""
    part = _of_module(_read(folder), name)
    synced, found = part.get("synced"), part.get("results")
    results = LastTest(**{key: found[key] for key in _LAST_TEST if key in found}) if found else None
    return ModuleState(part["hints"], synced if isinstance(synced, str) else None, results)


def current_module(folder: Path) -> str | None:
    """The name of the module that was worked on last."""
    name = _read(folder).get("current")
    return name if isinstance(name, str) else None


def last_results(folder: Path, name: str, code: str | None) -> tuple[LastTest | None, bool]:
    """The last results of a full test, and whether they belong to this code."""
    results = module_state(folder, name).results
    return results, results is not None and results.code == code


def remember(
    folder: Path,
    name: str,
    *,
    hints: dict[str, int] | None = None,
    synced: str | None = None,
    results: LastTest | None = None,
    current: bool = True,
) -> None:
    """Store the given values of a module and leave the others as they are. The file is written only
    if something differs. If the disk refuses, a warning is printed and the command goes on.

    Args:
        hints: for each exercise whose hints were just shown, how many were shown.
        current: whether this becomes the current module.
    """
    state = _read(folder)
    before = json.dumps(state, sort_keys=True)
    part = _of_module(state, name)
    part["hints"].update(hints or {})
    if synced is not None:
        part["synced"] = synced
    if results is not None:
        part["results"] = asdict(results)
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
    hints = part.get("hints", {})
    part["hints"] = (
        {exercise: level for exercise, level in hints.items() if isinstance(level, int)}
        if isinstance(hints, dict)
        else {}
    )
    results = part.get("results")
    if not isinstance(results, dict) or not all(
        isinstance(results.get(key), kind) for key, kind in _RESULTS.items()
    ):
        part.pop("results", None)
    return part


_RESULTS: dict[str, type | tuple[type, ...]] = {
    "code": str,
    "ok": bool,
    "passed": int,
    "total": int,
    "when": str,
    "next": str,
}
_LAST_TEST = [one.name for one in fields(LastTest)]
