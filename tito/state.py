"""What tito remembers in <workspace>/.tito/state.json: hint levels, the last agreed code, the last results. All of it can be lost."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from typing import Any

from tito.course import Module, Workspace
from tito.files import stamp, write_atomic

SCHEMA = 1


def read_state(workspace: Workspace) -> dict[str, Any]:
    """The state; empty when there is none, or when the file is damaged (which is put aside, not deleted)."""
    path = workspace.state_dir / "state.json"
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


def of_module(state: dict[str, Any], module: Module) -> dict[str, Any]:
    """The part of `state` that belongs to one module (made when absent)."""
    part = state.setdefault("modules", {}).setdefault(module.name, {})
    return part if isinstance(part, dict) else state["modules"].update({module.name: {}}) or state["modules"][module.name]


def update_state(workspace: Workspace, module: Module, change: Callable[[dict[str, Any]], Any], *, current: bool = True) -> None:
    """Apply `change` to the module's part and write the file if anything differs."""
    state = read_state(workspace)
    before = json.dumps(state, sort_keys=True)
    change(of_module(state, module))
    state["schema"] = SCHEMA
    if current:
        state["current"] = module.name
    if json.dumps(state, sort_keys=True) != before:
        write_atomic(workspace.state_dir / "state.json", json.dumps(state, indent=1, sort_keys=True) + "\n")


def last_results(module: Module, code: str | None) -> tuple[dict[str, Any] | None, bool]:
    """The last results of a full test, and whether they are of this code."""
    results = of_module(read_state(Workspace(module.root)), module).get("results")
    if not isinstance(results, dict) or "code" not in results:
        return None, False
    return results, results["code"] == code
