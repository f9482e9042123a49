"""The file in which a run of contract tests writes what it found, one JSON object a line.

The first line names every collected test and is written before the first test runs:
`{"collected": [{"grade_id": ..., "test": ..., "asks": [...]}, ...], "seed": ...}`; `asks` are the
sentences that `tito.contract.promises_asked_for` read from the test. Each further line is an
outcome, with the number of its test in that list. So when a run breaks off, a reader knows which
tests did not run, and a group's points are shared among all tests that were collected.

- A parametrized test counts as one test for each of its parameters.
- A test that appears in two folders counts as two: a test is identified by its place in the list,
  not by its name.
- A test that the course's own `conftest.py` deselects was not collected and does not count.
- A test with two outcomes (it passed, then its teardown failed) counts once, as a failure.
- After a collection error pytest runs nothing: every test that was collected is "not_run".
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from tito.files import json_lines
from tito.outcome import Outcome

NOT_RUN = "The run of the tests ended before this test had."


def write(file: TextIO, line: dict[str, Any]) -> None:
    file.write(json.dumps(line) + "\n")
    file.flush()  # outcomes written so far are kept if the run is killed


def read(path: Path) -> list[Outcome]:
    """The outcome of each collected test, in order. A test that did not run has the status
    "not_run". The list is empty when the run ended before its tests were collected.
    """
    lines = json_lines(path)
    if not lines or "collected" not in lines[0]:
        return []
    head, *ended = lines
    told = [
        {**test, "asks": tuple(test.get("asks", ())), "seed": head["seed"]}
        for test in head["collected"]
    ]
    tests = [Outcome("not_run", message=NOT_RUN, **test) for test in told]
    for line in ended:
        number = line["number"]
        if tests[number].status in ("not_run", "pass"):
            tests[number] = replace(Outcome.from_json(line), **told[number])
    return tests
