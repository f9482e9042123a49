"""The file in which a run of contract tests writes what it found, one JSON object a line.

The first line names every collected test and is written before the first test runs:
`{"collected": [{"grade_id": ..., "test": ...}, ...], "seed": ...}`. Each further line is an
outcome, with the number of its test in that list. So a reader knows which tests a run that broke
off did not come to, and a group's points are shared among the tests that were collected.

- A parametrized test is as many tests as it has parameters.
- A test that appears in two folders is two tests: a test is known by its place in the list, not by
  its name.
- A test that the course's own `conftest.py` deselects was not collected, and does not count.
- A test with two outcomes (it passed, then its teardown failed) counts once; a failure wins.
- After a collection error pytest runs nothing: every test that was collected is "not_run".
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any, TextIO

FIELDS = ("promise", "call", "got", "want", "look", "message")
NOT_RUN = "The run of the tests ended before this test had."


def write_collected(file: TextIO, tests: list[dict[str, Any]], seed: int) -> None:
    """Write the first line; `tests` have a grade_id and a name (`test`) each."""
    _write(file, {"collected": tests, "seed": seed})


def write_outcome(file: TextIO, number: int, outcome: dict[str, Any]) -> None:
    """Write what one test came to; `number` is its place among the collected ones."""
    _write(file, {"number": number, **outcome})


def _write(file: TextIO, line: dict[str, Any]) -> None:
    file.write(json.dumps(line) + "\n")
    file.flush()  # what was decided stays decided if the run is ended here


def read(path: Path) -> list[dict[str, Any]]:
    """A dict for each collected test, in order: grade_id, test, status, FIELDS, seed and
    peak_memory_bytes. A test without an outcome has the status "not_run". The list is empty when
    the run ended before its tests were collected.
    """
    lines = []
    for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        with contextlib.suppress(ValueError):  # the last one may be half written
            lines.append(json.loads(text))
    if not lines or "collected" not in lines[0]:
        return []
    head, *outcomes = lines
    nothing = {
        **dict.fromkeys(FIELDS),
        "status": "not_run",
        "message": NOT_RUN,
        "seed": head["seed"],
        "peak_memory_bytes": None,
    }
    tests = [{**nothing, **test} for test in head["collected"]]
    for outcome in outcomes:
        number = outcome.pop("number")
        if tests[number]["status"] in ("not_run", "pass"):
            tests[number].update(outcome)
    return tests
