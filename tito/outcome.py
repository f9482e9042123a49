"""The outcome of one test. The notebook runner, the contract tests, the grader, its report and its
pages share this one class; between processes and on disk it is JSON. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

TEXTS = ("promise", "call", "got", "want", "look", "message")
_LABELS = {"call": "| called:", "got": "| got:", "want": "| wanted:", "look": "| look:"}
# fields that are always in the JSON; the others are left out where they have their default
_ALWAYS = ("grade_id", "test", "status", *TEXTS, "seed")


@dataclass(frozen=True)
class Outcome:
    """How one test ended: a contract test, a test cell, or any other cell of a notebook.

    Attributes:
        status: "pass" or "fail" if the test came to a verdict; "your_turn", "error", "timeout" or
            "not_run" if it did not; for a question that is graded by hand "waits".
        test: the name of a contract test; None for a cell.
        grade_id: the cell that holds the test's points.
        cell: the cell's place among all cells of its notebook, counted from 1; 0 for a test that
            is not in a cell.
        line: the line in the cell at which it failed.
        stdout: everything that was printed, in order; stderr is included.
        seed: from which a contract test drew its inputs.
        kept: the promises that it found kept, each once.
        asks: the sentences that a contract test may name as promises, whether it came to ask them
            or not: see `tito.contract.promises_asked_for`.
    """

    status: str
    test: str | None = None
    grade_id: str | None = None
    cell: int = 0
    promise: str | None = None
    call: str | None = None
    got: str | None = None
    want: str | None = None
    look: str | None = None
    message: str | None = None
    hint: str | None = None
    line: int | None = None
    traceback: str | None = None
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    seed: int | None = None
    kept: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.status == "pass"

    @property
    def on_screen(self) -> str:
        """The texts that a student reads, on one line, with the words that tell them apart."""
        said = ((_LABELS.get(name, ""), getattr(self, name)) for name in TEXTS)
        parts = (f"{label} {text}" for label, text in said if text is not None)
        return " ".join(" ".join(parts).split())

    def texts(self) -> dict[str, str | None]:
        return {name: getattr(self, name) for name in TEXTS}

    def as_json(self) -> dict[str, Any]:
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default or field.name in _ALWAYS
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Outcome:
        """The outcome that `as_json`, or an older version of it, wrote. Unknown keys are ignored.

        Raises:
            ValueError: the status is missing.
        """
        known = {field.name: document.get(field.name) for field in fields(cls)}
        if not isinstance(known["status"], str):
            raise ValueError(f"an outcome has a status; this one has {known['status']!r}")
        known["kept"] = tuple(known["kept"] or ())
        known["asks"] = tuple(known["asks"] or ())
        return cls(**{name: value for name, value in known.items() if value is not None})
