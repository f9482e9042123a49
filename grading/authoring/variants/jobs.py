"""The jobs of `tito dev check` and `tito dev mutate`, each of which
`grading.authoring.variants.worker` does in a fork. A job has a name, limits, and of its kind:

{"kind": "cells", "cells": [{index, label, is_test, source}, or the index of a cell that is the
 reference's], "cell_seconds": s, "until_failure": whether the first cell that fails is the last}
    rows as tito.run.cell_worker.measure gives them
{"kind": "contracts", "arguments": of pytest, "report": file, "environment": {...},
 "grade_id": only tests that earn its points, or null}
{"kind": "page", "title": "ABOUT.md", "page": the snippets, everything else blank}
{"kind": "values", "check": the body of a function of the package and a generator, "import_name",
 "seeds": with how many of them it is called}

All but the first are done on an export: "export" is the file, "text" what is written there.
"""

import contextlib
import doctest
import importlib
import io
import os
import sys
import traceback
import types
from pathlib import Path
from typing import Any

from tito.contract import outcome_file
from tito.outcome import Outcome
from tito.run import cell_worker

Rows = list[Any]


def cells(job: dict[str, Any]) -> Rows:
    """Run the cells as tito.run.cell_worker does, in a fresh `__main__` without a file, like
    Jupyter's.
    """
    main, rows = types.ModuleType("__main__"), []
    sys.modules["__main__"] = main
    for cell in job["cells"]:
        outcome = cell_worker.measure(cell, main.__dict__, job["cell_seconds"])
        rows.append(outcome.as_json())
        if job["until_failure"] and not outcome.passed:
            break
    return rows


class _Only:
    """A plugin of pytest: only the tests that earn the points of one graded cell."""

    def __init__(self, grade_id: str):
        self.grade_id = grade_id

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        marks = ((item, item.get_closest_marker("contract")) for item in items)
        items[:] = [item for item, mark in marks if mark and mark.args[0] == self.grade_id]


def contracts(job: dict[str, Any]) -> Rows:
    """Run pytest here; the rows are what the plugin of the contract tests reports."""
    import pytest

    output, grade_id = io.StringIO(), job["grade_id"]
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = int(pytest.main(job["arguments"], plugins=[_Only(grade_id)] if grade_id else []))
    rows = [outcome.as_json() for outcome in outcome_file.read(Path(job["report"]))]
    if code not in (0, 1) or not rows:
        said = f"exit code {code}: {output.getvalue()[-1500:]}"
        rows.append(Outcome("error", "pytest", message=said).as_json())
    return rows


def page(job: dict[str, Any]) -> Rows:
    """Run every `>>>` line of a page in one namespace; an outcome for each that prints something
    else ("fail") or raises an error that the page does not show ("error").
    """
    rows: Rows = []
    namespace = {"__name__": "__main__"}
    test = doctest.DocTestParser().get_doctest(
        job["page"], namespace, job["title"], job["title"], 0
    )

    class Runner(doctest.DocTestRunner):
        def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
            raised = False
            if got.startswith("Traceback"):
                got = got.strip().splitlines()[-1]
                raised = got.partition(":")[0] not in (example.exc_msg or "")
            self.add(example, got, raised)

        def report_unexpected_exception(
            self, out: Any, test: Any, example: Any, exc_info: Any
        ) -> None:
            got = "".join(traceback.format_exception_only(*exc_info[:2]))
            self.add(example, got, raised=True)

        def add(self, example: Any, got: str, raised: bool) -> None:
            status, line = "error" if raised else "fail", example.lineno + 1
            call, got, want = (text.strip() for text in (example.source, got, example.want))
            rows.append(Outcome(status, line=line, call=call, got=got, want=want).as_json())

    Runner(optionflags=doctest.ELLIPSIS).run(test)
    return rows


def values(job: dict[str, Any]) -> Rows:
    """For each seed what a check returns, as text, and whether it raised that."""
    import numpy as np

    package = importlib.import_module(job["import_name"])
    namespace: dict[str, Any] = {"np": np}
    lines = "\n".join(f"    {line}" for line in job["check"].splitlines())
    exec(f"def check(tt, rng):\n{lines}", namespace)
    rows = []
    for seed in range(job["seeds"]):
        try:
            value = namespace["check"](package, np.random.default_rng(seed))
            rows.append((repr(_plain(value)), False))
        except Exception as problem:  # noqa: BLE001 - both packages may refuse the same input
            rows.append((f"{type(problem).__name__}: {problem}", True))
    return rows


def _plain(value: Any) -> Any:
    """Data whose repr says all of it: arrays with dtype, shape and every number."""
    import numpy as np

    if isinstance(value, (np.ndarray, np.generic)):
        return (type(value).__name__, value.dtype.str, value.shape, value.tolist())
    if hasattr(value, "data") and isinstance(value.data, np.ndarray):
        return (type(value).__name__, _plain(value.data))
    if isinstance(value, dict):
        return [(key, _plain(part)) for key, part in value.items()]
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [_plain(part) for part in value])
    return value


KINDS = {"cells": cells, "contracts": contracts, "page": page, "values": values}


def do(job: dict[str, Any], scratch: Path, given: dict[int, Any]) -> dict[str, Any]:
    """The rows of one job, or what went wrong.

    Args:
        scratch: the workspace of this process.
        given: the reference's cells by their index.
    """
    os.environ.update(job.get("environment", {}))
    try:
        if "export" in job:
            (scratch / job["export"]).write_text(job["text"], encoding="utf-8")
            importlib.invalidate_caches()
        if job["kind"] == "contracts":
            os.chdir(scratch)
        if job["kind"] == "cells":
            job["cells"] = [
                given.get(cell, cell) if isinstance(cell, int) else cell for cell in job["cells"]
            ]
        return {"rows": KINDS[job["kind"]](job)}
    except BaseException:  # noqa: BLE001 - it is the job's answer
        return {"rows": [], "said": traceback.format_exc()[-3000:]}
