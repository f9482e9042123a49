"""What one submission earned and why, as plain data: the same rows fill the report, the gradebook
and the feedback.

A row is a dict: grade_id, kind ("test", "contract" or "question"), points (None until a person
gives them), max_points, status ("pass", "fail", "your_turn", "error", "timeout", "not_run",
"waits"), promise, call, got, want, look, message, stderr, tests.
"""

from __future__ import annotations

import re
from typing import Any

KILLED = "killed"  # the status of a sealed run that neither the student nor the grader ended
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_LABELS = {"called": "call", "got": "got", "wanted": "want", "look at": "look"}
_CARRIER = re.compile(r"^\s*carrier\(", re.MULTILINE)
_TEXT_LIMIT = 4000  # characters kept of anything a student's program wrote


def kind_of(cell: Any) -> str | None:
    """What a released cell is worth points for; None for cells without points."""
    flags = cell["metadata"].get("nbgrader", {})
    if flags.get("task") or (flags.get("grade") and flags.get("solution")):
        # nbgrader's two kinds that a person grades
        return "question"
    if not flags.get("grade"):
        return None
    return "contract" if _CARRIER.search(cell["source"]) else "test"


def graded_cells(released: Any) -> list[tuple[str, str, float]]:
    """(grade_id, kind, max_points) of every cell with points, in order."""
    rows = []
    for cell in released["cells"]:
        kind = kind_of(cell)
        if kind:
            flags = cell["metadata"]["nbgrader"]
            rows.append((flags["grade_id"], kind, float(flags.get("points") or 0)))
    return rows


def row(
    grade_id: str,
    kind: str,
    max_points: float,
    points: float | None = 0.0,
    status: str = "not_run",
    **details: Any,
) -> dict[str, Any]:
    empty = dict.fromkeys(("promise", "call", "got", "want", "look", "message", "stderr"))
    return {
        "grade_id": grade_id,
        "kind": kind,
        "max_points": max_points,
        "points": points,
        "status": status,
        "tests": [],
        **empty,
        **details,
    }


def read_cell(cell: Any) -> dict[str, Any]:
    """Status and texts of one executed test cell, from its outputs."""
    found: dict[str, Any] = {"status": "pass"}
    stderr = "".join(
        out.text
        for out in cell.get("outputs", [])
        if out.output_type == "stream" and out.name == "stderr"
    )
    if stderr:
        found["stderr"] = _cut(stderr)
    errors = [out for out in cell.get("outputs", []) if out.output_type == "error"]
    if not errors:
        return found
    error = errors[0]
    message = _cut(_ANSI.sub("", error.evalue or ""))
    if any(other.ename == "CellTimeoutError" for other in errors):
        return {
            **found,
            "status": "timeout",
            "message": "the cell did not come to an end in its time",
        }
    if error.ename == "NotRun":
        return {**found, "status": "not_run", "message": message}
    if error.ename in ("PromiseBroken", "YourTurn"):
        return {
            **found,
            "status": "your_turn" if error.ename == "YourTurn" else "fail",
            **_promise(message),
            "message": message,
        }
    stub = error.ename == "NotImplementedError" and message.startswith("your turn")
    return {
        **found,
        "status": "your_turn" if stub else "error",
        "promise": message if stub else None,
        "message": f"{error.ename}: {message}",
    }


def _promise(message: str) -> dict[str, str]:
    """The five lines of a PromiseBroken, taken apart again."""
    first, *rest = message.splitlines() or [""]
    found = {"promise": re.sub(r"^\s*(✗|\[x\])\s*", "", first)}
    for line in rest:
        label, text = line[2:11].strip(), line[12:].strip()
        if label in _LABELS:
            found[_LABELS[label]] = text
    return found


def contract_row(grade_id: str, max_points: float, tests: list[dict[str, Any]]) -> dict[str, Any]:
    """The score of one group of contract tests: points x passed / collected, rounded to 0.01.

    Args:
        tests: every collected test of the group, also those that were not run. A group without
            tests needs a person.
    """
    passed = sum(test["status"] == "pass" for test in tests)
    if not tests:
        return row(
            grade_id,
            "contract",
            max_points,
            message="no contract test carries this mark",
            status="not_run",
        )
    worst = next((test for test in tests if test["status"] != "pass"), None)
    texts = (
        {name: worst.get(name) for name in ("promise", "call", "got", "want", "look", "message")}
        if worst
        else {}
    )
    return row(
        grade_id,
        "contract",
        max_points,
        round(max_points * passed / len(tests), 2),
        worst["status"] if worst else "pass",
        **{**texts, "tests": tests},
    )


def _cut(text: str) -> str:
    return (
        text
        if len(text) <= _TEXT_LIMIT
        else text[:_TEXT_LIMIT] + f"\n... {len(text) - _TEXT_LIMIT} more characters"
    )
