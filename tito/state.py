"""What tito remembers in <workspace>/.tito/state.json: hint levels, the last agreed code, the
last results. All of it can be lost.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tito.files import stamp, write_atomic

SCHEMA = 1


def read_state(folder: Path) -> dict[str, Any]:
    """The state in `folder` (a workspace's .tito); empty when there is none, or when the file is
    damaged (which is put aside, not deleted).
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


def of_module(state: dict[str, Any], name: str) -> dict[str, Any]:
    """The part of `state` that belongs to one module (made when absent); what is not of the
    right kind in it is left out.
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
    "earned": (int, float),
    "points": (int, float),
    "when": str,
    "next": str,
}


def update_state(
    folder: Path, name: str, change: Callable[[dict[str, Any]], Any], *, current: bool = True
) -> None:
    """Apply `change` to the module's part and write the file if anything differs; a disk that
    refuses is said and stops nobody.
    """
    state = read_state(folder)
    before = json.dumps(state, sort_keys=True)
    change(of_module(state, name))
    state["schema"] = SCHEMA
    if current:
        state["current"] = name
    if json.dumps(state, sort_keys=True) != before:
        try:
            write_atomic(folder / "state.json", json.dumps(state, indent=1, sort_keys=True) + "\n")
        except OSError as problem:
            # a read-only folder, a full disk: tests and hints are worth having all the same
            from tito.console import warn

            warn(
                f"tito cannot remember this run: {problem.strerror or problem}:"
                f" {problem.filename or folder}. Look at it with: tito doctor"
            )


def last_results(folder: Path, name: str, code: str | None) -> tuple[dict[str, Any] | None, bool]:
    """The last results of a full test, and whether they are of this code."""
    results = of_module(read_state(folder), name).get("results")
    return (results, results["code"] == code) if results else (None, False)
